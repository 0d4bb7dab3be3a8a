"""Matches pages that were moved in the source since the last import to their articles."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from instep.platform.core import limits
from instep.transfer.imports.plan.addresses import Directory
from instep.transfer.imports.schemas import BotState, KnownPage
from instep.transfer.imports.tree.schemas import ImportedPage, MovedPage, Tree

# The targets of links change with a move, so they are ignored.
DESTINATION = re.compile(r"\]\([^()\n]*\)|^\[[^\]\n]+\]:[^\n]*|\b(?:href|src)=\"[^\"\n]*\"", re.MULTILINE)
WORD = re.compile(r"\w+")
SHINGLE_WORDS = 4
# Shingles that occur on more pages are boilerplate.
MAX_PAGES_OF_SHINGLE = 20
MIN_SHARE = 0.6
# Texts with fewer shingles must also have the same title to be the same page.
MIN_SHINGLES = 12
MAX_CANDIDATES = 3
Shingles = frozenset[int]


@dataclass(frozen=True, slots=True)
class Likeness:
    """The share of text that two pages have in common, 0 to 1; other signs break ties."""

    share: float
    signs: int
    before: str
    after: str


def heirs_of(tree: Tree, state: BotState, directory: Directory) -> dict[str, str]:
    """The keys of the pages to which missing pages' addresses lead now, by the missing pages' keys."""
    keys = {page.key for page in tree.pages}
    absent_pages = {row.article_id: row.key for row in state.pages.values() if row.key not in keys}
    heirs: dict[str, str] = {}
    for path, target in state.redirects.items():
        page = directory.present_page(path) if target in absent_pages else None
        if page is not None:
            heirs.setdefault(absent_pages[target], page.key)
    return heirs


def find_moves(tree: Tree, state: BotState, heirs: Mapping[str, str]) -> tuple[MovedPage, ...]:
    """The missing pages that were moved: the source redirects to the new page, or the texts are similar."""
    keys = {page.key for page in tree.pages}
    new = {page.key: page for page in tree.pages if page.key not in state.pages}
    absent_pages = {key: row for key, row in state.pages.items() if key not in keys}
    if not new or not absent_pages:
        return ()
    counts = Counter(heirs.values())
    moves = {before: after for before, after in heirs.items() if after in new and counts[after] == 1}
    taken = set(moves.values())
    likenesses = likenesses_of(
        [row for key, row in absent_pages.items() if key not in moves],
        [page for key, page in new.items() if key not in taken],
    )
    for row in sorted(likenesses, key=lambda row: (row.share, row.signs), reverse=True):
        if row.before not in moves and row.after not in taken:
            moves[row.before] = row.after
            taken.add(row.after)
    return tuple(MovedPage(before, after) for before, after in moves.items())


def likenesses_of(absent_pages: Iterable[KnownPage], pages: Iterable[ImportedPage]) -> Iterator[Likeness]:
    """The pairs with similar texts; only pages that share rare shingles are compared."""
    rows = {row.key: row for row in absent_pages}
    shingles = {key: shingles_of(row.title, row.text) for key, row in rows.items()}
    holders: dict[int, list[str]] = defaultdict(list)
    for key, numbers in shingles.items():
        for number in numbers:
            holders[number].append(key)
    for page in pages:
        words = shingles_of(page.title, page.markdown)
        candidates = (holders[number] for number in words if number in holders)
        counts = Counter(key for keys in candidates if len(keys) <= MAX_PAGES_OF_SHINGLE for key in keys)
        for key, _ in counts.most_common(MAX_CANDIDATES):
            size = max(len(words), len(shingles[key]))
            share = len(words & shingles[key]) / size
            if share >= MIN_SHARE and (size >= MIN_SHINGLES or page.title == rows[key].title):
                yield Likeness(share, signs_of(rows[key], page), key, page.key)


def signs_of(before: KnownPage, after: ImportedPage) -> int:
    """The number of other signs that two pages are the same."""
    names = [key.rpartition("/")[2] for key in (before.key, after.key)]
    is_same_language = (after.locale or before.locale).lower() == before.locale.lower()
    return (before.title == after.title) + (names[0] == names[1]) + is_same_language


def shingles_of(title: str, text: str) -> Shingles:
    plain = DESTINATION.sub("]", text[: limits.MAX_COMPARED_CHARACTERS])
    words = WORD.findall(f"{title} {plain}".casefold())
    count = max(len(words) - SHINGLE_WORDS, 0) + 1
    return frozenset(hash(tuple(words[start : start + SHINGLE_WORDS])) for start in range(count))


def with_present_keys(state: BotState, moves: Iterable[MovedPage]) -> BotState:
    """The state with the current keys of moved pages."""
    keys = {move.before: move.after for move in moves}
    if not keys:
        return state
    pages = (replace(row, key=keys.get(row.key, row.key)) for row in state.pages.values())
    collections = {
        key: replace(row, facts={**row.facts, "order": [keys.get(page, page) for page in row.order]})
        for key, row in state.collections.items()
    }
    return replace(state, pages={row.key: row for row in pages}, collections=collections)
