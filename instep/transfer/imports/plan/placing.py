"""Determines the positions of collections and pages: on at most three levels, in the source's order."""

from dataclasses import dataclass, field

from instep.platform.core import limits
from instep.transfer.imports.tree.schemas import ImportedCollection, Loss, Tree


@dataclass(slots=True)
class Places:
    """The resulting collections, and the position of each page.

    `homes` maps the key of each collection in the source to the key of the collection for its pages.
    `positions` are by page key, from 0 in each collection.
    """

    collections: list[tuple[ImportedCollection, str | None]] = field(default_factory=list)
    homes: dict[str, str] = field(default_factory=dict)
    positions: dict[str, int] = field(default_factory=dict)
    losses: list[Loss] = field(default_factory=list)

    def home_of(self, collection: str | None) -> str | None:
        return None if collection is None else self.homes.get(collection)


def place_on_levels(tree: Tree) -> Places:
    """Merge collections below the deepest level into their parent, and record that as a loss."""
    places = Places()
    levels: dict[str, int] = {}
    titles = {collection.key: collection.title for collection in tree.collections}
    for collection in tree.collections:
        parent = places.home_of(collection.parent)
        level = levels[parent] + 1 if parent is not None else 1
        if level > limits.MAX_COLLECTION_LEVELS and parent is not None:
            places.homes[collection.key] = parent
            places.losses.append(
                Loss(
                    collection.key,
                    f"collection “{collection.title}” below level {limits.MAX_COLLECTION_LEVELS}: "
                    f"its pages are moved to “{titles[parent]}”",
                )
            )
            continue
        levels[collection.key] = level
        places.homes[collection.key] = collection.key
        places.collections.append((collection, parent))
    number_pages(tree, places)
    return places


def number_pages(tree: Tree, places: Places) -> None:
    counts: dict[str | None, int] = {}
    for page in tree.pages:
        if page.translation_of is None:
            home = places.home_of(page.collection)
            places.positions[page.key] = counts.get(home, 0)
            counts[home] = places.positions[page.key] + 1
