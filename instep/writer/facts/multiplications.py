"""Numbers that code multiplies, such as the seconds of a day: `60 * 60 * 24`."""

import re
from math import prod

from instep.writer.facts.token_replacements import TokenReplacement

_PRODUCT = re.compile(r"(?<![\w.)*])\d[\d_]{0,12}(?:\s?\*\s?\d[\d_]{0,12}){1,6}(?![\w.(]|\s?[*/+-])")
_FACTOR = re.compile(r"\d[\d_]*")


def changed_product(replacement: TokenReplacement) -> tuple[str, str, int] | None:
    """The results before and after, and where the new product begins, if a later factor is new.

    The first factor alone is what articles say: 10 MB for `10 * 1024 * 1024`.
    """
    before = _product_at(replacement.pair.old.text, *replacement.old_span)
    after = _product_at(replacement.pair.new.text, *replacement.new_span)
    if not before or not after or before.start() == replacement.old_start:
        return None
    return _result(before[0]), _result(after[0]), after.start()


def _product_at(line: str, start: int, end: int) -> re.Match[str] | None:
    matches = _PRODUCT.finditer(line)
    return next((match for match in matches if match.start() <= start and end <= match.end()), None)


def _result(product: str) -> str:
    return str(prod(int(factor) for factor in _FACTOR.findall(product)))
