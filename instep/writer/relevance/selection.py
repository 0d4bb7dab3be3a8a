"""Whether a change surely needs an edit, and which articles are likely enough to get a draft of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log

from instep.core.logistic import LogisticModel
from instep.writer.articles.corpus import Corpus
from instep.writer.facts.additions import Addition
from instep.writer.relevance.mentions import Mentions
from instep.writer.shapes import Article, Change
from instep.writer.words.terms import terms_of

# Both fitted on six products, the second on the changes that needed an edit. With each product left out in
# turn they told as well: drafts for 3 % of the changes that needed none, 3 of 4 drafts for the right article.
_CHANGE_MODEL = LogisticModel({"need": 0.97, "chance": 1.11, "gone": 0.79, "certain": 2.30}, 0.56)
_ARTICLE_MODEL = LogisticModel(
    {
        "second": -1.46,
        "later": -2.08,
        "behind": -0.24,
        "chance": 2.58,
        "gone": 1.74,
        "doubtful": 1.79,
        "titled": 0.56,
        "told": 0.14,
        "added": -0.27,
    },
    0.53,
)
_CHANGE_THRESHOLD = 0.905
_ARTICLE_THRESHOLD = 0.45
_MAX_GAP = 6.0


@dataclass(frozen=True, slots=True)
class DraftCandidate:
    """An article near the change: its rank, how far it is behind, the best chance of an entry in it."""

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
    """The candidates that deserve a draft; none of them while the change itself may need no edit."""
    gone = [mentions.removed.get(candidate.article.id, []) for candidate in candidates]
    signs = {
        "need": log(need / (1 - need)),
        "chance": max((candidate.insertion_probability for candidate in candidates), default=0.0),
        "gone": max(
            (min(2.0, sum(1 / max(1, corpus.document_frequency(name)) for name in names)) for names in gone),
            default=0.0,
        ),
        "certain": float(has_certain),
    }
    if _CHANGE_MODEL.probability(signs) < _CHANGE_THRESHOLD:
        return []
    return [one for one in candidates if _likelihood(one, change, additions, mentions) >= _ARTICLE_THRESHOLD]


def _likelihood(
    candidate: DraftCandidate, change: Change, additions: Sequence[Addition], mentions: Mentions
) -> float:
    article = candidate.article
    titled = terms_of(article.title)
    signs = {
        "second": float(candidate.rank == 1),
        "later": float(candidate.rank > 1),
        "behind": min(_MAX_GAP, candidate.gap),
        "chance": candidate.insertion_probability,
        "gone": log(1 + len(mentions.removed.get(article.id, ()))),
        "doubtful": log(1 + len(mentions.doubtful_renames.get(article.id, ()))),
        "titled": len(titled.keys() & terms_of(change.title).keys()) / max(1, len(titled)),
        "told": log(1 + sum(bool(addition.doc) for addition in additions)),
        "added": log(1 + len(additions)),
    }
    return _ARTICLE_MODEL.probability(signs)
