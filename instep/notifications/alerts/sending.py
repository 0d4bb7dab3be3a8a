"""Send one message to the incoming webhook of a chat tool."""

import json

from instep.notifications.alerts.hooks import IncomingWebhook
from instep.notifications.alerts.messages import message_for
from instep.platform.core.outbound.client import OutboundClient, RequestFailed, Response

HEADERS = {"User-Agent": "Instep", "Content-Type": "application/json"}
# Statuses in the 4xx range that are transient, so that a retry can succeed.
RETRYABLE_STATUSES = (408, 425, 429)


class NotSent(Exception):
    """The message did not arrive. `message` is a sentence for people; `is_final` rules out a retry."""

    def __init__(self, message: str, *, is_final: bool = False) -> None:
        super().__init__(message)
        self.message = message
        self.is_final = is_final


async def send_message(
    client: OutboundClient, hook: IncomingWebhook, title: str, text: str, url: str | None
) -> None:
    """Post a message to the tool, or raise `NotSent`."""
    body = json.dumps(message_for(hook.tool, title, text, url)).encode()
    try:
        response = await client.post(hook.address, body, HEADERS)
    except RequestFailed as failure:
        raise NotSent(failure.message) from None
    if not is_accepted(hook, response):
        is_final = 400 <= response.status < 500 and response.status not in RETRYABLE_STATUSES
        raise NotSent(f"It responded with {response.status} and refused the message.", is_final=is_final)


def is_accepted(hook: IncomingWebhook, response: Response) -> bool:
    """True if the tool has the message; Slack says so in the body too, unlike a proxy's page."""
    return 200 <= response.status < 300 and (hook.tool != "slack" or response.excerpt == b"ok")
