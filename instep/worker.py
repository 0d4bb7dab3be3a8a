"""`instep worker` runs jobs in a separate process, or on a separate machine."""

import asyncio
import signal

from instep.operations.ops.exposition import serving_worker_metrics
from instep.platform.core.settings import Settings
from instep.platform.web.log import configure_logging
from instep.runtime import running, work


async def run_worker(settings: Settings) -> None:
    """Run jobs until a signal; running jobs are finished, and others are left to other workers."""
    configure_logging()
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    async with running(settings) as runtime:
        with serving_worker_metrics(settings, runtime.database):
            await work(runtime, stop)
