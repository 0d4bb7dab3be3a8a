"""What a change gives to an owner, or takes from it: a permission to a role, a feature to a plan."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from instep.text.file_kinds import LONG_LINE
from instep.writer.facts.changed_texts import SourceLine
from instep.writer.facts.set_members import ComparedFile

# The owner of a list in one line: `viewer: ["a", "b"],`, `Role.VIEWER: {"a"},`, `approve: [manager, owner]`.
_OWNER = re.compile(
    r"""\s*["']?((?:\w+[.:])*([A-Za-z][\w-]*))["']?\s*(?:=>|[:=])\s*(?:\w+\()?[\[{(]([^\[\]{}()]*)[\]})]"""
)
_MEMBER = re.compile(
    r"""(["'])([A-Za-z][\w.:/-]{2,60})\1|(?:^|[\s,])(?:\w+\.|:)?([A-Za-z][\w-]{2,60})(?=\s*(?:,|$))"""
)


@dataclass(frozen=True, slots=True)
class Entitlement:
    """The owner has the member with the change, or, where it `is_taken`, without it.

    `key` is the owner with what is before its point: `event.delete`. It had `before` and has `after`.
    """

    owner: str
    member: str
    is_taken: bool
    source: SourceLine
    key: str = ""
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()


def find_entitlements(compared: Iterable[ComparedFile]) -> Iterator[Entitlement]:
    """Members that a list of an owner gains or loses, and that keep the others."""
    for file, pairs in compared:
        if file.kind in {"test", "internal", "docs"}:
            continue
        for pair in pairs:
            old, new = _OWNER.match(pair.old.text), _OWNER.match(pair.new.text)
            is_short = max(len(pair.old.text), len(pair.new.text)) <= LONG_LINE
            if not old or not new or old[1] != new[1] or not is_short:
                continue
            before, after = (
                [match[2] or match[3] for match in _MEMBER.finditer(side[3])] for side in (old, new)
            )
            if not before or not after or ({*before} - {*after} and {*after} - {*before}):
                continue
            source = SourceLine(file.patch.path, pair.new.new, pair.new.text, file.weight)
            for member in sorted({*before} ^ {*after}):
                is_taken = member in before
                yield Entitlement(new[2], member, is_taken, source, new[1], tuple(before), tuple(after))
