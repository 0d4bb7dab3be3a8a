"""Renames of the environment variables of fields, which articles have and the code does not spell out."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from instep.writer.diffs.change_set import ChangeSet
from instep.writer.facts.renames import Rename
from instep.writer.shapes import Article

_FIELD = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)+")
_VARIABLE = re.compile(r"(?<![\w-])[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+(?![\w-])")


def variable_renames(
    renames: Iterable[Rename], change_set: ChangeSet, articles: Iterable[Article]
) -> list[Rename]:
    """Renames of the environment variables of fields: for `page_size` articles say `ACME_PAGE_SIZE`."""
    renames = list(renames)
    fields = {fact.old.upper(): fact for fact in renames if _is_field(fact)}
    if not fields:
        return []
    other_names = {fact.old for fact in renames} | set(_variables_in(change_set))
    variables = {name for article in articles for name in _VARIABLE.findall(article.text)}
    return [rename for name in sorted(variables - other_names) for rename in _variable_rename(name, fields)]


def _is_field(fact: Rename) -> bool:
    """Whether a line begins with the new name, as one that defines a field does; parameters do not count."""
    are_names = all(_FIELD.fullmatch(name) for name in (fact.old, fact.new))
    return are_names and any(source.text.lstrip(" \t\"'#-").startswith(fact.new) for source in fact.sources)


def _variable_rename(name: str, fields: dict[str, Rename]) -> Iterator[Rename]:
    """The rename by the longest field that follows a prefix, if any."""
    prefix, field = "", name
    while "_" in field:
        first_word, field = field.split("_", 1)
        prefix += f"{first_word}_"
        if field in fields:
            fact = fields[field]
            yield replace(fact, old=name, new=prefix + fact.new.upper(), marking="anywhere")
            return


def _variables_in(change_set: ChangeSet) -> Iterator[str]:
    """Variables that the changed files still name."""
    for file in change_set.files:
        for line in file.patch.lines():
            if line.mark != "-":
                yield from _VARIABLE.findall(line.text)
