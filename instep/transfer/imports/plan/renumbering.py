"""Matches files whose ordering number changed to their earlier keys."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from instep.transfer.imports.schemas import BotState
from instep.transfer.imports.tree.file_names import without_numbers
from instep.transfer.imports.tree.schemas import Tree


def with_known_keys(tree: Tree, state: BotState) -> Tree:
    """The tree with the keys of an earlier import for names in which only numbers changed.

    For example, `03-install.md` is the page that was imported from `02-install.md`. If several names differ
    only in numbers, each file is its own page.
    """
    pages = renumbered((page.key for page in tree.pages), state.pages)
    collections = renumbered((collection.key for collection in tree.collections), state.collections)
    entries = renumbered((entry.key for entry in tree.entries), state.entries)
    if not (pages or collections or entries):
        return tree
    return replace(
        tree,
        pages=tuple(
            replace(
                page,
                key=pages.get(page.key, page.key),
                translation_of=pages.get(page.translation_of or "", page.translation_of),
                collection=collections.get(page.collection or "", page.collection),
            )
            for page in tree.pages
        ),
        collections=tuple(
            replace(
                row,
                key=collections.get(row.key, row.key),
                parent=collections.get(row.parent or "", row.parent),
            )
            for row in tree.collections
        ),
        entries=tuple(replace(entry, key=entries.get(entry.key, entry.key)) for entry in tree.entries),
        questions=tuple(replace(row, page=pages.get(row.page, row.page)) for row in tree.questions),
    )


def renumbered(keys: Iterable[str], known_keys: Iterable[str]) -> dict[str, str]:
    """The known keys that differ from current ones only in numbers, by current key."""
    names = {key: without_numbers(key) for key in keys}
    known_names = {key: without_numbers(key) for key in known_keys}
    keys_by_name = {name: key for key, name in known_names.items()}
    counts, known_counts = Counter(names.values()), Counter(known_names.values())
    return {
        key: keys_by_name[name]
        for key, name in names.items()
        if counts[name] == 1 == known_counts[name] and keys_by_name[name] != key
    }
