"""A cluster under load while its parts are killed in turn: no acknowledged write is lost or made twice."""

import asyncio
import time
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from datetime import datetime
from itertools import pairwise

import psycopg
import pytest

from instep.platform.core.database import Tx
from tests.cluster.installation import Cluster, Machine, clustered
from tests.cluster.load import CLIENTS, Load, loaded
from tests.cluster.outcome import DEAD_JOBS, is_settled, lost_and_doubled, missing_effects
from tests.cluster.programs import Program
from tests.support.arrivals import DELIVERIES, Kept, have_arrived
from tests.support.webhook_receiver import Receiver, receiving
from tests.support.workers import until

pytestmark = pytest.mark.cluster

Tell = Callable[[str], None]
Fault = Callable[[Cluster], Awaitable[None]]

CALM_SECONDS = 4
# The delay after which a service manager restarts a process that died.
RESTART_SECONDS = 1
RECOVERY_SECONDS = 90
DRAIN_SECONDS = 120


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with clustered() as cluster:
        yield cluster


@pytest.fixture
async def receiver() -> AsyncIterator[Receiver]:
    async with receiving() as receiver:
        yield receiver


@pytest.fixture
def tell(capsys: pytest.CaptureFixture[str]) -> Tell:
    """Print figures even if the test passes."""

    def tell_figures(text: str) -> None:
        with capsys.disabled():
            print(f"\n{text}")

    return tell_figures


async def rest(_: Cluster) -> None:
    """Cause no fault, for comparison."""


async def kill_primary(cluster: Cluster) -> None:
    """Kill Patroni and PostgreSQL on one machine, and restart them after another has taken over."""
    former = cluster.primary
    former.kill()
    await until_new_primary(cluster, former.name)
    former.patroni.start()


async def kill_postgres(cluster: Cluster) -> None:
    """Kill only the primary's PostgreSQL, which Patroni notices at once."""
    cluster.primary.kill_postgres()


async def switch_over(cluster: Cluster) -> None:
    """Switch over, as an operator does before upgrading the primary's machine."""
    former = cluster.primary
    cluster.switch_over(former)
    await until_new_primary(cluster, former.name)


async def until_new_primary(cluster: Cluster, former: str) -> None:
    others = [node for node in cluster.nodes if node.name != former]

    async def has_primary() -> bool:
        return any(await asyncio.to_thread(lambda: [node.has_role("primary") for node in others]))

    await until(has_primary, RECOVERY_SECONDS)


def machine_of(cluster: Cluster) -> Machine:
    return cluster.machines[0]


async def die(program: Program) -> None:
    program.kill()
    await asyncio.sleep(RESTART_SECONDS)
    program.start()


async def kill_server(cluster: Cluster) -> None:
    await die(machine_of(cluster).server)


async def kill_worker(cluster: Cluster) -> None:
    await die(machine_of(cluster).worker)


async def kill_pgbouncer(cluster: Cluster) -> None:
    await die(machine_of(cluster).pgbouncer)


async def upgrade_servers(cluster: Cluster) -> None:
    """Upgrade one server after another: drain it in the balancer, stop it, start it, and add it again."""
    for machine in cluster.machines:
        cluster.tell_balancer(f"set server instep/{machine.name} state drain")
        await asyncio.to_thread(machine.server.stop)
        machine.server.start()
        await until_ready(machine)
        cluster.tell_balancer(f"set server instep/{machine.name} state ready")


async def until_ready(machine: Machine) -> None:
    await until(lambda: asyncio.to_thread(lambda: machine.is_ready), RECOVERY_SECONDS)


FAULTS: dict[str, Fault] = {
    "none": rest,
    "primary's machine": kill_primary,
    "primary's PostgreSQL": kill_postgres,
    "primary moved": switch_over,
    "a server": kill_server,
    "a worker": kill_worker,
    "a PgBouncer": kill_pgbouncer,
    "servers upgraded": upgrade_servers,
}


async def test_nothing_acknowledged_is_lost_or_made_twice(
    cluster: Cluster, receiver: Receiver, tell: Tell
) -> None:
    began = time.monotonic()
    async with loaded(cluster, receiver, next(iter(FAULTS))) as load:
        for name, fault in FAULTS.items():
            load.begin(name)
            await fault(cluster)
            await until_all_are_answered(load)
            await asyncio.sleep(CALM_SECONDS)
            await asyncio.to_thread(cluster.until_healthy)

    async with await psycopg.AsyncConnection.connect(cluster.owner_url, autocommit=True) as connection:
        tx = Tx(connection)
        drained = await until(lambda: is_settled(tx), DRAIN_SECONDS)
        lost, doubled = await lost_and_doubled(tx, load.acknowledged)
        missing = await missing_effects(tx)
        dead = await tx.value(DEAD_JOBS)
        deliveries = await tx.all(Kept, DELIVERIES)
    tell(table_of(load, lost, doubled, delays_of(load, receiver)))
    lost_attempts, twice = have_arrived(deliveries, receiver.received)
    tell(
        f"{len(load.acknowledged):,} writes acknowledged in {time.monotonic() - began:.0f} s; "
        f"{len(deliveries):,} deliveries, each arrived, the last {drained:.0f} s after the load: "
        f"{lost_attempts} attempts were lost and {twice} deliveries arrived more than once"
    )
    assert load.unmarked == [], cluster.errors()
    assert (lost, doubled, missing, dead) == ([], [], [], 0)


async def until_all_are_answered(load: Load) -> None:
    """Wait until every client has been served since the fault."""
    since = time.monotonic()

    async def is_each_answered() -> bool:
        clients = set[str]().union(*load.answered.values())
        answered = load.answered[load.phase]
        return len(clients) == CLIENTS and all(max(answered[name], default=0) > since for name in clients)

    await until(is_each_answered, RECOVERY_SECONDS)


def longest_gap(load: Load, phase: str, kinds: tuple[str, ...]) -> float:
    """The longest time that a client of these kinds had no response."""
    _, began = load.beginnings[phase]
    return max(
        later - sooner
        for client, moments in load.answered[phase].items()
        if client.startswith(kinds)
        for sooner, later in pairwise([began, *moments])
    )


def delays_of(load: Load, receiver: Receiver) -> dict[str, float]:
    """The longest time from an event to its first arrival, by phase."""
    phases = dict[str, str]()
    delays = defaultdict[str, float](float)
    for request in receiver.received:
        if request.delivery in phases:
            continue
        event = request.event
        created = datetime.fromisoformat(event["createdAt"])
        phase = phases[request.delivery] = load.phase_at(created)
        delays[phase] = max(delays[phase], (request.at - created).total_seconds())
    return delays


def table_of(load: Load, lost: list[str], doubled: list[str], delays: dict[str, float]) -> str:
    """One line per fault: the longest outage of a client in seconds, and the lost and doubled writes."""
    columns = ("writes out", "reads out", "delivery", "refused", "written", "lost", "doubled")
    lines = [f"{'fault':<22}" + "".join(f"{column:>12}" for column in columns)]
    written = Counter(load.acknowledged.values())
    for phase in FAULTS:
        cells = [
            f"{longest_gap(load, phase, ('articles', 'tasks')):.1f} s",
            f"{longest_gap(load, phase, ('reads',)):.1f} s",
            f"{delays[phase]:.1f} s",
            str(load.refused[phase]),
            f"{written[phase]:,}",
            str(sum(load.acknowledged[name] == phase for name in lost)),
            str(sum(load.acknowledged.get(name) == phase for name in doubled)),
        ]
        lines.append(f"{phase:<22}" + "".join(f"{cell:>12}" for cell in cells))
    return "\n".join(lines)
