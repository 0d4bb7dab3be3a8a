"""One message to one chat tool, by a process whose only way out is a tunnel through the guard."""

import asyncio
import json
import os
import ssl
import sys
from asyncio.subprocess import DEVNULL, PIPE
from dataclasses import dataclass

from instep.alerts.hooks import IncomingWebhook
from instep.alerts.messages import written
from instep.core import limits
from instep.core.outbound.client import OutboundClient
from instep.core.outbound.proxy import tunnel

PROGRAM = ("-P", "-m", "instep.alerts.posting")
# What Python needs to start; nothing of this process's secrets, proxies or passwords goes along.
KEPT = ("PATH", "PYTHONPATH", "LD_LIBRARY_PATH", "SYSTEMROOT")
# Of the 4xx: the next try may find them gone.
RETRYABLE = (408, 425, 429)


class NotSent(Exception):
    """The message did not arrive; `message` is a sentence for people, `is_final`: nor will it next time."""

    def __init__(self, message: str, *, is_final: bool = False) -> None:
        super().__init__(message)
        self.message = message
        self.is_final = is_final


@dataclass(frozen=True, slots=True)
class Report:
    """What the process tells; `status`: of the tool's answer, if there was one."""

    is_sent: bool
    status: int | None
    is_untrusted: bool


async def send(caller: OutboundClient, hook: IncomingWebhook, title: str, text: str, url: str | None) -> None:
    """Post a message to the tool, or raise `NotSent`."""
    wanted = {
        "tool": hook.tool,
        "arguments": hook.arguments,
        "message": written(hook.tool, title, text, url),
    }
    async with tunnel(caller, hook.target) as (way, proxy):
        report = await post(json.dumps(wanted).encode(), proxy)
    # The library takes an answer that was cut off for a whole one.
    if way.failure is not None or report is None or not report.is_sent:
        raise reason(report, way.failure)


async def post(wanted: bytes, proxy: str) -> Report | None:
    """Run the program to its end; None where it came to none, in time or at all."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, *PROGRAM, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, env=environment(proxy)
    )
    try:
        async with asyncio.timeout(limits.ALERT_STARTING_SECONDS + limits.OUTBOUND_SECONDS):
            told, _ = await process.communicate(wanted)
    except TimeoutError:
        return None
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return Report(**json.loads(told)) if process.returncode == 0 else None


def environment(proxy: str) -> dict[str, str]:
    kept = {name: os.environ[name] for name in KEPT if name in os.environ}
    # The system's certificates or those of `SSL_CERT_FILE`, as everywhere; without any the library's own.
    trusted = ssl.get_default_verify_paths().cafile
    return {
        **kept,
        **({"REQUESTS_CA_BUNDLE": trusted} if trusted else {}),
        "HTTPS_PROXY": proxy,
        "NETRC": os.devnull,
    }


def reason(report: Report | None, failure: str | None) -> NotSent:
    if failure is not None:
        return NotSent(failure)
    if report is None:
        return NotSent("The message could not be sent here.")
    if report.is_untrusted:
        return NotSent("Its certificate was refused.")
    if report.status is None:
        return NotSent("There was no answer.")
    is_final = 400 <= report.status < 500 and report.status not in RETRYABLE
    return NotSent(f"It answered {report.status} and did not take the message.", is_final=is_final)
