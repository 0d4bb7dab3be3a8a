"""Treats the description of an article as its first passage in the search.

Most descriptions summarize the article in the words of typical questions ("Return period, label, costs"),
so they match questions well but answer none. An answer quotes a section of the article instead.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from instep.search.index.passages import MarkdownPassage
from instep.search.passage_kinds import PassageKind, answers_questions, kind_of_passage
from instep.search.schemas import Passage
from instep.search.semantic.vector_index import SemanticHit

NUMBER = re.compile(r"\d+")


def kind_of_section(passages: Sequence[MarkdownPassage], index: int) -> PassageKind:
    """The kind of a passage; `passages`: all passages of its article."""
    passage = passages[index]
    if is_summary(passages, index):
        return "summary"
    # The article's description counts as a heading in the index, but not here.
    return kind_of_passage(passage.markdown, passage.headings if passage.number is not None else ())


def is_summary(passages: Sequence[MarkdownPassage], index: int) -> bool:
    """True if a passage is a description that only says what its article is about.

    A description with a number that no section has is a statement of its own ("Refunds are possible within
    14 days."), and the description of an article without a text is all there is.
    """
    passage, sections = passages[index], passages[1:]
    # Above the first heading only the description has a heading, which is itself.
    if passage.number is not None or not passage.headings or not sections:
        return False
    numbers = {number for section in sections for number in NUMBER.findall(section.markdown)}
    return numbers.issuperset(NUMBER.findall(passage.markdown))


def introduction_of(passages: Sequence[MarkdownPassage], index: int) -> str:
    """The description above the text before the first heading, because readers read both; else empty."""
    is_opening = passages[index].number is None and not passages[index].headings
    return passages[0].markdown if is_opening and passages[0].headings else ""


def summarized_sections(passages: Sequence[MarkdownPassage], hit: SemanticHit | None) -> list[int]:
    """The indices of the sections that a description may summarize, whatever their words.

    They are the first section and the one nearest to the question in meaning.
    """

    def nearness(index: int) -> tuple[float, int]:
        return hit.similarity_of(index) if hit else 0.0, -index

    sections = range(1, len(passages))
    quotable = [index for index in sections if answers_questions(kind_of_section(passages, index))]
    return sorted({quotable[0], max(quotable, key=nearness)}) if quotable else []


def with_scores_of_summaries(passages: Sequence[Passage]) -> list[Passage]:
    """The passages, with the sections of an article scored at least as high as its description.

    The description's match says that the article answers, but not where, so the order of its sections
    stays.
    """
    best: dict[str, float] = {}
    for passage in passages:
        if answers_questions(passage.kind):
            best[passage.article_id] = max(
                passage.section_score, best.get(passage.article_id, passage.section_score)
            )
    summaries = {
        passage.article_id: passage.section_score for passage in passages if passage.kind == "summary"
    }
    return [with_at_least(passage, summaries, best) for passage in passages]


def with_at_least(passage: Passage, summaries: Mapping[str, float], best: Mapping[str, float]) -> Passage:
    """The passage, raised by the difference between the summary and the article's best section."""
    if passage.article_id not in summaries or not answers_questions(passage.kind):
        return passage
    difference = summaries[passage.article_id] - best[passage.article_id]
    return replace(passage, section_score=passage.section_score + max(0.0, difference))
