"""Splitting questions and texts into words."""

import pytest

from instep.platform.core import limits
from instep.search.query.tokenizer import (
    MAX_QUERY_WORDS,
    MAX_WORD_CHARACTERS,
    contains_phrase,
    parse_query,
    tokenize,
)


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("invite  your\tteam", ["invite", "your", "team"]),
        ('find "past due" invoices', ["find", "past due", "invoices"]),
        ("--dry-run page_size /v1/articles", ["dry run", "page size", "v1 articles"]),
        ("What's new?", ["What s", "new"]),
        ('an "open quote', ["an", "open", "quote"]),
        ("again again", ["again"]),
        ("重置密码", ["重置", "置密", "密码"]),
        ("API设置", ["API", "设置"]),
        ("犬", ["犬"]),
        ("C# or C++?", ["C", "C#", "or", "C++"]),
        ("a #tag, i+++1, #", ["a", "tag", "i 1"]),
        # Korean letters that are not part of a syllable.
        ("\u1100\u1102\u1103", ["\u1100\u1102", "\u1102\u1103"]),
        ("\uff21\uff30\uff29", ["API"]),
        ("“curly” — dash…", ["curly", "dash"]),
        ("!!! ??? 🚀 --", []),
        ('"" " "', []),
    ],
)
def test_a_question_is_split_into_terms(text: str, terms: list[str]) -> None:
    assert list(parse_query(text)) == terms


def test_a_long_question_is_cut() -> None:
    for text in ("a b " * 300, "ab " * 300, "密码设置" * 200, "x-" * 300, "ﷺ" * limits.MAX_QUERY_CHARACTERS):
        assert len(" ".join(parse_query(text)).split()) <= MAX_QUERY_WORDS
    numbers = " ".join(map(str, range(200)))
    assert len(parse_query(numbers)) == MAX_QUERY_WORDS


def test_a_word_is_never_longer_than_postgresql_takes() -> None:
    [word] = parse_query("ﷲ" * limits.MAX_QUERY_CHARACTERS)

    assert len(word) == MAX_WORD_CHARACTERS
    assert len(word.encode()) <= 2_046


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("GET /v1/articles/{id}?page_size=5", ["get", "v1 articles id page size 5"]),
        ("**bold** `--flag`", ["bold", "flag"]),
        ("pageSize HTTPServer", ["page size", "pagesize", "http server", "httpserver"]),
        ("GitHub's `page_size`", ["git hub s", "github", "page size"]),
        ("设置API密码。", ["设", "置", "设置", "api", "密", "码", "密码"]),
        ("ﬁle\u00a0\uff21\uff22\uff23", ["file", "abc"]),
        ("e\u0301cole", ["école"]),
        ("C++, F#.", ["c", "c++", "f", "f#"]),
        ("ﷺ", ["صلى", "الله", "عليه", "وسلم"]),
        ("🚀 --", []),
    ],
)
def test_a_text_is_split_into_tokens(text: str, tokens: list[str]) -> None:
    assert [" ".join(words) for words in tokenize(text)] == tokens


@pytest.mark.parametrize(
    ("text", "phrase", "is_contained"),
    [
        ("It is Past-due.", "past due", True),
        ("past and due", "past due", False),
        ("repast due", "past due", False),
        ("重置密码", "置密", True),
    ],
)
def test_a_phrase_is_contained_word_by_word(text: str, phrase: str, is_contained: bool) -> None:
    assert contains_phrase(text, phrase) is is_contained
