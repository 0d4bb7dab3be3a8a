"""A table of drafts with an empty column for a person, and what the person wrote in it."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

JUDGEMENTS = ("apply", "correct", "dismiss")
COLUMNS = ("draft", "change", "article", "kind", "apply / correct / dismiss", "why")
_BAR = re.compile(r"(?<!\\)\|")


class InvalidTable(ValueError):
    """A row of a table can't be read; the message says which one and what is wrong."""


@dataclass(frozen=True, slots=True)
class JudgedDraft:
    """A row: the draft's digest, commit and title, article, kind, and a person's judgement or nothing."""

    digest: str
    change: str
    article: str
    kind: Literal["certain", "likely", "new article"] | str
    judgement: str = ""
    why: str = ""


def table_of(drafts: Iterable[JudgedDraft], judged: Mapping[str, JudgedDraft]) -> str:
    """A Markdown table; drafts that were judged before, and say the same now, keep their judgement."""
    rows = [COLUMNS, ("---",) * len(COLUMNS)]
    for draft in drafts:
        known = judged.get(draft.digest, draft)
        rows.append((draft.digest, draft.change, draft.article, draft.kind, known.judgement, known.why))
    return "".join(f"| {' | '.join(map(_cell, row))} |\n" for row in rows)


def read_table(text: str) -> list[JudgedDraft]:
    """The rows of the first table with these columns; raises `InvalidTable`."""
    drafts = []
    for number, line in enumerate(text.splitlines(), 1):
        cells = tuple(cell.strip().replace("\\|", "|") for cell in _BAR.split(line.strip())[1:-1])
        if not cells or cells == COLUMNS or set("".join(cells)) <= set("-: "):
            continue
        if len(cells) != len(COLUMNS):
            raise InvalidTable(f"Line {number} has {len(cells)} cells instead of {len(COLUMNS)}.")
        draft = JudgedDraft(*cells)
        if draft.judgement and draft.judgement not in JUDGEMENTS:
            raise InvalidTable(f"Line {number} says `{draft.judgement}`: write apply, correct or dismiss.")
        drafts.append(draft)
    return drafts


def shares_of(drafts: Iterable[JudgedDraft]) -> dict[str, Any]:
    """The number of judged drafts and the share of each judgement, for all drafts and for each kind."""
    drafts = list(drafts)
    kinds = sorted({draft.kind for draft in drafts})
    by_kind = {kind: _shares([draft for draft in drafts if draft.kind == kind]) for kind in kinds}
    return {**_shares(drafts), "by_kind": by_kind}


def _shares(drafts: list[JudgedDraft]) -> dict[str, Any]:
    counts = Counter(draft.judgement for draft in drafts)
    judged = len(drafts) - counts[""]
    shares = {name: round(counts[name] / judged, 3) if judged else None for name in JUDGEMENTS}
    return {
        "drafts": len(drafts),
        "judged": judged,
        **{name: counts[name] for name in JUDGEMENTS},
        "shares": shares,
    }


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
