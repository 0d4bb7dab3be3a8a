"""POST /mcp/admin: what it shows to whom, and what its tools do besides what REST does."""

import asyncio
import json
from typing import Any

import jsonschema
import pytest
from fastapi import FastAPI

from instep.core import limits
from instep.core.database import Database, Tx
from instep.mcp.servers import DOCS
from instep.mcp.servers import WORKSPACE as SERVER
from instep.workspaces import actions
from tests.cast import Api, Cast, Client, Json
from tests.insights import asked
from tests.mcp.speaking import (
    BOTH_ERAS,
    BOTH_MODES,
    LEGACY,
    MODERN,
    WORKSPACE,
    Mode,
    call,
    official,
    post,
    refused,
    use,
)
from tests.tasks.changes import change, publish
from tests.web.asking import body_of, create_article, refusal, stranger

READS = [
    *("search_articles", "get_article", "list_drafts", "get_draft", "list_changelog", "get_task"),
    *("list_gaps", "doc_health", "check_articles"),
]
ADDS = ["create_article", "propose_edit", "create_changelog_entry", "create_task"]
CHANGES = ["update_article", "publish_article", "apply_draft", "dismiss_draft"]
LONG = "".join(f"Line {number} of a long text, with some words in it.\n" for number in range(1_000))


async def listed(client: Client, era: str = MODERN) -> list[Json]:
    answer = await post(client, WORKSPACE, "tools/list", None, era)
    tools: list[Json] = body_of(answer)["result"]["tools"]
    return tools


@BOTH_ERAS
async def test_a_write_key_sees_all_tools_and_a_read_key_those_that_read(
    api: Api, cast: Cast, era: str
) -> None:
    write = await listed(api(cast.acme.write_key), era)
    read = await listed(api(cast.acme.read_key), era)

    assert sorted(tool["name"] for tool in write) == sorted([*READS, *ADDS, *CHANGES])
    assert sorted(tool["name"] for tool in read) == sorted(READS)
    assert write == await listed(api(cast.wide_key), era)


async def test_annotations_say_what_a_tool_may_do(api: Api, cast: Cast) -> None:
    hints = {tool["name"]: tool["annotations"] for tool in await listed(api(cast.acme.write_key))}

    for name, hint in hints.items():
        assert hint["readOnlyHint"] is (name in READS)
        assert hint["destructiveHint"] is (name in CHANGES)
        assert hint["idempotentHint"] is (name not in ADDS)
        assert hint["openWorldHint"] is False
        assert hint["title"]


def test_every_tool_describes_itself_in_valid_schemas_without_references() -> None:
    for tool in (*SERVER.tools.values(), *DOCS.tools.values()):
        for schema in (tool.shown.input_schema, tool.shown.output_schema):
            assert schema is not None
            jsonschema.Draft202012Validator.check_schema(schema)
            assert schema["type"] == "object"
            assert "$ref" not in json.dumps(schema)
        assert tool.shown.title
        assert (tool.shown.description or "").endswith(".")


def test_what_an_agent_reads_of_all_tools_is_affordable() -> None:
    read = [(tool.shown.description, tool.shown.input_schema) for tool in SERVER.tools.values()]

    assert len(json.dumps(read)) < limits.TOOL_ANSWER_BYTES


@BOTH_ERAS
async def test_a_read_key_that_writes_is_told_which_scope_it_needs(api: Api, cast: Cast, era: str) -> None:
    client = api(cast.acme.read_key)
    for name in (*ADDS, *CHANGES):
        answer = await post(client, WORKSPACE, "tools/call", {"name": name, "arguments": {}}, era)

        assert refusal(answer) == (403, "insufficient_scope")
        challenge = answer.headers["WWW-Authenticate"]
        assert challenge == 'Bearer error="insufficient_scope", scope="content:read content:write"'


@BOTH_ERAS
async def test_without_a_valid_key_nothing_is_told(app: FastAPI, api: Api, cast: Cast, era: str) -> None:
    for key in (None, "isk_wrong", cast.acme.bot_key):
        async with stranger(app, key) as client:
            for method in ("initialize", "tools/list", "server/discover", "prompts/list"):
                answer = await post(client, WORKSPACE, method, None, era)
                assert refusal(answer) == (401, "unauthorized")
                assert answer.headers["WWW-Authenticate"].startswith("Bearer")
                assert '"anonymous"' in answer.headers["RateLimit"]


async def test_a_revoked_key_is_refused_at_once(api: Api, cast: Cast, owner: Tx) -> None:
    client = api(cast.acme.write_key)
    await listed(client)

    await actions.revoke_key(owner, cast.acme.workspace_id, cast.acme.write_key_id)

    assert refusal(await post(client, WORKSPACE, "tools/list")) == (401, "unauthorized")


@BOTH_ERAS
async def test_requests_count_as_those_of_rest_do(api: Api, cast: Cast, era: str) -> None:
    client = api(cast.acme.read_key)
    await client.get("/v1/articles")

    answer = await post(client, WORKSPACE, "tools/list", None, era)
    spent = [await post(client, WORKSPACE, "tools/list", None, era) for _ in range(119)][-1]

    assert answer.headers["RateLimit-Policy"] == '"api";q=120;w=60'
    assert answer.headers["RateLimit"].startswith('"api";r=118;t=')
    assert refusal(spent) == (429, "rate_limited")
    assert 1 <= int(spent.headers["Retry-After"]) <= 60


async def test_the_limit_of_tasks_is_told_beside_it(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    sent = {"name": "create_task", "arguments": change(diff=None)}

    answers = [await post(client, WORKSPACE, "tools/call", sent) for _ in range(31)]

    assert answers[0].headers["RateLimit-Policy"] == '"api";q=120;w=60, "tasks";q=30;w=3600'
    assert '"tasks";r=29;' in answers[0].headers["RateLimit"]
    last = refused(body_of(answers[30])["result"])
    assert last["code"] == "rate_limited"
    assert 3_500 < last["retryAfter"] <= 3_600


@BOTH_ERAS
async def test_a_key_for_several_bots_names_one(api: Api, cast: Cast, era: str) -> None:
    client = api(cast.wide_key)
    new = {"title": "Install", "contentMarkdown": "Run it."}

    unnamed = refused(await call(client, WORKSPACE, "create_article", new, era))
    made = await use(client, "create_article", new | {"botId": str(cast.second_bot_id)}, era)
    elsewhere = await call(
        client, WORKSPACE, "get_article", {"id": made["id"], "botId": str(cast.acme.bot_id)}
    )
    foreign = await call(client, WORKSPACE, "list_drafts", {"botId": str(cast.globex.bot_id)}, era)
    nonsense = await call(client, WORKSPACE, "list_drafts", {"botId": 7}, era)

    assert unnamed["code"] == "bot_required"
    assert f"{cast.second_bot_id} (Acme second)" in unnamed["error"]
    assert str(cast.globex.bot_id) not in unnamed["error"]
    assert made["botId"] == str(cast.second_bot_id)
    assert refused(elsewhere)["code"] == "not_found"
    assert refused(foreign)["code"] == "insufficient_scope"
    assert refused(nonsense)["code"] == "invalid_request"


async def test_the_header_names_the_bot_too_but_no_other_than_the_arguments(api: Api, cast: Cast) -> None:
    client = api(cast.wide_key)
    client.headers["Service-Bot"] = str(cast.second_bot_id)

    made = await use(client, "create_article", {"title": "Install", "contentMarkdown": "Run it."})
    other = await call(client, WORKSPACE, "list_drafts", {"botId": str(cast.acme.bot_id)})

    assert made["botId"] == str(cast.second_bot_id)
    assert refused(other)["code"] == "invalid_request"


async def test_a_key_of_one_bot_reaches_no_other_companys_rows(api: Api, cast: Cast) -> None:
    theirs = await create_article(api(cast.globex.write_key), "Secret")
    client = api(cast.acme.write_key)

    for tool in ("get_article", "publish_article", "update_article"):
        assert refused(await call(client, WORKSPACE, tool, {"id": theirs["id"]}))["code"] == "not_found"
    checked = await call(client, WORKSPACE, "check_articles", {"articleIds": [theirs["id"]]})
    named = await call(client, WORKSPACE, "list_drafts", {"botId": str(cast.globex.bot_id)})

    assert refused(checked)["code"] == "invalid_request"
    assert refused(named)["code"] == "insufficient_scope"


@BOTH_ERAS
async def test_a_paused_workspace_reads_and_does_not_write(api: Api, cast: Cast, owner: Tx, era: str) -> None:
    client = api(cast.paused.write_key)
    await actions.pause_workspace(owner, cast.paused.workspace_id)

    written = await call(client, WORKSPACE, "create_article", {"title": "A", "contentMarkdown": "b"}, era)

    assert refused(written)["code"] == "plan_inactive"
    assert (await use(client, "list_drafts", era=era))["results"] == []


@pytest.mark.parametrize(
    ("tool", "arguments", "fields"),
    [
        ("get_article", {}, ["id"]),
        ("get_article", {"id": 7}, ["id"]),
        ("get_article", {"id": "x", "format": "html"}, ["format"]),
        ("create_article", {"title": " ", "status": "published"}, ["title", "contentMarkdown", "status"]),
        ("search_articles", {"query": "a", "limit": 51}, ["query", "limit"]),
        ("search_articles", {"query": "install", "limit": "ten"}, ["limit"]),
        ("list_drafts", {"type": "nothing"}, ["type"]),
        ("apply_draft", {"id": "edit_1", "onConflict": "pray"}, ["onConflict"]),
        ("create_task", {"change": {"kind": "pr"}}, ["change.title"]),
        ("check_articles", {"terms": []}, ["terms"]),
    ],
)
async def test_every_bad_argument_is_named_at_once(
    api: Api, cast: Cast, tool: str, arguments: Json, fields: list[str]
) -> None:
    refusal_ = refused(await call(api(cast.acme.write_key), WORKSPACE, tool, arguments))

    assert refusal_["code"] == "invalid_request"
    assert sorted(detail["field"] for detail in refusal_["details"]) == sorted(fields)


async def test_a_long_text_comes_in_pieces_that_are_whole_lines_and_join_to_it(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    made = await create_article(client, "Long", contentMarkdown=LONG)

    pieces: list[str] = []
    cursor: str | None = None
    while not pieces or cursor is not None:
        piece = await use(client, "get_article", {"id": made["id"], "cursor": cursor})
        assert len(json.dumps(piece)) < limits.TOOL_ANSWER_BYTES
        assert piece["has_more"] is (piece["next_cursor"] is not None)
        pieces.append(piece["contentMarkdown"])
        cursor = piece["next_cursor"]

    assert len(pieces) > 3
    assert all(piece.endswith("\n") for piece in pieces)
    assert "".join(pieces) == LONG


async def test_pieces_of_different_texts_are_never_joined(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    made = await create_article(client, "Long", contentMarkdown=LONG)
    first = await use(client, "get_article", {"id": made["id"]})

    await use(client, "update_article", {"id": made["id"], "contentMarkdown": LONG + "More.\n"})
    next_piece = await call(
        client, WORKSPACE, "get_article", {"id": made["id"], "cursor": first["next_cursor"]}
    )

    assert refused(next_piece)["code"] == "invalid_cursor"


async def test_a_text_without_lines_and_of_wide_signs_comes_whole_too(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    text = "帮助" * 9_000 + "🔑"
    made = await create_article(client, "Wide", contentMarkdown=text)

    got, cursor = "", None
    while not got or cursor is not None:
        piece = await use(client, "get_article", {"id": made["id"], "cursor": cursor})
        got, cursor = got + piece["contentMarkdown"], piece["next_cursor"]

    assert got == text


async def test_lists_of_long_rows_are_cut_where_they_fit_and_go_on_behind_it(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
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
        assert len(json.dumps(page)) < limits.TOOL_ANSWER_BYTES + 500
        rows += page["results"]
        cursor, pages = page["next_cursor"], pages + 1

    assert pages > 1
    assert [row["reason"] for row in rows] == reasons[::-1]


async def test_a_cursor_of_another_list_is_refused(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    for number in range(3):
        await publish(client, f"Install {number}", "Install it.\n")
    page = await use(client, "search_articles", {"query": "install", "limit": 1})

    other = await call(
        client, WORKSPACE, "search_articles", {"query": "other", "cursor": page["next_cursor"]}
    )

    assert page["has_more"]
    assert refused(other)["code"] == "invalid_cursor"


async def test_a_draft_gives_the_text_that_is_asked_for(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    article = await publish(client, "Settings", "One.\n\nTwo.\n")
    edit = {"id": article["id"], "contentMarkdown": "One.\n\nThree.\n"}
    draft = await use(client, "propose_edit", edit)
    texts = ("diff", "contentMarkdown", "mergedMarkdown")

    shown = {
        part: await use(client, "get_draft", {"id": draft["id"], "part": part})
        for part in ("diff", "text", "merged")
    }

    given = {part: [name for name in texts if told[name] is not None] for part, told in shown.items()}
    assert given == {"diff": ["diff"], "text": ["contentMarkdown"], "merged": []}
    assert "-Two.\n+Three.\n" in shown["diff"]["diff"]
    assert shown["text"]["contentMarkdown"] == edit["contentMarkdown"]


async def test_the_changelog_gives_texts_on_request(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    made = await use(client, "create_changelog_entry", {"title": "Exports", "contentMarkdown": LONG})

    [short] = (await use(client, "list_changelog"))["results"]
    [long] = (await use(client, "list_changelog", {"includeText": True, "status": "draft"}))["results"]

    assert (made["status"], short["id"]) == ("draft", made["id"])
    assert short["contentMarkdown"] is None
    assert short["excerpt"].startswith("Line 0 of a long text")
    assert len(short["excerpt"]) <= limits.TOOL_EXCERPT
    assert LONG.startswith(long["contentMarkdown"].removesuffix("…"))


async def test_health_tells_the_worst_problems_and_gaps_what_was_asked(
    api: Api, cast: Cast, database: Database
) -> None:
    client = api(cast.acme.write_key)
    links = "".join(f"[here](missing-{number})\n" for number in range(8))
    article = await publish(client, "Links", links)
    await asked.ask(database, cast.acme)

    [health] = (await use(client, "doc_health"))["results"]
    checked = await use(client, "check_articles", {"articleIds": [article["slug"]], "limit": 50})
    [gap] = (await use(client, "list_gaps", {"status": "open"}))["results"]

    assert health["problemCount"] == len(checked["results"]) > limits.TOOL_PROBLEMS
    assert [problem["code"] for problem in health["problems"]] == ["broken_link"] * limits.TOOL_PROBLEMS
    assert gap["question"] == asked.RESET


@BOTH_MODES
async def test_prompts_make_an_agent_propose(app: FastAPI, api: Api, cast: Cast, mode: Mode) -> None:
    async with official(app, WORKSPACE, cast.acme.read_key, mode) as agent:
        names = [prompt.name for prompt in (await agent.list_prompts()).prompts]
        given = {"diff": "-a\n+b\n", "url": "https://git.test/7"}
        document = await agent.get_prompt("document_my_change", given)
        review = await agent.get_prompt("review_docs", {"area": "billing"})

    assert names == ["document_my_change", "review_docs"]
    texts = [str(getattr(found.messages[0].content, "text", "")) for found in (document, review)]
    assert all(
        "do not publish, apply or update anything directly unless I ask you to" in text for text in texts
    )
    assert "-a\n+b\n" in texts[0]
    assert "https://git.test/7" in texts[0]
    assert "billing" in texts[1]


@BOTH_ERAS
@pytest.mark.parametrize(
    "sent",
    [
        {"name": "document_my_change", "arguments": {}},
        {"name": "document_my_change", "arguments": {"diff": "x", "secret": "y"}},
        {"name": "nothing"},
    ],
    ids=["without the diff", "with something else", "unknown"],
)
async def test_prompts_that_are_asked_for_wrongly_are_refused(
    api: Api, cast: Cast, sent: dict[str, Any], era: str
) -> None:
    answer = await post(api(cast.acme.read_key), WORKSPACE, "prompts/get", sent, era)

    assert body_of(answer)["error"]["code"] == -32602


async def test_an_older_client_shakes_hands_first(api: Api, cast: Cast) -> None:
    hello = {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}

    answer = await post(api(cast.acme.read_key), WORKSPACE, "initialize", hello, LEGACY)

    told = body_of(answer)["result"]
    assert told["protocolVersion"] == LEGACY
    assert told["capabilities"].keys() == {"prompts", "resources", "tools"}
    assert told["serverInfo"]["name"] == "instep-workspace"
    assert "propose_edit" in told["instructions"]
    assert "mcp-session-id" not in answer.headers


async def test_of_two_agents_that_apply_a_draft_at_once_one_does(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    article = await publish(client, "Settings", "One.\n")
    draft = await use(client, "propose_edit", {"id": article["id"], "contentMarkdown": "Two.\n"})
    agents = [api(cast.acme.write_key) for _ in range(6)]

    results = await asyncio.gather(
        *(call(agent, WORKSPACE, "apply_draft", {"id": draft["id"]}) for agent in agents)
    )

    assert sum(not result.get("isError") for result in results) == 1
    assert {refused(result)["code"] for result in results if result.get("isError")} == {"draft_not_pending"}
