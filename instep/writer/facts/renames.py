"""Which names and labels a change replaces by new ones: as its lines or its settings show."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from instep.core.name_matching import is_distinct, mention
from instep.text.file_kinds import WEIGHTS
from instep.text.patch import FilePatch
from instep.writer.articles.code_languages import language_of_file
from instep.writer.facts.changed_texts import (
    EMAIL_ADDRESS,
    ChangedText,
    Level,
    OccurrenceCounts,
    SourceLine,
)
from instep.writer.facts.line_alignment import line_similarity
from instep.writer.facts.values import Value
from instep.writer.shapes import Change
from instep.writer.words.identifiers import is_key_combination, parts_of
from instep.writer.words.units import words_and_unit

Marking = Literal["anywhere", "emphasised", "coded", "in context"]
Groups = dict[tuple[str, str], list[ChangedText]]
_RENAMING: frozenset[Level] = frozenset({"name", "label", "caption", "command", "method"})
_PLAIN = re.compile(r"\w+")
# Hosts that RFC 2606 and RFC 6761 reserve for documentation and tests.
_SAMPLE_HOST = re.compile(
    r"(?:://|@)(?:[\w-]+\.)*(?:example\.(?:com|org|net)|(?:example|test|invalid|localhost)\b)"
)
_SYSTEM_PATH = re.compile(r"/(?:bin|etc|home|mnt|opt|root|srv|tmp|usr|var)/")
# A keyword argument in a call over several lines.
_ARGUMENT = re.compile(r"[a-z]\w*\s*=[^=].*,$")
_MIN_PURE_SIMILARITY = 0.75
# The names of each are looked for in all lines of the change.
_MAX_RENAMES = 2_000
_MANY_SOURCES = 3
_INTERFACE_NAME = re.compile(
    r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|--[a-z][\w-]+|/.*|[A-Z][\w]*(?:-[A-Z][\w]*)+|(?:\w+\+)+\S+|.* .*"
)
_PARAMETER = re.compile(r"[:{<$]")
# What stands for a parameter: a placeholder, or an id with a digit; `/users/import` is another route.
_ANY_SEGMENT = r"(?:[:{<$][\w.:{}<>$-]*+|[A-Z][A-Z_]++|(?=[\w-]{0,40}\d)[\w.~-]++)"
_GITHUB = re.compile(r"github\.com/([\w-]+)/")
_MOVES = re.compile(r"\b(?:renam|migrat)", re.IGNORECASE)
# The label of a button, which a sentence may say of anything: "save changes".
_COMMAND = re.compile(
    r"(?:add|apply|assign|cancel|change|choose|close|configure|connect|copy|create|delete|disable|download|edit"
    r"|enable|export|find|get|go|hide|import|invite|learn|log|make|manage|move|open|please|print|publish|remove"
    r"|rename|reset|run|save|search|see|select|send|set|share|show|sign|start|stop|submit|try|turn|update|upload"
    r"|use|view|visit)\s",
    re.IGNORECASE,
)
_NAMING = """
    alias attribute channel code column command cookie database endpoint event field flag header hook id
    identifier index key label metric name option parameter path permission prefix queue role route scope slug
    suffix symbol table tag title topic url variable verb
"""
_NAMING_WORDS = frozenset(_NAMING.split())


@dataclass(frozen=True, slots=True)
class Rename:
    """`old` is now called `new`; with a doubt, it is reported and not applied."""

    old: str
    new: str
    sources: tuple[SourceLine, ...]
    doubt: str | None
    marking: Marking = "anywhere"
    # A pattern of what follows: of the rest of a route, whose parameters stand for any text; of the settings
    # of a section.
    rest: str | None = None
    # For a name with another unit: the values that change with it. Beside others it stays.
    converted: frozenset[str] | None = None
    # Whether it is a label as sentences write it, in small letters, where it may be an ordinary phrase.
    is_phrase: bool = False

    @property
    def needs_concern(self) -> bool:
        """Whether articles that the change does not concern may mean something else by it."""
        is_section = self.rest is not None and not self.old.startswith("/")
        return self.is_lone_label or self.is_phrase or is_section

    @property
    def is_label(self) -> bool:
        """Whether it is a text of the interface."""
        return self.marking == "emphasised" or (" " in self.old and not is_distinct(self.old))

    @property
    def languages(self) -> frozenset[str]:
        """For a function, the programming languages that it is defined in; empty for anything else."""
        sources = self.sources[:_MANY_SOURCES]
        if not all(_is_function(self.new, source.text) for source in sources):
            return frozenset()
        return frozenset(filter(None, (language_of_file(source.file) for source in sources)))

    @property
    def is_lone_label(self) -> bool:
        """Whether it is a word or keys of the interface that other places may have, too, which keep it."""
        is_word = " " not in self.old and self.marking == "emphasised"
        is_common = is_word or is_key_combination(self.old)
        return is_common and len({row.file for row in self.sources}) == 1


def find_renames(texts: Sequence[ChangedText], files: Sequence[FilePatch]) -> list[Rename]:
    """The first renames of a change: as many as are facts."""
    groups: Groups = defaultdict(list)
    for text in texts:
        has_room = len(groups) < _MAX_RENAMES or (text.old, text.new) in groups
        if text.level in _RENAMING and has_room:
            groups[text.old, text.new].append(text)
    occurrences = OccurrenceCounts((name for pair in groups for name in pair), files)
    tally = _Tally(groups, occurrences)
    return [_rename(old, new, members, tally) for (old, new), members in groups.items()]


class _Tally:
    """Counts over the whole change that are evidence for or against a rename."""

    def __init__(self, groups: Groups, occurrences: OccurrenceCounts) -> None:
        self.occurrences = occurrences
        self.uses: Counter[str] = Counter()
        self.targets: Counter[str] = Counter()
        self.families: Counter[tuple[str, str]] = Counter()
        self.moves: Counter[tuple[str, str]] = Counter()
        for (old, new), members in groups.items():
            self.uses[old] += len(members)
            self.targets[new] += len(members)
            # A line may show one change as a name and as a label.
            self.families[_family(old, new)] += len({text.source for text in members})
            self.moves[_owners(old, new)] += 1


def _rename(old: str, new: str, members: Sequence[ChangedText], tally: _Tally) -> Rename:
    marking = _marking(old, members)
    doubt = (
        _spelling_doubt(old, new, marking, members)
        or _evidence_doubt(old, new, members)
        or _repository_doubt(old, new, members, tally)
        or _count_doubt(old, new, len(members), tally)
        or _weight_doubt(members, tally.families[_family(old, new)])
    )
    if tally.occurrences.added[old] and any(f"://{old}" in text.old_line for text in members):
        # A host that new lines still name lives on, so that only the addresses that the change shows move.
        marking = "in context"
    return Rename(old, new, tuple(text.source for text in members), doubt, marking)


def _marking(old: str, members: Sequence[ChangedText]) -> Marking:
    """How strictly an article must mark the old name: the more common the word, the stronger the marking."""
    levels = {text.level for text in members}
    if is_distinct(old) and all(_PLAIN.fullmatch(name) for name in (old, members[0].new)):
        # A word of many meanings takes the place of a name only where the code shows it, unless it is the
        # same name in other capitals.
        is_respelled = old.casefold() == members[0].new.casefold()
        return "anywhere" if is_respelled or is_distinct(members[0].new) else "in context"
    if is_distinct(old) or "method" in levels or EMAIL_ADDRESS.fullmatch(old):
        return "anywhere"
    if "command" in levels:
        return "coded"
    return "anywhere" if "label" in levels and " " in old else "emphasised"


def _spelling_doubt(old: str, new: str, marking: Marking, members: Sequence[ChangedText]) -> str | None:
    if " " in old and old.casefold() == new.casefold():
        return f"only the capitals of “{old}” differ"
    if new.startswith("_") and not old.startswith("_"):
        return f"`{new}` is spelled like an internal name"
    is_shown = any(text.source.weight > WEIGHTS["code"] or text.is_of_interface for text in members)
    if marking == "emphasised" and (is_distinct(new) or not is_shown):
        return f"`{old}` is a word of many meanings"
    return None


def _evidence_doubt(old: str, new: str, members: Sequence[ChangedText]) -> str | None:
    """A rename leaves the lines around it as they were; what is chosen, sampled or tested is not renamed."""
    pattern = mention(old)
    if 2 * sum(_is_pure(pattern, new, text) for text in members) <= len(members):
        return f"the lines with `{old}` change in more than the name"
    weight = max(text.source.weight for text in members)
    is_alone = len(members) == 1 and not members[0].is_of_interface
    if " " in old and not is_distinct(old) and is_alone and weight < WEIGHTS["interface"]:
        return f"one line alone replaces “{old}”"
    if len(members) == 1 and _is_lone_use(old, new, members[0]):
        return f"one use alone replaces `{old}`"
    if _SAMPLE_HOST.search(old) or ("/" in old and weight < WEIGHTS["code"]):
        return f"`{old}` looks like sample data"
    if all(_ARGUMENT.match(text.source.text.strip()) for text in members):
        return f"calls choose `{new}`, but `{old}` may still exist"
    return None


def _owners(old: str, new: str) -> tuple[str, str]:
    """Who owns two repositories on GitHub; both empty for other names."""
    before, after = _GITHUB.match(old), _GITHUB.match(new)
    return (before[1], after[1]) if before and after else ("", "")


def _repository_doubt(old: str, new: str, members: Sequence[ChangedText], tally: _Tally) -> str | None:
    """A build file may choose a fork; repositories move where another one of the same owner does."""
    is_addressed = not _GITHUB.match(old) or any(old in text.old_line for text in members)
    owners = _owners(old, new)
    if is_addressed or (owners[0] != owners[1] and tally.moves[owners] > 1):
        return None
    return f"a build file takes `{new}` in place of `{old}`"


def _is_lone_use(old: str, new: str, text: ChangedText) -> bool:
    """Whether a line only calls something else, or names another file."""
    line = text.source.text
    return bool(_SYSTEM_PATH.match(old)) or (
        not line.lstrip().startswith("@") and (text.level == "method" or f".{new}(" in line)
    )


def _is_pure(pattern: re.Pattern[str], new: str, text: ChangedText) -> bool:
    renamed = pattern.sub(lambda _: new, text.old_line)
    return line_similarity(renamed, text.source.text) >= _MIN_PURE_SIMILARITY


def _count_doubt(old: str, new: str, times: int, tally: _Tally) -> str | None:
    """A name that remains or becomes several others is not simply renamed, nor to a name that existed."""
    occurrences = tally.occurrences
    inside_new = len(mention(old).findall(new)) * occurrences.added[new]
    if (occurrences.added[old] - inside_new) * 3 > times:
        return f"the change still writes `{old}` in new lines"
    if occurrences.unchanged[old] * 3 > times:
        return f"unchanged lines still use `{old}`"
    if (tally.uses[old] - times) * 2 > times:
        return f"the change replaces `{old}` by different names"
    if is_mostly_removed(old, times, occurrences):
        return f"most uses of `{old}` were taken out, not renamed"
    if (tally.targets[new] - times) * 2 > times or (
        times < 3 and occurrences.unchanged[new] + occurrences.removed[new]
    ):
        return f"`{new}` was there before, or takes the place of several names"
    return None


def is_mostly_removed(old: str, times: int, occurrences: OccurrenceCounts) -> bool:
    """Whether a change takes out most uses of a name, and puts another one in the place of few."""
    return occurrences.removed[old] > times * 3


def _weight_doubt(members: Sequence[ChangedText], family: int) -> str | None:
    if max(text.source.weight for text in members) < 0.5 and family < 2:
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


def phrase_renames(renames: Iterable[Rename]) -> Iterator[Rename]:
    """Labels of several words as sentences write them: the activity log, for “Activity log”."""
    for rename in renames:
        is_noun = " " in rename.old and not _COMMAND.match(rename.old)
        if rename.is_label and is_noun and not is_key_combination(rename.old):
            old, new = _in_small_letters(rename.old), _in_small_letters(rename.new)
            for plural in ("", "s"):
                if old != new and not (plural and (old + new).endswith(("s", "y"))):
                    phrase = replace(rename, old=old + plural, new=new + plural, is_phrase=True)
                    yield replace(phrase, marking="anywhere")
                    yield replace(
                        phrase, old=_capitalised(phrase.old), new=_capitalised(phrase.new), marking="anywhere"
                    )


def _in_small_letters(label: str) -> str:
    """A label without the capitals of its words; names such as API and YouTube keep theirs."""
    return " ".join(word.lower() if word[1:].islower() else word for word in label.split(" "))


def _capitalised(phrase: str) -> str:
    return phrase[:1].upper() + phrase[1:]


def parameter_renames(renames: Iterable[Rename]) -> Iterator[Rename]:
    """The beginnings of renamed routes with parameters: an article has `/users/7` for `/users/:id`."""
    for rename in renames:
        old, new = rename.old.split("/"), rename.new.split("/")
        count = 0
        while count < min(len(old), len(new)) and old[-1 - count] == new[-1 - count]:
            count += 1
        rest = old[len(old) - count :]
        if rename.old.startswith("/") and rest and _PARAMETER.match(rest[0]) and len(old) > count + 1:
            pattern = "".join(
                rf"/{_ANY_SEGMENT if _PARAMETER.match(part) else re.escape(part)}" for part in rest
            )
            before, after = ("/".join(parts[: len(parts) - count]) for parts in (old, new))
            yield replace(rename, old=before, new=after, rest=rf"{pattern}(?![\w/-])")


def with_conversions(renames: Iterable[Rename], values: Sequence[Value]) -> Iterator[Rename]:
    """The renames, where `timeout_ms` that becomes `timeout_seconds` knows the values that are converted."""
    for rename in renames:
        units = {words_and_unit(name)[1] for name in (rename.old, rename.new)}
        if len(units) == 2 and None not in units:
            converted = {value.old for value in values if rename.new in value.names}
            rename = replace(rename, converted=frozenset(converted))
        yield rename


def values_of_renamed(values: Iterable[Value], renames: Iterable[Rename]) -> Iterator[Value]:
    """The values, also by the former names of their settings, which articles have."""
    old_names = {rename.new: rename.old for rename in renames}
    for value in values:
        former = [old_names[name] for name in value.names if name in old_names]
        yield replace(value, names=(*value.names, *former)) if former else value


def doubting_new_values(renames: Iterable[Rename], values: Iterable[Value], change: Change) -> list[Rename]:
    """The renames, with a doubt where all that changed is which one of several values a setting has.

    That is none where the change says that it renames or migrates to the new text.
    """
    title = change.title if _MOVES.search(change.title) else ""
    lines = {(value.old, value.new): (value.names[0], value.sources) for value in values}
    checked = []
    for rename in renames:
        setting, sources = lines.get((rename.old, rename.new), ("", ()))
        is_value = (
            rename.doubt is None and rename.marking != "emphasised" and set(rename.sources) == set(sources)
        )
        if (
            is_value
            and rename.new not in title
            and not _is_name_by_itself(rename.old)
            and not _holds_names(setting)
            and not _is_named_after_value(setting, rename.old)
        ):
            rename = replace(
                rename, doubt=f"`{setting}` gets another value, and `{rename.old}` may still exist"
            )
        checked.append(rename)
    return checked


def _is_function(name: str, line: str) -> bool:
    """Whether a line defines or calls a function."""
    return bool(re.search(rf"(?<![\w-]){re.escape(name)}\s?\(", line))


def _is_name_by_itself(text: str) -> bool:
    """Whether a text is a variable, flag, header, route or address, which as a value is a name, too."""
    return bool(_INTERFACE_NAME.fullmatch(text) or EMAIL_ADDRESS.fullmatch(text))


def _holds_names(setting: str) -> bool:
    """Whether the value of a setting is what something is called: `COMMAND_NAME`, `event`."""
    return not _NAMING_WORDS.isdisjoint(parts_of(setting)[-1:])


def _is_named_after_value(setting: str, value: str) -> bool:
    """Whether a constant says its value, as the members of an enumeration do: `IN_PROGRESS`."""
    return parts_of(setting) == parts_of(value)


def in_context_of(renames: Iterable[Rename], described: Iterable[Rename]) -> Iterator[Rename]:
    """The renames, with those that follow from the rename of a common word bound to its context."""
    families = {_family(fact.old, fact.new) for fact in described if fact.marking == "in context"}
    for rename in renames:
        # A label is bound by its whole text, or by the emphasis of it.
        is_of_family = not rename.is_label and _family(rename.old, rename.new) in families
        follows = is_of_family and len(rename.sources) < _MANY_SOURCES
        yield replace(rename, marking="in context") if follows else rename
