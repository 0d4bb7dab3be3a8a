"""Names and URLs that a past change replaced, whichever file defines them."""

import pytest

from instep.drafting.writer import Article
from instep.drafting.writer.drift.judging import judge
from instep.drafting.writer.drift.past_changes import CodeToday, MovedFile, PastChange, TodaysLine
from instep.drafting.writer.drift.stated_names import stated_names

Lines = dict[str, list[tuple[str, str]]]
SHOP = {
    "lib/help.py": [('URL = "https://docs.acme.dev/setup"', 'URL = "https://help.acme.dev/setup"')],
    "app/index.html": [('<a href="https://docs.acme.dev/faq">', '<a href="https://help.acme.dev/faq">')],
}
SAMPLES = {
    f"{folder}/config.ts": [
        ("const db = env.ACME_URI", "const db = env.ACME_URL"),
        (f"open_{folder[:1]}(env.ACME_URI)", f"open_{folder[:1]}(env.ACME_URL)"),
    ]
    for folder in ("examples/blog", "templates/shop")
}


def change(lines: Lines) -> PastChange:
    """A commit that replaces lines, by file; the new lines still exist."""
    parts, standing = list[str](), list[TodaysLine]()
    for path, pairs in lines.items():
        for number, (old, new) in enumerate(pairs):
            at = 10 * number + 1
            parts.append(f"--- a/{path}\n+++ b/{path}\n@@ -{at},2 +{at},2 @@\n import acme\n-{old}\n+{new}\n")
            standing.append(TodaysLine(path, at + 1, path, at + 1))
    return PastChange("a" * 40, "Change it", "2026-11-03", "".join(parts), (), tuple(standing))


def drifts(text: str, lines: Lines, *gone: str) -> list[tuple[str, str, str]]:
    article = Article("art_1", "Set up", text)
    found = judge([article], [change(lines)], CodeToday(frozenset(gone), frozenset()))
    return [(drift.kind, drift.name, drift.edit.fact.new if drift.edit else "") for drift in found]


def test_an_address_follows_the_code_that_no_longer_has_it() -> None:
    text = "See <https://docs.acme.dev/faq#pay>, not https://old.docs.acme.dev, `sites/docs.acme.dev`, https://docs.acme.dev.uk."

    assert drifts(text, SHOP, "docs.acme.dev") == [("renamed", "docs.acme.dev", "help.acme.dev")]
    assert drifts(text, SHOP) == []


@pytest.mark.parametrize(
    ("old", "new", "is_moved"),
    [
        ("example-forge.dev/acme/shop-plugin", "example-forge.dev/acme/shop", True),
        ("example-forge.dev/acme/shop", "chat.dev/room", False),
        ("github.com/acme", "github.com/other", False),
        ("acme.dev/page#first", "acme.dev/page#second", False),
    ],
)
def test_one_line_moves_an_address_only_to_one_that_is_alike(old: str, new: str, is_moved: bool) -> None:
    lines = {"app/links.py": [(f"open('https://{old}')", f"open('https://{new}')")]}

    assert drifts(f"Get it from https://{old}", lines, old) == ([("renamed", old, new)] if is_moved else [])


def test_a_name_that_samples_replace_on_many_lines_is_renamed_in_articles() -> None:
    text = "```ts\nconnect(env.ACME_URI)\n```\n"

    assert drifts(text, SAMPLES, "ACME_URI") == [("renamed", "ACME_URI", "ACME_URL")]
    examples = {path.replace("templates", "examples"): lines for path, lines in SAMPLES.items()}
    assert drifts(text, examples, "ACME_URI") == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("golang:1.15-alpine3.1", "golang:1.21-alpine3.8"),
        ("django.core.errors", "acme.errors"),
        ("ACME_TIME_ZONE", "time_zone"),
    ],
)
def test_another_version_or_module_that_the_code_uses_renames_nothing(old: str, new: str) -> None:
    lines = {f"lib/{name}.py": [(f"{name}('{old}')", f"{name}('{new}')")] for name in ("a", "b", "c")}

    assert drifts(f"Use `{old}`.", lines, old) == []


def test_a_file_in_code_marks_follows_its_move() -> None:
    text = "Edit `app/mail/send.py`, but not `app/mail.py`. Earlier it was called `app/mail/send.py`."
    moved = MovedFile("app/mail/send.py", "lib/mail/send.py", change(SHOP))
    today = CodeToday(frozenset(), frozenset(), (moved,), "github.com/acme/app")

    [found] = judge([Article("1", "A", text)], [], today)

    assert (found.kind, found.start, found.edit and found.edit.new) == ("renamed", 6, "lib/mail/send.py")
    assert stated_names([Article("1", "A", text)], 9).paths == ("app/mail/send.py",)
