"""Make a cluster: aside first and renamed when whole, so that half a one never has its name."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from instep.core.embedded.account import Account
from instep.core.embedded.cluster import NAME, Cluster
from instep.core.embedded.errors import DatabaseUnavailable
from instep.core.embedded.launch import environment
from instep.core.progress import tell

FIRST_SETTINGS = {
    "listen_addresses": "",
    "shared_buffers": "128MB",
    "max_wal_size": "2GB",
    "max_connections": "100",
    "random_page_cost": "1.1",
    "jit": "off",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "log_line_prefix": "%m [%p] %q%a ",
    "log_checkpoints": "off",
    "log_lock_waits": "on",
}


def make(cluster: Cluster, door: int) -> None:
    """Make the cluster unless it is there. `operation` is the start lock, which the caller holds."""
    if (cluster.pgdata / "PG_VERSION").exists():
        return
    if cluster.pgdata.exists() and any(cluster.pgdata.iterdir()):
        raise DatabaseUnavailable(
            f"{cluster.pgdata} holds files but no PostgreSQL cluster: move them away, "
            "or set INSTEP_DATA_DIR to another folder."
        )
    account = cluster.account()
    tell(f"Creating the database in {cluster.data_dir} …")
    draft = Path(tempfile.mkdtemp(prefix="postgres.new-", dir=cluster.data_dir))
    account.own(draft)
    _initdb(cluster, draft, account, door)
    draft.rename(cluster.pgdata)
    _sync(cluster.data_dir)


def remove_drafts(cluster: Cluster) -> None:
    """Whatever somebody who was killed has left half made."""
    for pattern in ("postgres.new-*", "postgres-bin-*.new-*"):
        for draft in cluster.data_dir.glob(pattern):
            shutil.rmtree(draft)


def _initdb(cluster: Cluster, draft: Path, account: Account, door: int) -> None:
    options = [word for name, value in FIRST_SETTINGS.items() for word in ("--set", f"{name}={value}")]
    if cluster.settings.get("fsync") == "off":
        options.append("--no-sync")
    done = subprocess.run(
        [
            *(cluster.programs(account) / "initdb", "--pgdata", draft, "--username", NAME, "--auth=trust"),
            *("--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C", "--encoding=UTF8"),
            *options,
        ],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        cwd="/",
        env=environment(),
        # If we are killed now, initdb keeps the door shut until it has ended too.
        pass_fds=(door,),
        **account.process_options,
    )
    if done.returncode:
        raise DatabaseUnavailable(
            f"The database could not be created in {cluster.data_dir}: mend what it says and try again, "
            "or set INSTEP_DATABASE_URL to a database of your own.\n" + done.stdout.decode(errors="replace")
        )


def _sync(folder: Path) -> None:
    fd = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
