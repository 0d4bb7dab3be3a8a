"""Texts that several pages of a source include become parts; those of a single page stay copies."""

import re
from collections import Counter, defaultdict
from collections.abc import Collection
from dataclasses import replace
from pathlib import PurePosixPath

from instep.content.parts.expansion import escape_unknown
from instep.platform.core import limits
from instep.platform.text.slugs import free_slug, slugify
from instep.transfer.imports.tree.schemas import ImportedPart, Loss, Tree

# Relative links, definitions and headings belong to the page: their addresses are those of its file.
OF_THE_PAGE = re.compile(
    r"\]\((?!https?://|mailto:)|\]:|<(?:img|a|video|audio|source)\b"
    r"|^[ >]{0,9}#{1,6}[ \t]|^[ ]{0,3}(?:=++|-++)[ \t]*+$",
    re.MULTILINE,
)


def share_texts(tree: Tree) -> Tree:
    """The tree with a part for each file whose text at least two pages include unchanged."""
    pages = {page.path: page for page in tree.pages}
    texts: dict[str, set[str]] = defaultdict(set)
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for row in tree.inclusions:
        texts[row.path].add(row.text.strip("\n"))
        counts[row.path][row.page] += 1
    parts: list[ImportedPart] = []
    losses: list[Loss] = []
    for path, variants in sorted(texts.items()):
        text = min(variants)
        if len(variants) > 1 or not is_shareable(text):
            if len(counts[path]) > 1:
                what = f"text in {len(counts[path])} pages with its own headings, links or props: copied"
                losses.append(Loss(path, what))
            continue
        places = re.compile(rf"^{re.escape(text)}$", re.MULTILINE)
        names = [
            name
            for name, count in counts[path].items()
            if name in pages and len(places.findall(pages[name].markdown)) == count
        ]
        if len(names) < 2:
            continue
        part = part_of(path, text, {part.name for part in parts})
        parts.append(part)
        for name in names:
            pieces = places.split(pages[name].markdown)
            markdown = f"{{{{{part.reference}}}}}".join(pieces)
            pages[name] = replace(pages[name], markdown=markdown)
    shared = tuple(pages[page.path] for page in tree.pages)
    return replace(tree, pages=shared, parts=(*tree.parts, *parts), losses=(*tree.losses, *losses))


def part_of(path: str, text: str, taken: Collection[str]) -> ImportedPart:
    stem = slugify(PurePosixPath(path.partition(":")[0]).stem.lstrip("_"), "part")
    # Text that looks like a reference in a source is not one.
    return ImportedPart("part", free_slug(stem, taken), escape_unknown(text, frozenset()), path=path)


def is_shareable(text: str) -> bool:
    return 0 < len(text) <= limits.MAX_PART_CHARACTERS and OF_THE_PAGE.search(text) is None
