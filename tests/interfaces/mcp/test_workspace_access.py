"""POST /mcp/admin: what each key can see and do, and how its calls are counted."""

from fastapi import FastAPI

from instep.accounts.workspaces import actions
from instep.platform.core.database import Tx
from instep.platform.identity.scopes import Scope
from tests.interfaces.mcp.tools import ADDS, CHANGES, PROPOSES, READS, listed
from tests.support.cast import Api, Cast, Client
from tests.support.changes import change, use_up
from tests.support.http import body_of, create_article, error, stranger
from tests.support.mcp import BOTH_ERAS, WORKSPACE, call, post, refused, use


@BOTH_ERAS
async def test_a_write_key_sees_all_tools_and_a_read_key_those_that_read(
    client: Client, reader: Client, wide: Client, era: str
) -> None:
    write = await listed(client, era)
    read_tools = await listed(reader, era)

    assert sorted(tool["name"] for tool in write) == sorted([*READS, *ADDS, *CHANGES])
    assert sorted(tool["name"] for tool in read_tools) == sorted(READS)
    assert write == await listed(wide, era)


@BOTH_ERAS
async def test_a_read_key_that_writes_is_told_which_scope_it_needs(reader: Client, era: str) -> None:
    for name in (*ADDS, *CHANGES):
        answer = await post(reader, WORKSPACE, "tools/call", {"name": name, "arguments": {}}, era)

        assert error(answer) == (403, "insufficient_scope")
        challenge = answer.headers["WWW-Authenticate"]
        needed = "content:propose" if name in PROPOSES else "content:write"
        assert f'error="insufficient_scope", scope="content:read {needed}"' in challenge


@BOTH_ERAS
async def test_a_key_that_may_propose_sees_and_calls_the_tools_that_propose(
    api: Api, cast: Cast, owner: Tx, era: str
) -> None:
    key = await actions.create_key(owner, cast.acme.workspace_id, "agent", Scope.PROPOSE, [cast.acme.bot_id])
    proposer = api(key.key)

    assert sorted(tool["name"] for tool in await listed(proposer, era)) == sorted([*READS, *PROPOSES])
    applied = await post(proposer, WORKSPACE, "tools/call", {"name": "apply_draft", "arguments": {}}, era)
    assert error(applied) == (403, "insufficient_scope")


@BOTH_ERAS
async def test_without_a_valid_key_nothing_is_told(app: FastAPI, api: Api, cast: Cast, era: str) -> None:
    for key in (None, "isk_wrong", cast.acme.bot_key):
        async with stranger(app, key) as client:
            for method in ("initialize", "tools/list", "server/discover", "prompts/list"):
                answer = await post(client, WORKSPACE, method, None, era)
                assert error(answer) == (401, "unauthorized")
                assert answer.headers["WWW-Authenticate"].startswith("Bearer")
                assert '"anonymous"' in answer.headers["RateLimit"]


async def test_a_revoked_key_is_refused_at_once(client: Client, cast: Cast, owner: Tx) -> None:
    await listed(client)

    await actions.revoke_key(owner, cast.acme.workspace_id, cast.acme.write_key_id)

    assert error(await post(client, WORKSPACE, "tools/list")) == (401, "unauthorized")


@BOTH_ERAS
async def test_requests_count_as_those_of_rest_do(reader: Client, era: str) -> None:
    await reader.get("/v1/articles")

    answer = await post(reader, WORKSPACE, "tools/list", None, era)
    spent = [await post(reader, WORKSPACE, "tools/list", None, era) for _ in range(119)][-1]

    assert answer.headers["RateLimit-Policy"] == '"api";q=120;w=60'
    assert answer.headers["RateLimit"].startswith('"api";r=118;t=')
    assert error(spent) == (429, "rate_limited")
    assert 1 <= int(spent.headers["Retry-After"]) <= 60


async def test_the_limit_of_tasks_is_told_beside_it(client: Client, cast: Cast, owner: Tx) -> None:
    body = {"name": "create_task", "arguments": change(diff=None)}

    first = await post(client, WORKSPACE, "tools/call", body)
    await use_up(owner, cast.acme.write_key_id, 30)
    last = refused(body_of(await post(client, WORKSPACE, "tools/call", body))["result"])

    assert first.headers["RateLimit-Policy"] == '"api";q=120;w=60, "tasks";q=30;w=3600'
    assert '"tasks";r=29;' in first.headers["RateLimit"]
    assert last["code"] == "rate_limited"
    assert 3_500 < last["retryAfter"] <= 3_600


@BOTH_ERAS
async def test_a_key_for_several_bots_names_one(wide: Client, cast: Cast, era: str) -> None:
    new = {"title": "Install", "contentMarkdown": "Run it."}

    unnamed = refused(await call(wide, WORKSPACE, "create_article", new, era))
    article = await use(wide, "create_article", new | {"botId": str(cast.second_bot_id)}, era)
    elsewhere = await call(
        wide, WORKSPACE, "get_article", {"id": article["id"], "botId": str(cast.acme.bot_id)}
    )
    foreign = await call(wide, WORKSPACE, "list_drafts", {"botId": str(cast.globex.bot_id)}, era)
    nonsense = await call(wide, WORKSPACE, "list_drafts", {"botId": 7}, era)

    assert unnamed["code"] == "bot_required"
    assert f"{cast.second_bot_id} (acme-second-" in unnamed["error"]
    assert str(cast.globex.bot_id) not in unnamed["error"]
    assert article["botId"] == str(cast.second_bot_id)
    assert refused(elsewhere)["code"] == "not_found"
    assert refused(foreign)["code"] == "insufficient_scope"
    assert refused(nonsense)["code"] == "invalid_request"


async def test_the_header_names_the_bot_too_but_no_other_than_the_arguments(wide: Client, cast: Cast) -> None:
    wide.headers["Service-Bot"] = str(cast.second_bot_id)

    article = await use(wide, "create_article", {"title": "Install", "contentMarkdown": "Run it."})
    other = await call(wide, WORKSPACE, "list_drafts", {"botId": str(cast.acme.bot_id)})

    assert article["botId"] == str(cast.second_bot_id)
    assert refused(other)["code"] == "invalid_request"


async def test_a_key_of_one_bot_reaches_no_other_companys_rows(
    client: Client, globex: Client, cast: Cast
) -> None:
    theirs = await create_article(globex, "Secret")

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

    answer = await call(client, WORKSPACE, "create_article", {"title": "A", "contentMarkdown": "b"}, era)

    assert refused(answer)["code"] == "plan_inactive"
    assert (await use(client, "list_drafts", era=era))["results"] == []
