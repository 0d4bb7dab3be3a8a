"""Three-way merges of a page's values and of its lines of text; pure functions.

A text has two notations with the same lines: relative paths in the file, and addresses in the article. On
each side, unchanged lines keep their bytes, so nothing is rewritten that was not edited.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from patiencediff import PatienceSequenceMatcher

from instep.platform.core import limits
from instep.platform.core.sandbox import TimeLimitExceeded, is_short, run_bounded
from instep.platform.text.diff import merge, split_lines

# Values of a page by name; None if it doesn't have the value.
Values = Mapping[str, str | None]


@dataclass(frozen=True, slots=True)
class MergedValues:
    """The new values of the article and of the file, and the names of values that both sides changed."""

    article: dict[str, str | None]
    file: dict[str, str | None]
    conflicts: list[str]


def merge_values(
    base_file: Values | None, file: Values, base_article: Values | None, article: Values
) -> MergedValues:
    """The three-way merge of each value; without a base every difference is a conflict.

    In a conflict the article's value wins, because git's history keeps the file's.
    """
    merged = MergedValues(dict(article), dict(file), [])
    for name, value in file.items():
        is_changed_in_file = base_file is None or base_file.get(name) != value
        is_changed_in_article = base_article is None or base_article.get(name) != article.get(name)
        if is_changed_in_file and not is_changed_in_article:
            merged.article[name] = value
        elif is_changed_in_article:
            merged.file[name] = article.get(name)
            if is_changed_in_file and value != article.get(name):
                merged.conflicts.append(name)
    return merged


def to_article_values(
    base_file: Values | None, file: Values, base_article: Values | None
) -> dict[str, str | None]:
    """The values of the file in the article's notation; unchanged ones are taken from the base."""
    if base_file is None or base_article is None:
        return dict(file)
    return {
        name: base_article.get(name) if base_file.get(name) == value else value
        for name, value in file.items()
    }


async def in_other_notation(before: str, after: str, other_before: str, other_after: str) -> str:
    """`after` in the other notation, with the bytes of `other_before` in unchanged lines.

    `other_before` and `other_after` are `before` and `after` in the other notation, line by line.
    """
    if before == after:
        return other_before
    texts = before, after, other_before, other_after
    try:
        return await run_bounded(
            in_other_notation_now, *texts, seconds=limits.MAX_DIFF_SECONDS, is_small=is_short(*texts)
        )
    except TimeLimitExceeded:
        return other_after


def in_other_notation_now(before: str, after: str, other_before: str, other_after: str) -> str:
    source, lines = split_lines(other_before), split_lines(other_after)
    matcher = PatienceSequenceMatcher(None, split_lines(before), split_lines(after))
    for ours, theirs, length in matcher.get_matching_blocks():
        lines[theirs : theirs + length] = source[ours : ours + length]
    return "".join(lines)


async def merge_texts(base: str | None, article: str, file: str) -> str | None:
    """The three-way merge of two texts in the article's notation; None if both changed the same lines."""
    if article == file:
        return article
    if base is None:
        return None
    if file == base:
        return article
    if article == base:
        return file
    return await merge(base, article, file)
