"""The words of a question; and that PostgreSQL takes articles apart in the same way."""

import sys
import unicodedata

import pytest

from instep.core import limits
from instep.core.database import Tx
from instep.search.words import LONGEST_WORD, MARK, MOST_WORDS, SPACELESS_RUN, read_question


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
    assert list(read_question(text).terms) == terms


def test_an_endless_question_has_an_end() -> None:
    for text in ("a b " * 300, "ab " * 300, "密码设置" * 200, "x-" * 300, "ﷺ" * limits.SEARCH_LONGEST):
        assert len(read_question(text).words) <= MOST_WORDS
    many = " ".join(map(str, range(200)))
    assert len(read_question(many).words) == MOST_WORDS


def test_a_word_is_never_longer_than_postgresql_takes() -> None:
    [word] = read_question("ﷲ" * limits.SEARCH_LONGEST).words

    assert len(word) == LONGEST_WORD
    assert len(word.encode()) <= 2_046


async def test_postgresql_takes_every_character_for_the_same(owner: Tx) -> None:
    # What the normal form changes is compared by what it becomes; new characters PostgreSQL may know better.
    letters = [letter for letter in map(chr, range(1, sys.maxunicode + 1)) if is_settled(letter)]
    read = await owner.value(
        "select array_agg(search_words(letter) order by place) "
        "from unnest(%(letters)s::text[]) with ordinality as sent (letter, place)",
        letters=letters,
    )

    assert len(letters) > 100_000
    assert [letter for letter, words in zip(letters, read, strict=True) if words != spaced(letter)] == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("GET /v1/articles/{id}?page_size=5", "GET v1 articles id page size 5"),
        ("**bold** `--flag`", "bold flag"),
        ("设置API密码。", "设 设置 置 API 密 密码 码"),
        ("ﬁle\u00a0\uff21\uff22\uff23", "file ABC"),
        ("e\u0301cole", "école"),
        ("ﷺ", "صلى الله عليه وسلم"),
    ],
)
async def test_postgresql_takes_an_article_apart(owner: Tx, text: str, words: str) -> None:
    read = await owner.value("select search_words(%(text)s)", text=text)

    assert read.split() == words.split()


def is_settled(letter: str) -> bool:
    return (
        unicodedata.category(letter) not in ("Cn", "Cs") and unicodedata.normalize("NFKC", letter) == letter
    )


def spaced(letter: str) -> str:
    if MARK.fullmatch(letter):
        return " "
    return f" {letter} {letter} " if SPACELESS_RUN.fullmatch(letter) else letter
