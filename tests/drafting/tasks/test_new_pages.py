"""Documentation pages that a change adds: each becomes one draft of an article, however often it is sent."""

from tests.support.cast import Api, Cast, Client, Json, RunJobs
from tests.support.changes import get, send, write_articles

LINES = "+Staff sign in with the accounts they have.\n" * 3


def page(title: str, last_line: str = "Ask an owner.") -> str:
    return f"""\
diff --git a/docs/sso.md b/docs/sso.md
new file mode 100644
--- /dev/null
+++ b/docs/sso.md
@@ -0,0 +1,6 @@
+# {title}
+
{LINES}+{last_line}
"""


async def push(client: Client, run_jobs: RunJobs, diff: str) -> Json:
    """The completed task of one push of a pull request."""
    task = await send(client, title="Add single sign-on", diff=diff)
    await run_jobs()
    return await get(client, f"tasks/{task['id']}")


async def waiting(client: Client) -> list[Json]:
    drafts: list[Json] = (await get(client, "drafts"))["results"]
    return drafts


async def test_later_pushes_renew_the_draft_of_a_new_page(api: Api, cast: Cast, run_jobs: RunJobs) -> None:
    client = api(cast.acme.write_key)
    await write_articles(client)
    first = await push(client, run_jobs, page("Single sign-on"))
    [draft] = first["drafts"]
    assert "1 new article" in first["summary"]

    again = await push(client, run_jobs, page("Single sign-on"))
    changed = await push(client, run_jobs, page("Single sign-on", "Ask your administrator."))

    assert [row["id"] for row in again["drafts"]] == [draft["id"]]
    assert [row["id"] for row in changed["drafts"]] == [draft["id"]]
    assert [row["id"] for row in await waiting(client)] == [draft["id"]]
    detail = await get(client, f"drafts/{draft['id']}")
    assert detail["contentMarkdown"].endswith("Ask your administrator.\n")


async def test_a_later_push_leaves_a_new_page_alone_that_somebody_has_edited(
    api: Api, cast: Cast, run_jobs: RunJobs
) -> None:
    client = api(cast.acme.write_key)
    await write_articles(client)
    [draft] = (await push(client, run_jobs, page("Single sign-on")))["drafts"]
    await client.patch(f"/v1/drafts/{draft['id']}", json={"contentMarkdown": "My words.\n"})

    await push(client, run_jobs, page("Single sign-on", "Ask your administrator."))

    assert [row["id"] for row in await waiting(client)] == [draft["id"]]
    assert (await get(client, f"drafts/{draft['id']}"))["contentMarkdown"] == "My words.\n"


async def test_another_page_of_the_same_change_is_a_draft_of_its_own(
    api: Api, cast: Cast, run_jobs: RunJobs
) -> None:
    client = api(cast.acme.write_key)
    await write_articles(client)
    await push(client, run_jobs, page("Single sign-on"))

    other = page("Two factors").replace("docs/sso.md", "docs/two-factors.md")
    await push(client, run_jobs, page("Single sign-on") + other)

    assert {row["title"] for row in await waiting(client)} == {"Single sign-on", "Two factors"}


async def test_a_page_that_no_article_can_hold_keeps_no_other_from_being_drafted(
    api: Api, cast: Cast, run_jobs: RunJobs
) -> None:
    client = api(cast.acme.write_key)
    await write_articles(client)
    deep = page("Quotes", "> " * 1_000 + "He said.").replace("docs/sso.md", "docs/quotes.md")

    task = await push(client, run_jobs, deep + page("Single sign-on"))

    assert (task["status"], task["outcome"]) == ("completed", "drafts")
    assert [row["title"] for row in task["drafts"]] == ["Single sign-on"]
    assert "“Quotes” was not drafted: " in task["summary"]
