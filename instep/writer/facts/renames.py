"""Which names and labels a change gives up for new ones, and which it only seems to."""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from instep.writer.diffs.patch import FilePatch
from instep.writer.facts.census import OccurrenceCounts
from instep.writer.facts.changed_texts import ChangedText, Level, Source
from instep.writer.words.names import is_distinct
from instep.writer.words.tokens import parts_of

Form = Literal["anywhere", "emphasised", "coded"]
Groups = dict[tuple[str, str], list[ChangedText]]

_RENAMING: frozenset[Level] = frozenset({"name", "label", "caption", "command", "method"})
_PLAIN = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Rename:
    """`old` is called `new`; with a doubt, it is reported and not applied."""

    old: str
    new: str
    sources: tuple[Source, ...]
    doubt: str | None
    form: Form = "anywhere"


def find_renames(units: Sequence[ChangedText], files: Sequence[FilePatch]) -> list[Rename]:
    groups: Groups = defaultdict(list)
    for unit in units:
        if unit.level in _RENAMING:
            groups[unit.old, unit.new].append(unit)
    census = OccurrenceCounts((name for pair in groups for name in pair), files)
    tally = _Tally(groups, census)
    return [_judged(old, new, members, tally) for (old, new), members in groups.items()]


class _Tally:
    """Counts over the whole change that speak for or against one rename."""

    def __init__(self, groups: Groups, census: OccurrenceCounts) -> None:
        self.census = census
        self.uses: Counter[str] = Counter()
        self.targets: Counter[str] = Counter()
        self.families: Counter[tuple[str, str]] = Counter()
        for (old, new), members in groups.items():
            self.uses[old] += len(members)
            self.targets[new] += len(members)
            self.families[_family(old, new)] += len(members)


def _judged(old: str, new: str, members: Sequence[ChangedText], tally: _Tally) -> Rename:
    form = _form(old, members)
    doubt = (
        _spelling_doubt(old, new, form, members)
        or _count_doubt(old, new, len(members), tally)
        or _weight_doubt(members, tally.families[_family(old, new)])
    )
    return Rename(old, new, tuple(unit.source for unit in members), doubt, form)


def _form(old: str, members: Sequence[ChangedText]) -> Form:
    """How an article must spell the old name: the more ordinary it is, the more it takes."""
    levels = {unit.level for unit in members}
    if is_distinct(old) or "method" in levels:
        return "anywhere"
    if "command" in levels:
        return "coded"
    return "anywhere" if "label" in levels and " " in old else "emphasised"


def _spelling_doubt(old: str, new: str, form: Form, members: Sequence[ChangedText]) -> str | None:
    if " " in old and old.casefold() == new.casefold():
        return f"only the capitals of “{old}” differ"
    if new.startswith("_") and not old.startswith("_"):
        return f"`{new}` is spelled like an internal name"
    if form == "emphasised" and (is_distinct(new) or max(unit.source.weight for unit in members) <= 1.0):
        return f"`{old}` is a word of many meanings"
    if form == "anywhere" and _PLAIN.fullmatch(old) and _PLAIN.fullmatch(new) and not is_distinct(new):
        return f"`{new}` is a word of many meanings"
    return None


def _count_doubt(old: str, new: str, times: int, tally: _Tally) -> str | None:
    """A name that lives on, that becomes several others, or one that was there, is not simply renamed."""
    census = tally.census
    if census.added[old] * 3 > times:
        return f"the change still writes `{old}` in new lines"
    if census.kept[old] * 3 > times:
        return f"unchanged lines still use `{old}`"
    if (tally.uses[old] - times) * 2 > times:
        return f"the change replaces `{old}` by different names"
    if census.removed[old] > times * 3:
        return f"most uses of `{old}` were taken out, not renamed"
    if (tally.targets[new] - times) * 2 > times or (times < 3 and census.kept[new] + census.removed[new]):
        return f"`{new}` was there before, or takes the place of several names"
    return None


def _weight_doubt(members: Sequence[ChangedText], family: int) -> str | None:
    if max(unit.source.weight for unit in members) < 0.5 and family < 2:
        return "only tests or internal files show it"
    return None


def _family(old: str, new: str) -> tuple[str, str]:
    """The words that differ: `start_date` to `begin_date` and `start_time` to `begin_time` are one."""
    before, after = parts_of(old), parts_of(new)
    while before and after and before[0] == after[0]:
        before, after = before[1:], after[1:]
    while before and after and before[-1] == after[-1]:
        before, after = before[:-1], after[:-1]
    return " ".join(before), " ".join(after)
