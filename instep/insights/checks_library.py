"""What can be seen of an article beside the others of its help center."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from instep.core.markdown import HEADING_PREFIX
from instep.insights.checks_text import shown
from instep.insights.library import Card, Library, Target
from instep.insights.problems import Check, Place
from instep.insights.reading import Reading


@dataclass(frozen=True)
class Shelved:
    """An article in its help center."""

    card: Card
    reading: Reading
    library: Library

    @cached_property
    def targets(self) -> list[tuple[int, str, Target]]:
        """The links that lead to pages of the same help center."""
        found = [(line, href, self.library.target(self.card, href)) for line, href in self.reading.links]
        return [(line, shown(href), target) for line, href, target in found if target is not None]


def find_missing_description(article: Shelved) -> Iterable[Place]:
    return [] if article.card.description else [Place()]


def find_no_collection(article: Shelved) -> Iterable[Place]:
    return [] if article.card.collection_id else [Place()]


def find_outdated(article: Shelved) -> Iterable[Place]:
    return [Place()] if article.library.is_outdated(article.card) else []


def find_waiting_edit(article: Shelved) -> Iterable[Place]:
    return [Place()] if article.card.id in article.library.waiting else []


def find_namesake(article: Shelved) -> Iterable[Place]:
    other = article.library.namesake(article.card)
    return [Place(what=other.id)] if other else []


def find_lookalike(article: Shelved) -> Iterable[Place]:
    other = article.library.lookalike(article.card)
    return [Place(what=f"“{shown(other.title)}” ({other.id})")] if other else []


def find_broken_links(article: Shelved) -> Iterator[Place]:
    for line, href, target in article.targets:
        if not target.exists:
            yield Place(line, f"“{href}” leads to a page that does not exist")
        elif target.card and target.card.id != article.card.id and not target.card.is_live:
            yield Place(line, f"“{href}” leads to an article that is not live")


def find_moved_links(article: Shelved) -> Iterator[Place]:
    for line, href, target in article.targets:
        if target.has_moved and target.card and target.card.is_live:
            yield Place(line, f"“{href}” to {article.library.address(target.card)}")


def find_broken_anchors(article: Shelved) -> Iterator[Place]:
    for line, href, target in article.targets:
        if target.card and target.fragment and not has_anchor(article, target):
            yield Place(line, href)


def has_anchor(article: Shelved, target: Target) -> bool:
    """Whether the place is there; of a text that was not read nobody can tell."""
    assert target.card is not None
    is_own = target.card.id == article.card.id
    reading = article.reading if is_own else article.library.readings.get(target.card.id)
    if reading is None or reading.is_partial:
        return True
    return bool({target.fragment, HEADING_PREFIX + target.fragment} & reading.anchors)


LIBRARY_CHECKS: tuple[Check[Shelved], ...] = (
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
        find_namesake,
    ),
    Check(
        "duplicate_content",
        "warning",
        "The text is nearly that of {what}: keep one of them, and link to it.",
        find_lookalike,
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
