"""The program that posts one message; `sending` runs it in its own process.

It reads the message from standard input and writes the result to standard output, both in JSON. Its
environment names the proxy for its request.
"""

import json
import logging
import sys
from typing import Any

from apprise import AppriseAsset
from apprise.plugins.discord import NotifyDiscord
from apprise.plugins.mattermost import NotifyMattermost
from apprise.plugins.slack import NotifySlack
from apprise.plugins.workflows import NotifyWorkflows

from instep.platform.core import limits
from instep.platform.core.memory import bound_memory

MESSENGERS: dict[str, Any] = {
    "slack": NotifySlack,
    "discord": NotifyDiscord,
    "teams": NotifyWorkflows,
    "mattermost": NotifyMattermost,
}
SUPPRESS_EMBEDS = 4
# Turn off the library's images and footers, and Discord's previews of links that visitors wrote.
NOTIFIER_OPTIONS: dict[str, dict[str, Any]] = {
    "slack": {"include_image": False, "include_footer": False},
    "discord": {"avatar": False, "flags": SUPPRESS_EMBEDS},
    "teams": {"include_image": False},
    "mattermost": {"include_image": False},
}
# The tunnel times out earlier and reports the reason.
TIMEOUT_SECONDS = limits.OUTBOUND_SECONDS * 2
CONNECTION_OPTIONS = {
    "secure": True,
    "verify": True,
    "redirect": False,
    "cto": TIMEOUT_SECONDS,
    "rto": TIMEOUT_SECONDS,
}


class LogCapture(logging.Handler):
    """Extracts from the libraries' logs what they don't return: HTTP status, and a refused certificate."""

    def __init__(self) -> None:
        super().__init__()
        self.status: int | None = None
        self.is_untrusted = False

    def emit(self, record: logging.LogRecord) -> None:
        # The format is '%s://%s:%s "%s %s %s" %s %s'; its last but one value is the status of the response.
        if record.name == "urllib3.connectionpool" and record.msg.endswith('" %s %s'):
            assert isinstance(record.args, tuple)
            status = record.args[-2]
            self.status = status if isinstance(status, int) else None
        self.is_untrusted |= "CERTIFICATE_VERIFY_FAILED" in record.getMessage()


def main() -> None:
    # A small response may decompress to a large one.
    bound_memory(limits.MAX_WORK_MEMORY_BYTES)
    order = json.load(sys.stdin)
    capture = LogCapture()
    logging.basicConfig(level=logging.DEBUG, handlers=[capture])
    asset = AppriseAsset(app_id="Instep", app_desc="Instep", http_redirects=False)
    tool = order["tool"]
    messenger = MESSENGERS[tool](
        asset=asset, **order["arguments"], **NOTIFIER_OPTIONS[tool], **CONNECTION_OPTIONS
    )
    is_sent = bool(messenger.notify(**order["message"]))
    json.dump(
        {"is_sent": is_sent, "status": capture.status, "is_untrusted": capture.is_untrusted}, sys.stdout
    )


if __name__ == "__main__":
    main()
