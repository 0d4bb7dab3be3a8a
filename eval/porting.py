"""Scores porting: `python -m eval.porting FOLDER` gives the writer changes with their own documentation.

The changes are those of the set of `eval.docsync`, with what people edited in the documentation put at
the end of the diff. Articles have ids that say nothing of their paths. Printed as JSON, for articles
that people modified:

- `exact`: the share whose draft is what people made of them, but for line breaks at the end;
- `drifted`: the same after lines of the article outside of the hunks were put in and taken out, and its
  front matter cut off;
- `near`: the same with the first line of each hunk's context changed, too;
- `wrong`: the share whose draft says anything else than what people wrote, in each of the three;
- `pages_exact`: the share of added pages that a draft has with their text;
- `false_facts`: edits of articles other than by porting, if the diff holds nothing but documentation;
- `others`: drafts for articles that people left alone.
"""

import json
import random
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from eval.docsync import _PROCESSES
from eval.docsync_set import SCORER, products_of, scorer_of
from instep.drafting.writer import Article, Change, write
from instep.drafting.writer.articles.parsed_article import front_matter
from instep.platform.text.patch import FilePatch
from instep.platform.text.patch_parser import parse_diff

_SEED = 7
_DRIFT_SHARE, _PUT_IN_SHARE = 0.15, 0.5


@dataclass(frozen=True, slots=True)
class PortingCase:
    """A change, its documentation, the articles before it, and the texts that people made of them."""

    id: str
    title: str
    code: str
    documentation: str
    articles: tuple[Article, ...]
    ids: dict[str, str]
    modified: dict[str, str]
    added: tuple[str, ...]


def main(arguments: list[str]) -> int:
    folder = Path(arguments[0]) if arguments else Path()
    if len(arguments) != 1 or not (folder / SCORER).is_file():
        print(f"The evaluation set is missing: no {SCORER} in `{folder}`. Name its folder.", file=sys.stderr)
        return 2
    scorer = scorer_of(folder)
    counts = {product: Counter[str]() for product in products_of(folder)}
    for product, total in counts.items():
        with get_context("fork").Pool(_PROCESSES) as pool:
            cases = map(_porting_case, scorer.load(str(folder), products=[product]))
            for result in pool.imap(_count, (case for case in cases if case.documentation), chunksize=4):
                total += result
    figures = _figures(sum(counts.values(), Counter[str]()))
    print(
        json.dumps(
            {**figures, "by_product": {name: _figures(each) for name, each in counts.items()}}, indent=1
        )
    )
    return 0


def _porting_case(case: Any) -> PortingCase:
    ids = {path: f"art_{number}" for number, path in enumerate(sorted(case.articles))}
    return PortingCase(
        case.id,
        case.title,
        case.diff,
        case.gold["docs_diff"] or "",
        tuple(Article(ids[path], article.title, article.text) for path, article in case.articles.items()),
        ids,
        {ids[path]: text for path, text in case.gold["modified"].items()},
        tuple(case.gold["added"].values()),
    )


def _count(case: PortingCase) -> "Counter[str]":
    counts = Counter(modified=len(case.modified), added=len(case.added))
    diff = case.code.rstrip("\n") + "\n" + case.documentation
    report = write(Change(case.title, None, diff), case.articles)
    drafts = {draft.article_id: draft.text for draft in report.proposals if draft.article_id}
    counts += _compared("exact", drafts, case.modified)
    counts["others"] = len(drafts.keys() - case.modified.keys())
    pages = [_body(draft.text) for draft in report.proposals if not draft.article_id]
    counts["pages"] = len(pages)
    counts["pages_exact"] = sum(any(page in _body(text) for page in pages) for text in case.added)
    for name, is_near in (("drifted", False), ("near", True)):
        articles, expected = _drift(case, is_near=is_near)
        drifted = write(Change("Edit", None, case.documentation), articles)
        texts = {draft.article_id: draft.text for draft in drifted.proposals if draft.article_id}
        counts += _compared(name, texts, expected)
        counts["false_facts"] += sum(
            "same edit, word for word" not in draft.reason for draft in drifted.proposals if draft.article_id
        )
    return counts


def _compared(name: str, drafts: dict[str, str], expected: dict[str, str]) -> "Counter[str]":
    return Counter(
        {
            name: sum(_is_same(drafts.get(article_id), text) for article_id, text in expected.items()),
            f"{name}_wrong": sum(
                article_id in drafts and not _is_same(drafts[article_id], text)
                for article_id, text in expected.items()
            ),
        }
    )


def _is_same(draft: str | None, text: str) -> bool:
    """True if a draft is a text, but for the line breaks at the end of it."""
    return draft is not None and draft.rstrip("\n") == text.rstrip("\n")


def _body(text: str) -> str:
    return text[len(front_matter(text)) :].strip()


def _drift(case: PortingCase, *, is_near: bool) -> tuple[tuple[Article, ...], dict[str, str]]:
    """The articles as if someone had edited them before, and their texts after people's edits."""
    source = random.Random(f"{_SEED} {case.id}")
    articles = {article.id: article for article in case.articles}
    expected = dict[str, str]()
    for file in parse_diff(case.documentation).files:
        article = articles.get(case.ids.get(file.path, ""))
        if article is not None and article.id in case.modified:
            before, after = _drifted(article.text, file, source, is_near=is_near)
            articles[article.id] = Article(article.id, article.title, before)
            expected[article.id] = after
    return tuple(articles.values()), expected


def _drifted(text: str, file: FilePatch, source: random.Random, *, is_near: bool) -> tuple[str, str]:
    """The text with changed lines outside of the hunks, before and after the hunks are applied to it."""
    lines = text.split("\n")
    first_kept = front_matter(text).count("\n")
    before, after, index = list[str](), list[str](), 0
    for hunk in file.hunks:
        first = hunk.lines[0].old - 1
        shared = list(_changed_lines(lines[index:first], index, first_kept, source))
        old = [line.text for line in hunk.lines if line.mark != "+"]
        new = [line.text for line in hunk.lines if line.mark != "-"]
        index = first + len(old)
        if is_near and hunk.lines[0].mark == " " and old[0].strip():
            old[0] = new[0] = f"{old[0]} (edited)"
        before += shared + old
        after += shared + new
    shared = list(_changed_lines(lines[index:], index, first_kept, source))
    return "\n".join(before + shared), "\n".join(after + shared)


def _changed_lines(lines: Sequence[str], first: int, first_kept: int, source: random.Random) -> Iterator[str]:
    """Lines between two hunks: some with another line below, some gone, none of those before `first_kept`."""
    for number, line in enumerate(lines, first):
        if number < first_kept:
            continue
        if source.random() > _DRIFT_SHARE or not line:
            yield line
        elif source.random() < _PUT_IN_SHARE:
            yield line
            yield f"A sentence {source.randrange(10**6)} of our own."


def _figures(counts: "Counter[str]") -> dict[str, Any]:
    modified, added = counts["modified"], counts["added"]
    shares = {
        name: round(counts[name] / modified, 4) if modified else None
        for name in ("exact", "exact_wrong", "drifted", "drifted_wrong", "near", "near_wrong")
    }
    return {
        "modified": modified,
        **shares,
        "added": added,
        "pages_exact": round(counts["pages_exact"] / added, 4) if added else None,
        "pages": counts["pages"],
        "false_facts": counts["false_facts"],
        "others": counts["others"],
    }


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
