"""Whether a change needs an edit with enough certainty, and which articles then get a draft."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log

from instep.core.logistic import LogisticModel
from instep.writer.articles.corpus import Corpus
from instep.writer.facts.additions import Addition
from instep.writer.relevance.mentions import Mentions
from instep.writer.shapes import Article, Change
from instep.writer.words.change_terms import change_terms

# Both are fitted on six products, the second on the changes that needed an edit. Leave-one-product-out
# validation scored about the same: drafts for 3 % of the changes that needed none, and 3 of 4 drafts for the
# right article.
_CHANGE_MODEL = LogisticModel({"need": 0.97, "insertion": 1.11, "removed_names": 0.79, "certain": 2.30}, 0.56)
_ARTICLE_MODEL = LogisticModel(
    {
        "second": -1.46,
        "later": -2.08,
        "gap": -0.24,
        "insertion": 2.58,
        "removed_names": 1.74,
        "doubtful_renames": 1.79,
        "title_overlap": 0.56,
        "described": 0.14,
        "added": -0.27,
    },
    0.53,
)
_CHANGE_THRESHOLD = 0.905
_ARTICLE_THRESHOLD = 0.45
_MAX_GAP = 6.0


@dataclass(frozen=True, slots=True)
class DraftCandidate:
    """An article near the change.

    `rank` counts from 0, `gap` is the difference of its score to the best, `insertion_probability`
    (0 to 1) that of its likeliest new entry.
    """

    article: Article
    rank: int
    gap: float
    insertion_probability: float


def select_drafts(
    candidates: Sequence[DraftCandidate],
    change: Change,
    additions: Sequence[Addition],
    mentions: Mentions,
    need: float,
    corpus: Corpus,
    has_certain: bool,
) -> list[DraftCandidate]:
    """The candidates that get a draft: none if the change itself may need no edit.

    `need` is a probability (0 to 1), `has_certain` whether there are certain edits already.
    """
    removed_names = [mentions.removed.get(candidate.article.id, []) for candidate in candidates]
    features = {
        "need": log(need / (1 - need)),
        "insertion": max((candidate.insertion_probability for candidate in candidates), default=0.0),
        "removed_names": max(
            (
                min(2.0, sum(1 / max(1, corpus.document_frequency(name)) for name in names))
                for names in removed_names
            ),
            default=0.0,
        ),
        "certain": float(has_certain),
    }
    if _CHANGE_MODEL.probability(features) < _CHANGE_THRESHOLD:
        return []
    return [
        candidate
        for candidate in candidates
        if _draft_probability(candidate, change, additions, mentions) >= _ARTICLE_THRESHOLD
    ]


def _draft_probability(
    candidate: DraftCandidate, change: Change, additions: Sequence[Addition], mentions: Mentions
) -> float:
    article = candidate.article
    title_terms = change_terms(article.title)
    features = {
        "second": float(candidate.rank == 1),
        "later": float(candidate.rank > 1),
        "gap": min(_MAX_GAP, candidate.gap),
        "insertion": candidate.insertion_probability,
        "removed_names": log(1 + len(mentions.removed.get(article.id, ()))),
        "doubtful_renames": log(1 + len(mentions.doubtful_renames.get(article.id, ()))),
        "title_overlap": len(title_terms.keys() & change_terms(change.title).keys())
        / max(1, len(title_terms)),
        "described": log(1 + sum(bool(addition.doc) for addition in additions)),
        "added": log(1 + len(additions)),
    }
    return _ARTICLE_MODEL.probability(features)
