"""Definitions that a change removes from the product, and those that it only seems to remove."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from instep.core.name_matching import is_distinct, mention
from instep.text.file_kinds import LONG_LINE
from instep.text.patch import Hunk
from instep.writer.articles.corpus import Corpus
from instep.writer.diffs.change_set import ChangeSet, ReviewedFile
from instep.writer.facts.changed_texts import OccurrenceCounts, SourceLine
from instep.writer.facts.collect import Facts
from instep.writer.facts.declarations import Declaration, declarations_of
from instep.writer.facts.renames import is_mostly_removed
from instep.writer.facts.written_names import flags_defined_in
from instep.writer.words.identifiers import is_hyphenated, parts_of

_TYPE = re.compile(r"\b(?:class|interface|struct|enum|trait|type)\b")
_COMMAND = re.compile(r"(?:command|add_parser|subcommand)\(\s*[\"'](\w[\w:-]+)[\"']")
_ROUTE = re.compile(r"[\"'`](/[\w./{}:<>-]*\w[\w./{}:<>-]*)[\"'`]")
# A variable where it is read from the environment, or set in an image: `process.env.X`, `env("X")`, `ARG X`.
_VARIABLE_READ = re.compile(
    r"(?:\b(?:process|import\.meta)\.env\.|\bENV\[[\"']|\b(?:get|lookup)?env\w{0,8}(?:\.get)?[(\[][\"']"
    r"|\bEnvVars?\b[^\"'\n]{0,20}[\"']|\benviron(?:\.get)?[(\[][\"']|^\s*(?:ENV|ARG)\s+)"
    r"(?-i:([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)(?!\w))",
    re.IGNORECASE,
)
# What comes from the platform is there although a product doesn't read it any more.
_OF_PLATFORM = re.compile(
    r"(?:AWS|CI|GITHUB|GITLAB|GOOGLE|KUBERNETES|VERCEL)_|(?:APP|NODE|RACK|RAILS)_ENV$|(?:HTTPS?|NO)_PROXY$"
)
_OPENING = ("{", "[", "(")
_NAME = re.compile(r"[A-Za-z_]\w+")
_FLAG = re.compile(r"(?<![\w-])--[a-z][\w-]*\w")
_INVISIBLE_KINDS = frozenset({"test", "internal", "docs"})
_MAX_REMOVALS = 200
_MIN_COMMANDS = 3
_REMOVING = re.compile(r"\b(?:remov|delet|drop)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Removal:
    """`old` is removed from the product; with a doubt, that is reported and no article is edited for it."""

    old: str
    sources: tuple[SourceLine, ...]
    doubt: str | None
    # What remains of a sentence that lists it among others.
    new: str = ""
    is_in_sentence: bool = False
    # How many commands lose a flag whose word lives on: more entries are also those of others.
    command_count: int | None = None


def find_removals(change_set: ChangeSet, facts: Facts, corpus: Corpus, title: str) -> list[Removal]:
    """Names in articles that the change no longer defines, except for those that it renames."""
    sources_by_name: dict[str, list[SourceLine]] = {}
    for name, source in removed_definitions(change_set):
        if corpus.articles_with(name):
            sources_by_name.setdefault(name, []).append(source)
    spellings = [spelling for name in sources_by_name for spelling in _spellings_in_code(name)]
    occurrences = OccurrenceCounts(spellings, [file.patch for file in change_set.files])
    renamed = {rename.old for rename in facts.renames} | {
        rename.old
        for rename in facts.doubtful_renames
        if not is_mostly_removed(rename.old, len(rename.sources), occurrences)
    }
    names = [name for name in sources_by_name if name not in renamed][:_MAX_REMOVALS]
    added_names, staying_flags = _added_names(change_set), _flags_that_stay(change_set)
    return [
        Removal(
            name,
            tuple(sources),
            _doubt(name, sources, occurrences, staying_flags if is_flag else added_names, title),
            command_count=len({source.file for source in sources}) if is_flag else None,
        )
        for name in names
        for sources in [sources_by_name[name]]
        for is_flag in [_loses_all_commands(name, sources, staying_flags)]
        if is_flag or not (_times(name, occurrences.added) or _times(name, occurrences.unchanged))
    ]


def _flags_that_stay(change_set: ChangeSet) -> set[str]:
    """The flags that the lines after the change define or name."""
    lines = (line for file in change_set.files for line in file.patch.lines() if line.mark != "-")
    texts = [line.text for line in lines if len(line.text) <= LONG_LINE]
    named = (flag for text in texts for flag in _FLAG.findall(text))
    return {*named, *(flag for text in texts for flag in flags_defined_in(text))}


def _loses_all_commands(name: str, sources: Sequence[SourceLine], staying_flags: Collection[str]) -> bool:
    """Whether several commands had a flag that none has now; its word may live on as that of a setting."""
    are_definitions = all(name in flags_defined_in(source.text) for source in sources)
    files = {source.file for source in sources}
    return are_definitions and len(files) >= _MIN_COMMANDS and name not in staying_flags


def _spellings_in_code(name: str) -> tuple[str, ...]:
    """A name, and a flag also without its dashes, as libraries define it and code asks for it."""
    return (name, name.removeprefix("--")) if name.startswith("--") else (name,)


def _times(name: str, counts: "Counter[str]") -> int:
    return sum(counts[spelling] for spelling in _spellings_in_code(name))


def removed_definitions(change_set: ChangeSet) -> Iterator[tuple[str, SourceLine]]:
    for file in change_set.files:
        if file.kind in _INVISIBLE_KINDS:
            continue
        for hunk in file.patch.hunks:
            yield from (
                (declaration.name, _source(declaration, file))
                for declaration in _definitions(hunk, file.patch.path)
                if is_distinct(declaration.name)
            )
            yield from _in_strings(hunk, file)
        if file.patch.status == "deleted":
            yield from _file_name(file)


def _definitions(hunk: Hunk, path: str) -> Iterator[Declaration]:
    """Definitions that users can reach: no local variables, and no keys whose value is a block of code."""
    declarations = list(declarations_of(hunk, "-", path))
    for index, declaration in enumerate(declarations):
        if declaration.line.mark == "-" and not (
            declaration.kind == "key" and declaration.value.endswith(_OPENING)
        ):
            is_local = declaration.kind == "assignment" and declaration.indent > 0
            if not is_local or _is_member(declaration, declarations[:index], hunk):
                yield declaration


def _is_member(declaration: Declaration, before: Sequence[Declaration], hunk: Hunk) -> bool:
    outer = (other.line.text for other in reversed(before) if other.indent < declaration.indent)
    return bool(_TYPE.search(next(outer, hunk.section)))


def _source(declaration: Declaration, file: ReviewedFile) -> SourceLine:
    return SourceLine(file.patch.old_path, declaration.line.old, declaration.line.text, file.weight)


def _in_strings(hunk: Hunk, file: ReviewedFile) -> Iterator[tuple[str, SourceLine]]:
    """Commands, routes, flags and variables, which code defines by strings, or by reading them."""
    for line in hunk.lines:
        if line.mark == "-" and len(line.text) <= LONG_LINE:
            commands = (
                name for name in _COMMAND.findall(line.text) if is_hyphenated(name) or is_distinct(name)
            )
            variables = (name for name in _VARIABLE_READ.findall(line.text) if not _OF_PLATFORM.match(name))
            routes = _ROUTE.findall(line.text)
            for name in (*commands, *routes, *flags_defined_in(line.text), *variables):
                yield name, SourceLine(file.patch.old_path, line.old, line.text, file.weight)


def _file_name(file: ReviewedFile) -> Iterator[tuple[str, SourceLine]]:
    path = PurePosixPath(file.patch.old_path)
    first = next(file.patch.lines(), None)
    if path.suffix and first:
        yield path.name, SourceLine(file.patch.old_path, first.old, first.text, file.weight)


def _added_names(change_set: ChangeSet) -> set[str]:
    return {
        name
        for file in change_set.files
        for line in file.patch.lines()
        if line.mark == "+" and len(line.text) <= LONG_LINE
        for name in _NAME.findall(line.text)
        if is_distinct(name)
    }


def _doubt(
    name: str,
    sources: Sequence[SourceLine],
    occurrences: OccurrenceCounts,
    added_names: Iterable[str],
    title: str,
) -> str | None:
    is_file = any(PurePosixPath(source.file).name == name for source in sources)
    is_told = bool(_REMOVING.search(title) and mention(name).search(title))
    if _times(name, occurrences.removed) < 2 and not is_file and not is_told:
        return "no use of it goes along with its definition"
    successor = next((new for new in sorted(added_names) if _is_variant(name, new)), None)
    return f"`{successor}` may take its place" if successor else None


def _is_variant(old: str, new: str) -> bool:
    """Whether one name has all words of the other and at most one more: `NewTable` and `Table`."""
    before, after = set(parts_of(old)), set(parts_of(new))
    return abs(len(before) - len(after)) <= 1 and (before <= after or after <= before)
