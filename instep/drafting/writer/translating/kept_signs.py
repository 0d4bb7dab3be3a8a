"""The parts of a text that its translation keeps: code, addresses, HTML, templates, numbers, names."""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping

from instep.platform.core.name_matching import is_distinct
from instep.platform.llm.facts import NAME
from instep.platform.text.blocks import cell_count
from instep.platform.text.code_spans import code_spans

_TARGET = re.compile(r"\]\(\s*<?([^()\s<>]*(?:\([^()\s]*\)[^()\s]*)*)")
_SIGN = re.compile(
    r"\b[a-z][a-z0-9+.-]{1,20}://[^\s<>()\"']+"  # addresses
    r"|</?[A-Za-z][^<>]*>|<!--"  # HTML
    r"|\{\{.*?\}\}|\{%.*?%\}|\{#[^{}]*\}"  # templates and anchors
    r"|\[![A-Z]+\]|(?m:^[ \t>]*:::+[^\n]*)"  # alerts and directives
    r"|\]\[[^\]\n]*\]|\[\^[^\]\n]+\]|(?m:^[ \t>]*\[[^\]\n]+\]:[^\n]*)"  # references
)
# The label of a directive is words.
_LABEL = re.compile(r"(?m)^([ \t>]*+:::++[ \t]*+[a-z][\w-]*+\[)((?:\\.|[^\\\[\]\n])++)(\][^\n]*+)")
_NUMBER = re.compile(r"\d+")
# Languages separate thousands and decimals differently.
_SEPARATOR = re.compile(r"(?<=\d)(?:[.,'\u2019\u00a0\u202f](?=\d)| (?=\d{3}(?!\d)))")
_LETTER = re.compile(r"[^\W\d_]")


def has_words(text: str) -> bool:
    """True if a text has something to translate."""
    return bool(_LETTER.search(_prose(text)))


def lost_sign(
    source: str,
    translation: str,
    *,
    is_row: bool,
    targets: Mapping[str, str],
    kept_terms: Collection[str] = (),
) -> str | None:
    """The reason that a translation does not keep what it must, as the end of a sentence; None if it does.

    `targets` has the original's address for each one that translations use in its place.
    """
    before, after = Counter(_signs(source, {})), Counter(_signs(translation, targets))
    if lost := next(iter(before - after), None):
        return f"it loses {_shown(lost)}"
    if added := next(iter(after - before), None):
        return f"it adds {_shown(added)}"
    if is_row and cell_count(source) != cell_count(translation):
        return "it changes the cells of a table row"
    names = {*filter(_is_name, NAME.findall(_prose(source))), *(t for t in kept_terms if t in source)}
    missing = next((name for name in sorted(names) if name not in translation), None)
    return f"it loses the name {_shown(missing)}" if missing else None


def link_targets(text: str) -> list[str]:
    return [match[1] for match in _TARGET.finditer(_without_code(text))]


def _signs(text: str, targets: Mapping[str, str]) -> Iterator[str]:
    yield from (text[start:end] for start, end in code_spans(text))
    text = _labels_below(_without_code(text))
    # A link is something else than an address in the text.
    yield from (f"]({targets.get(target, target)})" for target in link_targets(text))
    text = _TARGET.sub("](", text)
    yield from (sign.strip() for sign in _SIGN.findall(text))
    yield from (
        number.lstrip("0") or "0" for number in _NUMBER.findall(_SEPARATOR.sub("", _SIGN.sub(" ", text)))
    )


def _is_name(word: str) -> bool:
    """True for a name such as `GitHub` or `--dry-run`, but not for “up-to-date”."""
    return is_distinct(word) and (word != word.lower() or "_" in word or word.startswith("--"))


def _prose(text: str) -> str:
    return _SIGN.sub(" ", _TARGET.sub("](", _labels_below(_without_code(text))))


def _labels_below(text: str) -> str:
    """The text with the label of each directive in a line of its own."""
    return _LABEL.sub(r"\1\3\n\2", text)


def _without_code(text: str) -> str:
    """The text with a space in place of each span of code."""
    ends = [0, *(at for span in code_spans(text) for at in span), len(text)]
    return " ".join(text[start:end] for start, end in zip(ends[::2], ends[1::2], strict=True))


def _shown(sign: str) -> str:
    return f"“{sign[:60]}”"
