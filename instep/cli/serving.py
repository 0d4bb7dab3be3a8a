"""Commands that run until a signal stops them: the server, the demo, the worker."""

import gc
import os
from importlib import import_module
from typing import Annotated

import typer


def serve(
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="The port to listen on.")] = 8000,
    workers: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="The number of server processes; by default one per core if"
            " INSTEP_DATABASE_URL is set, otherwise one.",
        ),
    ] = None,
    no_jobs: Annotated[
        bool, typer.Option("--no-jobs", help="Don't run jobs; leave them to `instep worker`.")
    ] = False,
) -> None:
    """Serve the API and the help centers, and run jobs."""
    from threading import Thread

    from instep.accounts.people.first_person import new_setup_link
    from instep.cli.admin_session import work_at
    from instep.content.files.storage import open_bucket
    from instep.platform.core.config import settings
    from instep.platform.core.memory import share_heap
    from instep.platform.core.outbound.client import trusted_certificates
    from instep.platform.core.postgres import running_postgres
    from instep.platform.core.secret_keys import secret_key
    from instep.platform.core.served_url import remember_served_url
    from instep.platform.core.signals import exit_cleanly_on_signals
    from instep.platform.llm.factory import check_local_model
    from instep.platform.migrations import migrate
    from instep.platform.web.listening import listen, local_origin
    from instep.platform.web.log import configure_logging
    from instep.platform.web.ready import announcer, when_ready
    from instep.platform.web.serving import run_server
    from instep.search.index.shared_files import empty_index_folder

    share_heap()
    sockets, local_url = listen(host, port), local_origin(host, port)
    if no_jobs:
        os.environ["INSTEP_JOBS"] = "false"
    if "site_url" not in settings().model_fields_set:
        os.environ["INSTEP_SITE_URL"] = local_url
    settings.cache_clear()
    exit_cleanly_on_signals()
    # Unusable settings are reported here once, and not by each server process.
    trusted_certificates()
    check_local_model(settings())
    if bucket_url := settings().files:
        open_bucket(bucket_url)
    processes = workers or (usable_cores() if settings().database_url else 1)
    if processes == 1:
        # The import takes as long as a killed PostgreSQL takes to recover, so both run in parallel.
        Thread(target=load_app, daemon=True).start()
    with running_postgres(settings()) as postgres:
        migrate(postgres.url)
        secret_key(settings())
        remember_served_url(settings())
        empty_index_folder(settings())
        configure_logging()
        setup_path = work_at(postgres.url, new_setup_link)
        when_ready(sockets[0], announcer(settings().base_url, local_url, setup_path))
        run_server("instep.app:create_app", sockets, processes)


def load_app() -> None:
    """Import the application with garbage collection off, which saves a fifth of the time and 4 MB."""
    gc.disable()
    try:
        import_module("instep.app")
    finally:
        gc.enable()


def usable_cores() -> int:
    """The processor cores that this process may use, which a container may limit."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def demo(
    port: Annotated[
        int | None,
        typer.Option(help="The port to listen on; by default 8000, or a free one if that is in use."),
    ] = None,
) -> None:
    """Serve a help center with drafts for one code change in its review queue."""
    from instep.demo.command import run_demo
    from instep.platform.core.memory import share_heap

    share_heap()
    run_demo(port)


def worker() -> None:
    """Run jobs only."""
    import asyncio

    from instep.platform.core.config import settings
    from instep.platform.core.memory import share_heap
    from instep.worker import run_worker

    share_heap()
    asyncio.run(run_worker(settings()))
