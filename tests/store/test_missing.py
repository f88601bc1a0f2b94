import pytest
from redis.asyncio import Redis

from service.errors import GameExpired, GameNotFound, Unavailable
from service.store import Store, connect, key, new_game_id, shard_of
from tests.store.sample import HEADER, begun, bid, everything

pytestmark = pytest.mark.anyio


async def test_a_game_that_never_was_is_not_found(store: Store, redis: Redis) -> None:
    with pytest.raises(GameNotFound):
        await store.load(new_game_id())
    assert await redis.keys() == []


async def test_a_game_that_has_expired_is_said_to_be_gone_as_long_as_its_tombstone_stands(
    store: Store, redis: Redis
) -> None:
    game = new_game_id()
    await store.commit(game, 0, begun(), HEADER)
    await redis.delete(*(key(kind, shard_of(game), game) for kind in ("game", "log", "deals")))
    with pytest.raises(GameExpired):
        await store.load(game)
    await redis.delete(key("gone", shard_of(game), game))
    with pytest.raises(GameNotFound):
        await store.load(game)


async def test_a_game_that_has_expired_takes_no_more_moves(store: Store, redis: Redis) -> None:
    game = new_game_id()
    await store.commit(game, 0, begun(), HEADER)
    await redis.delete(*(key(kind, shard_of(game), game) for kind in ("game", "log", "deals")))
    before = await everything(redis)
    assert await store.commit(game, 1, bid(7)) is None
    assert await everything(redis) == before


@pytest.mark.parametrize(
    "game_id",
    [
        "",
        "gm_",
        "gm_" + "a" * 19,
        "gm_" + "a" * 21,
        "gm_" + "A" * 20,
        "gm_" + "a" * 19 + "1",
        "gm_" + "a" * 20 + "\n",
        "gm_" + "a" * 20 + "}",
        "jb_" + "a" * 20,
        "gm_" + "ª" * 20,
        "gm_*",
        "\ud800",
        "a" * 100_000,
    ],
)
async def test_a_text_that_is_no_id_is_not_even_looked_for(game_id: str) -> None:
    nowhere = Store(connect("unix:///nowhere"))
    with pytest.raises(GameNotFound):
        await nowhere.load(game_id)
    with pytest.raises(Unavailable):  # what is an id would have been looked for
        await nowhere.load("gm_" + "a" * 20)


async def test_without_a_server_everything_is_unavailable_and_no_argument_is_told() -> None:
    nowhere = Store(connect("unix:///nowhere"))
    game = new_game_id()
    for refused in (
        nowhere.load(game),
        nowhere.commit(game, 0, begun(), HEADER),
        nowhere.log(game, 0, 10),
        nowhere.deals(game, 1, 10),
        nowhere.take(0, 1000, 10),
        nowhere.take_all(64, 1000, 10),
        nowhere.renew(f"{game}:1:bot"),
        nowhere.drop(f"{game}:1:bot"),
        nowhere.job(game),
        nowhere.version(),
    ):
        with pytest.raises(Unavailable) as caught:
            await refused
        assert caught.value.detail == "The store did not answer (ConnectionError)."
