"""Finds the heading that a quote needs to be understood, such as the question above "No."."""

import re
from collections.abc import Iterator, Sequence

from instep.visitors.answers.answer_blocks import QUESTION_MARKS, AnswerBlock, AnswerUnit
from instep.visitors.answers.extractive import PassageExtract, is_for_readers
from instep.visitors.answers.inlines import inline_text

# In the languages of the site: en, de, fr, es, pt, ja, ar. "No" also begins "No tick means a draft", so a
# negative word must be followed by punctuation, or nothing.
YES_OR_NO = re.compile(
    r"(?:yes|yeah|yep|ja|jein|oui|sí|sim|はい|نعم)(?!\w)|はい"
    r"|(?:no|nope|nein|non|não|いいえ|いえ|لا|كلا)(?:\s*[.,:;!\u2013\u2014\u2026\u3001\u3002\uff01\uff0c\u060c]|$)",
    re.IGNORECASE,
)


def blocks_with_headings(extracts: Sequence[PassageExtract]) -> Iterator[tuple[AnswerBlock, ...]]:
    """The blocks of each extract, below the heading that they need, which is repeated for no second one."""
    previous = None
    for extract in extracts:
        heading = asked_heading(extract)
        yield extract.blocks if heading in (None, previous) else (heading, *extract.blocks)
        previous = heading


def asked_heading(extract: PassageExtract) -> AnswerBlock | None:
    """The heading of a passage, or its title, if that is a question or if the quote begins with yes or no.

    A bare "Yes." would seem to answer any question, even the opposite one.
    """
    first, passage = extract.blocks[0], extract.passage
    if first.is_heading or first.is_question:
        return None
    text = passage.heading or passage.title
    if not (text.endswith(QUESTION_MARKS) or YES_OR_NO.match(first.units[0].plain)):
        return None
    block = AnswerBlock("prose", (AnswerUnit(f"**{inline_text(text)}**"),), is_heading=True)
    return block if is_for_readers(block) else None
