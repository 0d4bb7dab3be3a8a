"""Properties that hold for every change and every article."""

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from instep.drafting.writer import Article, Change, parse_diff, write
from tests.drafting.writer.conftest import diff_of

word = st.sampled_from(
    [
        "page_size",
        "pageLimit",
        "--max-jobs",
        "APP_HOST",
        "20",
        "3.7",
        "`x`",
        "is",
        "default",
        "/v1/jobs",
        "Save",
        "=",
        "(",
        "'",
        '"',
        "\n",
        "**",
    ]
)
text = st.lists(word, max_size=25).map(" ".join)
path = st.sampled_from(["a.py", "cli.ts", "tests/test_a.py", "form.html", "x.lock", "locales/en.json"])


@settings(max_examples=150, deadline=None)
@given(path, text, text, text, text)
def test_write_never_raises_and_never_proposes_what_is_there(
    path: str, before: str, after: str, title: str, article: str
) -> None:
    diff = diff_of(path, before, after)
    change = Change(title, title, diff if before != after else "")
    articles = [Article("a", title, article), Article("b", "B", before)]
    report = write(change, articles)
    texts = {article.id: article.text for article in articles}
    assert all(proposal.text != texts[proposal.article_id or ""] for proposal in report.proposals)
    assert sorted(report.ranking) == ["a", "b"]
    assert 0 <= report.need <= 1


@settings(max_examples=150, deadline=None)
@given(text, text)
def test_an_edit_touches_nothing_but_the_name(left: str, right: str) -> None:
    article = f"{left} `old_name` {right}\n"
    diff = diff_of("a.py", "use(old_name)\n", "use(fresh_name)\n")
    for proposal in write(Change("x", None, diff), [Article("a", "A", article)]).proposals:
        assert re.sub(r"\bfresh_name\b", "old_name", proposal.text) == article


@given(text, text)
def test_a_diff_of_two_texts_is_read_back(before: str, after: str) -> None:
    if before != after:
        lines = [line for file in parse_diff(diff_of("a.py", before, after)).files for line in file.lines()]
        assert all(line.text in before.splitlines() for line in lines if line.mark == "-")
        assert all(line.text in after.splitlines() for line in lines if line.mark == "+")
