"""Authors' comments are removed from a text as its page omits them."""

import pytest

from instep.platform.core.markdown import render
from instep.platform.text.comments import without_comments
from instep.search.excerpts import plain_text
from tests.support.growth import grows_linearly

SECRET = "secret"
TEXTS = {
    "within a line": "a <!-- secret --> b",
    "over lines of a paragraph": "a <!-- secret\nsecret --> b",
    "a block": "a\n\n<!-- secret -->\n\nb",
    "directly below a line": "a\n<!-- secret -->\nb",
    "over blank lines and headings": "a\n\n<!--\nsecret\n\n# secret\n\n```\nsecret\n-->\n\nb",
    "with words behind": "<!-- secret --> b",
    "two in a line": "<!-- secret --> <!-- secret -->\nb",
    "the second goes on": "<!-- secret --> <!-- secret\n\nsecret --> b",
    "unclosed": "a\n\n<!-- secret\n\nsecret",
    "in an item": "- a\n  <!-- secret -->\n- b",
    "as an item": "- <!-- secret -->\n- b",
    "deep in a list": "- a\n  - a\n\n    <!-- secret -->\n\n    b",
    "in a quote": "> a\n> <!-- secret -->\n> b",
    "with a backtick": "a <!-- don`t: secret --> b ` c",
    "in HTML": "<div>\n    <!-- secret -->\n</div>\n\nb",
    "in a table": "| a |\n|---|\n| b <!-- secret --> |",
    "behind code": "```\na\n```\n<!-- secret -->\n\n    b\n\n<!-- secret -->",
    "behind a fence in a list": "- a\n\n  ```\n  b\n  ```\n  <!-- secret -->",
    "with carriage returns": "a\r\n\r\n<!-- secret\r\n\r\nsecret -->\r\nb",
    "behind a short one": "<!--> a\n\n<!-- secret -->",
    "behind an escaped backtick": "\\` <!-- secret --> `",
}
SHOWN = {
    "a span": "`<!-- shown -->`",
    "a longer span": "`` ` <!-- shown --> ``",
    "fenced": "```html\n<!-- shown -->\n```",
    "fenced in a list": "1. a\n\n   ```html\n   <!-- shown -->\n   ```",
    "fenced with tildes": "~~~\n```\n<!-- shown -->\n~~~",
    "indented": "a\n\n    <!-- shown -->\n\n    <!-- shown -->",
    "indented below a heading": "a\n\n\t<!-- shown -->",
    "escaped": "a \\<!-- shown --> b",
    "unclosed within a line": "a <!-- shown\n\nb",
    "no comment": "a --> shown <- b",
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_a_comment_is_taken_out_and_the_page_stays_the_same(text: str) -> None:
    assert SECRET not in without_comments(text)
    assert words(without_comments(text)) == words(text)


@pytest.mark.parametrize("text", SHOWN.values(), ids=SHOWN)
def test_visible_text_stays(text: str) -> None:
    assert without_comments(text) == text


def words(markdown: str) -> str:
    return "".join(plain_text(render(markdown)).split())


@pytest.mark.parametrize(
    "part",
    [
        "<!--",
        "<!--> <!--",
        "<!-- ",
        "`<!--",
        "- <!--\n",
        "``` <!--\n",
        "a <!-- --> `` ",
        "<!-->",
        "\n\n    <!--",
    ],
)
def test_a_hostile_text_takes_linear_time(part: str) -> None:
    assert grows_linearly(without_comments, lambda length: part * (length // len(part)), 400_000)
