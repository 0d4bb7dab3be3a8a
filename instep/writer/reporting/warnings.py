"""What a reviewer of an edit should check by hand."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from instep.writer.articles.passages import line_of
from instep.writer.editing.edits import Edit
from instep.writer.facts.removals import Removal
from instep.writer.facts.renames import Rename
from instep.writer.inserting.insertions import Insertion
from instep.writer.inserting.notes import Note
from instep.writer.words.identifiers import mention

_ONLY_TESTS = 0.5
_MOST_OUTLIVED = 5


def warnings_for(places: Sequence[Edit], removals: Sequence[Removal], text: str) -> tuple[str, ...]:
    """Warnings on the edited text, each once, in the order of the edits."""
    facts = {(place.fact.old, place.fact.new): place.fact for place in places}.values()
    said: dict[str, None] = {}
    for fact in facts:
        if max(source.weight for source in fact.sources) < _ONLY_TESTS:
            said[f"Only tests or internal files show that `{fact.old}` became `{fact.new}`."] = None
        if isinstance(fact, Rename):
            said |= dict.fromkeys(_left_over(fact, text))
        if isinstance(fact, Insertion) and not fact.is_described:
            said[f"The code says nothing about `{fact.name}`: complete what the draft says of it."] = None
        if isinstance(fact, Note):
            said["The place and the wording are a first proposal: check both."] = None
    return (*said, *_outlived(removals, text))


def _outlived(removals: Sequence[Removal], text: str) -> Iterator[str]:
    """What the proposed text still says of names that are gone."""
    said = ((one, mention(one.old).search(text)) for one in removals)
    for removal, found in islice(((one, found) for one, found in said if found), _MOST_OUTLIVED):
        line = line_of(text, found.start())
        yield f"Mentions `{removal.old}` in line {line}, which this change removes: check what is left of it."


def _left_over(fact: Rename, text: str) -> Iterator[str]:
    """The old name where it stays: inside longer names, in addresses, beside the new one."""
    if re.search(re.escape(fact.old), text.replace(fact.new, "")):
        yield f"`{fact.old}` still stands in an address, in a longer name or beside the new one."
