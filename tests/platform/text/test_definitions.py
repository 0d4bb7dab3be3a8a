"""Definitions that no link uses are removed from a text, as its page shows none."""

import pytest

from instep.platform.core.markdown import render
from instep.platform.text.definitions import without_unused_definitions
from instep.search.excerpts import plain_text
from tests.support.growth import grows_linearly

SECRET = "secret"
HIDDEN = {
    "a comment": "a\n\n[//]: # (secret)\n\nb",
    "in quotes": "a\n\n[//]: # \"secret\"\n[//]: # 'secret'\n\nb",
    "with a label": "[internal]: <> (secret)\nb",
    "in the label": "[secret]: # (x)\n\nb",
    "in the address": "[a]: https://secret.example/secret\n\nb",
    "with escapes": "[//]: # (secret \\) secret)\nb",
    "without an address on its line": "[a]:\n  /x\n  (secret)\n\nb",
    "over lines": "[//]: # (secret\nsecret)\nb",
    "several": "[//]: # (secret)\n[//]: # (secret)\n[//]: # (secret)",
    "below a heading": "# A\n[//]: # (secret)\nb",
    "indented": "   [//]: # (secret)\n\nb",
    "in an item": "- [//]: # (secret)\n- b",
    "below an item": "- a\n\n  [//]: # (secret)\n\n  b",
    "in a quote": "> [//]: # (secret\n> secret)\n> b",
    "a second one of a label": "[a][b]\n\n[b]: /x\n[b]: /secret 'secret'",
    "with carriage returns": "a\r\n\r\n[//]: # (secret)\r\n\r\nb",
    "with a label in code": "`[//]`\n\n[//]: # (secret)",
}
SHOWN = {
    "a link": "[a][b] and [b]\n\n[b]: https://acme.test/x 'Title'\n",
    "a picture": "![a][b]\n\n[b]: <a b.png>\n",
    "another case": "[Straße]\n\n[STRASSE]: /x\n",
    "a span": "`[//]: # (shown)`",
    "fenced": "```md\n[//]: # (shown)\n```",
    "fenced in a list": "1. a\n\n   ```md\n   [//]: # (shown)\n   ```",
    "indented code": "a\n\n    [//]: # (shown)",
    "within a paragraph": "a\n[//]: # (shown)",
    "words behind": "[Note]: this is shown.",
    "a heading": "[Note]:\n---\n",
    "a cell": "| a |\n|---|\n[//]: # (shown)",
    "escaped": "\\[//]: # (shown)",
    "a footnote": "a[^1]\n\n[^1]: shown\n",
    "in HTML": "<div>\n[//]: # (shown)\n</div>",
}


@pytest.mark.parametrize("text", HIDDEN.values(), ids=HIDDEN)
def test_unused_definitions_are_removed_and_the_page_stays_the_same(text: str) -> None:
    assert SECRET not in without_unused_definitions(text)
    assert words(without_unused_definitions(text)) == words(text)


@pytest.mark.parametrize("text", SHOWN.values(), ids=SHOWN)
def test_definitions_that_the_page_shows_stay(text: str) -> None:
    assert without_unused_definitions(text) == text


def words(markdown: str) -> str:
    return "".join(plain_text(render(markdown)).split())


@pytest.mark.parametrize(
    "part",
    ["[a]: b\n", "[a]: b 'x\n", '[a]: b "x\n[a]: b (', "[a]:\n", "[", "[a]: <", "[a]: b\n\n", "\\[a]:"],
)
def test_a_hostile_text_takes_linear_time(part: str) -> None:
    assert grows_linearly(without_unused_definitions, lambda length: part * (length // len(part)), 200_000)
