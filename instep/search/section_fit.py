"""Which section of an article answers: passages of one article often share all words of a question.

BM25 tells them apart by counts alone. What a heading says, what the section is for, how near the words stand
to each other and what it means tell more. So the passages that an answer may quote are ordered by a linear
model of such signs.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log

from instep.search.confidence import MANY_DEVIATIONS
from instep.search.index.passages import MarkdownPassage
from instep.search.matching import PassageMatches
from instep.search.passage_kinds import FENCE, PassageKind
from instep.search.query.analysis import WeightedQuery
from instep.search.query.proximity import TermWeights, overlap, proximity
from instep.search.question_kinds import QuestionKind, kind_of_question

# Fitted by `make eval-sections-fitting` (docs/quality.md).
WEIGHTS: Mapping[str, float] = {
    "score": 1.91,
    "similarity": 1.64,
    "article_similarity": 1.37,
    "article_rank": 1.32,
    "coverage": 1.36,
    "text_coverage": 1.30,
    "proximity": 1.49,
    "proximity_with_title": 1.16,
    "act": 0.16,
    "heading_share": 0.16,
    "whole_heading": 1.30,
    "fitting_kind": 0.97,
    "length": 1.64,
}
# The number of words at which the sign of length is 1.
MANY_WORDS = 400
FITTING: dict[QuestionKind, frozenset[PassageKind]] = {
    "how_to": frozenset({"steps"}),
    "what_is": frozenset({"definition", "summary"}),
    "why": frozenset({"troubleshooting"}),
    "error": frozenset({"troubleshooting"}),
}
# A word of a text: its index terms in the languages of the bot.
Words = Sequence[list[str]]


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A question as sections are compared with it."""

    kind: QuestionKind | None
    # The index terms of its first word that is no stop word, which mostly names an act.
    act: frozenset[str]
    total_rarity: float
    weights: TermWeights

    @classmethod
    def of(cls, question: str, query: WeightedQuery, weights: TermWeights) -> "AskedQuestion":
        words = [term for term in query.words if not term.is_stop_word]
        act = frozenset(term for term, boost in words[0].expansions if boost == 1) if words else frozenset()
        return cls(kind_of_question(question), act, query.total_rarity, weights)


@dataclass(frozen=True, slots=True)
class ComparedSection:
    """A passage that is compared with others."""

    passage: MarkdownPassage
    kind: PassageKind
    # The words of its innermost heading, of which stop words have no index terms.
    heading: Words
    matches: PassageMatches
    # By words and meaning, about 0 to 1.
    score: float
    # From 0.
    article_rank: int
    # The cosine of its nearest chunk and the question, and how far its article stands above the mean, in
    # standard deviations; 0 without meaning.
    similarity: float
    z_score: float


def section_signs(question_terms: AskedQuestion, section: ComparedSection) -> dict[str, float]:
    """The signs that a section answers, each about 0 to 1."""
    text, title, heading = section.matches.text, section.matches.title, section.heading
    total = question_terms.total_rarity
    content = [terms for terms in heading if terms]
    matching = [any(term in question_terms.weights for term in terms) for terms in content]
    return {
        "score": section.score,
        "similarity": section.similarity,
        "article_similarity": section.z_score / MANY_DEVIATIONS,
        "article_rank": 1 / (1 + section.article_rank),
        "coverage": overlap([*text, *title]) / total,
        "text_coverage": overlap(text) / total,
        "proximity": proximity(text) / total,
        "proximity_with_title": proximity(text, title) / total,
        "act": float(bool(content) and not question_terms.act.isdisjoint(heading[0])),
        "heading_share": sum(matching) / len(content) if content else 0.0,
        # "What it adds" is no question for adding something: most of its words say something else.
        "whole_heading": float(all(matching) and len(content) > len(heading) / 2),
        "fitting_kind": float(is_fitting(question_terms.kind, section)),
        "length": min(log(1 + len(section.passage.markdown.split())) / log(1 + MANY_WORDS), 1.0),
    }


def section_score(signs: Mapping[str, float]) -> float:
    """In log-odds: of two sections, how much likelier one answers than the other is their difference."""
    return sum(weight * signs[name] for name, weight in WEIGHTS.items())


def is_fitting(question_kind: QuestionKind | None, section: ComparedSection) -> bool:
    is_command = question_kind == "how_to" and FENCE.search(section.passage.markdown) is not None
    return is_command or (question_kind is not None and section.kind in FITTING.get(question_kind, ()))
