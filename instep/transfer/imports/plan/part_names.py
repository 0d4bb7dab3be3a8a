"""Names the parts of a source, so that none takes the place of a part from elsewhere."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace

from instep.content.parts.expansion import references_in, rename_references
from instep.platform.text.slugs import free_slug
from instep.transfer.imports.schemas import BotState
from instep.transfer.imports.tree.schemas import Tree


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
