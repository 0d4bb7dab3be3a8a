"""Whether what a model writes is said by the change and the articles: its names and values, and its words.

Whoever plants a text somewhere plants it in one place. So a word counts when the article itself holds it, or
two places of independent origin: title, description, code, comments, other articles.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from instep.core.identifiers import is_distinct, mention
from instep.writer.diffs.change_set import ChangeSet, ReviewedFile
from instep.writer.relevance.article_features import article_features
from instep.writer.shapes import Article, Change
from instep.writer.words.identifiers import parts_of
from instep.writer.words.terms import terms_of

_NOISE_WORDS = """
    about after all also an and any are as at be been before between both but by can choose click could
    default did do does each either else enter every example for from get had has have here how if in
    into is it its just like may more most must name new no not note now of off on once one only open or
    other our out over own pass per please press run same see select should so some such than that the
    their them then there these they this those through to too turn two type under until up us use used
    uses using value very via was we well were what when where which while who why will with within
    without would you your
"""
_NOISE = frozenset(_NOISE_WORDS.split())
# Words that code is written with, whatever it says.
_GRAMMAR_WORDS = """
    as async await class const def echo else env export for from function if import in let new none
    null return set true false var with
"""
_GRAMMAR = frozenset(_GRAMMAR_WORDS.split())
_COMMENT = re.compile(r"\s*(?:#|//|/\*|\*|--|<!--|;|\"\"\"|''')")
_TRAILING = re.compile(r"\s(?:#|//|--)\s.*$")
# Scripts without blanks between words.
_SPACELESS = re.compile("[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
_CODE = re.compile(r"(?ms)^[ \t]*+(`{3,}|~{3,})[^\n]*+\n(.*?)^[ \t]*\1|(?<!`)(`++)([^`\n]++)\3")
# In code marks one name, flag or assignment; more than that is looked at word by word.
_SPELLED = re.compile(r"(?<!`)(`++)[\w@$./:#={}\[\]()-]++\1")
_REMARK = re.compile(r"(?m)(?:^|\s)(?:#|//|--)\s.*$")
_ITEM = re.compile(r"(?m)^[ \t]*\d+[.)][ \t]")
_TARGET = re.compile(r"\]\([^()\s]*\)|\b[a-z][a-z0-9+.-]{1,20}://\S+")
_TOKEN = re.compile(r"--?[A-Za-z][\w-]*|[A-Za-z_][\w-]*\w|[A-Za-z_]|\d+(?:[.,]\d+)*")
_NAME = re.compile(r"--?[A-Za-z][\w-]*\w|(?<![@$/{}.:-])(?:[@$/{}.:-]*+\w)++")
_NUMBER = re.compile(r"(?<![\w.])\d+(?:[.,]\d+)*")
_PIECE = re.compile(r"(?<=[.!?;])\s+|\n|\|")
_FOUNDED = 0.6
_STAYS, _FEW = 0.3, 3
_LONG = 5
_LONGEST = 1_000


class Grounding:
    """What a change and the articles say."""

    def __init__(self, change: Change, scope: ChangeSet, articles: Sequence[Article]) -> None:
        self._change = change
        self._scope = scope
        self._articles = articles
        self.code = frozenset(_terms(_code_of(scope.files)))
        prose = frozenset(_terms(_prose_of(scope.files)))
        title, body = frozenset(content_terms(change.title)), frozenset(content_terms(change.body or ""))
        self._places = (title, body, self.code, prose)
        self.concern = self.code | title

    @cached_property
    def added(self) -> str:
        """The lines that the change leaves in its files."""
        return "\n".join(
            line.text[:_LONGEST]
            for scoped in self._scope.files
            for line in scoped.patch.lines()
            if line.mark != "-"
        )

    @cached_property
    def _holders(self) -> Counter[str]:
        held: Counter[str] = Counter()
        for article in self._articles:
            held.update(article_features(article.title, article.text).text.keys())
        return held

    @cached_property
    def spellings(self) -> frozenset[tuple[str, ...]]:
        return frozenset(_spellings(self.added))

    def said_by(self, article: Article) -> "Vocabulary":
        return Vocabulary(self, article)

    def is_said_twice(self, term: str, is_own: bool) -> bool:
        elsewhere = self._holders[term] > is_own
        return is_own or sum(term in place for place in self._places) + elsewhere >= 2

    @cached_property
    def gone(self) -> frozenset[str]:
        """Terms of removed code that no line of the change holds any more."""
        removed = [
            line.text[:_LONGEST]
            for scoped in self._scope.files
            for line in scoped.patch.lines()
            if line.mark == "-" and not _COMMENT.match(line.text)
        ]
        return frozenset(_terms(removed)) - frozenset(content_terms(self.added))

    def loses(self, old: str, new: str) -> bool:
        """Whether most of a text goes, though the change removes nothing that it speaks of."""
        terms, left = set(content_terms(old)), set(content_terms(new))
        if not terms.isdisjoint(self.gone) or (left and len(terms) < _FEW):
            return False
        return len(terms & left) < _STAYS * len(terms)

    def concerns(self, text: str) -> bool:
        """Whether it speaks of what the change touches."""
        return not self.concern.isdisjoint(content_terms(text))


class Vocabulary:
    """What may be said in one article."""

    def __init__(self, grounds: Grounding, article: Article) -> None:
        self._grounds = grounds
        self._text = f"{article.title}\n{article.text}"
        self._terms = frozenset(content_terms(self._text))
        self._spellings = frozenset(_spellings(self._text))

    def unknown_fact(self, text: str, is_code: bool) -> str | None:
        """A name or value that neither the change nor the article has."""
        return next((fact for fact in facts_of(text, is_code) if not self._knows(fact)), None)

    def _knows(self, fact: str) -> bool:
        pattern = mention(fact)
        if pattern.search(self._text) or pattern.search(self._grounds.added):
            return True
        if fact.isalpha() and not is_distinct(fact):
            # A word, as examples hold them; it may begin a sentence or end in another way.
            return all(term in self._terms or term in self._grounds.code for term in content_terms(fact))
        parts = tuple(parts_of(fact))
        spellings = self._spellings | self._grounds.spellings
        # A flag or variable of a field: `--page-size` of `page_size`, `ACME_PAGE_SIZE` beside `ACME_URL`.
        return len(parts) > 1 and (
            parts in spellings
            or (len(parts) > 2 and parts[1:] in spellings and parts[0] in {one[0] for one in self._spellings})
        )

    def is_founded(self, piece: str) -> bool:
        """Whether most of its words are grounded; the names among them are facts, and looked at as such."""
        terms = content_terms(_NAME.sub(_unnamed, _SPELLED.sub(" ", piece)))
        founded = sum(self._grounds.is_said_twice(term, term in self._terms) for term in terms)
        if founded < _FOUNDED * len(terms):
            return False
        return len(terms) < _LONG or self._grounds.concerns(piece)


def _unnamed(found: re.Match[str]) -> str:
    return " " if is_distinct(found[0]) else found[0]


def content_terms(text: str) -> list[str]:
    """The different terms of a text that tell something."""
    found = dict.fromkeys(term for word in terms_of(text) for term in _split(word))
    return [term for term in found if term not in _NOISE and not term.isdigit()]


def _split(word: str) -> Iterable[str]:
    if len(word) > 2 and _SPACELESS.search(word):
        return [word[at : at + 2] for at in range(len(word) - 1)]
    return [word]


def pieces(text: str) -> list[str]:
    """Sentences, cells, items and headings, without what sets them apart on the page."""
    found = (re.sub(r"\s+", " ", piece).strip(" \t#>*-+_") for piece in _PIECE.split(_ITEM.sub("", text)))
    return [piece for piece in found if re.search(r"\w", piece)]


def sentences(text: str, is_code: bool) -> list[str]:
    """The pieces of what is said in words: of code only its comments, its names and values are facts."""
    if is_code:
        return pieces(_remarks(text))
    return pieces(_CODE.sub(lambda found: _remarks(found[2]) if found[2] else found[0], text))


def _remarks(code: str) -> str:
    return "\n".join(_REMARK.findall(code))


def facts_of(text: str, is_code: bool) -> Iterator[str]:
    """Everything in code but its comments, and of prose the numbers and what is spelled like a name."""
    codes = [text] if is_code else [found[2] or found[4] or "" for found in _CODE.finditer(text)]
    for code in codes:
        yield from (token for token in _TOKEN.findall(_REMARK.sub("", code)) if token not in _GRAMMAR)
    if is_code:
        return
    # Where links lead is looked at apart.
    prose = _ITEM.sub("", _TARGET.sub(" ", _CODE.sub(" ", text)))
    yield from _NUMBER.findall(prose)
    yield from (name for name in _NAME.findall(prose) if is_distinct(name))


def is_fenced(text: str, place: int) -> bool:
    """Whether a place is inside of a fence of code; an indented line may be one of a list."""
    return any(
        found[2] is not None and found.start(2) <= place < found.end(2) for found in _CODE.finditer(text)
    )


def _spellings(text: str) -> Iterator[tuple[str, ...]]:
    for name in set(_TOKEN.findall(text)):
        parts = tuple(parts_of(name))
        if parts:
            yield parts


def _terms(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        yield from content_terms(line)


def _code_of(files: Iterable[ReviewedFile]) -> Iterator[str]:
    """Changed lines of code, without comments: what a reader of the diff sees work."""
    for scoped in files:
        yield scoped.patch.path
        for line in scoped.patch.lines():
            if line.mark != " " and scoped.kind != "docs" and not _COMMENT.match(line.text):
                yield _TRAILING.sub("", line.text[:_LONGEST])


def _prose_of(files: Iterable[ReviewedFile]) -> Iterator[str]:
    for scoped in files:
        for line in scoped.patch.lines():
            if line.mark == " ":
                continue
            text = line.text[:_LONGEST]
            if scoped.kind == "docs" or _COMMENT.match(text):
                yield text
            elif comment := _TRAILING.search(text):
                yield comment[0]
