"""`instep worker`: jobs alone, for a process or a machine of its own."""

import asyncio
import signal

from instep.core.config import Settings
from instep.runtime import running, work
from instep.web.log import configure_logging


async def run_worker(settings: Settings) -> None:
    """Run jobs until a signal asks to stop; what runs is finished, the rest is left to others."""
    configure_logging()
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    async with running(settings) as runtime:
        await work(runtime, stop)
