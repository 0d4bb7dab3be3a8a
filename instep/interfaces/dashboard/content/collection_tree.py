"""The tree of a bot's collections: next to the list of articles, and as the choices of a field."""

from collections.abc import Sequence
from dataclasses import dataclass

from instep.content.articles.schemas import ArticleCount
from instep.content.collections.actions import list_collections
from instep.content.collections.schemas import Collection
from instep.interfaces.dashboard.bot_pages import BotPage
from instep.platform.core import limits

# The field value for articles without a collection.
NO_COLLECTION = "none"
# The indentation of a collection's name in a field of choices, per level above it.
INDENT = "\u2003"


@dataclass(frozen=True, slots=True)
class CollectionNode:
    """A collection in the tree; `level` is 0 at the top, `originals` counts its own articles."""

    collection: Collection
    level: int
    originals: int


@dataclass(frozen=True, slots=True)
class CollectionTree:
    """The first collections of a bot in reading order, with the numbers of articles in each and in none."""

    nodes: list[CollectionNode]
    originals: int
    originals_outside: int
    locales: list[str]
    # Whether there are more collections than the tree contains.
    is_cut: bool

    @property
    def choices(self) -> list[tuple[str, str]]:
        """Pairs of an id and a title, indented by level, for a field."""
        return [(node.collection.id, INDENT * node.level + node.collection.title) for node in self.nodes]

    @property
    def titles(self) -> dict[str, str]:
        return {node.collection.id: node.collection.title for node in self.nodes}


async def read_tree(page: BotPage, counts: Sequence[ArticleCount]) -> CollectionTree:
    collections = await list_collections(page.ctx, page.first_rows(limits.TREE_COLLECTIONS))
    originals: dict[str | None, int] = {}
    for row in counts:
        originals[row.collection_id] = originals.get(row.collection_id, 0) + row.originals
    return CollectionTree(
        nodes=[
            CollectionNode(row, len(row.ancestor_ids), originals.get(row.id, 0)) for row in collections.rows
        ],
        originals=sum(originals.values()),
        originals_outside=originals.get(None, 0),
        locales=sorted({row.locale for row in counts}),
        is_cut=collections.next_cursor is not None,
    )
