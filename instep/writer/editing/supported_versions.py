"""Lists of the versions of a platform that are supported, of which the change drops the oldest."""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

from instep.writer.articles.passages import is_in_url
from instep.writer.editing.value_binding import product_words
from instep.writer.facts.values import Value

# Python refuses to read numbers of thousands of digits, which no version has.
_NUMBER = r"\d{1,9}(?:\.\d{1,9}){0,5}"
_VERSION = re.compile(rf"v?({_NUMBER})")
_SEPARATOR = r"[`*]*(?:,?\s+(?:and|or)\s+|,\s*|\s*/\s*)[`*]*"
_LAST = re.compile(r"[`*]*,?\s+(?:and|or)\s+[`*]*")


def without_dropped_versions(fact: Value, text: str) -> Iterator[tuple[int, int, str]]:
    """Spans of lists of versions that begin with the old one, and what remains of them."""
    if not _VERSION.fullmatch(fact.old) or not _VERSION.fullmatch(fact.new):
        return
    for name in fact.names:
        for match in _listing(tuple(product_words(name))).finditer(text) if product_words(name) else ():
            remaining = _remaining(fact, match["list"])
            if remaining and not is_in_url(text, match.start("list")):
                yield *match.span("list"), remaining


@lru_cache(maxsize=256)
def _listing(products: tuple[str, ...]) -> re.Pattern[str]:
    """A product and the versions after it: "Python 3.9, 3.10 and 3.11", a row of a table."""
    product, version = "|".join(map(re.escape, products)), f"v?{_NUMBER}"
    return re.compile(
        rf"\b(?:{product})(?:\.js)?[\s|:*`(]{{1,20}}(?:versions?[\s:*`]{{1,4}})?"
        rf"(?P<list>{version}(?:{_SEPARATOR}{version})+)(?![\w.]*\d)",
        re.IGNORECASE,
    )


def _remaining(fact: Value, versions: str) -> str | None:
    """A list without the versions before the new one, if it begins with the old one and has the new one."""
    matches = list(_VERSION.finditer(versions))
    numbers = [_numbers(match[1]) for match in matches]
    indexes = [at for at, number in enumerate(numbers) if number >= _numbers(fact.new)]
    if (
        numbers[0] != _numbers(fact.old)
        or numbers != sorted(numbers)
        or not indexes
        or len(indexes) == len(numbers)
    ):
        return None
    gaps = [versions[first.end() : second.start()] for first, second in pairwise(matches)]
    last_gap = gaps[-1].replace(",", "") if len(indexes) == 2 and _LAST.fullmatch(gaps[-1]) else gaps[-1]
    joints = [*(gaps[at - 1] for at in indexes[1:-1]), last_gap, ""][-len(indexes) :]
    return "".join(matches[at][0] + joint for at, joint in zip(indexes, joints, strict=True))


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.removeprefix("v").split(".")))
