"""Create a cluster under a temporary name and rename it when complete, so that no partial one is used."""

import shutil
import subprocess
import tempfile
from pathlib import Path

from instep.platform.core.disk import sync_folder
from instep.platform.core.embedded.account import Account
from instep.platform.core.embedded.cluster import NAME, Cluster
from instep.platform.core.embedded.errors import DatabaseUnavailable
from instep.platform.core.embedded.launch import environment
from instep.platform.core.progress import tell

INITIAL_SETTINGS = {
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


def create_cluster(cluster: Cluster, start_lock: int) -> None:
    """Create the cluster unless it exists; `start_lock` is the descriptor that the caller holds."""
    if (cluster.pgdata / "PG_VERSION").exists():
        return
    if cluster.pgdata.exists() and any(cluster.pgdata.iterdir()):
        raise DatabaseUnavailable(
            f"{cluster.pgdata} contains files but no PostgreSQL cluster: move them away, "
            "or set INSTEP_DATA_DIR to another folder."
        )
    account = cluster.account()
    tell(f"Creating the database in {cluster.data_dir} …")
    draft = Path(tempfile.mkdtemp(prefix="postgres.new-", dir=cluster.data_dir))
    account.give_to(draft)
    _initdb(cluster, draft, account, start_lock)
    draft.rename(cluster.pgdata)
    sync_folder(cluster.data_dir)


def remove_drafts(cluster: Cluster) -> None:
    """Delete unfinished folders of processes that were killed."""
    for pattern in ("postgres.new-*", "postgres-bin-*.new-*"):
        for draft in cluster.data_dir.glob(pattern):
            shutil.rmtree(draft)


def _initdb(cluster: Cluster, draft: Path, account: Account, start_lock: int) -> None:
    options = [word for name, value in INITIAL_SETTINGS.items() for word in ("--set", f"{name}={value}")]
    if cluster.settings.get("fsync") == "off":
        options.append("--no-sync")
    result = subprocess.run(
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
        # If this process is killed now, initdb holds the start lock until it ends too.
        pass_fds=(start_lock,),
        **account.process_options,
    )
    if result.returncode:
        raise DatabaseUnavailable(
            f"The database could not be created in {cluster.data_dir}: fix the problem below and try again, "
            "or set INSTEP_DATABASE_URL to your own database.\n" + result.stdout.decode(errors="replace")
        )
