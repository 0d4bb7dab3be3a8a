"""Environment variables of settings: for the field `page_size` an article says `ACME_PAGE_SIZE`."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from instep.writer.diffs.change_set import ChangeSet
from instep.writer.facts.renames import Rename
from instep.writer.shapes import Article

_FIELD = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)+")
_VARIABLE = re.compile(r"(?<![\w-])[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+(?![\w-])")


def variables_of(renames: Iterable[Rename], scope: ChangeSet, articles: Iterable[Article]) -> list[Rename]:
    """Renamed fields, as articles spell them for the environment: with a prefix and in capitals."""
    renames = list(renames)
    fields = {fact.old.upper(): fact for fact in renames if _is_field(fact)}
    if not fields:
        return []
    known = {fact.old for fact in renames} | set(_staying(scope))
    stated = {name for article in articles for name in _VARIABLE.findall(article.text)}
    return [made for name in sorted(stated - known) for made in _derived(name, fields)]


def _is_field(fact: Rename) -> bool:
    return _FIELD.fullmatch(fact.old) is not None and _FIELD.fullmatch(fact.new) is not None


def _derived(name: str, fields: dict[str, Rename]) -> Iterator[Rename]:
    """At most one: the longest field that stands behind a prefix."""
    prefix, tail = "", name
    while "_" in tail:
        head, tail = tail.split("_", 1)
        prefix += f"{head}_"
        if tail in fields:
            fact = fields[tail]
            yield replace(fact, old=name, new=prefix + fact.new.upper(), form="anywhere")
            return


def _staying(scope: ChangeSet) -> Iterator[str]:
    """Variables that lines of the changed files still name are read by that name."""
    for scoped in scope.files:
        for line in scoped.file.lines():
            if line.mark != "-":
                yield from _VARIABLE.findall(line.text)
