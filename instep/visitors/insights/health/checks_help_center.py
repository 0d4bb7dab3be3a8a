"""Checks of an article against the others of its help center."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from instep.platform.core.markdown import HEADING_PREFIX
from instep.visitors.insights.health.checks_text import one_line_excerpt
from instep.visitors.insights.health.help_center import ArticleMeta, HelpCenter, Target
from instep.visitors.insights.health.problems import Check, ProblemLocation
from instep.visitors.insights.health.text_analysis import TextAnalysis


@dataclass(frozen=True)
class ArticleContext:
    """An article in its help center."""

    article: ArticleMeta
    analysis: TextAnalysis
    help_center: HelpCenter

    @cached_property
    def targets(self) -> list[tuple[int, str, Target]]:
        """The links inside the help center: lines from 1, addresses as messages quote them, and targets."""
        targets = [
            (line, one_line_excerpt(href), self.help_center.target(self.article, href))
            for line, href in self.analysis.links
        ]
        return [(line, href, target) for line, href, target in targets if target is not None]


def find_same_title(context: ArticleContext) -> Iterable[ProblemLocation]:
    other = context.help_center.same_title(context.article)
    return [ProblemLocation(what=other.id)] if other else []


def find_near_duplicate(context: ArticleContext) -> Iterable[ProblemLocation]:
    other = context.help_center.near_duplicate(context.article)
    return [ProblemLocation(what=f"“{one_line_excerpt(other.title)}” ({other.id})")] if other else []


def find_broken_links(context: ArticleContext) -> Iterator[ProblemLocation]:
    for line, href, target in context.targets:
        if not target.exists:
            yield ProblemLocation(line, f"“{href}” points to a page that does not exist")
        elif target.article and target.article.id != context.article.id and not target.article.is_live:
            yield ProblemLocation(line, f"“{href}” points to an article that is not live")


def find_moved_links(context: ArticleContext) -> Iterator[ProblemLocation]:
    for line, href, target in context.targets:
        if target.has_moved and target.article and target.article.is_live:
            yield ProblemLocation(line, f"“{href}” to {context.help_center.address(target.article)}")


def find_broken_anchors(context: ArticleContext) -> Iterator[ProblemLocation]:
    for line, href, target in context.targets:
        if target.article and target.fragment and not has_anchor(context, target):
            yield ProblemLocation(line, href)


def has_anchor(context: ArticleContext, target: Target) -> bool:
    """True if the anchor exists; assumed of a text that was not analyzed."""
    assert target.article is not None
    is_own = target.article.id == context.article.id
    analysis = context.analysis if is_own else context.help_center.analyses.get(target.article.id)
    if analysis is None or analysis.is_partial:
        return True
    return bool({target.fragment, HEADING_PREFIX + target.fragment} & analysis.anchors)


HELP_CENTER_CHECKS: tuple[Check[ArticleContext], ...] = (
    Check(
        "missing_description",
        "warning",
        "The article has no description: summarize in one sentence what it answers. Search results show it.",
        lambda context: not context.article.description,
    ),
    Check(
        "no_collection",
        "info",
        "The article is not in a collection: add it to one so that readers can find it.",
        lambda context: not context.article.collection_id,
    ),
    Check(
        "outdated_translation",
        "warning",
        "The original article changed after this translation: update the translation.",
        lambda context: context.help_center.is_outdated(context.article),
    ),
    Check(
        "duplicate_title",
        "warning",
        "Another live article has the same title ({what}): give each a distinct title.",
        find_same_title,
    ),
    Check(
        "duplicate_content",
        "warning",
        "The text is nearly the same as that of {what}: keep one of the two and link to it.",
        find_near_duplicate,
    ),
    Check(
        "waiting_edit",
        "warning",
        "A proposed edit has waited for more than 14 days: apply or dismiss it.",
        lambda context: context.article.id in context.help_center.waiting,
    ),
    Check("broken_link", "error", "The link {what}: fix or remove it.", find_broken_links),
    Check("moved_link", "info", "The page has moved: change the link {what}.", find_moved_links),
    Check(
        "broken_anchor",
        "error",
        "The link “{what}” points to a heading that does not exist: choose an existing one.",
        find_broken_anchors,
    ),
)
