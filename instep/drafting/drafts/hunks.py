"""The hunks of a draft's diff: an article's text when only some of them are applied."""

from collections.abc import Iterable, Set

from instep.drafting.drafts.merging import merged_content
from instep.drafting.drafts.schemas import DraftTexts
from instep.platform.core import limits
from instep.platform.core.errors import InvalidValue
from instep.platform.core.sandbox import TimeLimitExceeded, is_short, run_bounded
from instep.platform.text.diff import compare, hunks_of, patched

# The names of the texts in a diff.
SIDES = ("live", "proposed")


async def content_with_hunks(draft: DraftTexts, numbers: Iterable[int]) -> str:
    """The article's text if only these hunks of the draft's diff, numbered from 1, are applied."""
    merged = await merged_content(draft)
    diff = await compare(draft.current_content, draft.content if merged is None else merged, SIDES)
    chosen, texts = frozenset(numbers), (draft.current_content, diff.diff)
    try:
        total, text = await run_bounded(
            with_hunks, *texts, chosen, seconds=limits.MAX_DIFF_SECONDS, is_small=is_short(*texts)
        )
    except TimeLimitExceeded:
        raise InvalidValue("hunks", "the diff is too long to be applied in part: apply all of it") from None
    if unknown := sorted(number for number in chosen if not 1 <= number <= total):
        count = f"{total} hunk{'' if total == 1 else 's'}"
        raise InvalidValue("hunks", f"the diff has {count}, but no number {unknown[0]}")
    return text


def with_hunks(text: str, diff: str, chosen: Set[int]) -> tuple[int, str]:
    """The number of hunks in a diff, and the text with the chosen ones applied."""
    hunks = hunks_of(diff)
    return len(hunks), patched(text, [hunk for number, hunk in enumerate(hunks, 1) if number in chosen])
