"""The program that posts one message: `sending` runs it in a process of its own.

It reads what to post from standard input, and writes to standard output what became of it, in JSON. Its only
way out is the proxy in its environment.
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

from instep.core import limits
from instep.core.memory import bound_memory

MESSENGERS: dict[str, Any] = {
    "slack": NotifySlack,
    "discord": NotifyDiscord,
    "teams": NotifyWorkflows,
    "mattermost": NotifyMattermost,
}
SUPPRESS_EMBEDS = 4
# No pictures and no footers of the library's; Discord shows no preview of what visitors link to.
NOTIFIER_OPTIONS: dict[str, dict[str, Any]] = {
    "slack": {"include_image": False, "include_footer": False},
    "discord": {"avatar": False, "flags": SUPPRESS_EMBEDS},
    "teams": {"include_image": False},
    "mattermost": {"include_image": False},
}
# The tunnel ends before, and knows why.
PATIENCE = limits.OUTBOUND_SECONDS * 2
CONNECTION_OPTIONS = {"secure": True, "verify": True, "redirect": False, "cto": PATIENCE, "rto": PATIENCE}


class LogCapture(logging.Handler):
    """Hears from the libraries' logs what they do not return."""

    def __init__(self) -> None:
        super().__init__()
        self.status: int | None = None
        self.is_untrusted = False

    def emit(self, record: logging.LogRecord) -> None:
        # '%s://%s:%s "%s %s %s" %s %s', the last but one of which is the status of the answer.
        if record.name == "urllib3.connectionpool" and record.msg.endswith('" %s %s'):
            assert isinstance(record.args, tuple)
            status = record.args[-2]
            self.status = status if isinstance(status, int) else None
        self.is_untrusted |= "CERTIFICATE_VERIFY_FAILED" in record.getMessage()


def main() -> None:
    # An answer is small, but may say that it is packed.
    bound_memory(limits.MAX_WORK_MEMORY_BYTES)
    wanted = json.load(sys.stdin)
    ears = LogCapture()
    logging.basicConfig(level=logging.DEBUG, handlers=[ears])
    asset = AppriseAsset(app_id="Instep", app_desc="Instep", http_redirects=False)
    tool = wanted["tool"]
    messenger = MESSENGERS[tool](
        asset=asset, **wanted["arguments"], **NOTIFIER_OPTIONS[tool], **CONNECTION_OPTIONS
    )
    is_sent = bool(messenger.notify(**wanted["message"]))
    json.dump({"is_sent": is_sent, "status": ears.status, "is_untrusted": ears.is_untrusted}, sys.stdout)


if __name__ == "__main__":
    main()
