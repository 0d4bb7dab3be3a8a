"""The tree next to a text: the collections of a help center, expanded to the page."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from instep.interfaces.site import collection_queries
from instep.interfaces.site.schemas import ArticlePage, TreeArticle, TreeCollection, article_path
from instep.interfaces.site.visits import Visit


@dataclass(frozen=True, slots=True)
class Leaf:
    """A link to an article."""

    path: str
    locale: str
    title: str
    is_current: bool


@dataclass(frozen=True, slots=True)
class Branch:
    """A collection; only those above the page have children."""

    slug: str
    title: str
    icon: str | None
    is_current: bool
    articles: list[Leaf] = field(default_factory=list)
    branches: list["Branch"] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class SiteTree:
    """The tree with the current page in it; `articles` are those without a collection."""

    branches: list[Branch]
    articles: list[Leaf] = field(default_factory=list)
    previous: Leaf | None = None
    next: Leaf | None = None


async def tree_of_article(visit: Visit, article: ArticlePage, locale: str) -> SiteTree:
    """The tree in a language, with the article among those of its collection."""
    slug = article.breadcrumbs[-1]["slug"] if article.breadcrumbs else None
    rows = await collection_queries.list_tree(visit.ctx, locale, slug)
    siblings = await collection_queries.list_siblings(visit.ctx, article, locale, slug)
    leaves = [leaf_of(visit, article, locale, sibling) for sibling in siblings]
    # An article that is not about the version that is read is not among them.
    place = next((index for index, leaf in enumerate(leaves) if leaf.is_current), len(leaves))
    branches, current = grow(rows, slug)
    if current is not None:
        current.articles.extend(leaves)
    return SiteTree(
        branches,
        articles=leaves if slug is None else [],
        previous=leaves[place - 1] if 0 < place < len(leaves) else None,
        next=leaves[place + 1] if place + 1 < len(leaves) else None,
    )


async def tree_of_collection(visit: Visit, slug: str | None) -> SiteTree:
    """The tree with a collection as the current page, or with none."""
    rows = await collection_queries.list_tree(visit.ctx, visit.locale, slug)
    branches, _ = grow(rows, slug, is_page=True)
    return SiteTree(branches)


def leaf_of(visit: Visit, article: ArticlePage, locale: str, sibling: TreeArticle) -> Leaf:
    path = article_path(visit.ctx.bot, locale, sibling.slug)
    return Leaf(path, sibling.locale, sibling.title, is_current=sibling.slug == article.slug)


def grow(
    rows: Sequence[TreeCollection], slug: str | None, *, is_page: bool = False
) -> tuple[list[Branch], Branch | None]:
    """The branches of rows in reading order, and the one with this slug."""
    current = None
    # The children list for the next branch at each level.
    levels: list[list[Branch]] = [[]]
    for row in rows:
        branch = Branch(row.slug, row.title, row.icon, is_current=is_page and row.slug == slug)
        if row.slug == slug:
            current = branch
        del levels[row.level :]
        levels[-1].append(branch)
        levels.append(branch.branches)
    return levels[0], current
