"""The hunks of a draft's diff: which text an article gets when only some of them are applied."""

from collections.abc import Iterable

from instep.core.errors import InvalidValue
from instep.drafts.merging import merged_content
from instep.drafts.schemas import DraftTexts
from instep.text.diff import compare
from instep.text.patching import hunks_of, patched

# The names of the texts in a diff.
SIDES = ("live", "proposed")


async def content_with_hunks(draft: DraftTexts, numbers: Iterable[int]) -> str:
    """What applying gives when only these hunks of the draft's diff, numbered from 1, are taken in."""
    merged = await merged_content(draft)
    diff = await compare(draft.current_content, draft.content if merged is None else merged, SIDES)
    hunks, chosen = hunks_of(diff.diff), set(numbers)
    if unknown := sorted(chosen - set(range(1, len(hunks) + 1))):
        count = f"{len(hunks)} hunk{'' if len(hunks) == 1 else 's'}"
        raise InvalidValue("hunks", f"the diff has {count}, so there is no number {unknown[0]}")
    return patched(draft.current_content, [hunk for number, hunk in enumerate(hunks, 1) if number in chosen])
