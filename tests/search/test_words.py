"""The words of a question and of a text."""

import pytest

from instep.core import limits
from instep.search.query.tokens import MAX_QUERY_WORDS, MAX_WORD_CHARACTERS, holds, parse_query, tokenize


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
        ("\uff21\uff30\uff29", ["API"]),
        ("“curly” — dash…", ["curly", "dash"]),
        ("!!! ??? 🚀 --", []),
        ('"" " "', []),
    ],
)
def test_a_question_is_taken_apart(text: str, terms: list[str]) -> None:
    assert list(parse_query(text).terms) == terms


def test_an_endless_question_has_an_end() -> None:
    for text in ("a b " * 300, "ab " * 300, "密码设置" * 200, "x-" * 300, "ﷺ" * limits.MAX_QUERY_CHARACTERS):
        assert len(parse_query(text).words) <= MAX_QUERY_WORDS
    many = " ".join(map(str, range(200)))
    assert len(parse_query(many).words) == MAX_QUERY_WORDS


def test_a_word_is_never_longer_than_postgresql_takes() -> None:
    [word] = parse_query("ﷲ" * limits.MAX_QUERY_CHARACTERS).words

    assert len(word) == MAX_WORD_CHARACTERS
    assert len(word.encode()) <= 2_046


@pytest.mark.parametrize(
    ("text", "chunks"),
    [
        ("GET /v1/articles/{id}?page_size=5", ["get", "v1 articles id page size 5"]),
        ("**bold** `--flag`", ["bold", "flag"]),
        ("pageSize HTTPServer", ["page size", "http server"]),
        ("设置API密码。", ["设", "置", "设置", "api", "密", "码", "密码"]),
        ("ﬁle\u00a0\uff21\uff22\uff23", ["file", "abc"]),
        ("e\u0301cole", ["école"]),
        ("ﷺ", ["صلى", "الله", "عليه", "وسلم"]),
        ("🚀 --", []),
    ],
)
def test_a_text_is_taken_apart_with_what_belongs_together(text: str, chunks: list[str]) -> None:
    assert [" ".join(words) for words in tokenize(text)] == chunks


@pytest.mark.parametrize(
    ("text", "phrase", "is_held"),
    [
        ("It is Past-due.", "past due", True),
        ("past and due", "past due", False),
        ("repast due", "past due", False),
        ("重置密码", "置密", True),
    ],
)
def test_a_phrase_is_held_as_it_stands(text: str, phrase: str, is_held: bool) -> None:
    assert holds(text, phrase) is is_held
