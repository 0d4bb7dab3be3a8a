"""What can be seen of an article beside the others of its help center."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from instep.core.markdown import HEADING_PREFIX
from instep.insights.checks_text import shown
from instep.insights.help_center import ArticleMeta, HelpCenter, Target
from instep.insights.problems import Check, ProblemLocation
from instep.insights.text_analysis import TextAnalysis


@dataclass(frozen=True)
class ArticleContext:
    """An article in its help center."""

    card: ArticleMeta
    reading: TextAnalysis
    library: HelpCenter

    @cached_property
    def targets(self) -> list[tuple[int, str, Target]]:
        """The links that lead to pages of the same help center."""
        found = [(line, href, self.library.target(self.card, href)) for line, href in self.reading.links]
        return [(line, shown(href), target) for line, href, target in found if target is not None]


def find_missing_description(article: ArticleContext) -> Iterable[ProblemLocation]:
    return [] if article.card.description else [ProblemLocation()]


def find_no_collection(article: ArticleContext) -> Iterable[ProblemLocation]:
    return [] if article.card.collection_id else [ProblemLocation()]


def find_outdated(article: ArticleContext) -> Iterable[ProblemLocation]:
    return [ProblemLocation()] if article.library.is_outdated(article.card) else []


def find_waiting_edit(article: ArticleContext) -> Iterable[ProblemLocation]:
    return [ProblemLocation()] if article.card.id in article.library.waiting else []


def find_same_title(article: ArticleContext) -> Iterable[ProblemLocation]:
    other = article.library.same_title(article.card)
    return [ProblemLocation(what=other.id)] if other else []


def find_near_duplicate(article: ArticleContext) -> Iterable[ProblemLocation]:
    other = article.library.near_duplicate(article.card)
    return [ProblemLocation(what=f"“{shown(other.title)}” ({other.id})")] if other else []


def find_broken_links(article: ArticleContext) -> Iterator[ProblemLocation]:
    for line, href, target in article.targets:
        if not target.exists:
            yield ProblemLocation(line, f"“{href}” leads to a page that does not exist")
        elif target.card and target.card.id != article.card.id and not target.card.is_live:
            yield ProblemLocation(line, f"“{href}” leads to an article that is not live")


def find_moved_links(article: ArticleContext) -> Iterator[ProblemLocation]:
    for line, href, target in article.targets:
        if target.has_moved and target.card and target.card.is_live:
            yield ProblemLocation(line, f"“{href}” to {article.library.address(target.card)}")


def find_broken_anchors(article: ArticleContext) -> Iterator[ProblemLocation]:
    for line, href, target in article.targets:
        if target.card and target.fragment and not has_anchor(article, target):
            yield ProblemLocation(line, href)


def has_anchor(article: ArticleContext, target: Target) -> bool:
    """Whether the place is there; of a text that was not read nobody can tell."""
    assert target.card is not None
    is_own = target.card.id == article.card.id
    reading = article.reading if is_own else article.library.readings.get(target.card.id)
    if reading is None or reading.is_partial:
        return True
    return bool({target.fragment, HEADING_PREFIX + target.fragment} & reading.anchors)


LIBRARY_CHECKS: tuple[Check[ArticleContext], ...] = (
    Check(
        "missing_description",
        "warning",
        "The article has no description: say in a sentence what it answers, for search results and its lead.",
        find_missing_description,
    ),
    Check(
        "no_collection",
        "info",
        "The article is in no collection: put it into one, so that readers meet it.",
        find_no_collection,
    ),
    Check(
        "outdated_translation",
        "warning",
        "The article that this translates has changed since: bring the translation up to date.",
        find_outdated,
    ),
    Check(
        "duplicate_title",
        "warning",
        "Another live article has this title ({what}): give each its own, so that readers can choose.",
        find_same_title,
    ),
    Check(
        "duplicate_content",
        "warning",
        "The text is nearly that of {what}: keep one of them, and link to it.",
        find_near_duplicate,
    ),
    Check(
        "waiting_edit",
        "warning",
        "A proposed edit has waited for more than 14 days: apply or dismiss it.",
        find_waiting_edit,
    ),
    Check("broken_link", "error", "The link {what}: correct or remove it.", find_broken_links),
    Check("moved_link", "info", "The page has moved: change the link {what}.", find_moved_links),
    Check(
        "broken_anchor",
        "error",
        "The link “{what}” leads to a place in the text that is not there: name a heading that is.",
        find_broken_anchors,
    ),
)
