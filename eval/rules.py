"""Scores each rule for certain edits: `python -m eval.rules FOLDER [PRODUCT...]` prints a table.

Without products all are scored. An edit is right where people took out the lines that it takes out, and put
in its new lines, or lines that are near them and nearer than any line of the old article.
"""

import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from eval.docsync import products_of, scorer_of, task_of
from instep.text.patch_parser import parse_diff
from instep.writer import Article, Change
from instep.writer.articles.corpus import corpus_of
from instep.writer.diffs.change_set import reviewed_files
from instep.writer.editing.apply import add_example_edits, apply, find_edits
from instep.writer.editing.edits import Edit, EditsByArticle
from instep.writer.editing.example_edits import example_edits, in_likely_articles, likely_article_ids
from instep.writer.editing.likely import nearest_articles
from instep.writer.editing.removing import add_removals
from instep.writer.facts.additions import additions_of
from instep.writer.facts.collect import collect_facts
from instep.writer.facts.moved_files import find_moved_files
from instep.writer.facts.removals import find_removals
from instep.writer.facts.renames import Rename
from instep.writer.facts.variable_renames import variable_renames
from instep.writer.relevance.mentions import mentions_of
from instep.writer.relevance.need import need_probability
from instep.writer.relevance.ranking import rank
from instep.writer.relevance.selection import draft_candidates

_PROCESSES = 2
_NEAR = 0.6


@dataclass(frozen=True, slots=True)
class JudgedEdit:
    """One certain edit, with the lines that it takes out and puts in, and what people did there."""

    case: str
    product: str
    article: str
    is_positive: bool
    is_right_article: bool
    is_right: bool
    is_exact: bool
    rule: str
    fact: Any
    old: tuple[str, ...]
    new: tuple[str, ...]


def certain_edits(change: Change, articles: Sequence[Article]) -> EditsByArticle:
    """The certain edits alone, as `write` finds them."""
    diff = parse_diff(change.diff)
    change_set = reviewed_files(diff)
    corpus = corpus_of(tuple(articles))
    facts = collect_facts(change, change_set)
    certain = (
        *facts.certain,
        *variable_renames(facts.renames, change_set, corpus.articles),
        *find_moved_files(diff),
    )
    mentions = mentions_of(facts, corpus)
    ranking = rank(change, change_set, corpus.articles, additions_of(change_set), mentions.count)
    need = need_probability(change, change_set, ranking)
    candidates = draft_candidates(nearest_articles(ranking, corpus), mentions, need, corpus)
    edits = find_edits(certain, corpus, likely_article_ids(candidates))
    examples = in_likely_articles(example_edits(change_set, corpus), candidates)
    add_example_edits(edits, examples, corpus)
    add_removals(edits, find_removals(change_set, facts, corpus, change.title), corpus)
    return edits


def judge(scorer: Any, product: str, case: Any, edits: EditsByArticle) -> Iterator[JudgedEdit]:
    for article, article_edits in edits.items():
        after = case.gold["modified"].get(article) if case.positive else None
        before = case.articles[article].text
        for edit in article_edits:
            old, new = _lines_around(edit, article_edits, before)
            is_exact, is_near = _compare(scorer, before, after, old, new) if after else (False, False)
            yield JudgedEdit(
                case.id,
                product,
                article,
                case.positive,
                after is not None,
                is_near,
                is_exact,
                _rule(edit),
                edit.fact,
                old,
                new,
            )


def _rule(edit: Edit) -> str:
    fact = edit.fact
    return f"Rename {fact.marking}" if isinstance(fact, Rename) else type(fact).__name__


def _lines_around(edit: Edit, edits: Sequence[Edit], text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The whole lines that an edit touches, before and after all edits of the article."""
    start = text.rfind("\n", 0, edit.start) + 1
    end = (
        edit.end if text[edit.end - 1 : edit.end] == "\n" and edit.end > start else text.find("\n", edit.end)
    )
    end = len(text) if end < 0 else end
    here = [other for other in edits if start <= other.start and other.end <= end]
    moved = [Edit(other.start - start, other.end - start, other.new, other.fact) for other in here]
    return _stripped(text[start:end]), _stripped(apply(moved, text[start:end]))


def _stripped(text: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in text.splitlines() if line.strip())


def _compare(
    scorer: Any, before: str, after: str, old: tuple[str, ...], new: tuple[str, ...]
) -> tuple[bool, bool]:
    """Whether the edit is what people did word for word, and whether it is near."""
    removed, added = _differences(before, after)
    lines_out, lines_in = Counter(old) - Counter(new), Counter(new) - Counter(old)
    if not all(line in removed for line in lines_out):
        return False, False
    is_exact = all(line in added for line in lines_in)
    return is_exact, is_exact or all(_is_near(scorer, line, before, added) for line in lines_in)


@lru_cache(maxsize=64)
def _differences(before: str, after: str) -> tuple[frozenset[str], frozenset[str]]:
    old, new = Counter(_stripped(before)), Counter(_stripped(after))
    return frozenset(old - new), frozenset(new - old)


def _is_near(scorer: Any, line: str, before: str, added: frozenset[str]) -> bool:
    nearest = max((_similarity(line, other) for other in added), default=0.0)
    if nearest < _NEAR:
        return False
    return nearest >= max((_similarity(line, other) for other in set(_stripped(before))), default=0.0)


def _similarity(left: str, right: str) -> float:
    """1 - Levenshtein distance in words / words of the longer one."""
    a, b = left.casefold().split(), right.casefold().split()
    longest = max(len(a), len(b), 1)
    if abs(len(a) - len(b)) > longest * (1 - _NEAR):
        return 0.0
    row = list(range(len(b) + 1))
    for i, word in enumerate(a, 1):
        previous, row[0] = row[0], i
        for j, other in enumerate(b, 1):
            previous, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, previous + (word != other))
    return 1 - row[-1] / longest


def _edits_of(task: tuple[str, Change, list[Article]]) -> EditsByArticle:
    _, change, articles = task
    return certain_edits(change, articles)


def judged_edits(folder: Path, products: Sequence[str]) -> Iterator[JudgedEdit]:
    scorer = scorer_of(folder)
    for product in products:
        cases = list(scorer.load(str(folder), products=[product]))
        with get_context("fork").Pool(_PROCESSES) as pool:
            for case, edits in zip(
                cases, pool.imap(_edits_of, map(task_of, cases), chunksize=4), strict=True
            ):
                yield from judge(scorer, product, case, edits)


def table(edits: Sequence[JudgedEdit]) -> Iterator[str]:
    """Per rule and product: edits, those in a right article, right and exact ones, changes and drafts."""
    groups: dict[tuple[str, str], list[JudgedEdit]] = defaultdict(list)
    for edit in edits:
        for product in (edit.product, "all"):
            groups[edit.rule, product].append(edit)
    yield (
        f"{'rule':<22}{'product':<15}{'edits':>6}{'article':>9}"
        f"{'right':>7}{'exact':>7}{'changes':>9}{'drafts':>8}"
    )
    for (rule, product), members in sorted(
        groups.items(), key=lambda pair: (pair[0][0], pair[0][1] != "all")
    ):
        yield (
            f"{rule:<22}{product:<15}{len(members):>6}{sum(x.is_right_article for x in members):>9}"
            f"{sum(x.is_right for x in members):>7}{sum(x.is_exact for x in members):>7}"
            f"{len({x.case for x in members}):>9}{len({(x.case, x.article) for x in members}):>8}"
        )


def main(arguments: list[str]) -> int:
    folder = Path(arguments[0]) if arguments else Path()
    products = arguments[1:] or products_of(folder)
    print("\n".join(table(list(judged_edits(folder, products)))))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
