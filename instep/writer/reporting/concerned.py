"""Articles that a change surely concerns although no text for them is known."""

import re
from collections.abc import Iterator, Mapping, Sequence

from instep.writer.articles.corpus import Corpus
from instep.writer.articles.passages import line_of
from instep.writer.diffs.change_set import ChangeSet
from instep.writer.editing.edits import EditsByArticle
from instep.writer.facts.additions import Addition
from instep.writer.inserting.siblings import is_listed
from instep.writer.relevance.concerned_sections import ConcernedPlace, concerned_place
from instep.writer.relevance.mentions import Mentions
from instep.writer.relevance.selection import DraftCandidate
from instep.writer.reporting.reasons import reason_for_concern
from instep.writer.reporting.statements import place_statement
from instep.writer.shapes import Article, Change, Evidence, Place, Suppressed, Verdict

# Titles of changes of the inside alone: what users see of it are its drafts, if there are any.
_INSIDE = re.compile(
    r"\W*(?:(?:refactor|perf|style|tests?|build|ci)(?:\([^()]*\))?:"
    r"|(?:refactor|reformat|clean(?:ing)? ?up|tidy|inline|de-?duplicate|speed(?:ing)? up|faster)\b"
    r"|(?:extract|pull out) (?:the |an? )?(?:`?(?-i:\w*[a-z][A-Z])\w*|\w+_\w+"
    r"|[\w -]{0,40}\b(?:class|function|helper|mixin|module|package|service|trait|util)\b)"
    r"|bump (?:[\w-]+ ){0,2}(?:actions|dependencies|deps|linters|modules|packages)\b"
    r"|fix (?:an? |the )?(?:[\w-]+ )?(?:race|deadlock|flaky|leak|lint|typing)\b"
    r"|(?:add |more |fix )?(?:type (?:hint|annotation)s?|typing)\b)"
    r"|.*\bin (?:the )?code\W*\Z",
    re.IGNORECASE,
)
_MAX_EXCERPT_CHARACTERS = 300


def concerned_places(
    candidates: Sequence[DraftCandidate],
    edits: EditsByArticle,
    mentions: Mentions,
    additions: Sequence[Addition],
    change: Change,
    change_set: ChangeSet,
    corpus: Corpus,
) -> dict[str, ConcernedPlace]:
    """Where to write, by article id: for sure candidates that get no draft and are not up to date."""
    if _INSIDE.match(change.title):
        return {}
    return {
        place.article_id: place
        for article in _sure_articles(candidates, edits, mentions, additions)
        if (place := concerned_place(article, change, change_set, corpus))
    }


def _sure_articles(
    candidates: Sequence[DraftCandidate],
    edits: EditsByArticle,
    mentions: Mentions,
    additions: Sequence[Addition],
) -> Iterator[Article]:
    for candidate in candidates:
        article = candidate.article
        is_settled = article.id in edits or article.id in mentions.updated
        is_settled = is_settled or any(is_listed(addition, article.text) for addition in additions)
        if candidate.is_concerned and not is_settled:
            yield article


def summary_of_concerned(places: Mapping[str, ConcernedPlace]) -> list[str]:
    """A sentence for a reviewer that counts the places to write at."""
    if not places:
        return []
    articles = "1 article should" if len(places) == 1 else f"{len(places)} articles should"
    return [f"{articles} say more than the change tells: see where to write."]


def verdict_of_concern(place: ConcernedPlace, article: Article, reason: str | None) -> Verdict:
    """The verdict that asks for words, with the lines of code that they are to be about.

    `reason` tells what the article mentions of the change, if it does.
    """
    line = line_of(article.text, place.start)
    evidence = tuple(
        Evidence(source.file, source.line, source.line, source.text[:_MAX_EXCERPT_CHARACTERS], line)
        for source in place.sources
    )
    reasons = [*([reason] if reason else []), reason_for_concern(place)]
    return Verdict(article.id, "concerned", " ".join(reasons), place.heading or None, evidence)


def places_of(verdicts: Sequence[Verdict], suppressed: Suppressed) -> tuple[Place, ...]:
    """The places of the concerned articles, without those that are `suppressed`."""
    places = (_place_of(verdict) for verdict in verdicts if verdict.verdict == "concerned")
    return tuple(place for place in places if place.statement.key not in suppressed.get(place.article_id, ()))


def _place_of(verdict: Verdict) -> Place:
    line = next((source.article_line for source in verdict.evidence if source.article_line), 1)
    statement = place_statement(verdict.heading, verdict.evidence)
    return Place(verdict.article_id, verdict.heading, line, verdict.reason, verdict.evidence, statement)
