"""POST /mcp/admin: descriptions of its tools, and what they do beyond the REST API."""

import asyncio
import json

import jsonschema
import pytest

from instep.interfaces.mcp_servers.servers import DOCS
from instep.interfaces.mcp_servers.servers import WORKSPACE as SERVER
from instep.platform.core import limits
from instep.platform.core.database import Database
from tests.interfaces.mcp.tools import ADDS, CHANGES, LONG, READS, listed
from tests.support import unanswered
from tests.support.cast import Cast, Client, Json
from tests.support.changes import publish
from tests.support.http import ok
from tests.support.mcp import WORKSPACE, call, refused, use
from tests.support.uploads import show_in_article, upload

# Size of all tool names, arguments and descriptions, about 5,000 tokens, which a client reads once.
MAX_TOOLS_BYTES = 28_200


async def test_annotations_say_what_a_tool_may_do(client: Client) -> None:
    hints = {tool["name"]: tool["annotations"] for tool in await listed(client)}

    for name, hint in hints.items():
        assert hint["readOnlyHint"] is (name in READS)
        assert hint["destructiveHint"] is (name in CHANGES)
        assert hint["idempotentHint"] is (name not in ADDS)
        assert hint["openWorldHint"] is False
        assert hint["title"]


def test_every_tool_describes_itself_in_valid_schemas_without_references() -> None:
    for tool in (*SERVER.tools.values(), *DOCS.tools.values()):
        for schema in (tool.definition.input_schema, tool.definition.output_schema):
            assert schema is not None
            jsonschema.Draft202012Validator.check_schema(schema)
            assert schema["type"] == "object"
            assert "$ref" not in json.dumps(schema)
        assert tool.definition.title
        assert (tool.definition.description or "").endswith(".")


def test_descriptions_of_all_tools_stay_within_the_budget() -> None:
    descriptions = [
        (tool.definition.description, tool.definition.input_schema) for tool in SERVER.tools.values()
    ]

    assert len(json.dumps(descriptions)) < MAX_TOOLS_BYTES


async def test_a_tool_accepts_every_field_of_its_operation(client: Client, visitor: Client) -> None:
    document = ok(await visitor.get("/v1/openapi.json"))
    operations = {
        operation["operationId"]: operation
        for item in document["paths"].values()
        for operation in item.values()
    }
    tools = {tool["name"]: tool for tool in await listed(client)}

    missing = {
        name: fields_of(operations[name], document)
        - {camel(argument) for argument in tools[name]["inputSchema"]["properties"]}
        for name in tools.keys() & operations.keys()
    }

    assert len(missing) > 25
    assert {name: fields for name, fields in missing.items() if fields} == {}


def fields_of(operation: Json, document: Json) -> set[str]:
    """Parameters and body fields, except those that tools rename consistently or do not need."""
    shared = {"bot_id", "page_size", "start_cursor", "format", "q"}
    names = {each["name"] for each in operation["parameters"] if each["in"] != "header"} - shared
    [body] = operation.get("requestBody", {"content": {"": {}}})["content"].values()
    shape = body.get("schema", {}).get("$ref", "").rpartition("/")[2]
    fields = document["components"]["schemas"][shape]["properties"] if shape else {}
    return {camel(name) for name in {*names, *fields}}


def camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(map(str.title, rest))


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
    client: Client, tool: str, arguments: Json, fields: list[str]
) -> None:
    refusal_ = refused(await call(client, WORKSPACE, tool, arguments))

    assert refusal_["code"] == "invalid_request"
    assert sorted(detail["field"] for detail in refusal_["details"]) == sorted(fields)


async def test_a_draft_gives_the_text_that_is_asked_for(client: Client) -> None:
    article = await publish(client, "Settings", "One.\n\nTwo.\n")
    edit = {"id": article["id"], "contentMarkdown": "One.\n\nThree.\n"}
    draft = await use(client, "propose_edit", edit)
    texts = ("diff", "contentMarkdown", "mergedMarkdown")

    parts = {
        part: await use(client, "get_draft", {"id": draft["id"], "part": part})
        for part in ("diff", "text", "merged")
    }

    present_texts = {
        part: [name for name in texts if texts_of_part[name] is not None]
        for part, texts_of_part in parts.items()
    }
    assert present_texts == {"diff": ["diff"], "text": ["contentMarkdown"], "merged": []}
    assert "-Two.\n+Three.\n" in parts["diff"]["diff"]
    assert parts["text"]["contentMarkdown"] == edit["contentMarkdown"]


async def test_the_changelog_gives_texts_on_request(client: Client) -> None:
    entry = await use(client, "create_changelog_entry", {"title": "Exports", "contentMarkdown": LONG})

    [short] = (await use(client, "list_changelog"))["results"]
    [long] = (await use(client, "list_changelog", {"includeText": True, "status": "draft"}))["results"]

    assert (entry["status"], short["id"]) == ("draft", entry["id"])
    assert short["contentMarkdown"] is None
    assert short["excerpt"].startswith("Line 0 of a long text")
    assert len(short["excerpt"]) <= limits.TOOL_EXCERPT_CHARACTERS
    assert LONG.startswith(long["contentMarkdown"].removesuffix("…"))


async def test_health_tells_the_worst_problems_and_gaps_what_was_asked(
    client: Client, cast: Cast, database: Database
) -> None:
    links = "".join(f"[here](missing-{number})\n" for number in range(8))
    article = await publish(client, "Links", links)
    await unanswered.ask(database, cast.acme)

    [health] = (await use(client, "doc_health"))["results"]
    checked = await use(client, "check_articles", {"articleIds": [article["slug"]], "limit": 50})
    [gap] = (await use(client, "list_gaps", {"status": "open"}))["results"]

    assert health["problemCount"] == len(checked["results"]) > limits.MAX_TOOL_PROBLEMS
    assert [problem["code"] for problem in health["problems"]] == ["broken_link"] * limits.MAX_TOOL_PROBLEMS
    assert gap["question"] == unanswered.RESET


async def test_an_agent_finds_images_and_deletes_those_that_nothing_shows(client: Client) -> None:
    shown, spare = await upload(client), await upload(client, b"Hello.", "notes.txt")
    await show_in_article(client, shown)

    listed_files = await use(client, "list_files")
    assert listed_files["results"] == [spare, shown]
    assert await use(client, "get_file", {"id": shown["id"]}) == shown
    refusal = refused(await call(client, WORKSPACE, "delete_file", {"id": shown["id"]}))
    assert refusal["code"] == "file_in_use"
    deleted = await use(client, "delete_file", {"id": spare["id"]})
    assert deleted == {"id": spare["id"], "deleted": True}


async def test_one_of_two_agents_that_apply_a_draft_at_once_succeeds(client: Client) -> None:
    article = await publish(client, "Settings", "One.\n")
    draft = await use(client, "propose_edit", {"id": article["id"], "contentMarkdown": "Two.\n"})

    results = await asyncio.gather(
        *(call(client, WORKSPACE, "apply_draft", {"id": draft["id"]}) for _ in range(6))
    )

    assert sum(not result.get("isError") for result in results) == 1
    assert {refused(result)["code"] for result in results if result.get("isError")} == {"draft_not_pending"}
