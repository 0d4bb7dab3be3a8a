"""POST /mcp/admin: long texts and long lists are split into pieces that an agent can afford."""

import json

from instep.platform.core import limits
from tests.interfaces.mcp.tools import LONG
from tests.support.cast import Client, Json
from tests.support.changes import publish
from tests.support.http import create_article
from tests.support.mcp import WORKSPACE, call, refused, use


async def test_a_long_text_comes_in_pieces_that_are_whole_lines_and_join_to_it(client: Client) -> None:
    article = await create_article(client, "Long", contentMarkdown=LONG)

    pieces: list[str] = []
    cursor: str | None = None
    while not pieces or cursor is not None:
        piece = await use(client, "get_article", {"id": article["id"], "cursor": cursor})
        assert len(json.dumps(piece)) < limits.MAX_TOOL_RESULT_BYTES
        assert piece["has_more"] is (piece["next_cursor"] is not None)
        pieces.append(piece["contentMarkdown"])
        cursor = piece["next_cursor"]

    assert len(pieces) > 3
    assert all(piece.endswith("\n") for piece in pieces)
    assert "".join(pieces) == LONG


async def test_pieces_of_different_texts_are_never_joined(client: Client) -> None:
    article = await create_article(client, "Long", contentMarkdown=LONG)
    first = await use(client, "get_article", {"id": article["id"]})

    await use(client, "update_article", {"id": article["id"], "contentMarkdown": LONG + "More.\n"})
    next_piece = await call(
        client, WORKSPACE, "get_article", {"id": article["id"], "cursor": first["next_cursor"]}
    )

    assert refused(next_piece)["code"] == "invalid_cursor"


async def test_a_text_without_lines_and_of_wide_signs_comes_whole_too(client: Client) -> None:
    text = "帮助" * 9_000 + "🔑"
    article = await create_article(client, "Wide", contentMarkdown=text)

    whole_text, cursor = "", None
    while not whole_text or cursor is not None:
        piece = await use(client, "get_article", {"id": article["id"], "cursor": cursor})
        whole_text, cursor = whole_text + piece["contentMarkdown"], piece["next_cursor"]

    assert whole_text == text


async def test_lists_of_long_rows_are_cut_where_they_fit_and_go_on_behind_it(client: Client) -> None:
    article = await publish(client, "Settings", "Text.\n")
    reasons = [f"{number} " + "because " * 240 for number in range(12)]
    for reason in reasons:
        body = {"id": article["id"], "contentMarkdown": f"{reason[:3]}\n", "reason": reason}
        await use(client, "propose_edit", body)

    rows: list[Json] = []
    cursor: str | None = None
    pages = 0
    while pages == 0 or cursor is not None:
        page = await use(client, "list_drafts", {"limit": 50, "cursor": cursor})
        assert len(json.dumps(page)) < limits.MAX_TOOL_RESULT_BYTES + 500
        rows += page["results"]
        cursor, pages = page["next_cursor"], pages + 1

    assert pages > 1
    assert [row["reason"] for row in rows] == reasons[::-1]


async def test_a_cursor_of_another_list_is_refused(client: Client) -> None:
    for number in range(3):
        await publish(client, f"Install {number}", "Install it.\n")
    page = await use(client, "search_articles", {"query": "install", "limit": 1})

    other = await call(
        client, WORKSPACE, "search_articles", {"query": "other", "cursor": page["next_cursor"]}
    )

    assert page["has_more"]
    assert refused(other)["code"] == "invalid_cursor"
