"""The reasons for a text, from the code change of a task, as a model reads them."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from instep.drafting.tasks.actions import get_sent_change
from instep.drafting.writer import Change
from instep.drafting.writer.llm.rewording import change_reasons
from instep.platform.core import limits
from instep.platform.core.sandbox import TimeLimitExceeded, run_with_timeout
from instep.platform.identity.schemas import Ctx


async def reasons_of(
    ctx: Ctx, task_id: str | None, title: str, evidence: Sequence[dict[str, Any]]
) -> list[str]:
    """The quoted lines of the evidence, then the title, description and diff of the change."""
    reasons = [str(item["excerpt"]) for item in evidence]
    if task_id is not None:
        sent = await get_sent_change(ctx, task_id)
        change = Change(title, sent.body, sent.diff or "")
        files = {str(item["file"]) for item in evidence}
        with suppress(TimeLimitExceeded):
            seconds = limits.MODEL_CHECK_SECONDS
            reasons += await run_with_timeout(change_reasons, change, files, seconds=seconds)
    return reasons
