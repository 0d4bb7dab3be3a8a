"""Send one message to a chat tool, by a process that calls out through a tunnel to the vetted host."""

import asyncio
import json
import os
import ssl
import sys
from asyncio.subprocess import DEVNULL, PIPE
from dataclasses import dataclass

from instep.notifications.alerts.hooks import IncomingWebhook
from instep.notifications.alerts.messages import render_message
from instep.platform.core import limits
from instep.platform.core.outbound.client import OutboundClient
from instep.platform.core.outbound.proxy import tunnel

PROGRAM = ("-P", "-m", "instep.notifications.alerts.posting")
# The variables that Python needs to start; no secrets, proxies or passwords of this process are passed on.
PASSED_VARIABLES = ("PATH", "PYTHONPATH", "LD_LIBRARY_PATH", "SYSTEMROOT")
# Statuses in the 4xx range that are transient, so that a retry can succeed.
RETRYABLE_STATUSES = (408, 425, 429)


class NotSent(Exception):
    """The message did not arrive. `message` is a sentence for people; `is_final` rules out a retry."""

    def __init__(self, message: str, *, is_final: bool = False) -> None:
        super().__init__(message)
        self.message = message
        self.is_final = is_final


@dataclass(frozen=True, slots=True)
class PostResult:
    """The result that the process reports; `status` is that of the tool's response, if there was one."""

    is_sent: bool
    status: int | None
    is_untrusted: bool


async def send_message(
    client: OutboundClient, hook: IncomingWebhook, title: str, text: str, url: str | None
) -> None:
    """Post a message to the tool, or raise `NotSent`."""
    order = {
        "tool": hook.tool,
        "arguments": hook.arguments,
        "message": render_message(hook.tool, title, text, url),
    }
    async with tunnel(client, hook.target) as (connection, proxy):
        result = await post(json.dumps(order).encode(), proxy)
    # The library accepts a truncated response, so the tunnel's failure counts too.
    if connection.failure is not None or result is None or not result.is_sent:
        raise not_sent(result, connection.failure)


async def post(order: bytes, proxy: str) -> PostResult | None:
    """Run the program; None if it fails or takes too long."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, *PROGRAM, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, env=process_environment(proxy)
    )
    try:
        async with asyncio.timeout(limits.ALERT_STARTING_SECONDS + limits.OUTBOUND_SECONDS):
            output, _ = await process.communicate(order)
    except TimeoutError:
        return None
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return PostResult(**json.loads(output)) if process.returncode == 0 else None


def process_environment(proxy: str) -> dict[str, str]:
    variables = {name: os.environ[name] for name in PASSED_VARIABLES if name in os.environ}
    # The certificates of the system or of `SSL_CERT_FILE`, as elsewhere; without any, the library's own.
    certificates = ssl.get_default_verify_paths().cafile
    return {
        **variables,
        **({"REQUESTS_CA_BUNDLE": certificates} if certificates else {}),
        "HTTPS_PROXY": proxy,
        "NETRC": os.devnull,
    }


def not_sent(result: PostResult | None, failure: str | None) -> NotSent:
    if failure is not None:
        return NotSent(failure)
    if result is None:
        return NotSent("The message could not be sent here.")
    if result.is_untrusted:
        return NotSent("Its certificate was refused.")
    if result.status is None:
        return NotSent("There was no answer.")
    is_final = 400 <= result.status < 500 and result.status not in RETRYABLE_STATUSES
    return NotSent(f"It responded with {result.status} and refused the message.", is_final=is_final)
