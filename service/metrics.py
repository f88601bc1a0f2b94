"""What an operator measures of one API process, in the Prometheus format: by operation, never by game or caller."""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.gc_collector import GCCollector
from prometheus_client.platform_collector import PlatformCollector
from prometheus_client.process_collector import ProcessCollector

from service.events import Wakeups

BUCKETS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
METHODS = frozenset(("GET", "HEAD", "OPTIONS", "POST", "PUT", "DELETE"))


class Metrics:
    """Counts and times since the process started. Labels are paths as the document writes them: few, and public."""

    def __init__(self, wakeups: Wakeups) -> None:
        self._registry = CollectorRegistry()
        # Looking a label up costs more than counting.
        self._known: dict[tuple[str, str, str], tuple[Counter, Histogram]] = {}
        self._requests = Counter(
            "tapete_requests", "Requests answered.", ["path", "method", "status"], registry=self._registry
        )
        self._seconds = Histogram(
            "tapete_request_seconds",
            "From a request to the beginning of its answer.",
            ["path", "method"],
            registry=self._registry,
            buckets=BUCKETS,
        )
        readers = Gauge("tapete_readers", "Streams, long polls and waits for jobs.", registry=self._registry)
        readers.set_function(wakeups.count)
        self._store = Gauge("tapete_store_up", "1 while the store answers.", registry=self._registry)
        self._workers = Gauge("tapete_bot_workers", "Bot workers that have registered.", registry=self._registry)
        self._waiting = Gauge("tapete_bot_jobs_waiting", "Bot moves that wait for a worker.", registry=self._registry)
        self._simulating = {
            name: Gauge(f"tapete_simulation{name}", text, registry=self._registry)
            for name, text in (
                ("_workers", "Workers of simulations that have registered."),
                ("_jobs_waiting", "Turns at simulations that wait for a worker."),
                ("s_active", "Simulations that are not over."),
            )
        }
        for collector in (GCCollector, PlatformCollector, ProcessCollector):
            collector(registry=self._registry)

    def answered(self, path: str, method: str, status: int, seconds: float) -> None:
        """Count a request. `path` is a template of the document, or empty where there is nothing."""
        about = (path, method if method in METHODS else "other", str(status))
        if (known := self._known.get(about)) is None:
            known = self._known[about] = self._requests.labels(*about), self._seconds.labels(*about[:2])
        known[0].inc()
        known[1].observe(seconds)

    def behind(self, workers: int, waiting: int) -> None:
        """Take note of how the store and the queue stand."""
        self._store.set(1)
        self._workers.set(workers)
        self._waiting.set(waiting)

    def simulating(self, workers: int, waiting: int, active: int) -> None:
        """Take note of how simulations stand."""
        for name, value in (("_workers", workers), ("_jobs_waiting", waiting), ("s_active", active)):
            self._simulating[name].set(value)

    def alone(self) -> None:
        """Take note that the store does not answer."""
        self._store.set(0)

    def page(self) -> bytes:
        """All of it, as Prometheus reads it."""
        return generate_latest(self._registry)
