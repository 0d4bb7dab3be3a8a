"""Checks which parts of a model's reply visitors may read, and turns them into Markdown.

A sentence is kept only if it adds no active markup and is supported by its section.
"""

import re
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from html import unescape
from textwrap import indent

from instep.platform.core import limits
from instep.platform.llm.facts import CODE
from instep.platform.llm.guard import has_markup
from instep.platform.text.sentences import split_sentences
from instep.visitors.answers.answer_blocks import BOLD, AnswerBlock, AnswerUnit, cells_of, without_emphasis
from instep.visitors.answers.citing import has_no_active_markup, render_code, with_citation
from instep.visitors.answers.extractive import PassageExtract, extracted_units, title_and_headings
from instep.visitors.answers.generative import ReplyPart
from instep.visitors.answers.support import is_in, is_written_in, refusal_of, refusal_of_translation

MAX_PART_CHARACTERS = 1_000
# A shorter quote occurs in any text.
MIN_QUOTE_LETTERS = 8
# Only the server writes the numbers of citations.
CITATION = re.compile(r"(?<!\s)\s*+\[\s*+\d++(?:\s*+,\s*+\d++)*+\s*+\]")
EMPHASIS = re.compile(r"\*+|(?<![\w`])_+(?=\w)|(?<=[^\W_])_+(?![\w`])")
ITEM = re.compile(r"(?:\d{1,3}[.)]|[-*+]) +")


@dataclass(frozen=True, slots=True)
class CheckedPart:
    """A part of a reply: its sentences that the section of this number supports, and why others are refused.

    `mark` makes it an item: "1. ". `codes`: the blocks of code of the section that belong to it. `quote`: a
    sentence or item of the section that says it, in the language of the answer.
    """

    number: int
    mark: str = ""
    sentences: tuple[str, ...] = ()
    refusals: tuple[str, ...] = ()
    is_translated: bool = False
    codes: tuple[str, ...] = ()
    quote: str = ""

    @property
    def with_quote(self) -> "CheckedPart":
        """The part with what it quotes in place of refused sentences."""
        if not self.refusals or not self.quote:
            return self
        is_said = letters_of(self.quote) in letters_of(" ".join(self.sentences))
        return replace(self, sentences=(*self.sentences, *([] if is_said else [self.quote])), refusals=())

    @property
    def is_lost_step(self) -> bool:
        return self.mark[:1].isdigit() and bool(self.refusals)

    def markdown(self, n: int, without: Container[str]) -> str:
        """Each sentence with the number `n` of its source; code follows below, or indented in an item."""
        text = self.mark + " ".join(with_citation(sentence, n) for sentence in self.sentences)
        codes = (indent(code, " " * len(self.mark)) for code in self.codes if code not in without)
        return "\n\n".join([text, *codes])


def check_part(part: ReplyPart, extract: PassageExtract | None, question: str, language: str) -> CheckedPart:
    """The part with the sentences that its section supports; `extract` is None if there is no section."""
    text = " ".join(CITATION.sub("", part.text[: MAX_PART_CHARACTERS + 1]).split())
    match = ITEM.match(text)
    mark = match[0] if match else ""
    if extract is None:
        return CheckedPart(part.section, mark, refusals=(f"{text}: there is no section {part.section}",))
    ground = support_text(extract)
    if len(text) > MAX_PART_CHARACTERS or not is_plain(text, ground):
        return CheckedPart(part.section, mark, refusals=(f"{text}: it is too long, or has links or HTML",))
    units, locale = extracted_units(extract), extract.passage.locale
    quoted = quoted_unit(part.quote, units)
    around = "\n".join(unit.plain for unit in units[max(0, quoted - 1) : quoted + 2]) if quoted >= 0 else ""
    is_translated = quoted >= 0 and is_foreign(question, language, locale)
    heading = title_and_headings(extract.passage)
    refusal = refusal_of_translation if is_translated else partial(refusal_of, quoted=around)
    sentences = {
        each: refusal(heading, ground, plain(each), locale) for each in split_sentences(text[len(mark) :])
    }
    supported_sentences = tuple(sentence for sentence, reason in sentences.items() if not reason)
    refusals = tuple(f"{sentence}: {reason}" for sentence, reason in sentences.items() if reason)
    codes = tuple(shown_codes(extract, part.codes, quoted))
    is_quotable = (
        quoted >= 0 and not is_translated and not units[quoted].is_code and units[quoted].prefix != "|"
    )
    quote = units[quoted].text if is_quotable else ""
    return CheckedPart(part.section, mark, supported_sentences, refusals, is_translated, codes, quote)


def shown_codes(extract: PassageExtract, numbers: Container[int], quoted: int) -> Iterator[str]:
    """The whole blocks of code with these numbers, from 1, and the one that the quoted unit announces.

    `quoted`: its index. An item announces the code in it, and a colon the code below. The label of code, such
    as the name of its file or variant, stays above it.
    """
    units = extracted_units(extract)
    codes = [at for at, unit in enumerate(units) if unit.is_code]
    for n, at in enumerate(codes, 1):
        is_whole = not (extract.is_cut and at in (0, len(units) - 1))
        is_announced = units[at].prefix != "" or units[at - 1].plain.endswith((":", "\uff1a"))
        is_needed = n in numbers or (0 <= quoted == at - 1 and is_announced)
        if is_needed and is_whole and len(units[at].text) <= limits.MAX_ANSWER_CODE_CHARACTERS:
            label = units[at - 1].text if at and BOLD.fullmatch(units[at - 1].text) else ""
            yield "\n\n".join(filter(None, [label, render_code(units[at])]))


def is_plain(text: str, ground: str) -> bool:
    """True if a text contains no links. A URL in code may be shown if its section contains it."""
    others = CODE.sub(lambda code: "" if is_in(code[4] or "", ground) else code[0], text)
    return not has_markup(others) and has_no_active_markup(text)


def is_foreign(question: str, language: str, locale: str) -> bool:
    """True if a question is in another language than an article, both by the model and by its words."""
    return language.split("-")[0] != locale.split("-")[0] and not is_written_in(question, locale)


def plain(sentence: str) -> str:
    """The sentence without marks of emphasis, but with those of code."""
    return EMPHASIS.sub("", sentence)


def quoted_unit(quote: str, units: Sequence[AnswerUnit]) -> int:
    """The index of the unit that a quote is in, whatever its marks; -1 if it is in none."""
    mark = ITEM.match(quote.strip())
    letters = letters_of(CITATION.sub("", quote.strip()[len(mark[0]) if mark else 0 :]))
    if len(letters) < MIN_QUOTE_LETTERS:
        return -1
    return next((at for at, unit in enumerate(units) if letters in letters_of(unit.text)), -1)


def letters_of(text: str) -> str:
    """The letters and digits of a text, which are independent of Markdown marks."""
    return "".join(filter(str.isalnum, unescape(text))).casefold()


def support_text(extract: PassageExtract) -> str:
    """The plain text of a passage, a line for each unit; rows with heads."""
    return "\n".join(line for block in extract.blocks for line in support_lines(block))


def support_lines(block: AnswerBlock) -> Iterator[str]:
    if block.kind == "table":
        head = cells_of(block.head.partition("\n")[0])
        for unit in block.units:
            # A negation in a cell concerns the whole row, or only the cell.
            yield from (without_emphasis(mark.join([*head, *cells_of(unit.text)])) for mark in (" · ", "; "))
    else:
        yield from filter(None, [block.head, *(unit.plain for unit in block.units)])


def join_parts(parts: Sequence[CheckedPart], numbers: Mapping[int, int]) -> Iterator[str]:
    """Markdown blocks of sentences in a row or of items below each other; `numbers` are by passage number.

    The same code is shown once.
    """
    block, codes = "", set[str]()
    for part, previous in zip(parts, [None, *parts], strict=False):
        text = part.markdown(numbers[part.number], codes)
        codes.update(part.codes)
        if previous is None:
            block = text
        elif bool(previous.mark) == bool(part.mark) and (part.mark or not previous.codes):
            block += ("\n" if part.mark else " ") + text
        else:
            yield block
            block = text
    if block:
        yield block
