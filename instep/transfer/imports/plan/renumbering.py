"""Gives a source the keys and names of its last import: of renumbered files, and of parts."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace

from instep.content.parts.expansion import references_in, rename_references
from instep.platform.text.slugs import free_slug
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


def with_own_names(tree: Tree, state: BotState) -> Tree:
    """The tree whose parts have the names of their last import, or free ones if others have theirs."""
    if not tree.parts:
        return tree
    texts: dict[str, dict[str, str]] = defaultdict(dict)
    for part in tree.parts:
        texts[part.reference][part.locale or state.bot_locale] = part.text
    kept_names = {row.key: row.reference for row in state.parts.values() if row.key is not None}
    names = {key: name for key, name in kept_names.items() if key in texts and key != name}
    taken = texts.keys() | {reference for reference, _ in state.parts}
    while new := [
        name for name in texts if name not in kept_names | names and is_of_others(texts, name, names, state)
    ]:
        for reference in new:
            names[reference] = free_reference(reference, taken)
            taken = taken | {names[reference]}
    if not names:
        return tree
    parts = [
        replace(
            part,
            name=names.get(part.reference, part.reference).partition(".")[2],
            text=rename_references(part.text, names),
            key=part.reference,
        )
        for part in tree.parts
    ]
    pages = [replace(page, markdown=rename_references(page.markdown, names)) for page in tree.pages]
    entries = [replace(entry, markdown=rename_references(entry.markdown, names)) for entry in tree.entries]
    return replace(tree, parts=tuple(parts), pages=tuple(pages), entries=tuple(entries))


def is_of_others(
    texts: Mapping[str, Mapping[str, str]], reference: str, names: Mapping[str, str], state: BotState
) -> bool:
    """True if the help center has another part with this reference."""
    if not any(known_reference == reference for known_reference, _ in state.parts):
        return False
    for locale, text in texts[reference].items():
        row = state.parts.get((reference, locale))
        if row is None or row.text != text or not names.keys().isdisjoint(references_in(text)):
            return True
    return False


def free_reference(reference: str, taken: set[str]) -> str:
    kind, _, stem = reference.partition(".")
    return f"{kind}." + free_slug(stem, {name.partition(".")[2] for name in taken if name.startswith(kind)})
