"""`instep worker` runs jobs in a separate process, or on a separate machine."""

import asyncio
import signal

import structlog

from instep import __version__
from instep.operations.ops.exposition import serving_worker_metrics
from instep.platform.core.settings import Settings
from instep.platform.web.log import configure_logging
from instep.runtime import running, work

log = structlog.get_logger()


async def run_worker(settings: Settings) -> None:
    """Run jobs until a signal; running jobs are finished, and others are left to other workers."""
    configure_logging()
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    async with running(settings) as runtime:
        with serving_worker_metrics(settings, runtime.database):
            log.info("the worker is ready", version=__version__)
            await work(runtime, stop)
    log.info("the worker has stopped")
