"""Each mechanism of the writer, its lines and its edits: `python -m eval.rules FOLDER... [--left-out]`.

An edit is right if people took out the lines that it takes out, and put in its new lines, or lines that are
near them. A place is right if people edited its article. A mechanism stays if at least two of its edits in
two products that it was not made from are right, and nine of ten of them. With `--left-out` the models are
fitted without the product.
"""

import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from eval.docsync import left_out_models
from eval.docsync_set import products_of, scorer_of, task_of
from eval.near_edits import is_right_edit
from instep.drafting.writer import Article, Change, Place, write
from instep.drafting.writer.articles.corpus import corpus_of
from instep.drafting.writer.diffs.change_set import reviewed_files
from instep.drafting.writer.editing.apply import find_edits
from instep.drafting.writer.editing.edits import EditsByArticle
from instep.drafting.writer.facts.became import find_became
from instep.drafting.writer.fitted import FITTED
from instep.drafting.writer.models import Models
from instep.drafting.writer.reporting.statements import is_certain
from instep.platform.text.patch_parser import parse_diff

_PROCESSES = 2
_WRITER = Path(__file__).parent.parent / "instep" / "drafting" / "writer"
_LINES_OF: Mapping[str, Sequence[str]] = {
    "X became Y, all kinds": ("editing", "facts/became.py", "facts/changed_texts.py", "models.py"),
    "values": (
        "facts/values.py",
        "facts/setting_names.py",
        "facts/setting_sections.py",
    ),
    "places": (
        "reporting/places_to_write.py",
        "facts/additions.py",
        "facts/removed_names.py",
    ),
    "documentation carried over": ("porting",),
}


@dataclass(frozen=True, slots=True)
class Judged:
    """An edit or place of a mechanism in a product, and whether people did the same."""

    mechanism: str
    product: str
    draft: tuple[str, str]
    is_right: bool


def _run(models: Models, task: tuple[str, Change, list[Article]]) -> tuple[EditsByArticle, tuple[Place, ...]]:
    _, change, articles = task
    corpus, code = corpus_of(tuple(articles)), reviewed_files(parse_diff(change.diff)).code
    return find_edits(find_became(change, code), corpus, models).likely, write(
        change, articles, models=models
    ).places


def judged(folder: Path, models: Mapping[str, Models]) -> Iterator[Judged]:
    """The edits and places of each mechanism in a set, each judged by the edits of people."""
    scorer = scorer_of(folder)
    for product in products_of(folder):
        cases = list(scorer.load(str(folder), products=[product]))
        run = partial(_run, models.get(product, FITTED))
        with get_context("fork").Pool(_PROCESSES) as pool:
            for case, found in zip(cases, pool.imap(run, map(task_of, cases), chunksize=4), strict=True):
                yield from _judge(product, case, *found)


def _judge(product: str, case: Any, edits: EditsByArticle, places: Sequence[Place]) -> Iterator[Judged]:
    modified: Mapping[str, str] = case.gold["modified"] if case.positive else {}
    for article_id, article_edits in edits.items():
        before, after = case.articles[article_id].text, modified.get(article_id)
        for edit in article_edits:
            is_right = after is not None and is_right_edit(before, after, edit.start, edit.end, edit.new)
            kind = getattr(edit.fact, "kind", "documentation")
            bound = "certain" if is_certain([edit]) else "likely"
            yield Judged(f"edit of a {kind}, {bound}", product, (case.id, article_id), is_right)
    for place in places:
        kind = place.reason.split(" ", 1)[0].lower()
        yield Judged(f"place: {kind} …", product, (case.id, place.article_id), place.article_id in modified)


def table(rows: Sequence[Judged]) -> Iterator[str]:
    """Per mechanism: edits, right ones, drafts, and the products in which one was right."""
    by_mechanism: dict[str, list[Judged]] = defaultdict(list)
    for row in rows:
        by_mechanism[row.mechanism].append(row)
    yield "| mechanism | edits or places | right | share | drafts | products, right in |"
    yield "|---|---|---|---|---|---|"
    for mechanism, some in sorted(by_mechanism.items()):
        right = [row for row in some if row.is_right]
        products = Counter(row.product for row in right)
        yield (
            f"| {mechanism} | {len(some)} | {len(right)} | {len(right) / len(some):.2f} "
            f"| {len({row.draft for row in some})} | {len({row.product for row in some})}, {len(products)} |"
        )


def line_table() -> Iterator[str]:
    yield "| mechanism | lines |"
    yield "|---|---|"
    for mechanism, paths in _LINES_OF.items():
        files = [file for path in paths for file in _files(_WRITER / path)]
        yield f"| {mechanism} | {sum(len(file.read_text().splitlines()) for file in files):,} |"
    every = sum(len(file.read_text().splitlines()) for file in _files(_WRITER))
    yield f"| the writer | {every:,} |"


def _files(path: Path) -> list[Path]:
    return sorted(path.rglob("*.py")) if path.is_dir() else [path]


def main(arguments: list[str]) -> int:
    folders = [Path(argument) for argument in arguments if argument != "--left-out"]
    print("\n".join(line_table()))
    for folder in folders:
        products = products_of(folder)
        models = left_out_models(folder, products) if "--left-out" in arguments else {}
        print(f"\n{folder.name}, {len(products)} products\n")
        print("\n".join(table(list(judged(folder, models)))))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
