"""Warnings: the points of an edit that a reviewer should check by hand."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from instep.drafting.writer.editing.apply import MIN_CERTAIN
from instep.drafting.writer.editing.edits import Edit, EditReason
from instep.drafting.writer.facts.became import Became
from instep.drafting.writer.facts.removed_names import RemovedName
from instep.drafting.writer.porting.ported_text import PortedText
from instep.drafting.writer.reporting.reasons import quoted
from instep.drafting.writer.shapes import with_noun
from instep.platform.core.name_matching import mention

_MAX_REMAINING, _MAX_DOUBTS = 5, 5


def warnings_for(edits: Sequence[Edit], text: str, removals: Sequence[RemovedName]) -> tuple[str, ...]:
    """Warnings about the edited text, without duplicates, in the order of the edits."""
    facts = {(edit.fact.old, edit.fact.new): edit.fact for edit in edits}.values()
    of_facts = (warning for fact in facts for warning in _warnings_of(fact, text))
    doubtful = {(edit.fact.old, edit.fact.new): edit for edit in edits if edit.probability < MIN_CERTAIN}
    return tuple(dict.fromkeys((*_doubts(list(doubtful.values())), *of_facts, *_still_named(removals, text))))


def _still_named(removals: Sequence[RemovedName], text: str) -> Iterator[str]:
    """Warnings about removed names that the edited text still contains."""
    remaining = (row for row in removals if mention(row.name).search(text))
    for row in islice(remaining, _MAX_REMAINING):
        yield f"Says {quoted(row.name)}, which the change removes ({row.source.location})."


def _doubts(edits: Sequence[Edit]) -> Iterator[str]:
    """One warning about all doubtful edits."""
    if len(edits) == 1:
        old, new = quoted(edits[0].fact.old), quoted(edits[0].fact.new)
        yield f"Check that {old} here is what the change replaces with {new}."
    elif edits:
        listed = ", ".join(quoted(edit.fact.old) for edit in edits[:_MAX_DOUBTS])
        left = len(edits) - _MAX_DOUBTS
        more = f" and {with_noun(left, 'more text')}" if left > 0 else ""
        yield f"Check that each of these means here what the change replaces: {listed}{more}."


def _warnings_of(fact: EditReason, text: str) -> Iterator[str]:
    if isinstance(fact, PortedText):
        yield from fact.warnings
        return
    if fact.kind == "name":
        yield from _remaining_name(fact, text)


def _remaining_name(fact: Became, text: str) -> Iterator[str]:
    """A warning if the old name remains, because it may mean something else there."""
    if re.search(re.escape(fact.old), text.replace(fact.new, "")):
        places = "in an address, a longer name or another program"
        yield f"`{fact.old}` is still in the text, for example {places}: check whether it means the same."
