"""What a reviewer of an edit should check by hand."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from instep.core.name_matching import mention
from instep.writer.articles.passages import line_of
from instep.writer.editing.edits import Edit, EditReason, is_shown_by_tests_alone
from instep.writer.facts.removals import Removal
from instep.writer.facts.renames import Rename
from instep.writer.facts.rewordings import Rewording
from instep.writer.facts.values import Value
from instep.writer.inserting.insertions import Insertion
from instep.writer.inserting.skeleton import GAP
from instep.writer.porting.ported_text import PortedText

_GAP_WARNING = re.compile(
    rf"The code does not say all about `(?P<name>.*)`: fill in what is marked {re.escape(GAP)}\."
)
_MAX_REMAINING = 5
_QUANTITY = re.compile(r"(?<![\w.,])(?P<number>\d[\d.,]*)[\s-](?P<unit>[a-z]{3,})\b")


def warnings_for(edits: Sequence[Edit], removals: Sequence[Removal], text: str) -> tuple[str, ...]:
    """Warnings on the edited text, each once, in the order of the edits."""
    facts = {(edit.fact.old, edit.fact.new): edit.fact for edit in edits}.values()
    of_facts = (warning for fact in facts for warning in _warnings_of(fact, text))
    return (*dict.fromkeys(of_facts), *_remaining_removals(removals, text))


def _warnings_of(fact: EditReason, text: str) -> Iterator[str]:
    if isinstance(fact, PortedText):
        yield from fact.warnings
        return
    if is_shown_by_tests_alone(fact):
        yield f"Only tests or internal files show that `{fact.old}` became `{fact.new}`."
    if isinstance(fact, Rename):
        yield from _remaining_name(fact, text)
    if isinstance(fact, Value):
        yield from _doubts_of_value(fact)
    if isinstance(fact, Insertion) and not fact.is_complete:
        yield _gap_warning(fact.name)
    if isinstance(fact, Rename | Rewording | Value):
        yield from _remaining_quantities(fact, text)


def _doubts_of_value(fact: Value) -> Iterator[str]:
    if not fact.is_beside_name:
        yield f"`{fact.names[0]}` is not named beside “{fact.old}”: check that it is meant."
    elif fact.is_elsewhere_too:
        yield f"`{fact.names[0]}` stays “{fact.old}” elsewhere in the code: check which is meant."


def without_filled_gaps(warnings: Sequence[str], before: str, after: str) -> tuple[str, ...]:
    """The warnings but those about gaps that `before` has and `after` has filled in."""
    return tuple(warning for warning in warnings if not _is_filled(warning, before, after))


def _is_filled(warning: str, before: str, after: str) -> bool:
    match = _GAP_WARNING.fullmatch(warning)
    if match is None:
        return False
    gaps = [
        any(GAP in line and match["name"] in line for line in text.split("\n")) for text in (before, after)
    ]
    return GAP not in after or gaps == [True, False]


def _gap_warning(name: str) -> str:
    return f"The code does not say all about `{name}`: fill in what is marked {GAP}."


def _remaining_removals(removals: Sequence[Removal], text: str) -> Iterator[str]:
    """Warnings about removed names that the proposed text still mentions."""
    matches = ((removal, mention(removal.old).search(text)) for removal in removals)
    remaining = ((removal, match) for removal, match in matches if match)
    for removal, match in islice(remaining, _MAX_REMAINING):
        line = line_of(text, match.start())
        yield f"Mentions `{removal.old}` in line {line}, which this change removes: check what is left of it."


def _remaining_quantities(fact: Rename | Rewording | Value, text: str) -> Iterator[str]:
    """Warnings about quantities of the old text which other sentences still state: "14 days", "14-day"."""
    for quantity in _QUANTITY.finditer(fact.old):
        unit = re.escape(quantity["unit"].removesuffix("s"))
        spelled = re.compile(rf"(?<![\w.,]){re.escape(quantity['number'])}[\s-]{unit}s?\b")
        match = None if spelled.search(fact.new) else spelled.search(text)
        if match:
            line = line_of(text, match.start())
            yield f"“{match[0]}” is still in line {line}: check whether it means the same."


def _remaining_name(fact: Rename, text: str) -> Iterator[str]:
    """A warning if the old name remains, where it may mean something else."""
    if re.search(re.escape(fact.old), text.replace(fact.new, "")):
        places = "in an address, a longer name or another program"
        yield f"`{fact.old}` is still in the text, for example {places}: check whether it means the same."
