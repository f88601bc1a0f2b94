"""Jobs that somebody asked for."""

from litestar import get
from litestar.params import FromPath

from service import bot_moves
from service.operation import Operation, describes
from service.routes.http import PRIVATE, Answer, AnyRequest, answer, bearer, context_of, query
from service.schemas import Job


@get(
    "/v1/jobs/{job_id:str}",
    **describes(
        Operation("getJob", "Jobs", {200: Job}, access="seat", problems=("job_not_found",)),
    ),
)
async def get_job(request: AnyRequest, job_id: FromPath[str]) -> Answer:
    """Look at a bot move that was asked for, with the token that asked.

    It is kept for an hour. While `state` is `queued` a bot has yet to choose, so ask again after a second or so, or
    ask for it with `Prefer: wait=N` in the first place.
    """
    query(request)
    job = await bot_moves.read_job(context_of(request), job_id, bearer(request))
    return answer(job, headers=PRIVATE)


HANDLERS = (get_job,)
