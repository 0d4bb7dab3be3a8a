"""Replaces references with the texts of parts and variables, in bounded time and to a bounded size.

`{{part.billing-note}}` and `{{variable.price}}` are references; `\\{{part.billing-note}}` shows the signs.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache

from instep.platform.core import limits
from instep.platform.core.errors import InvalidRequest

# At the beginning of a line, the marks of quotes and of one list item belong to every line of a part.
REFERENCE = re.compile(
    r"(?:^([ \t>]*+(?:(?:[-*+]|[0-9]{1,9}[.)])[ \t]++)?+))?(\\?)"
    r"\{\{((?:part|variable)\.[^\s{}()<>.|\[\]\"'/\\]{1,120}+)\}\}",
    re.MULTILINE,
)
NOT_A_QUOTE = re.compile(r"[^>\t]")


class PartProblem(InvalidRequest):
    """A part or variable can't be shown: correct the reference to it."""

    def __init__(self, message: str) -> None:
        super().__init__(message, details=[("contentMarkdown", message)])


@dataclass(frozen=True, slots=True)
class Expansion:
    """A text as readers see it, and the references that it was made of, also those inside parts."""

    text: str
    references: list[str]


@dataclass(slots=True)
class Expander:
    """Expands references from `texts`, each once; `path` are the parts that are being expanded.

    `levels` are the levels of parts in each expanded part, counted from 1; `deepest` those in the last text.
    """

    texts: Mapping[str, str]
    expanded: dict[str, str] = field(default_factory=dict)
    levels: dict[str, int] = field(default_factory=dict)
    path: list[str] = field(default_factory=list)
    deepest: int = 0

    def expand(self, text: str) -> str:
        """The text with its references replaced; raises `PartProblem`."""
        size, end, deepest, pieces = 0, 0, 0, []
        for reference in REFERENCE.finditer(text):
            pieces += [
                text[end : reference.start()],
                self.replaced(reference, limits.MAX_CONTENT_CHARACTERS - size),
            ]
            end, deepest = reference.end(), max(deepest, self.levels.get(reference[3], 0))
            size += len(pieces[-2]) + len(pieces[-1])
            if size > limits.MAX_CONTENT_CHARACTERS:
                raise too_long()
        if size + len(text) - end > max(limits.MAX_CONTENT_CHARACTERS, len(text)):
            raise too_long()
        self.deepest = deepest
        return "".join((*pieces, text[end:]))

    def replaced(self, reference: re.Match[str], room: int) -> str:
        if reference[2]:
            return reference[0].replace("\\{{", "{{", 1)
        inner = self.text_of(reference[3])
        if cost_of(reference, inner) > room:
            raise too_long()
        return placed(reference, inner)

    def text_of(self, name: str) -> str:
        if name in self.path:
            circle = " → ".join([*self.path[self.path.index(name) :], name])
            raise PartProblem(f"“{name}” contains itself ({circle}): remove one of these references.")
        if len(self.path) + self.levels.get(name, 1) > limits.MAX_PART_LEVELS:
            raise PartProblem(
                f"“{self.path[0]}” has more than {limits.MAX_PART_LEVELS} levels of parts: remove one."
            )
        if name not in self.expanded:
            if name not in self.texts:
                raise PartProblem(
                    f"There is no “{name}” in this language: create it under Articles → Parts and "
                    f"variables, or write \\{{{{{name}}}}} to show the braces as text."
                )
            self.path.append(name)
            self.expanded[name] = self.expand(self.texts[name])
            self.path.pop()
            self.levels[name] = 1 + self.deepest
        return self.expanded[name]


def expand(text: str, texts: Mapping[str, str]) -> Expansion:
    """The text with its references replaced; raises `PartProblem` for one without a text, and for circles."""
    expander = Expander(texts)
    return Expansion(expander.expand(text), sorted(expander.expanded))


def shown_texts(
    reference: str, texts_of: Mapping[str, Mapping[str, str]], default: str, codes: Iterable[str]
) -> list[str]:
    """The distinct texts of a part in some languages; raises `PartProblem`, also for parts that contain it.

    `texts_of` has all texts by language and reference; a language without a text shows that of `default`.
    """
    by_text, find = dict[str, None](), cache(references_in)
    for code in codes:
        expander = Expander({**texts_of[default], **texts_of[code]})
        by_text[expander.text_of(reference)] = None
        for name in containing(reference, expander.texts, find):
            expander.text_of(name)
    return list(by_text)


def refuse_bad_texts(texts_of: Mapping[str, Mapping[str, str]], default: str) -> None:
    """Raise `PartProblem` if a part can't be shown in some language."""
    for texts in texts_of.values():
        expander = Expander({**texts_of[default], **texts})
        for name in expander.texts:
            expander.text_of(name)


def containing(reference: str, texts: Mapping[str, str], find: Callable[[str], list[str]]) -> set[str]:
    """The reference, and those of all parts that contain it, also inside others."""
    names, new = set[str](), {reference}
    while new:
        names |= new
        new = {name for name, text in texts.items() if not new.isdisjoint(find(text))} - names
    return names


def references_in(text: str) -> list[str]:
    """The references in a text, such as `part.billing-note`, without those inside their texts."""
    if "{{part." not in text and "{{variable." not in text:
        return []
    return sorted({match[3] for match in REFERENCE.finditer(text) if not match[2]})


def holder_counts(texts: Iterable[tuple[str, str]]) -> Counter[str]:
    """The number of parts that contain each reference; `texts` are those of all languages, by reference."""
    return Counter(name for _, name in {(part, name) for part, text in texts for name in references_in(text)})


def has_references(text: str) -> bool:
    """True if a text has references, or signs that an escape protects."""
    return REFERENCE.search(text) is not None


def escape_unknown(text: str, names: frozenset[str]) -> str:
    """The text with the signs of references to anything else than `names` protected."""
    return REFERENCE.sub(
        lambda match: match[0] if match[2] or match[3] in names else match[0].replace("{{", "\\{{", 1), text
    )


def rename_references(text: str, names: Mapping[str, str]) -> str:
    """The text with the references in `names` replaced by those to which they lead."""
    return REFERENCE.sub(
        lambda match: (
            match[0]
            if match[2] or match[3] not in names
            else match[0].replace(f"{{{{{match[3]}}}}}", f"{{{{{names[match[3]]}}}}}")
        ),
        text,
    )


def put_back(text: str, texts: Mapping[str, str]) -> str:
    """The text with these parts' texts instead of their references; all others stay. Raises `PartProblem`."""
    for _ in range(limits.MAX_PART_LEVELS):
        places = [match for match in REFERENCE.finditer(text) if not match[2] and match[3] in texts]
        if not places:
            break
        if (
            len(text) + sum(cost_of(match, texts[match[3]]) for match in places)
            > limits.MAX_CONTENT_CHARACTERS
        ):
            raise too_long()
        text = REFERENCE.sub(
            lambda match: placed(match, texts[match[3]]) if not match[2] and match[3] in texts else match[0],
            text,
        )
    return text


def placed(reference: re.Match[str], inner: str) -> str:
    """The text of a part at a reference, in the quotes and the list item there."""
    start = reference[1] or ""
    return start + inner.replace("\n", "\n" + NOT_A_QUOTE.sub(" ", start)) if start else inner


def cost_of(reference: re.Match[str], inner: str) -> int:
    """The most characters that the text of a part adds at a reference."""
    return len(inner) + inner.count("\n") * len(reference[1] or "")


def too_long() -> PartProblem:
    return PartProblem(
        f"With its parts the text has more than {limits.MAX_CONTENT_CHARACTERS:,} characters: use fewer."
    )
