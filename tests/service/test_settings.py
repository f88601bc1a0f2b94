import pytest

from service.rates import Rate
from service.settings import Settings, SettingsError

FIRST, SECOND = "aa" * 32, "bb" * 32


def test_an_empty_environment_gives_the_defaults() -> None:
    settings = Settings.from_environment({})
    assert settings == Settings("", "", (), "127.0.0.1", 8000, "info", "tapete-bots")


def test_an_empty_variable_counts_as_not_set() -> None:
    names = ("REDIS_URL", "TAPETE_QUEUE_REDIS_URL", "TAPETE_SECRET", "TAPETE_HOST", "TAPETE_PORT", "TAPETE_LOG_LEVEL")
    assert Settings.from_environment(dict.fromkeys(names, "")) == Settings.from_environment({})


def test_queues_are_in_the_games_redis_unless_they_have_their_own() -> None:
    one = Settings.from_environment({"REDIS_URL": "redis://games"})
    assert one.queue_redis_url == "redis://games"
    two = Settings.from_environment({"REDIS_URL": "redis://games", "TAPETE_QUEUE_REDIS_URL": "redis://queues"})
    assert (two.redis_url, two.queue_redis_url) == ("redis://games", "redis://queues")


def test_of_two_secrets_the_first_comes_first() -> None:
    settings = Settings.from_environment({"TAPETE_SECRET": f"{FIRST}, {SECOND}"})
    assert settings.secrets == (bytes.fromhex(FIRST), bytes.fromhex(SECOND))


def test_children_read_the_same_settings_from_the_environment_they_get() -> None:
    environ = {
        "REDIS_URL": "unix:///run/redis.sock",
        "TAPETE_QUEUE_REDIS_URL": "redis://queues",
        "TAPETE_SECRET": f"{FIRST},{SECOND}",
        "TAPETE_HOST": "0.0.0.0",  # noqa: S104 - only read
        "TAPETE_PORT": "0",
        "TAPETE_LOG_LEVEL": "Debug",
        "TAPETE_TRUSTED_PROXIES": "10.0.0.0/8, ::1",
        "TAPETE_CORS_ORIGINS": "https://a.example capacitor://localhost http://[::1]:8080",
    }
    settings = Settings.from_environment(environ)
    assert Settings.from_environment(settings.to_environment()) == settings
    assert (settings.port, settings.log_level) == (0, "debug")
    assert (settings.trusted_proxies, len(settings.cors_origins)) == (("10.0.0.0/8", "::1"), 3)


@pytest.mark.parametrize(
    ("environ", "sentence"),
    [
        ({"REDIS_URL": "localhost:6379"}, "REDIS_URL is not a Redis URL"),
        ({"TAPETE_QUEUE_REDIS_URL": "http://queues"}, "TAPETE_QUEUE_REDIS_URL is not a Redis URL"),
        ({"TAPETE_SECRET": "not hex"}, "TAPETE_SECRET is not hex"),
        ({"TAPETE_SECRET": "aabb"}, "at least 32 hex digits"),
        ({"TAPETE_SECRET": f"{FIRST},"}, "at least 32 hex digits"),
        ({"TAPETE_SECRET": f"{FIRST},{FIRST},{FIRST}"}, "one secret or two"),
        ({"TAPETE_PORT": "http"}, "TAPETE_PORT is 'http'"),
        ({"TAPETE_PORT": "65536"}, "TAPETE_PORT is '65536'"),
        ({"TAPETE_LOG_LEVEL": "loud"}, "TAPETE_LOG_LEVEL is 'loud'"),
        ({"TAPETE_TRUSTED_PROXIES": "proxy.example"}, "TAPETE_TRUSTED_PROXIES holds 'proxy.example'"),
        ({"TAPETE_TRUSTED_PROXIES": "10.0.0.1/8"}, "TAPETE_TRUSTED_PROXIES holds '10.0.0.1/8'"),
        ({"TAPETE_TRUSTED_PROXIES": "*,10.0.0.1"}, "stands alone"),
        ({"TAPETE_CORS_ORIGINS": "table.example"}, "TAPETE_CORS_ORIGINS holds 'table.example'"),
        ({"TAPETE_CORS_ORIGINS": "https://a.example https://b.example/"}, "holds 'https://b.example/'"),
        ({"TAPETE_CORS_ORIGINS": "null"}, "TAPETE_CORS_ORIGINS holds 'null'"),
        ({"TAPETE_CORS_ORIGINS": "https://A.example"}, "TAPETE_CORS_ORIGINS holds"),
    ],
)
def test_a_wrong_value_is_refused_with_a_sentence_that_names_the_variable(
    environ: dict[str, str], sentence: str
) -> None:
    with pytest.raises(SettingsError, match=sentence):
        Settings.from_environment(environ)


def test_a_part_that_runs_alone_needs_a_redis_and_a_secret() -> None:
    with pytest.raises(SettingsError, match="REDIS_URL is not set"):
        Settings.from_environment({"TAPETE_SECRET": FIRST}).complete()
    with pytest.raises(SettingsError, match="TAPETE_SECRET is not set"):
        Settings.from_environment({"REDIS_URL": "redis://games"}).complete()
    complete = Settings.from_environment({"REDIS_URL": "redis://games", "TAPETE_SECRET": FIRST})
    assert complete.complete() is complete


def test_neither_secrets_nor_passwords_are_shown_when_settings_are_printed_or_refused() -> None:
    settings = Settings.from_environment({"REDIS_URL": "redis://:hidden@games", "TAPETE_SECRET": FIRST})
    assert "hidden" not in repr(settings)
    assert str(settings.secrets[0]) not in repr(settings)
    with pytest.raises(SettingsError) as refusal:
        Settings.from_environment({"TAPETE_SECRET": "hidden"})
    assert "hidden" not in str(refusal.value)


def test_limits_are_read_from_one_variable_and_handed_on() -> None:
    settings = Settings.from_environment({"TAPETE_LIMITS": "games=5/hour moves=off"})
    assert settings.limits["games"] == Rate(5, 3600)
    assert "moves" not in settings.limits
    assert Settings.from_environment(settings.to_environment()) == settings
    with pytest.raises(SettingsError, match="TAPETE_LIMITS: 'games=many'"):
        Settings.from_environment({"TAPETE_LIMITS": "games=many"})
