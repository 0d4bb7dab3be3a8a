"""Visitors' text is shown in the channel and has no effect there."""

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from instep.notifications.alerts.messages import clean_message, message_for
from instep.notifications.alerts.schemas import Tool
from instep.platform.core import limits
from instep.platform.core.database import Database
from tests.notifications.alerts.chat import Chat, Nearby
from tests.support.alert_targets import ADDRESSES, add_target, send_due, tell
from tests.support.cast import Cast

TOOLS = list(ADDRESSES)
# Everything that one of the tools interprets, and characters that could hide it from a reader.
ALPHABET = st.sampled_from(
    [*"@<>![](){}|:*_~`#\\/&-.\n\r\t ae1é", "everyone", "here", "at", "http://e", "\u200b"]
)
HOSTILE = st.lists(ALPHABET, max_size=40).map("".join)
SIGNS_OF_MARKUP = re.compile(r"(?<!\\)(?:\\\\)*[*_~`|#]")


def texts(tool: Tool, title: str, *lines: str, url: str | None = None) -> str:
    """The texts in the tool's message, without its own names and URLs."""
    message: dict[str, Any] = clean_message(title, lines, url)
    return "\n".join(shown_texts(message_for(tool, **message)))


def shown_texts(value: Any) -> list[str]:
    """The displayed texts in a JSON value."""
    if isinstance(value, list):
        return [text for child in value for text in shown_texts(child)]
    if not isinstance(value, dict):
        return []
    own = [value[name] for name in ("title", "text", "content") if isinstance(value.get(name), str)]
    return [*own, *(text for child in value.values() for text in shown_texts(child))]


@given(title=HOSTILE, line=HOSTILE)
@pytest.mark.parametrize("tool", ["discord", "teams", "mattermost"])
def test_no_text_mentions_anybody_or_hides_where_a_link_leads(tool: Tool, title: str, line: str) -> None:
    message = texts(tool, title, line)

    assert not re.search(r"(?<![A-Za-z0-9])@(?!\u200b)", message)
    assert not re.search(r"@(everyone|here)", message)
    assert not re.search(r"\][(\[:]", message)
    assert "<" not in message


@given(line=HOSTILE.filter(lambda line: "http" not in line))
@pytest.mark.parametrize("tool", ["discord", "mattermost"])
def test_markup_is_shown_as_it_was_written(tool: Tool, line: str) -> None:
    assert not SIGNS_OF_MARKUP.search(texts(tool, "Title", line))


@pytest.mark.parametrize("tool", TOOLS)
def test_the_longest_message_fits(tool: Tool) -> None:
    message = texts(tool, "*" * 5_000, *["@_" * 2_000] * 50, url="https://help.test/" + "x" * 332)

    assert "https://help.test/" in message
    assert len(message) <= 2_000


@pytest.mark.parametrize(
    ("title", "line"),
    [
        ("  Two \r\n lines\t", "Two lines"),
        ("a\0b\x1b[31mc\ud800", "ab[31mc"),
        ("txt.\u202eexe.\u2066\u200b", "txt.exe."),
        ("नि\u200dन \U0001f600", "नि\u200dन \U0001f600"),
        ("x" * 200, "x" * 99 + "…"),
    ],
)
def test_a_title_is_one_line_of_what_can_be_seen(title: str, line: str) -> None:
    assert clean_message(title, [], None)["title"] == line


def test_lines_stay_apart_and_empty_ones_are_left_out() -> None:
    assert clean_message("T", ["one\nEmail: boss@example.com", "", " \0", "two"], None)["text"] == (
        "one Email: boss@example.com\ntwo"
    )
    assert len(clean_message("T", ["x" * 5_000], None)["text"] or "") == limits.MAX_ALERT_TEXT_CHARACTERS


def test_a_link_is_written_so_that_no_sign_of_it_ends_it() -> None:
    url = "https://help.test/a b(c)[d]<e>*é?x=1&y=%20#z"

    assert clean_message("T", [], url)["url"] == (
        "https://help.test/a%20b%28c%29%5Bd%5D%3Ce%3E%2A%C3%A9?x=1&y=%20#z"
    )
    assert clean_message("T", [], "https://help.test/" + "x" * 400)["url"] is None


HERE = "<!here> <@U1> @channel <http://evil.test|our page> [a](http://evil.test) 5 * 3 a_b"
INERT = (
    "\u2039!here\u203a \u2039@\u200bU1\u203a @\u200bchannel \u2039http://evil.test|our page\u203a "
    "[a]\u200b(http://evil.test) 5 * 3 a_b"
)
LITERAL = INERT.replace("5 * 3 a_b", r"5 \* 3 a\_b")


@pytest.mark.parametrize(
    ("tool", "expected_line"),
    [
        (
            "slack",
            "&lt;!here&gt; &lt;@U1&gt; @channel &lt;http://evil.test|our page&gt; [a](http://evil.test) "
            "5 * 3 a_b",
        ),
        ("discord", LITERAL),
        ("teams", INERT),
        ("mattermost", LITERAL),
    ],
)
async def test_markup_of_a_visitor_arrives_as_text_in_each_tool(
    database: Database, cast: Cast, chat: Chat, nearby: Nearby, tool: Tool, expected_line: str
) -> None:
    await add_target(database, cast.acme, ADDRESSES[tool])
    await tell(database, cast.acme, HERE, [HERE], None)

    assert await send_due(database, nearby) == 1

    [request] = chat.posted
    lines = "\n".join(shown_texts(request.json)).splitlines()
    assert lines == [expected_line, expected_line]
