"""Whether a model's text is grounded: its names, values and words are those of the change and the articles.

A planted text usually stands in one place. So a word counts when the article itself has it, or two places of
independent origin have it: title, description, code, comments, other articles.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from instep.core.name_matching import is_distinct, mention
from instep.llm.facts import CODE, CODE_TOKEN, COMMENT_IN_CODE, LIST_NUMBER, NAME, stated_facts
from instep.text.sentences import split_sentences
from instep.text.terms import stop_words
from instep.writer.diffs.change_set import ChangeSet, ReviewedFile
from instep.writer.relevance.article_features import article_features
from instep.writer.shapes import Article, Change
from instep.writer.words.change_terms import change_terms
from instep.writer.words.identifiers import parts_of

_STOP_WORDS = stop_words("grounding")
_COMMENT_LINE = re.compile(r"\s*(?:#|//|/\*|\*|--|<!--|;|\"\"\"|''')")
_TRAILING_COMMENT = re.compile(r"\s(?:#|//|--)\s.*$")
# Scripts without spaces between words.
_UNSEGMENTED = re.compile("[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
# One name, flag or assignment in code marks; longer inline code is checked word by word.
_INLINE_NAME = re.compile(r"(?<!`)(`++)[\w@$./:#={}\[\]()-]++\1")
# Shares of the terms of a sentence (0..1).
_MIN_GROUNDED_SHARE = 0.6
_MIN_REMAINING_SHARE = 0.3
_MIN_TERMS_TO_LOSE = 3
# A sentence with this many terms must also share a term with the change.
_MIN_TERMS_OF_LONG_SENTENCE = 5
# A sentence with this many words, and this share of them (0..1) from the title, repeats the title.
_MIN_WORDS_OF_TITLE, _MAX_SHARE_OF_TITLE = 4, 0.8
_MAX_LINE_CHARACTERS = 1_000


class Grounding:
    """The terms and spellings of a change and of all articles."""

    def __init__(self, change: Change, change_set: ChangeSet, articles: Sequence[Article]) -> None:
        self._change_set = change_set
        self._articles = articles
        self.code_terms = frozenset(_content_terms_of(_code_lines(change_set.files)))
        prose_terms = frozenset(_content_terms_of(_prose_lines(change_set.files)))
        title_terms = frozenset(content_terms(change.title))
        body_terms = frozenset(content_terms(change.body or ""))
        self._origins = (title_terms, body_terms, self.code_terms, prose_terms)
        self._title_words = frozenset(re.findall(r"\w+", change.title.casefold()))
        self._subject_terms = self.code_terms | title_terms

    @cached_property
    def new_text(self) -> str:
        """The lines that the change leaves in its files."""
        return "\n".join(
            line.text[:_MAX_LINE_CHARACTERS]
            for read_file in self._change_set.files
            for line in read_file.patch.lines()
            if line.mark != "-"
        )

    @cached_property
    def _document_frequency(self) -> Counter[str]:
        """How many articles have a term."""
        frequency: Counter[str] = Counter()
        for article in self._articles:
            frequency.update(article_features(article.title, article.text).text.keys())
        return frequency

    @cached_property
    def spellings(self) -> frozenset[tuple[str, ...]]:
        return frozenset(_spellings(self.new_text))

    def vocabulary_of(self, article: Article) -> "Vocabulary":
        return Vocabulary(self, article)

    def is_grounded(self, term: str, in_article: bool) -> bool:
        """Whether the edited article has a term, or two places of independent origin have it."""
        in_other_articles = self._document_frequency[term] > in_article
        return in_article or sum(term in origin for origin in self._origins) + in_other_articles >= 2

    @cached_property
    def _removed_terms(self) -> frozenset[str]:
        """Terms of removed code that no line of the change has any more."""
        removed = [
            line.text[:_MAX_LINE_CHARACTERS]
            for read_file in self._change_set.files
            for line in read_file.patch.lines()
            if line.mark == "-" and not _COMMENT_LINE.match(line.text)
        ]
        return frozenset(_content_terms_of(removed)) - frozenset(content_terms(self.new_text))

    def loses_content(self, old: str, new: str) -> bool:
        """Whether most of a text is removed, although the change removes nothing that it speaks of."""
        old_terms, new_terms = set(content_terms(old)), set(content_terms(new))
        if not old_terms.isdisjoint(self._removed_terms) or (
            new_terms and len(old_terms) < _MIN_TERMS_TO_LOSE
        ):
            return False
        return len(old_terms & new_terms) < _MIN_REMAINING_SHARE * len(old_terms)

    def repeats_title(self, sentence: str) -> bool:
        """Whether a sentence is the title of the change in other marks: that is written for colleagues."""
        words = re.findall(r"\w+", sentence.casefold())
        in_title = sum(word in self._title_words for word in words)
        return len(words) >= _MIN_WORDS_OF_TITLE and in_title >= _MAX_SHARE_OF_TITLE * len(words)

    def concerns(self, text: str) -> bool:
        """Whether a text shares a term with what the change touches."""
        return not self._subject_terms.isdisjoint(content_terms(text))


class Vocabulary:
    """What a model may write into one article."""

    def __init__(self, grounding: Grounding, article: Article) -> None:
        self._grounding = grounding
        self._text = f"{article.title}\n{article.text}"
        self._terms = frozenset(content_terms(self._text))
        self._spellings = frozenset(_spellings(self._text))
        self._facts = frozenset(stated_facts(article.text, is_code=False))

    def unknown_fact(self, edited: str) -> str | None:
        """A name or value of the edited article that neither the change nor the article has."""
        facts = dict.fromkeys(fact for fact in stated_facts(edited, is_code=False) if fact not in self._facts)
        return next((fact for fact in facts if not self._has(fact)), None)

    def _has(self, fact: str) -> bool:
        pattern = mention(fact)
        if pattern.search(self._text) or pattern.search(self._grounding.new_text):
            return True
        if fact.isalpha() and not is_distinct(fact):
            # An ordinary word in code may be capitalised at a sentence's start or have another ending.
            return all(
                term in self._terms or term in self._grounding.code_terms for term in content_terms(fact)
            )
        return self._has_spelling(tuple(parts_of(fact)))

    def _has_spelling(self, parts: tuple[str, ...]) -> bool:
        """Another spelling of a field: `--page-size` of `page_size`, `ACME_PAGE_SIZE` next to `ACME_URL`."""
        spellings = self._spellings | self._grounding.spellings
        if len(parts) < 2:
            return False
        prefixes = {spelling[0] for spelling in self._spellings}
        return parts in spellings or (len(parts) > 2 and parts[1:] in spellings and parts[0] in prefixes)

    def is_grounded(self, sentence: str) -> bool:
        """Whether most terms of a sentence are grounded. Names are left out: they are checked as facts."""
        terms = content_terms(NAME.sub(_without_name, _INLINE_NAME.sub(" ", sentence)))
        grounded = sum(self._grounding.is_grounded(term, term in self._terms) for term in terms)
        if grounded < _MIN_GROUNDED_SHARE * len(terms):
            return False
        return len(terms) < _MIN_TERMS_OF_LONG_SENTENCE or self._grounding.concerns(sentence)


def _without_name(match: re.Match[str]) -> str:
    return " " if is_distinct(match[0]) else match[0]


def content_terms(text: str) -> list[str]:
    """The distinct terms of a text without stop words and numbers."""
    terms = dict.fromkeys(term for word in change_terms(text) for term in _segmented(word))
    return [term for term in terms if term not in _STOP_WORDS and not term.isdigit()]


def _segmented(word: str) -> Iterable[str]:
    """The word, or the character bigrams of a word in a script without spaces."""
    if len(word) > 2 and _UNSEGMENTED.search(word):
        return [word[index : index + 2] for index in range(len(word) - 1)]
    return [word]


def sentences_of_prose(text: str) -> list[str]:
    """Sentences, table cells, list items and headings, without their Markdown marks."""
    lines = (
        re.sub(r"\s+", " ", sentence).strip(" \t#>*-+_")
        for sentence in split_sentences(
            LIST_NUMBER.sub("", text).replace("|", "\n"), ends=".!?;", at_line_breaks=True, before_any=True
        )
    )
    return [line for line in lines if re.search(r"\w", line)]


def sentences_of_markdown(text: str) -> list[str]:
    """The sentences of a text. Code counts with its comments only: its names and values are facts."""
    return sentences_of_prose(CODE.sub(lambda match: _comments_of(match[2]) if match[2] else match[0], text))


def _comments_of(code: str) -> str:
    return "\n".join(COMMENT_IN_CODE.findall(code))


def _spellings(text: str) -> Iterator[tuple[str, ...]]:
    for name in set(CODE_TOKEN.findall(text)):
        parts = tuple(parts_of(name))
        if parts:
            yield parts


def _content_terms_of(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        yield from content_terms(line)


def _code_lines(files: Iterable[ReviewedFile]) -> Iterator[str]:
    """Paths, and changed lines of code without comments."""
    for read_file in files:
        yield read_file.patch.path
        for line in read_file.patch.lines():
            if line.mark != " " and read_file.kind != "docs" and not _COMMENT_LINE.match(line.text):
                yield _TRAILING_COMMENT.sub("", line.text[:_MAX_LINE_CHARACTERS])


def _prose_lines(files: Iterable[ReviewedFile]) -> Iterator[str]:
    """Changed lines of documentation, and changed comments in code."""
    for read_file in files:
        for line in read_file.patch.lines():
            if line.mark == " ":
                continue
            text = line.text[:_MAX_LINE_CHARACTERS]
            if read_file.kind == "docs" or _COMMENT_LINE.match(text):
                yield text
            elif comment := _TRAILING_COMMENT.search(text):
                yield comment[0]
