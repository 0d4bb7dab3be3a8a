"""Counts, by kind of edit, what people did to articles and how much of it the drafts did, too."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from typing import Any

_FENCE = re.compile(r"\s*(```|~~~)")
_HEADING = re.compile(r"#{1,6} |([=\-~^\"+*])\1{3,}$")
_ITEM = re.compile(r"(?:[-*+]|\d+[.)]) |<li>|:\s{2,}\S")
_ALIKE = 0.4


def by_kind(scorer: Any, cases: Iterable[Any], answers: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Per kind: how many articles people edited so, the share with a draft, and lines and names in common."""
    drafts = {
        (answer["id"], draft["article"]): draft["contentMarkdown"]
        for answer in answers
        for draft in answer["drafts"]
        if draft["type"] == "edit"
    }
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for case in cases:
        for path, after in case.gold["modified"].items() if case.positive else ():
            before = case.articles[path].text
            draft = drafts.get((case.id, path))
            for kind, added in _edits(before, after):
                _count(counts[kind], scorer, before, added, draft)
    return {
        kind: _shares(count) for kind, count in sorted(counts.items(), key=lambda pair: -pair[1]["articles"])
    }


def _edits(before: str, after: str) -> Iterator[tuple[str, list[str]]]:
    """Each kind of edit of an article, with the lines that people added by it."""
    old, new = before.splitlines(), after.splitlines()
    code = _code_lines(new)
    added_by_kind: dict[str, list[str]] = defaultdict(list)
    matcher = SequenceMatcher(None, [x.strip() for x in old], [x.strip() for x in new], autojunk=False)
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        if tag == "delete":
            added_by_kind["removed"] += []
        elif tag != "equal":
            lines = [line for line in new[j1:j2] if line.strip()]
            added_by_kind[_kind(old[i1:i2], lines, all(code[j1:j2]))] += lines
    yield from added_by_kind.items()


def _code_lines(lines: list[str]) -> list[bool]:
    is_code, is_fenced = list[bool](), False
    for line in lines:
        is_fence = bool(_FENCE.match(line))
        is_fenced = is_fenced != is_fence
        is_code.append(is_fenced or is_fence or line.startswith("    "))
    return is_code


def _kind(old: list[str], new: list[str], is_code: bool) -> str:
    words = " ".join(old).split(), " ".join(new).split()
    changed = bool(old) and SequenceMatcher(None, *words, autojunk=False).ratio() > _ALIKE
    if is_code:
        return "code changed" if changed else "code added"
    if changed and len(new) <= 2 * len(old) + 1:
        return "row changed" if new and new[0].lstrip().startswith("|") else "text changed"
    if any(_HEADING.match(line.strip()) for line in new):
        return "section added"
    if new and new[0].lstrip().startswith("|"):
        return "row added"
    return "item added" if new and _ITEM.match(new[0].strip()) else "text added"


def _count(count: Counter[str], scorer: Any, before: str, added: list[str], draft: str | None) -> None:
    count["articles"] += 1
    if draft is None:
        return
    count["drafted"] += 1
    gold = scorer.lines_of("\n".join(added))
    drafted = scorer.lines_of(draft) - scorer.lines_of(before)
    count["lines"] += gold.total()
    count["lines_made"] += (gold & drafted).total()
    names = scorer.terms_of("\n".join(added)) - scorer.terms_of(before)
    count["names"] += len(names)
    count["names_made"] += len(names & scorer.terms_of(draft))


def _shares(count: Counter[str]) -> dict[str, Any]:
    return {
        "articles": count["articles"],
        "recall": round(count["drafted"] / count["articles"], 3),
        "line_recall": round(count["lines_made"] / count["lines"], 3) if count["lines"] else None,
        "term_recall": round(count["names_made"] / count["names"], 3) if count["names"] else None,
    }
