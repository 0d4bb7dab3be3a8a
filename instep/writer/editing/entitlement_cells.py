"""Cells of tables that say yes or no to what a change gives to an owner: "Export data" for "Viewer"."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from instep.writer.editing.apply import add_edit
from instep.writer.editing.edits import Edit, EditsByArticle
from instep.writer.facts.entitlements import Entitlement
from instep.writer.facts.values import Value
from instep.writer.relevance.selection import DraftCandidate
from instep.writer.words.change_terms import change_terms
from instep.writer.words.identifiers import parts_of

_CELL = re.compile(r"\|([^|\n]*)(?=\|)")
_RULE = re.compile(r":?-[:-]*")
_NO = re.compile(r"no|never|none|[-\u2013\u2014✗✘✕❌✖\xd7]\ufe0f?|:(?:x|no_entry):", re.IGNORECASE)
_YES = re.compile(
    r"yes|always|x|[✓✔✅☑•●]\ufe0f?|:(?:white_check_mark|heavy_check_mark|check):", re.IGNORECASE
)
_MARKS = " \t*`_"

# The bare text of a cell and where it begins in the article, in characters.
Cell = tuple[str, int]


def add_entitlements(
    edits: EditsByArticle, entitlements: Iterable[Entitlement], candidates: Sequence[DraftCandidate]
) -> None:
    """Edits the cell for the owner and what it gets or loses in tables of sure candidates."""
    for entitlement in entitlements:
        for candidate in candidates:
            if not candidate.is_concerned:
                continue
            article_edits = edits.get(candidate.article.id, [])
            for table in _tables(candidate.article.text):
                if edit := _edit(entitlement, table):
                    add_edit(article_edits, edit)
            if article_edits:
                edits[candidate.article.id] = article_edits


def _tables(text: str) -> Iterator[list[list[Cell]]]:
    """The tables of an article as rows of cells, the head first, without the rule below it."""
    rows, start = list[list[Cell]](), 0
    for line in text.split("\n"):
        rows.append([_cell(match, start) for match in _CELL.finditer(line)] if line.startswith("|") else [])
        start += len(line) + 1
    for is_table, group in groupby(rows, key=bool):
        table = [cells for cells in group if not all(_RULE.fullmatch(text) for text, _ in cells)]
        if is_table and len(table) > 1 and len({len(cells) for cells in table}) == 1:
            yield table


def _cell(match: re.Match[str], start: int) -> Cell:
    bare = match[1].strip(_MARKS)
    return bare, start + match.start(1) + match[1].index(bare)


def _edit(entitlement: Entitlement, table: Sequence[Sequence[Cell]]) -> Edit | None:
    """The edit of the one cell where owner and member meet, which says yes or no as the others do."""
    heads, names = [text for text, _ in table[0]], [row[0][0] for row in table]
    columns, rows = _places_of_owner(entitlement, heads), _places_of_member(entitlement, names)
    if not columns:
        columns, rows = _places_of_member(entitlement, heads), _places_of_owner(entitlement, names)
    if len(columns) != 1 or len(rows) != 1:
        return None
    text, start = table[rows[0]][columns[0]]
    old, new = (_YES, _NO) if entitlement.is_taken else (_NO, _YES)
    words = Counter(word for row in table[1:] for word, _ in row[1:] if new.fullmatch(word))
    if not old.fullmatch(text) or not words:
        return None
    [(word, _)] = words.most_common(1)
    names_of_fact = (entitlement.member,)
    fact = Value(
        text, word, names_of_fact, (entitlement.source,), is_beside_name=False, owner=entitlement.owner
    )
    return Edit(start, start + len(text), word, fact)


def _places_of_owner(entitlement: Entitlement, texts: Sequence[str]) -> list[int]:
    owner = " ".join(parts_of(entitlement.owner)).removesuffix("s")
    return [at for at, text in enumerate(texts) if " ".join(parts_of(text)).removesuffix("s") == owner]


def _places_of_member(entitlement: Entitlement, texts: Sequence[str]) -> list[int]:
    """Where a text has all words of the member, of which there are at least two, as `data:export` has."""
    words = change_terms(" ".join(parts_of(entitlement.member))).keys()
    return [
        at for at, text in enumerate(texts) if at and len(words) > 1 and words <= change_terms(text).keys()
    ]
