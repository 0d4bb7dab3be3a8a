"""Ranks the sections of an article by how well they answer: they often share all words of a question.

BM25 distinguishes them only by counts. The heading, the purpose of the section, the distance between the
words and the meaning say more. So the passages that an answer may quote are ordered by a linear
model of such signs.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import log

from instep.search.confidence import MANY_DEVIATIONS
from instep.search.matching import FoundPassage, Matcher, words_of_text
from instep.search.passage_kinds import FENCE, PassageKind
from instep.search.query.analysis import WeightedQuery
from instep.search.query.proximity import overlap, proximity
from instep.search.question_kinds import QuestionKind, kind_of_question
from instep.search.schemas import Passage
from instep.search.semantic.vector_index import SemanticHit

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


@dataclass(frozen=True, slots=True)
class SectionComparison:
    """A question, and the criteria for comparing its passages."""

    kind: QuestionKind | None
    # The index terms of its first word that is not a stop word, usually a verb.
    act: frozenset[str]
    total_rarity: float
    matcher: Matcher
    # From 0, by the id of the article.
    article_ranks: Mapping[str, int]
    hits: Mapping[str, SemanticHit]

    @classmethod
    def of(
        cls, question: str, query: WeightedQuery, matcher: Matcher, article_ranks: Mapping[str, int]
    ) -> "SectionComparison":
        words = [term for term in query.words if not term.is_stop_word]
        act = frozenset(term for term, boost in words[0].expansions if boost == 1) if words else frozenset()
        hits = {hit.article_id: hit for hit in query.semantic_hits}
        return cls(kind_of_question(question), act, query.total_rarity, matcher, article_ranks, hits)

    def signs(self, candidate: FoundPassage) -> dict[str, float]:
        """The signs that the section of a passage answers, each about 0 to 1."""
        passage, total, title = candidate.passage, self.total_rarity, candidate.title
        hit = self.hits.get(passage.article_id)
        text = [*self.matcher.matches(candidate.introduction_words), *candidate.text]
        # Stop words have no index terms.
        heading = self.matcher.index_terms(words_of_text("".join(passage.headings[-1:])))
        content = [terms for terms in heading if terms]
        matching = [any(term in self.matcher.weights for term in terms) for terms in content]
        return {
            "score": passage.score,
            "similarity": hit.similarity_of(passage.number) if hit else 0.0,
            "article_similarity": hit.z_score / MANY_DEVIATIONS if hit else 0.0,
            "article_rank": 1 / (1 + self.article_ranks[passage.article_id]),
            "coverage": overlap([*text, *title]) / total,
            "text_coverage": overlap(text) / total,
            "proximity": proximity(text) / total,
            "proximity_with_title": proximity(text, title) / total,
            "act": float(bool(content) and not self.act.isdisjoint(heading[0])),
            "heading_share": sum(matching) / len(content) if content else 0.0,
            # "What it adds" is not a question about adding something: most of its words say something else.
            "whole_heading": float(all(matching) and len(content) > len(heading) / 2),
            "fitting_kind": float(self.is_fitting(passage)),
            "length": min(log(1 + len(passage.markdown.split())) / log(1 + MANY_WORDS), 1.0),
        }

    def is_fitting(self, passage: Passage) -> bool:
        if self.kind == "how_to" and FENCE.search(passage.markdown):
            return True
        return self.kind is not None and passage.kind in FITTING.get(self.kind, ())


def section_score(signs: Mapping[str, float]) -> float:
    """A section's score in log-odds: the difference of two scores says how much more likely one answers."""
    return sum(weight * signs[name] for name, weight in WEIGHTS.items())
