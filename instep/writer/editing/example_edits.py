"""Code that articles show in examples: where the change edits that code, the example is edited too."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache

from instep.core.name_matching import is_distinct
from instep.text.characters import has_hidden
from instep.text.file_kinds import LONG_LINE, WEIGHTS
from instep.text.patch import Hunk, Line
from instep.writer.articles.corpus import Corpus
from instep.writer.articles.parsed_article import TextLine, parse_article
from instep.writer.diffs.change_set import ChangeSet, ReviewedFile
from instep.writer.facts.changed_texts import SourceLine
from instep.writer.relevance.selection import DraftCandidate
from instep.writer.shapes import Article

_WORD = re.compile(r"\w+")
_IMPORT = re.compile(r"\W*(?:import|from|export|use|using|require|#include|package)\b")
_TYPE = re.compile(r"\b(?:class|enum|interface|struct|trait|type)\s+([A-Z]\w+)")
_FENCE = re.compile(r"`{3}|~{3}")
_SPELLING = re.compile(r"(?<![,;])[,;]++$|\s++")
_MIN_CHARACTERS, _MIN_WORDS = 8, 2
_MIN_SHARED_LINES, _MIN_SHARED_LINES_OF_DOCS = 2, 1
_MAX_LINE_COUNT = 3
_CONTEXT_LINES, _MIN_SHARED_CONTEXT, _MIN_TELLING_LINES = 3, 0.8, 2
_MAX_HUNK_LINES = 400
_MIN_ARTICLE_PROBABILITY = 0.3


@dataclass(frozen=True, slots=True)
class ExampleEdit:
    """Lines of an example that are lines of the code: `old` before the change, `new` after it."""

    old: str
    new: str
    start: int
    end: int
    sources: tuple[SourceLine, ...]


@dataclass(slots=True)
class _LineReplacement:
    """Lines that are replaced by others; `start` is their index among the old lines of the hunk."""

    start: int
    removed: list[Line]
    added: list[Line]


def example_edits(change_set: ChangeSet, corpus: Corpus) -> Mapping[str, list[ExampleEdit]]:
    """Edits by article id. Tests and internal files are left out: they only look like what articles show."""
    articles = [article for article in corpus.articles if _FENCE.search(article.text)]
    line_counts = Counter(line for article in articles for line in _code_of(article.text))
    edits: dict[str, dict[tuple[int, int], ExampleEdit]] = {}
    for file in change_set.files:
        if file.kind not in {"test", "internal"}:
            for hunk in file.patch.hunks:
                if len(hunk.lines) <= _MAX_HUNK_LINES:
                    for article, example in _in_hunk(hunk, file, articles, line_counts):
                        by_span = edits.setdefault(article.id, {})
                        by_span.setdefault((example.start, example.end), example)
    return {article_id: list(by_span.values()) for article_id, by_span in edits.items()}


def in_likely_articles(
    examples: Mapping[str, Sequence[ExampleEdit]], candidates: Sequence[DraftCandidate]
) -> Mapping[str, Sequence[ExampleEdit]]:
    """The edits without those by code in articles that the change hardly concerns.

    Such an article shows code that only looks alike, or as it once was; snippets of docs are what it shows.
    """
    likely_ids = likely_article_ids(candidates)
    likely_edits = {
        article_id: [edit for edit in edits if article_id in likely_ids or _is_of_snippet(edit)]
        for article_id, edits in examples.items()
    }
    return {article_id: edits for article_id, edits in likely_edits.items() if edits}


def likely_article_ids(candidates: Sequence[DraftCandidate]) -> set[str]:
    """The articles that the change concerns enough to take its texts for theirs."""
    return {each.article.id for each in candidates if each.probability >= _MIN_ARTICLE_PROBABILITY}


def _is_of_snippet(edit: ExampleEdit) -> bool:
    return any(source.weight >= WEIGHTS["docs"] for source in edit.sources)


def _in_hunk(
    hunk: Hunk, file: ReviewedFile, articles: Sequence[Article], line_counts: "Counter[str]"
) -> Iterator[tuple[Article, ExampleEdit]]:
    old = [line for line in hunk.lines if line.mark != "+" and line.text.strip()]
    rare = {
        plain
        for line in old
        if _is_telling(plain := _plain(line.text)) and 0 < line_counts[plain] <= _MAX_LINE_COUNT
    }
    min_shared = _MIN_SHARED_LINES_OF_DOCS if file.kind == "docs" else _MIN_SHARED_LINES
    definition = _definition_around(hunk)
    if len(rare) < min_shared and definition is None:
        return
    changes = list(_line_replacements(hunk))
    for article in articles:
        is_near = len(rare & _code_of(article.text)) >= min_shared
        for block in (
            _blocks(article.text) if is_near or (definition and definition.search(article.text)) else ()
        ):
            is_defined = definition is not None and any(definition.search(line.text) for line in block)
            is_shown = len(rare.intersection(_plain(line.text) for line in block)) >= min_shared
            if is_shown or is_defined:
                examples = _example_edits(changes, old, block, file, is_defined=is_defined)
                yield from ((article, example) for example in examples)


def _definition_around(hunk: Hunk) -> re.Pattern[str] | None:
    """How an article begins the type that all lines of a hunk are in, if it has a name of its own."""
    match = _TYPE.search(hunk.section)
    is_left = any(_TYPE.search(line.text) for line in hunk.lines if line.mark != " ")
    if match is None or is_left or not is_distinct(match[1]):
        return None
    return re.compile(rf"\b(?:class|enum|interface|struct|trait|type)\s+{match[1]}\b")


def _line_replacements(hunk: Hunk) -> Iterator[_LineReplacement]:
    at, change = 0, None
    for line in hunk.lines:
        if not line.text.strip():
            continue
        if line.mark == " ":
            if change:
                yield change
            change = None
        else:
            change = change or _LineReplacement(at, [], [])
            (change.removed if line.mark == "-" else change.added).append(line)
        at += line.mark != "+"
    if change:
        yield change


def _example_edits(
    changes: Sequence[_LineReplacement],
    old: Sequence[Line],
    block: Sequence[TextLine],
    file: ReviewedFile,
    *,
    is_defined: bool,
) -> Iterator[ExampleEdit]:
    """The edits whose lines, or for new lines whose neighbours, are adjacent in the block.

    Lines that are only removed from the code may still be true elsewhere. Where the block defines the type
    around them, `is_defined`, it needs no other lines of the hunk.
    """
    before, here = [_plain(line.text) for line in old], [_plain(line.text) for line in block]
    block_index = {
        match.a + n: match.b + n
        for match in SequenceMatcher(None, before, here, autojunk=False).get_matching_blocks()
        for n in range(match.size)
    }
    for change in changes:
        first, last = change.start, change.start + len(change.removed)
        indexes = range(first, last) if change.removed else range(first - 1, first + 1)
        places = [place for index in indexes if (place := block_index.get(index)) is not None]
        is_adjacent = len(places) == len(indexes) and places[-1] - places[0] == len(indexes) - 1
        is_clear = not change.removed or any(_is_telling(_plain(line.text)) for line in change.removed)
        is_same = is_defined or file.kind == "docs" or _is_same_code(first, last, before, block_index)
        if change.added and is_adjacent and is_clear and is_same:
            example = _example_edit(change, old, block, places, file)
            if example and _is_harmless(example):
                yield example


def _is_same_code(first: int, last: int, before: Sequence[str], block_index: Mapping[int, int]) -> bool:
    """Whether the block shows this very place: nearly all lines around the change, and telling ones."""
    around = range(max(0, first - _CONTEXT_LINES), min(len(before), last + _CONTEXT_LINES))
    shared = [index for index in around if index in block_index]
    is_whole = len(shared) >= _MIN_SHARED_CONTEXT * len(around)
    return is_whole and sum(_is_telling(before[index]) for index in shared) >= _MIN_TELLING_LINES


def _is_harmless(example: ExampleEdit) -> bool:
    """Markup inside a fence has no effect; addresses, hidden characters and the end of the fence have."""
    is_linked = example.new.count("://") > example.old.count("://")
    return (
        not is_linked
        and not _FENCE.search(example.new)
        and not has_hidden(re.sub(r"[\n\t]", " ", example.new))
    )


def _example_edit(
    change: _LineReplacement,
    old: Sequence[Line],
    block: Sequence[TextLine],
    places: Sequence[int],
    file: ReviewedFile,
) -> ExampleEdit | None:
    shown_lines = [block[at] for at in places] if change.removed else []
    neighbour, model = (
        block[places[0]],
        old[change.start if change.removed else change.start - 1],
    )
    old_text = "".join(f"{line.text}\n" for line in shown_lines)
    new_lines = [_indented(line.text, model.text, neighbour.text) for line in change.added]
    if shown_lines and not old[change.start + len(change.removed) - 1].text.rstrip().endswith(","):
        # The example goes on where the code ends.
        new_lines[-1] += "," if shown_lines[-1].text.rstrip().endswith(",") else ""
    new_text = "".join(f"{line}\n" for line in new_lines)
    if _plain(old_text) == _plain(new_text):
        return None
    start = shown_lines[0].start if shown_lines else neighbour.end
    line = change.added[0]
    source = SourceLine(file.patch.path, line.new, line.text, file.weight)
    return ExampleEdit(old_text, new_text, start, shown_lines[-1].end if shown_lines else start, (source,))


def _indented(line: str, model: str, neighbour: str) -> str:
    """The line with the indent that it has in the code, relative to a line that both have."""
    deeper = _depth(line) - _depth(model)
    margin = neighbour[: _depth(neighbour)]
    margin = margin + line[: max(0, deeper)] if deeper >= 0 else margin[:deeper]
    return margin + line.lstrip()


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())


def _plain(line: str) -> str:
    """The line without differences of style: white space, quotation marks and a comma at the end."""
    return _SPELLING.sub(lambda match: " " if match[0].isspace() else "", line.strip()).replace("'", '"')


@lru_cache(maxsize=100_000)
def _is_telling(line: str) -> bool:
    return (
        _MIN_CHARACTERS <= len(line) <= LONG_LINE
        and len(set(_WORD.findall(line))) >= _MIN_WORDS
        and not _IMPORT.match(line)
    )


@lru_cache(maxsize=2_048)
def _code_of(text: str) -> frozenset[str]:
    return frozenset(
        plain for block in _blocks(text) for line in block if _is_telling(plain := _plain(line.text))
    )


@lru_cache(maxsize=2_048)
def _blocks(text: str) -> tuple[tuple[TextLine, ...], ...]:
    """The lines between fences, without blank lines."""
    blocks, block = [], list[TextLine]()
    for line in parse_article(text).lines:
        if line.in_code and not _FENCE.match(line.text.strip()):
            block += [line] if line.text.strip() else []
        elif block:
            blocks.append(tuple(block))
            block = []
    return (*blocks, tuple(block)) if block else tuple(blocks)
