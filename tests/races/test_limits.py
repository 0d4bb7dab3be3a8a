"""Rate limits across four processes: exact to the request, reported in every response, and reset on time."""

import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import AsyncExitStack
from secrets import randbelow

import pytest

from instep.accounts.workspaces import actions
from instep.platform.core.database import Tx
from instep.platform.identity.scopes import Scope
from tests.races.conftest import lift_limit
from tests.races.fields import parse_list
from tests.races.servers import Servers
from tests.support.cast import Cast, Client
from tests.support.changes import change
from tests.support.http import Response, at_once, error

CONNECTIONS = 16
LOOPBACK = "127.0.0.1"
HOUR = 3_600
Connect = Callable[..., Awaitable[list[Client]]]

calls_in_a_window = pytest.mark.parametrize("calls", [208, pytest.param(1_008, marks=pytest.mark.races)])


@pytest.fixture
async def connect(servers: Servers) -> AsyncIterator[Connect]:
    """Connections of one caller, spread evenly over the processes."""
    async with AsyncExitStack() as opened:

        async def connections(
            key: str | None, address: str = LOOPBACK, processes: Iterable[int] = range(CONNECTIONS)
        ) -> list[Client]:
            clients = [servers.client(number, key, address) for number in processes]
            return [await opened.enter_async_context(client) for client in clients]

        yield connections


@calls_in_a_window
async def test_exactly_120_calls_of_a_key_pass_in_a_window(
    connect: Connect, cast: Cast, owner: Tx, calls: int
) -> None:
    connections = await connect(cast.acme.write_key)

    for _ in range(2):
        assert_exact(await ask(connections, calls), "api", 120, passed=200)
        await end_window(owner, cast.acme.write_key_id)


@calls_in_a_window
async def test_exactly_120_pass_in_a_window_that_begins_while_they_call(
    connect: Connect, cast: Cast, owner: Tx, calls: int
) -> None:
    connections = await connect(cast.acme.write_key)
    await ask(connections, 160)
    await end_window(owner, cast.acme.write_key_id, in_seconds=0.3)
    passed = 0

    async def call_on(number: int) -> None:
        """Call until the new window is used up, and then some more."""
        nonlocal passed
        further = 0
        for _ in range(5_000):
            answer = await connections[number].get("/v1/bots")
            assert answer.status_code in (200, 429)
            passed += answer.status_code == 200
            further += passed >= 120
            if further == calls // CONNECTIONS:
                return
        raise AssertionError(f"the new window let {passed} calls pass")

    await at_once(CONNECTIONS, call_on)

    assert passed == 120


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a machine has only one loopback address")
@calls_in_a_window
async def test_calls_without_a_key_are_counted_exactly_for_an_address(
    connect: Connect, cast: Cast, owner: Tx, calls: int
) -> None:
    network = f"127.{1 + randbelow(200)}.{randbelow(256)}"
    address, neighbour = f"{network}.1", f"{network}.2"
    connections = await connect(None, address)

    for _ in range(2):
        answers = [answer for part in await ask(connections, calls) for answer in part]
        assert {answer.status_code for answer in answers} == {401}
        counts_left = sorted(remaining(answer, "anonymous", 60, 60)[0] for answer in answers)
        assert counts_left == [*[0] * (calls - 60), *range(60)]
        await end_window(owner, address)

    await ask(connections, 64)
    for key, caller, left in ((None, address, 0), (None, neighbour, 59), (cast.acme.read_key, address, 119)):
        [[answer]] = await ask(await connect(key, caller, [0]), 1)
        assert f";r={left};" in answer.headers["RateLimit"]


@pytest.mark.parametrize("tasks", [64, pytest.param(304, marks=pytest.mark.races)])
async def test_exactly_30_tasks_of_an_hour_are_accepted(
    connect: Connect, cast: Cast, owner: Tx, tasks: int
) -> None:
    """Rejected tasks and repeated requests are sent at the same time and are not counted."""
    new_key = await actions.create_key(owner, cast.acme.workspace_id, "CI", Scope.WRITE, [cast.acme.bot_id])
    await lift_limit(owner, "api", new_key.row.id)
    connections = await connect(new_key.key, LOOPBACK, range(8))

    async def create(number: int, sender: int) -> Response:
        headers = {"Idempotency-Key": f"deploy-{number}"}
        body = change(title=f"Change {number}", diff=None)
        return await connections[sender % 8].post("/v1/tasks", json=body, headers=headers)

    async def create_or_err(number: int) -> Response:
        if number % 2:
            return await create(number // 2, number // 2)
        return await connections[number // 2 % 8].post("/v1/tasks", json=change(diff="no diff"))

    answers = await at_once(2 * tasks, create_or_err)
    assert {error(answer) for answer in answers[::2]} == {(400, "invalid_request")}
    creations = answers[1::2]
    accepted = [number for number, answer in enumerate(creations) if answer.status_code == 202]
    assert_tasks_told(creations)

    replayed = await at_once(4 * len(accepted), lambda number: create(accepted[number // 4], number))
    assert {answer.headers.get("Idempotent-Replayed") for answer in replayed} == {"true"}
    for number, answer in enumerate(replayed):
        assert answer.json()["id"] == creations[accepted[number // 4]].json()["id"]
        assert remaining(answer, "tasks", 30, HOUR)[0] == 0

    await end_window(owner, new_key.row.id, policy="tasks")
    refusals = [number for number in range(tasks) if number not in accepted]
    assert_tasks_told(await at_once(min(len(refusals), 60), lambda number: create(refusals[number], number)))


def assert_tasks_told(answers: Sequence[Response]) -> None:
    accepted = [answer for answer in answers if answer.status_code == 202]
    refusals = [answer for answer in answers if answer.status_code != 202]
    counts_left = [remaining(answer, "tasks", 30, HOUR)[0] for answer in accepted]
    assert sorted(counts_left) == list(range(30))
    for answer in refusals:
        assert error(answer) == (429, "rate_limited")
        count_left, seconds = remaining(answer, "tasks", 30, HOUR)
        assert (count_left, abs(int(answer.headers["Retry-After"]) - seconds) <= 1) == (0, True)


async def ask(connections: Sequence[Client], calls: int) -> list[list[Response]]:
    """Send this many calls as fast as possible; return the answers of each connection in order."""

    async def call(number: int) -> list[Response]:
        return [await connections[number].get("/v1/bots") for _ in range(calls // len(connections))]

    return await at_once(len(connections), call)


def assert_exact(parts: list[list[Response]], policy: str, quota: int, passed: int) -> None:
    """Exactly the quota passed; each remaining count was reported once, in falling order."""
    answers = [answer for part in parts for answer in part]
    statuses = [answer.status_code for answer in answers]
    assert (statuses.count(passed), statuses.count(429)) == (quota, len(answers) - quota)
    counts_left = [
        remaining(answer, policy, quota, 60)[0] for answer in answers if answer.status_code == passed
    ]
    assert sorted(counts_left) == list(range(quota))
    for part in parts:
        numbers = [remaining(answer, policy, quota, 60)[0] for answer in part]
        assert numbers == sorted(numbers, reverse=True)
    for answer in answers:
        if answer.status_code == 429:
            assert error(answer) == (429, "rate_limited")
            assert (0, int(answer.headers["Retry-After"])) == remaining(answer, policy, quota, 60)


def remaining(answer: Response, policy: str, quota: int, window: int) -> tuple[int, int]:
    """The number of remaining calls and the seconds until the reset, from the response headers."""
    promises = dict(parse_list(answer.headers["RateLimit-Policy"]))
    states = dict(parse_list(answer.headers["RateLimit"]))
    assert promises.keys() == states.keys()
    assert promises[policy] == {"q": quota, "w": window}
    state = states[policy]
    assert state.keys() == {"r", "t"}
    assert 0 <= state["r"] < quota
    assert 1 <= state["t"] <= window
    return state["r"], state["t"]


async def end_window(owner: Tx, subject: str, in_seconds: float = 0, policy: str | None = None) -> None:
    """End the current window now, or in `in_seconds`."""
    moved = await owner.execute(
        """
        update rate_windows set started_at = clock_timestamp() + make_interval(secs => %(seconds)s)
            - case policy when 'tasks' then interval '1 hour' else interval '1 minute' end
        where subject = %(subject)s and policy = coalesce(%(policy)s, policy)
        """,
        subject=subject,
        policy=policy,
        seconds=in_seconds,
    )
    assert moved == 1
