"""Code of a change that articles show in their examples: what the change made of it belongs there too."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache

from instep.writer.articles.corpus import Corpus
from instep.writer.articles.headings import TextLine, lines_of
from instep.writer.diffs.change_set import ChangeSet, ReviewedFile
from instep.writer.diffs.files import LONG_LINE
from instep.writer.diffs.patch import Hunk, Line
from instep.writer.facts.changed_texts import Source
from instep.writer.shapes import Article
from instep.writer.words.prose import has_hidden

_WORD = re.compile(r"\w+")
_IMPORT = re.compile(r"\W*(?:import|from|export|use|using|require|#include|package)\b")
_FENCE = re.compile(r"`{3}|~{3}")
_SPELLING = re.compile(r"(?<![,;])[,;]++$|\s++")
_SHORTEST, _FEWEST_WORDS = 8, 2
_SHARED, _SHARED_OF_TEXT = 2, 1
_RAREST = 3
_LONGEST_HUNK = 400


@dataclass(frozen=True, slots=True)
class ExampleEdit:
    """Lines of an example that are lines of the code: as they were there, and as they are now."""

    old: str
    new: str
    start: int
    end: int
    sources: tuple[Source, ...]


@dataclass(slots=True)
class _LineReplacement:
    """Lines that give way to others; `at` is where they stand among the old lines of the hunk."""

    at: int
    removed: list[Line]
    added: list[Line]


def example_edits(change_set: ChangeSet, corpus: Corpus) -> Mapping[str, list[ExampleEdit]]:
    """By article. Tests and internals copy nothing that articles show; they only look alike."""
    articles = [article for article in corpus.articles if _FENCE.search(article.text)]
    held = Counter(line for article in articles for line in _code_of(article.text))
    found: dict[str, dict[tuple[int, int], ExampleEdit]] = {}
    for file in change_set.files:
        if file.kind not in {"test", "internal"}:
            for hunk in file.patch.hunks:
                if len(hunk.lines) <= _LONGEST_HUNK:
                    for article, copy in _in_hunk(hunk, file, articles, held):
                        found.setdefault(article.id, {}).setdefault((copy.start, copy.end), copy)
    return {article_id: list(copies.values()) for article_id, copies in found.items()}


def _in_hunk(
    hunk: Hunk, file: ReviewedFile, articles: Sequence[Article], held: "Counter[str]"
) -> Iterator[tuple[Article, ExampleEdit]]:
    old = [line for line in hunk.lines if line.mark != "+" and line.text.strip()]
    rare = {bare for line in old if _is_telling(bare := _bare(line.text)) and 0 < held[bare] <= _RAREST}
    enough = _SHARED_OF_TEXT if file.kind == "docs" else _SHARED
    if len(rare) < enough:
        return
    edits = list(_edits(hunk))
    for article in articles:
        if len(rare & _code_of(article.text)) >= enough:
            for block in _blocks(article.text):
                if len(rare.intersection(_bare(line.text) for line in block)) >= enough:
                    yield from ((article, copy) for copy in _copied(edits, old, block, file))


def _edits(hunk: Hunk) -> Iterator[_LineReplacement]:
    at, open_edit = 0, None
    for line in hunk.lines:
        if not line.text.strip():
            continue
        if line.mark == " ":
            if open_edit:
                yield open_edit
            open_edit = None
        else:
            open_edit = open_edit or _LineReplacement(at, [], [])
            (open_edit.removed if line.mark == "-" else open_edit.added).append(line)
        at += line.mark != "+"
    if open_edit:
        yield open_edit


def _copied(
    edits: Sequence[_LineReplacement],
    old: Sequence[Line],
    block: Sequence[TextLine],
    file: ReviewedFile,
) -> Iterator[ExampleEdit]:
    """The edits whose lines, or for new lines whose neighbours, stand in the block side by side.

    Lines that only go from the code may go on being true elsewhere.
    """
    before, here = [_bare(line.text) for line in old], [_bare(line.text) for line in block]
    known = {
        match.a + n: match.b + n
        for match in SequenceMatcher(None, before, here, autojunk=False).get_matching_blocks()
        for n in range(match.size)
    }
    for edit in edits:
        first, last = edit.at, edit.at + len(edit.removed)
        span = [known.get(at) for at in range(first, last)] or [known.get(first - 1), known.get(first)]
        places = [place for place in span if place is not None]
        is_clear = not edit.removed or any(_is_telling(_bare(line.text)) for line in edit.removed)
        if edit.added and is_clear and len(places) == len(span) and places[-1] - places[0] == len(span) - 1:
            copy = _copy(edit, old, block, places, file)
            if copy and _is_harmless(copy):
                yield copy


def _is_harmless(copy: ExampleEdit) -> bool:
    """In a fence markup does nothing; addresses, hidden characters and the end of the fence would."""
    is_linked = copy.new.count("://") > copy.old.count("://")
    return not is_linked and not _FENCE.search(copy.new) and not has_hidden(re.sub(r"[\n\t]", " ", copy.new))


def _copy(
    edit: _LineReplacement,
    old: Sequence[Line],
    block: Sequence[TextLine],
    places: Sequence[int],
    file: ReviewedFile,
) -> ExampleEdit | None:
    shown = [block[at] for at in places] if edit.removed else []
    beside, model = block[places[0]], old[edit.at if edit.removed else edit.at - 1]
    was = "".join(f"{line.text}\n" for line in shown)
    new = "".join(f"{_indented(line.text, model.text, beside.text)}\n" for line in edit.added)
    if _bare(was) == _bare(new):
        return None
    start = shown[0].start if shown else beside.end
    line = edit.added[0]
    source = Source(file.patch.path, line.new, line.text, file.weight)
    return ExampleEdit(was, new, start, shown[-1].end if shown else start, (source,))


def _indented(line: str, model: str, beside: str) -> str:
    """As deep in the example as the line is in the code, measured from a line that both have."""
    deeper = _depth(line) - _depth(model)
    margin = beside[: _depth(beside)]
    margin = margin + line[: max(0, deeper)] if deeper >= 0 else margin[:deeper]
    return margin + line.lstrip()


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())


def _bare(line: str) -> str:
    """Blanks, quotation marks and the signs at the end are matters of style."""
    return _SPELLING.sub(lambda found: " " if found[0].isspace() else "", line.strip()).replace("'", '"')


@lru_cache(maxsize=100_000)
def _is_telling(line: str) -> bool:
    return (
        _SHORTEST <= len(line) <= LONG_LINE
        and len(set(_WORD.findall(line))) >= _FEWEST_WORDS
        and not _IMPORT.match(line)
    )


@lru_cache(maxsize=2_048)
def _code_of(text: str) -> frozenset[str]:
    return frozenset(
        bare for block in _blocks(text) for line in block if _is_telling(bare := _bare(line.text))
    )


@lru_cache(maxsize=2_048)
def _blocks(text: str) -> tuple[tuple[TextLine, ...], ...]:
    """The lines between fences, without blank ones."""
    found, block = [], list[TextLine]()
    for line in lines_of(text):
        if line.in_code and not _FENCE.match(line.text.strip()):
            block += [line] if line.text.strip() else []
        elif block:
            found.append(tuple(block))
            block = []
    return (*found, tuple(block)) if block else tuple(found)
