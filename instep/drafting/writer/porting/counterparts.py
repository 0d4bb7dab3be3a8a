"""Finds the article that contains the text of a documentation file."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from heapq import nlargest

from instep.drafting.writer.articles.corpus import Corpus
from instep.drafting.writer.porting.article_lines import ArticleLines, article_lines, squeezed
from instep.drafting.writer.porting.locating import LocatedHunks, PlaceBudget, locate_hunks
from instep.drafting.writer.shapes import Article
from instep.platform.text.patch import FilePatch

_WORD = re.compile(r"[^\W_]+")
_SUFFIX = re.compile(r"\.\w+$")
_INDEX_NAMES = frozenset(("index", "readme", "page", "_index"))
_MAX_SCORED, _MAX_CANDIDATES = 100, 8
# If a file's lines are not distinctive, its name must resemble the title at least this much.
_SAME_NAME, _SIMILAR_NAME = 0.5, 0.3
_MAX_RARE_ARTICLES = 2
# The share of a file's distinctive lines that an article must have if it has only parts of the file's hunks.
_MIN_SHARE = 0.5
_MIN_TELLING_CHARACTERS = 3


@dataclass(frozen=True, slots=True)
class Counterpart:
    """An article with the text of a file, and the positions of the file's replacements in it."""

    article: Article
    lines: ArticleLines
    hunks: LocatedHunks


class LineIndex:
    """The articles with the old lines of some files, and the number of articles for each line."""

    def __init__(self, files: Iterable[FilePatch], corpus: Corpus) -> None:
        needed = frozenset(line for file in files for line in telling_lines(file))
        self._shared: dict[str, frozenset[str]] = {}
        self._articles = {article.id: article for article in corpus.articles}
        self._frequency: Counter[str] = Counter()
        for article in corpus.articles if needed else ():
            shared = needed.intersection(map(squeezed, article.text.split("\n")))
            if shared:
                self._shared[article.id] = shared
                self._frequency.update(shared)

    def nearest(self, file: FilePatch) -> list[Article]:
        """The articles that share most with the old side of a file; rare lines count more."""
        lines = telling_lines(file)
        scores = {
            article_id: sum(1 / self._frequency[line] for line in shared & lines)
            for article_id, shared in self._shared.items()
        }
        sharing_ids = [article_id for article_id, score in scores.items() if score > 0]
        if not sharing_ids:
            return [article for article in self._articles.values() if _has_name(file.path, article)]
        highest = nlargest(_MAX_SCORED, sharing_ids, key=lambda article_id: scores[article_id])
        return sorted(
            (self._articles[article_id] for article_id in highest),
            key=lambda article: (-scores[article.id], -name_similarity(file.path, article)),
        )[:_MAX_CANDIDATES]

    def has_rare_line(self, file: FilePatch, article: Article) -> bool:
        """True if an article has an old line of a file that hardly any other article has."""
        shared = telling_lines(file) & self._shared.get(article.id, frozenset())
        return any(self._frequency[line] <= _MAX_RARE_ARTICLES for line in shared)

    def share(self, file: FilePatch, article: Article) -> float:
        """The share (0 to 1) of the distinctive old lines of a file that an article has."""
        lines = telling_lines(file)
        return len(lines & self._shared.get(article.id, frozenset())) / max(1, len(lines))


def _has_name(path: str, article: Article) -> bool:
    return name_similarity(path, article) >= _SAME_NAME


def telling_lines(file: FilePatch) -> frozenset[str]:
    """The old lines of a file that are distinctive enough to identify an article."""
    lines = (squeezed(line.text) for line in file.lines() if line.mark != "+")
    return frozenset(line for line in lines if sum(map(str.isalnum, line)) >= _MIN_TELLING_CHARACTERS)


def counterpart_of(file: FilePatch, index: LineIndex, budget: PlaceBudget) -> Counterpart | None:
    """The article that has a file's hunks; None if there is none, or if several fit equally well."""
    candidates = []
    for article in index.nearest(file):
        lines = article_lines(article.text)
        hunks = locate_hunks(file.hunks, lines, budget)
        if hunks.count_whole() or index.share(file, article) >= _MIN_SHARE:
            candidates.append(Counterpart(article, lines, hunks))
    candidates = [each for each in candidates if _is_evident(each, file, index)]
    ranked = sorted(candidates, key=lambda each: _fit(each, file, index), reverse=True)
    if len(ranked) > 1 and _fit(ranked[0], file, index) == _fit(ranked[1], file, index):
        return None
    return ranked[0] if ranked else None


def _is_evident(counterpart: Counterpart, file: FilePatch, index: LineIndex) -> bool:
    """True if there is more evidence for the article than lines that many articles have."""
    return (
        index.has_rare_line(file, counterpart.article)
        or name_similarity(file.path, counterpart.article) >= _SIMILAR_NAME
        or counterpart.hunks.count_in_place() > 0
    )


def _fit(counterpart: Counterpart, file: FilePatch, index: LineIndex) -> tuple[float, ...]:
    hunks = counterpart.hunks
    return (
        # An article that says it already is the file's as much as one that could be made to say it.
        hunks.count_whole() + len(hunks.present) - sum(block.is_ambiguous for block in hunks.located),
        len(hunks.located) + len(hunks.present),
        round(name_similarity(file.path, counterpart.article), 1),
        index.share(file, counterpart.article),
        hunks.count_in_place(),
        name_similarity(file.path, counterpart.article),
    )


def name_similarity(path: str, article: Article) -> float:
    """The resemblance (0 to 1) of a file's name to an article's title, or to the name in its URL."""
    name = "".join(_words(name_of(path)))
    names = ("".join(_words(text)) for text in (article.title, article.url.rsplit("/", 1)[-1]))
    in_path = frozenset(_words(path))
    in_title = frozenset(_words(article.title))
    shared = len(in_path & in_title) / max(1, len(in_title))
    return (max(SequenceMatcher(None, name, other).ratio() for other in names) + shared) / 2


def name_of(path: str) -> str:
    """The name of a page: its file's without the extension, or its folder's for an index page."""
    parts = _SUFFIX.sub("", path).split("/")
    return parts[-2] if len(parts) > 1 and parts[-1].lower() in _INDEX_NAMES else parts[-1]


def _words(text: str) -> Sequence[str]:
    return [word.lower() for word in _WORD.findall(text)]


def best_by_article(
    counterparts: Mapping[str, Counterpart],
) -> dict[str, str]:
    """The path of the file with the best fit for each article, by the article's id."""
    best: dict[str, str] = {}
    for path, counterpart in counterparts.items():
        other = best.get(counterpart.article.id)
        if other is None or _count(counterpart) > _count(counterparts[other]):
            best[counterpart.article.id] = path
    return best


def _count(counterpart: Counterpart) -> tuple[int, int]:
    return counterpart.hunks.count_whole(), len(counterpart.hunks.located)
