"""A cluster on loopback: etcd, three PostgreSQL servers under Patroni, HAProxy, and two Instep machines."""

import json
import os
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx2
import psycopg
from psycopg.conninfo import make_conninfo

from instep.platform.core.embedded.account import Account, account_for
from tests.cluster.programs import Program, await_true, fill, postgres_programs, program
from tests.support.cast import Json
from tests.support.installation import COMMAND, free_port, kill, new_folder

ADDRESS = "127.0.0.1"
START_SECONDS = 90
NODES = ("pg1", "pg2", "pg3")
MACHINES = ("a", "b")
PASSWORD = "only-on-loopback"


@dataclass
class Node:
    """A PostgreSQL server and the Patroni that manages it."""

    name: str
    patroni: Program
    folder: Path
    port: int
    api_port: int

    def has_role(self, role: str) -> bool:
        """True if Patroni reports this role: `primary`, `replica`, `sync`."""
        try:
            return httpx2.get(f"http://{ADDRESS}:{self.api_port}/{role}", timeout=2).status_code == 200
        except httpx2.TransportError:
            return False

    @property
    def postmaster(self) -> int:
        return int((self.folder / "postmaster.pid").read_text().split()[0])

    def kill_postgres(self) -> None:
        kill(self.postmaster)

    def kill(self) -> None:
        """Kill the processes, as a power failure does."""
        kill(self.patroni.pid, self.postmaster)
        self.patroni.kill()


@dataclass
class Machine:
    """PgBouncer, a server and a worker."""

    name: str
    port: int
    pgbouncer: Program
    server: Program
    worker: Program

    @property
    def is_ready(self) -> bool:
        try:
            return httpx2.get(f"http://{ADDRESS}:{self.port}/readyz", timeout=5).status_code == 200
        except httpx2.TransportError:
            return False


@dataclass
class Cluster:
    folder: Path
    account: Account
    port: int = field(default_factory=free_port)
    postgres_port: int = field(default_factory=free_port)
    standby_port: int = field(default_factory=free_port)
    etcd_port: int = field(default_factory=free_port)
    programs: list[Program] = field(default_factory=list)
    nodes: list[Node] = field(default_factory=list)
    machines: list[Machine] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://{ADDRESS}:{self.port}"

    @property
    def owner_url(self) -> str:
        """A URL of the current primary that bypasses PgBouncer."""
        return f"postgresql://instep:{PASSWORD}@{ADDRESS}:{self.postgres_port}/instep"

    @property
    def several_hosts_url(self) -> str:
        """A URL with all PostgreSQL servers, from which the driver chooses the primary."""
        hosts = ",".join(f"{ADDRESS}:{node.port}" for node in self.nodes)
        return f"postgresql://instep:{PASSWORD}@{hosts}/instep?target_session_attrs=read-write"

    @property
    def primary(self) -> Node:
        [primary] = [node for node in self.nodes if node.has_role("primary")]
        return primary

    def settings(self, machine: str, database_url: str) -> dict[str, str]:
        others = {name: value for name, value in os.environ.items() if not name.startswith("INSTEP_")}
        return others | {
            "INSTEP_DATABASE_URL": database_url,
            "INSTEP_DATA_DIR": str(self.folder / machine),
            "INSTEP_SITE_URL": self.url,
            "INSTEP_SECRET_KEY": "the same secret key on all machines",
            "INSTEP_REQUESTS_PER_MINUTE": "100000",
            "INSTEP_TASKS_PER_HOUR": "100000",
            "INSTEP_PUBLIC_REQUESTS_PER_MINUTE": "100000",
            "INSTEP_WEBHOOK_ALLOW": "127.0.0.0/8",
            "INSTEP_EMBEDDINGS": "off",
        }

    def run(self, *arguments: str) -> Json:
        """Run an administrative command and return its output."""
        output = subprocess.run(
            [COMMAND, *arguments, "--json"],
            env=self.settings("operator", self.owner_url),
            check=True,
            capture_output=True,
        ).stdout
        printed: Json = json.loads(output)
        return printed

    def add(self, name: str, command: list[str | Path]) -> Program:
        """Add a program that does not run as root."""
        self.programs.append(Program(self.folder, name, command, self.account.process_options))
        return self.programs[-1]

    def write(self, name: str, text: str) -> Path:
        file = self.folder / name
        file.write_text(text)
        file.chmod(0o600)
        self.account.give_to(file)
        return file

    def make_folder(self, name: str) -> Path:
        folder = self.folder / name
        folder.mkdir(mode=0o700)
        self.account.give_to(folder)
        return folder

    def said(self) -> str:
        return "\n".join(each.last_words() for each in self.programs if each.log.exists())

    def errors(self) -> str:
        """The errors in the logs of servers and workers."""
        lines = [
            line for each in self.programs if each.log.exists() for line in each.log.open(errors="replace")
        ]
        return "".join(line[-3_000:] for line in lines if '"level": "error"' in line)

    def until_healthy(self) -> None:
        """Wait for a primary, a synchronous standby, a third server, and two ready machines."""
        await_true(
            lambda: (
                sum(node.has_role("primary") for node in self.nodes) == 1
                and sum(node.has_role("replica?lag=1MB") for node in self.nodes) == len(NODES) - 1
                and any(node.has_role("sync") for node in self.nodes)
                and all(machine.is_ready for machine in self.machines)
            ),
            START_SECONDS,
            self.said,
        )

    def switch_over(self, leader: Node) -> None:
        """Make the synchronous standby the primary, as `patronictl switchover` does."""
        answer = httpx2.post(
            f"http://{ADDRESS}:{leader.api_port}/switchover", json={"leader": leader.name}, timeout=60
        )
        assert answer.status_code == 200, answer.text

    def tell_balancer(self, command: str) -> None:
        """Send a command to HAProxy's control socket."""
        with socket.socket(socket.AF_UNIX) as control:
            control.connect(str(self.folder / "control" / "haproxy.sock"))
            control.sendall(f"{command}\n".encode())
            assert control.recv(1_000).strip() == b"", command


@contextmanager
def clustered() -> Iterator[Cluster]:
    """Run a cluster with an empty schema; every process is stopped in the end."""
    with new_folder() as folder:
        cluster = Cluster(folder, account_for(folder / "none"))
        try:
            start_databases(cluster)
            start_machines(cluster)
            yield cluster
        finally:
            for each in reversed(cluster.programs):
                each.end()


def start_databases(cluster: Cluster) -> None:
    peer_port = free_port()
    values = {
        "name": "etcd1",
        "address": ADDRESS,
        "folder": cluster.make_folder("etcd"),
        "client_port": cluster.etcd_port,
        "peer_port": peer_port,
        "members": f"etcd1=http://{ADDRESS}:{peer_port}",
    }
    file = cluster.write("etcd.yml", fill("etcd.yml", values))
    cluster.add("etcd", [program("etcd"), "--config-file", file]).start()
    for name in NODES:
        cluster.nodes.append(make_node(cluster, name))
    for node in cluster.nodes:
        node.patroni.start()
    start_balancer(cluster)
    await_true(
        lambda: (
            any(node.has_role("primary") for node in cluster.nodes)
            and any(node.has_role("sync") for node in cluster.nodes)
        ),
        START_SECONDS,
        cluster.said,
    )
    maintenance = make_conninfo(
        host=ADDRESS, port=cluster.primary.port, user="postgres", password=PASSWORD, dbname="postgres"
    )
    with psycopg.connect(maintenance, autocommit=True) as connection:
        connection.execute(f"create role instep login password '{PASSWORD}' createrole".encode())
        connection.execute("create database instep owner instep encoding 'UTF8' template template0")


def make_node(cluster: Cluster, name: str) -> Node:
    node_folder = cluster.make_folder(name)
    port, api_port = free_port(), free_port()
    values = {
        "name": name,
        "etcd": f"{ADDRESS}:{cluster.etcd_port}",
        "address": ADDRESS,
        "port": port,
        "api_port": api_port,
        "folder": node_folder / "data",
        "programs": postgres_programs(),
        "pgpass": node_folder / "pgpass",
        "sockets": node_folder,
        "network": f"{ADDRESS}/32",
        "superuser_password": PASSWORD,
        "replication_password": PASSWORD,
        "rewind_password": PASSWORD,
        "watchdog": "off",
    }
    file = cluster.write(f"{name}.yml", fill("patroni.yml", values))
    patroni = cluster.add(name, [program("patroni"), file])
    return Node(name, patroni, node_folder / "data", port, api_port)


def start_balancer(cluster: Cluster) -> None:
    ports = {name: free_port() for name in MACHINES}
    folder = cluster.make_folder("control")
    databases = "\n".join(
        f"    server {node.name} {ADDRESS}:{node.port} check port {node.api_port}" for node in cluster.nodes
    )
    values = {
        "address": ADDRESS,
        "port": cluster.port,
        "postgres_port": cluster.postgres_port,
        "standby_port": cluster.standby_port,
        "control": folder / "haproxy.sock",
        "folder": folder,
        "servers": "\n".join(f"    server {name} {ADDRESS}:{port}" for name, port in ports.items()),
        "databases": databases,
    }
    cluster.write("control/unavailable.http", fill("unavailable.http", {}))
    file = cluster.write("haproxy.cfg", fill("haproxy.cfg", values))
    cluster.add("haproxy", [program("haproxy"), "-db", "-f", file]).start()
    for name, port in ports.items():
        cluster.machines.append(make_machine(cluster, name, port))


def make_machine(cluster: Cluster, name: str, port: int) -> Machine:
    pooler_port = free_port()
    values = {
        "postgres_address": ADDRESS,
        "postgres_port": cluster.postgres_port,
        "address": ADDRESS,
        "port": pooler_port,
        "users": cluster.write(f"{name}.users", f'"instep" "{PASSWORD}"\n'),
        "pool_size": 20,
    }
    file = cluster.write(f"{name}.ini", fill("pgbouncer.ini", values))
    pgbouncer = cluster.add(f"pgbouncer-{name}", [program("pgbouncer"), file])
    pooled_url = f"postgresql://instep:{PASSWORD}@{ADDRESS}:{pooler_port}/instep"
    # The second machine finds the primary by itself, without PgBouncer.
    url = pooled_url if name == MACHINES[0] else cluster.several_hosts_url
    (cluster.folder / name).mkdir()
    options = {"env": cluster.settings(name, url), "cwd": cluster.folder / name}
    serve: list[str | Path] = [COMMAND, "serve", "--port", str(port), "--workers", "1", "--no-jobs"]
    server = Program(cluster.folder, f"server-{name}", serve, options)
    worker = Program(cluster.folder, f"worker-{name}", [COMMAND, "worker"], options)
    cluster.programs += [server, worker]
    return Machine(name, port, pgbouncer, server, worker)


def start_machines(cluster: Cluster) -> None:
    cluster.run("bot", "list")
    for machine in cluster.machines:
        for each in (machine.pgbouncer, machine.server, machine.worker):
            each.start()
    cluster.until_healthy()
