"""An agent keeps a help center up to date over MCP alone: from a search to a changed live article."""

from fastapi import FastAPI

from instep.platform.core.database import Database
from tests.support import unanswered
from tests.support.cast import Cast, Client, Json, RunJobs
from tests.support.changes import DIFF, SETTINGS_AFTER, URL, publish, write_articles
from tests.support.mcp import BOTH_MODES, WORKSPACE, Mode, official


@BOTH_MODES
async def test_an_agent_changes_a_live_article_with_tools_alone(
    app: FastAPI,
    client: Client,
    visitor: Client,
    cast: Cast,
    database: Database,
    run_jobs: RunJobs,
    mode: Mode,
) -> None:
    await write_articles(client)
    await publish(client, "Install the agent", "Run `install`.\n\nWait for ten minutes.\n")
    await unanswered.ask(database, cast.acme)

    async with official(app, WORKSPACE, cast.acme.write_key, mode) as agent:

        async def use(tool: str, **arguments: object) -> Json:
            result = await agent.call_tool(tool, arguments)
            assert not result.is_error, result.content
            assert result.structured_content is not None
            structured: Json = result.structured_content
            return structured

        [hit] = (await use("search_articles", query="install the agent"))["results"]
        article = await use("get_article", id=hit["id"])
        assert (article["status"], article["has_more"]) == ("published", False)
        proposed = await use(
            "propose_edit",
            id=hit["id"],
            contentMarkdown=article["contentMarkdown"].replace("`install`", "`setup`"),
            reason="The command was renamed.",
            sourceUrl=URL,
        )
        assert [row["id"] for row in (await use("list_drafts"))["results"]] == [proposed["id"]]
        draft = await use("get_draft", id=proposed["id"])
        assert "-Run `install`.\n+Run `setup`.\n" in draft["diff"]
        assert (draft["conflict"], draft["sourceUrl"]) == (False, URL)
        await use("apply_draft", id=draft["id"])
        assert "`setup`" in (await use("get_article", id="install-the-agent"))["contentMarkdown"]

        change = {"kind": "pr", "title": "Rename ACME_TIMEOUT", "url": URL, "diff": DIFF}
        [stale] = (await use("check_articles", terms=["ACME_TIMEOUT"]))["results"]
        task = await use("create_task", change=change, idempotencyKey="once")
        assert (await use("create_task", change=change, idempotencyKey="once"))["id"] == task["id"]
        await run_jobs()
        completed_task = await use("get_task", id=task["id"])
        assert (completed_task["status"], completed_task["outcome"], completed_task["draftCount"]) == (
            "completed",
            "drafts",
            1,
        )
        [edit] = completed_task["drafts"]
        assert edit["articleId"] == stale["articleId"]
        await use("apply_draft", id=edit["id"])
        assert (await use("check_articles", terms=["ACME_TIMEOUT"]))["results"] == []

        [gap] = (await use("list_gaps"))["results"]
        assert gap["question"] == unanswered.RESET

    live = (await client.get(f"/v1/articles/{stale['articleId']}")).json()
    assert (live["status"], live["contentMarkdown"]) == ("published", SETTINGS_AFTER)
    page = await visitor.get(f"/help/{cast.acme.slug}/articles/settings")
    assert "ACME_REQUEST_TIMEOUT" in page.text
