"""The names that past changes have defined or no longer define, as a product offers them to its users."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from instep.drafting.writer.diffs.change_set import ChangeSet, reviewed_files
from instep.drafting.writer.drift.past_changes import PastChange
from instep.drafting.writer.facts.changed_texts import SourceLine
from instep.drafting.writer.facts.declarations import Declaration, declarations_of
from instep.drafting.writer.facts.written_names import name_form_of, written_names_of
from instep.platform.core.name_matching import is_distinct
from instep.platform.text.patch import Hunk
from instep.platform.text.patch_parser import parse_diff

# Files that only use the product: their settings define nothing, and often belong to another product.
_USES = re.compile(
    r"(?:^|/)(?:examples?|samples?|demos?|charts?|helm|deploy(?:ments?)?|infra(?:structure)?|manifests?"
    r"|\.\w+)/",
    re.IGNORECASE,
)
_NAMES_OF_USES = ("compose", "dockerfile", "example", "sample")
_COMMENT = re.compile(r"\s*(?:#|//|\*|--\s|<!--)")
# A path in code is a route if the line declares one or sends a request to it; others are files and folders.
_ROUTING = re.compile(
    r"(?<![a-z])(?:delete|endpoint|get|handle|mapping|patch|post|put|rout(?:e|er|ing)|urls?)(?![a-z])"
    r"|@\w|HandleFunc",
    re.IGNORECASE,
)
_CONSTANT = re.compile(r"[A-Z][A-Z0-9_]+")
_LOCAL = re.compile(r"\s*(?:const|let|var|val)\s")
_WORD = re.compile(r"[A-Za-z_][\w-]*\w")


@dataclass(frozen=True, slots=True)
class Definition:
    """The line that defines a name, and the distinct names around it.

    A name `of_interface` is a variable of the environment, a flag or a route: no other product's text has it
    by chance.
    """

    source: SourceLine
    is_of_interface: bool
    neighbors: frozenset[str]


class ChangedDefinitions:
    """The names that a change defines in its removed and in its added lines, without the dashes of flags."""

    def __init__(self, change: PastChange) -> None:
        self.code = reviewed_files(parse_diff(change.diff)).code
        self.change_set = product_code(self.code)

    @cached_property
    def old_definitions(self) -> Mapping[str, Definition]:
        return dict(reversed(list(self._definitions("-"))))

    @cached_property
    def new_definitions(self) -> Mapping[str, Definition]:
        return dict(reversed(list(self._definitions("+"))))

    def replaces(self, old: str, new: str) -> bool:
        """True if the change defines the new name where it no longer defines the old one."""
        return new.lstrip("-") in self.new_definitions and self.find_removed(old) is not None

    def find_removed(self, name: str) -> Definition | None:
        """The definition of a name that the change takes out and does not write again."""
        bare = name.lstrip("-")
        return None if bare in self.new_definitions else self.old_definitions.get(bare)

    def _definitions(self, mark: str) -> Iterator[tuple[str, Definition]]:
        for file in self.change_set.files:
            for hunk in file.patch.hunks:
                neighbors = frozenset(filter(is_distinct, _WORD.findall(_text_of(hunk))))
                for name, number, text in _names_in(hunk, mark):
                    path = file.patch.old_path if mark == "-" else file.patch.path
                    source = SourceLine(path, number, text, file.weight)
                    yield name.lstrip("-"), Definition(source, is_of_interface(name), neighbors - {name})


def product_code(code: ChangeSet) -> ChangeSet:
    """The files of a change that decide what the product does: tests, CI and examples prove nothing."""
    files = [
        file
        for file in code.files
        if file.kind not in {"test", "internal"} and not _only_uses(file.patch.path)
    ]
    return replace(code, files=tuple(files))


def _only_uses(path: str) -> bool:
    name = path.rpartition("/")[2].lower()
    return bool(_USES.search(path)) or name.startswith(".") or any(word in name for word in _NAMES_OF_USES)


def is_of_interface(name: str) -> bool:
    return name_form_of(name) in {"variable", "flag", "route"}


def _text_of(hunk: Hunk) -> str:
    return "\n".join(line.text for line in hunk.lines)


def _names_in(hunk: Hunk, mark: str) -> Iterator[tuple[str, int, str]]:
    """The names that one side defines, with the numbers and the texts of their lines."""
    for row in declarations_of(hunk, mark):
        if row.line.mark == mark and row.kind != "route" and not _is_local(row):
            yield row.name, row.line.old if mark == "-" else row.line.new, row.line.text
    for written in written_names_of(hunk):
        line = written.line
        is_route = name_form_of(written.name) == "route"
        is_telling = not is_route or _ROUTING.search(line.text)
        if (
            line.mark == mark
            and is_of_interface(written.name)
            and is_telling
            and not _COMMENT.match(line.text)
        ):
            yield written.name, line.old if mark == "-" else line.new, line.text


def _is_local(row: Declaration) -> bool:
    """True for a variable of the code itself or an argument: a constant or a member may be a setting."""
    if row.kind == "assignment" and row.line.text.rstrip().endswith(","):
        return True
    is_member = row.indent > 0 and not _LOCAL.match(row.line.text)
    return row.kind in {"assignment", "element"} and not (_CONSTANT.fullmatch(row.name) or is_member)
