"""A Vale folder: the rules that become part of the style, and the report of the others."""

from pathlib import Path

import pytest

from instep.content.style.schemas import Style
from instep.content.style.vale import read_vale
from instep.content.style.word_patterns import OpenPattern, expand_pattern
from instep.platform.core.errors import InvalidRequest
from tests.support.wording import like

FILES = {
    "Acme/Avoid.yml": "extends: existence\ntokens:\n  - simply\n  - pretty (?:much|well)\n  - '\\w+ly'\n",
    "Acme/Words.yml": "extends: substitution\nswap:\n  '[Ee]-?mails?': email|message\n"
    "  Github: GitHub\n  bots?: bot(s)\n",
    "Acme/Length.yml": "extends: occurrence\nscope: sentence\nmax: 30\ntoken: \\b(\\w+)\\b\n",
    "Acme/Headings.yml": "extends: capitalization\nscope: heading\nmatch: $sentence\nexceptions: [Azure]\n",
    "Acme/Passive.yml": "extends: existence\nraw:\n  - \\b(am|are)\\b\ntokens:\n  - done\n",
    "Acme/Marks.yml": "extends: existence\nnonword: true\ntokens:\n  - '!'\n",
    "Acme/Paragraphs.yml": "extends: occurrence\nscope: paragraph\nmax: 3\ntoken: x\n",
    "Acme/Script.yml": "extends: script\nscript: |\n  x\n",
    "Acme/Broken.yml": "- a\n",
    "config/vocabularies/Acme/accept.txt": "Instep\nlowercase\n",
    "config/vocabularies/Acme/reject.txt": "foobar\n",
    ".git/hidden.yml": "extends: existence\ntokens:\n  - hidden\n",
    "README.md": "Nothing to read.\n",
}
SKIPPED = [
    "Acme/Avoid.yml: …\\w+ly…",
    "Acme/Broken.yml: …",
    "Acme/Headings.yml: …1 exceptions…",
    "Acme/Marks.yml: …",
    "Acme/Paragraphs.yml: …sentence…",
    "Acme/Passive.yml: …raw…",
    "Acme/Script.yml: …script…",
    "Acme/Words.yml: …bot(s)…",
    "Acme/Words.yml: …first of…email|message…",
]


def test_supported_rules_are_added_and_the_others_reported(tmp_path: Path) -> None:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    own = Style.model_validate({"terms": [{"term": "instep", "meaning": "we"}], "headingCase": "title"})

    result = read_vale(tmp_path)
    style = result.added_to(own)

    assert style.avoid_words == ["simply", "pretty much", "pretty well", "foobar"]
    assert {term.term: term.never_say for term in style.terms} == {
        "instep": [],
        "email": ["E-mails", "E-mail", "Emails", "e-mails", "e-mail", "emails"],
        "GitHub": [],
    }
    assert (style.heading_case, style.max_sentence_words) == ("title", 30)
    assert sorted(result.skipped) == [like(sentence) for sentence in SKIPPED]


def test_a_folder_without_rules_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidRequest):
        read_vale(tmp_path)


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        ("un(?:check|select)", ["uncheck", "unselect"]),
        ("a\\.k\\.a|aka", ["a.k.a", "aka"]),
        ("back[-\\s]?up", ["back-up", "back up", "backup"]),
        ("\\bkey\\b", ["key"]),
    ],
)
def test_a_pattern_of_few_words_is_expanded(pattern: str, words: list[str]) -> None:
    assert expand_pattern(pattern) == words


@pytest.mark.parametrize(
    "pattern", ["a+", "a.c", "[a-z]", "[^a]", "(?!a)b", "\\w", "(a", "a)", "(a|b", "[a", "a?" * 20]
)
def test_other_patterns_are_refused(pattern: str) -> None:
    with pytest.raises(OpenPattern):
        expand_pattern(pattern)
