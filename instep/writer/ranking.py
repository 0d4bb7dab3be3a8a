"""Which articles a change most likely concerns: BM25 over what its title, paths, lines and context say."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import log

from instep.writer.passages import headings
from instep.writer.scope import Scope
from instep.writer.shapes import Article, Change
from instep.writer.terms import terms_of

_SATURATION, _LENGTH = 2.0, 0.75
_MOST_TERMS = 60
_LONGEST = 1_000
# Per part of the query: its weight against the text of an article and against title and headings.
# Fitted on six products; left out in turn, each was ranked about as well.
_WEIGHTS = {
    "title": (3.0, 1.0),
    "body": (1.5, 1.0),
    "path": (0.4, 0.75),
    "lines": (2.3, 0.0),
    "context": (2.4, 1.2),
    "sections": (0.1, 1.6),
}
# How much of an article's title stands in that of the change and in paths; names that the change gives up.
_TITLED, _PLACED, _GONE = 2.3, 1.0, 1.5
Query = Mapping[str, Mapping[str, float]]


@dataclass(frozen=True, slots=True)
class Profile:
    text: Mapping[str, int]
    heading: Mapping[str, int]
    length: int


@dataclass(frozen=True, slots=True)
class Ranked:
    """Articles, best first, and how far each is behind it; how far the best stands out per part of the query;
    why an article is near."""

    order: tuple[str, ...]
    behind: tuple[float, ...]
    lead: Mapping[str, float]
    shared: Mapping[str, tuple[str, ...]]


@lru_cache(maxsize=1_024)
def profile_of(title: str, text: str) -> Profile:
    heads = terms_of(" ".join(heading for _, heading in headings(text)))
    titled = terms_of(title)
    words = terms_of(text) + titled
    return Profile(words, heads + titled + titled, words.total())


def rank(
    change: Change, scope: Scope, articles: tuple[Article, ...], given_up: Callable[[str], int]
) -> Ranked:
    """All articles; `given_up` counts the names in an article that the change takes out or may rename."""
    profiles, rarity = _index(articles)
    query = _query(change, scope, rarity)
    average = sum(profile.length for profile in profiles) / len(profiles) if profiles else 1.0
    scores, lead = [0.0] * len(profiles), dict[str, float]()
    for part, wanted in query.items():
        whole = sum(weight * rarity[term] for term, weight in wanted.items()) or 1.0
        in_text = [_text_score(wanted, profile, rarity, average) / whole for profile in profiles]
        in_heads = [_heading_score(wanted, profile, rarity) / whole for profile in profiles]
        for at in range(len(profiles)):
            scores[at] += _WEIGHTS[part][0] * in_text[at] + _WEIGHTS[part][1] * in_heads[at]
        lead[part] = _lead(in_text)
    for at, article in enumerate(articles):
        scores[at] += _TITLED * _share(article.title, query["title"]) + _PLACED * _share(
            article.title, query["path"]
        )
        scores[at] += _GONE * log(1 + given_up(article.id))
    order = sorted(range(len(articles)), key=lambda at: (-scores[at], articles[at].id))
    shared = {articles[at].id: _shared(query, profiles[at], rarity) for at in order[:20]}
    behind = tuple(scores[order[0]] - scores[at] for at in order)
    return Ranked(tuple(articles[at].id for at in order), behind, lead, shared)


@lru_cache(maxsize=4)
def _index(articles: tuple[Article, ...]) -> tuple[list[Profile], dict[str, float]]:
    profiles = [profile_of(article.title, article.text) for article in articles]
    return profiles, _rarity(profiles)


def _rarity(profiles: Sequence[Profile]) -> dict[str, float]:
    frequency: Counter[str] = Counter()
    for profile in profiles:
        frequency.update(profile.text.keys())
    total = len(profiles)
    return {term: log(1 + (total - count + 0.5) / (count + 0.5)) for term, count in frequency.items()}


def _query(change: Change, scope: Scope, rarity: Mapping[str, float]) -> Query:
    lines: dict[str, float] = defaultdict(float)
    context: dict[str, float] = defaultdict(float)
    sections: dict[str, float] = defaultdict(float)
    paths: dict[str, float] = {}
    for scoped in scope.files:
        for term in terms_of(scoped.file.path):
            paths[term] = max(scoped.weight, paths.get(term, 0.0))
        for hunk in scoped.file.hunks:
            _add(sections, [hunk.section], scoped.weight)
            short = [line for line in hunk.lines if len(line.text) <= _LONGEST]
            _add(lines, (line.text for line in short if line.mark != " "), scoped.weight)
            _add(context, (line.text for line in short if line.mark == " "), scoped.weight)
    return {
        "title": _known(terms_of(change.title), rarity),
        "body": _rarest(terms_of(change.body or ""), rarity),
        "path": _known(paths, rarity),
        "lines": _rarest(lines, rarity),
        "context": _rarest(context, rarity),
        "sections": _rarest(sections, rarity),
    }


def _share(title: str, wanted: Mapping[str, float]) -> float:
    words = terms_of(title)
    return len(words.keys() & wanted.keys()) / (len(words) or 1)


def _add(counts: dict[str, float], texts: Iterable[str], weight: float) -> None:
    for term, count in terms_of("\n".join(texts)).items():
        counts[term] += count * weight


def _known(terms: Mapping[str, float], rarity: Mapping[str, float]) -> dict[str, float]:
    return {term: float(weight) for term, weight in terms.items() if term in rarity}


def _rarest(counts: Mapping[str, float], rarity: Mapping[str, float]) -> dict[str, float]:
    """The terms that tell most: rare among the articles, often in the change."""
    weights = {term: log(1 + count) for term, count in counts.items() if term in rarity}
    best = sorted(weights, key=lambda term: (-weights[term] * rarity[term], term))
    return {term: weights[term] for term in best[:_MOST_TERMS]}


def _text_score(
    wanted: Mapping[str, float], profile: Profile, rarity: Mapping[str, float], average: float
) -> float:
    score, norm = 0.0, _SATURATION * (1 - _LENGTH + _LENGTH * profile.length / (average or 1.0))
    for term, weight in wanted.items():
        count = profile.text.get(term, 0)
        if count:
            score += weight * rarity[term] * count * (_SATURATION + 1) / (count + norm)
    return score


def _heading_score(wanted: Mapping[str, float], profile: Profile, rarity: Mapping[str, float]) -> float:
    """A term of a heading counts once, one of the title (held twice by the profile) twice."""
    return sum(
        weight * rarity[term] * min(2, profile.heading[term])
        for term, weight in wanted.items()
        if term in profile.heading
    )


def _lead(scores: Sequence[float]) -> float:
    """How far the best article stands above the fifth."""
    best = sorted(scores, reverse=True)[:5]
    return best[0] - best[-1] if best else 0.0


def _shared(query: Query, profile: Profile, rarity: Mapping[str, float]) -> tuple[str, ...]:
    """The three terms of the change that tell most and stand in an article."""
    weights: dict[str, float] = {}
    for part, wanted in query.items():
        for term, weight in wanted.items():
            if term in profile.text and not term.isdigit():
                weights[term] = weights.get(term, 0.0) + _WEIGHTS[part][0] * weight * rarity[term]
    return tuple(sorted(weights, key=lambda term: (-weights[term], term))[:3])
