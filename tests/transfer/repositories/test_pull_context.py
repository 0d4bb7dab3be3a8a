"""Linked issues, code around the hunks and the pull request's next version, as context for a model."""

import pytest

from instep.platform.core.database import Database, Tx
from instep.platform.identity.scopes import Role
from instep.transfer.repositories.host_people import name_host_member
from tests.support.articles import acting
from tests.support.cast import Api, Cast, Client, Json
from tests.support.changes import write_articles
from tests.support.ci_servers import Reply
from tests.support.code_host_doubles import HostDouble
from tests.support.connected_repositories import LOOPBACK, Connected, connected, tasks_of
from tests.support.github_double import TOKEN as GITHUB_TOKEN
from tests.support.github_double import github
from tests.support.limits import SetLimit, SetSetting
from tests.support.model_replies import CHOICE, ScriptedModel
from tests.support.sign_in import sign_up
from tests.support.wording import like

SETTINGS_CODE = "import os\n\nTIMEOUT = 30\nRETRIES = 3\n\n\ndef wait():\n    pass\n"


@pytest.fixture
def host(other_host: HostDouble) -> HostDouble:
    other_host.contents = {"src/settings.py": SETTINGS_CODE, "CHANGES.md": "## 2.4.0 (unreleased)\n"}
    other_host.issues = {4: "The name is misleading."}
    other_host.open(state="merged", text="Fixes #4.")
    return other_host


async def merged(
    api: Api, repository: Connected, host: HostDouble, model: ScriptedModel | None = None
) -> ScriptedModel:
    """The model after the merged pull request was delivered and read."""
    model = model or ScriptedModel(CHOICE, {"edits": []})
    delivery = host.delivery("merged", repository.secret)
    headers = {"Content-Type": "application/json", **delivery.headers}
    answer = await api(None).post(repository.hook_path, content=delivery.body, headers=headers)
    assert answer.status_code == 202, answer.text
    await repository.work(model)
    return model


async def context(owner: Tx, client: Client) -> Json | None:
    [task] = await tasks_of(client)
    stored: Json | None = await owner.value("select context from tasks where id = %(id)s", id=task["id"])
    return stored


async def test_the_model_gets_it(api: Api, client: Client, host: HostDouble, repository: Connected) -> None:
    await write_articles(client)
    model = await merged(api, repository, host)

    choice, question = (prompt.user for prompt in model.prompts)
    assert "Issue 4\n\nThe name is misleading." in choice
    for text in ("The name is misleading.", "def wait():", "2.4.0"):
        assert text in question
    assert (await repository.only_change()).message is None


async def test_without_a_model_nothing_is_asked_for(
    api: Api, client: Client, owner: Tx, host: HostDouble, repository: Connected
) -> None:
    delivery = host.delivery("merged", repository.secret)
    await api(None).post(repository.hook_path, content=delivery.body, headers=delivery.headers)
    await repository.work()

    assert await context(owner, client) is None
    assert not any("/issues/" in asked.line or "settings.py" in asked.line for asked in host.requests)


async def test_issue_that_the_token_cant_read_is_noted(
    api: Api, client: Client, owner: Tx, host: HostDouble, repository: Connected
) -> None:
    host.issues.clear()
    await merged(api, repository, host)

    change = await repository.only_change()
    assert (change.status, change.message) == ("sent", like("…Issue #4: …404…"))
    assert (await context(owner, client) or {}).keys() == {"code", "next_version"}


async def test_a_large_file_and_a_confidential_issue_are_left_out(
    api: Api, client: Client, owner: Tx, host: HostDouble, repository: Connected, set_limit: SetLimit
) -> None:
    set_limit("MAX_CONTEXT_FILE_BYTES", 50)
    host.issues[4] = "A secret."
    await merged(api, repository, host)

    sent = await context(owner, client) or {}
    assert "code" not in sent
    assert ("issues" in sent) is (host.kind != "gitlab")
    assert sent["next_version"] == "2.4.0"


async def test_a_slow_host_costs_no_task(
    api: Api, client: Client, owner: Tx, host: HostDouble, repository: Connected, set_limit: SetLimit
) -> None:
    set_limit("CHANGE_CONTEXT_SECONDS", 0)
    await merged(api, repository, host)

    assert await context(owner, client) is None
    assert (await repository.only_change()).message == like("Sent without all…")


async def test_github_gives_it_too_but_no_pull_request_as_an_issue(
    api: Api, client: Client, owner: Tx, database: Database, cast: Cast, set_setting: SetSetting
) -> None:
    set_setting(*LOOPBACK)
    with github() as double:
        async with connected(database, cast.acme, "github", double.url, GITHUB_TOKEN) as repository:
            home = f"{double.url}/acme/app/issues"
            double.open(body=f"Closes #4, after #5 and {home}/6")
            head = double.merge()["head"]["sha"]
            double.contents = {(head, "src/settings.py"): SETTINGS_CODE, (head, "VERSION"): "1.3.0\n"}
            rows: dict[int, Json] = {4: {}, 5: {"pull_request": {"url": "x"}}, 6: {"body": None}}
            for number, row in rows.items():
                issue = {"title": f"Issue {number}", "body": "Why.", "html_url": f"{home}/{number}"}
                double.issues[number] = issue | row
            double.release("v1.2.0")
            delivery = double.delivery("closed")
            headers = delivery.headers(repository.secret)
            await api(None).post(repository.hook_path, content=delivery.body, headers=headers)
            await repository.work(ScriptedModel(CHOICE, {"edits": []}))

    sent = await context(owner, client) or {}
    assert sent["issues"] == [{"title": "Issue 4", "body": "Why."}, {"title": "Issue 6", "body": ""}]
    assert sent["code"][0]["file"] == "src/settings.py"
    assert sent["next_version"] == "1.3.0"


async def test_a_rate_limit_of_the_host_costs_no_task(
    api: Api, host: HostDouble, repository: Connected, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(host, "issue", lambda number: Reply(429, {}))
    await merged(api, repository, host)

    change = await repository.only_change()
    assert (change.status, change.message) == ("sent", like("…limits requests."))


async def test_labels_and_the_author_of_the_last_commit_come_with_the_task(
    api: Api, owner: Tx, cast: Cast, host: HostDouble, repository: Connected
) -> None:
    editor = await sign_up(owner, cast.acme.workspace_id, Role.EDITOR)
    host.open(state="merged", email=editor.email, labels=("internal", "x" * 256))
    delivery = host.delivery("merged", repository.secret)
    await api(None).post(repository.hook_path, content=delivery.body, headers=delivery.headers)
    await repository.work()

    # Bitbucket has no labels.
    labels = [] if host.kind == "bitbucket" else ["internal"]
    assert (
        await owner.value("select labels from tasks where bot_id = %(bot)s", bot=cast.acme.bot_id) == labels
    )
    assert (
        await owner.value("select author_id from tasks where bot_id = %(bot)s", bot=cast.acme.bot_id)
        == editor.id
    )


async def test_a_member_who_is_named_at_the_host_is_the_author_whatever_the_commit_says(
    api: Api, owner: Tx, cast: Cast, database: Database, host: HostDouble, repository: Connected
) -> None:
    opener, other = [await sign_up(owner, cast.acme.workspace_id, Role.EDITOR) for _ in range(2)]
    async with acting(database, cast.acme) as ctx:
        await name_host_member(ctx, (await repository.stored()).id, "Ann", opener.id)
    host.open(state="merged", email=other.email)
    delivery = host.delivery("merged", repository.secret)
    await api(None).post(repository.hook_path, content=delivery.body, headers=delivery.headers)
    await repository.work()

    # Bitbucket is not matched by name because anyone can change theirs.
    expected = other.id if host.kind == "bitbucket" else opener.id
    assert (
        await owner.value("select author_id from tasks where bot_id = %(bot)s", bot=cast.acme.bot_id)
        == expected
    )
