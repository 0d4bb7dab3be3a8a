"""A worker killed in the middle of a task: another one ends it, and every article gets one draft."""

from concurrent.futures import ThreadPoolExecutor

from tests.runtime.installation import installed
from tests.tasks.changes import PETS, SETTINGS, SETTINGS_AFTER, change

ARTICLES = 60
# Long enough that the writer is busy for a while.
TEXT = SETTINGS + PETS * 400


def test_another_worker_ends_the_task_of_a_killed_one_with_one_draft_an_article() -> None:
    with installed() as installation:
        installation.serve("--no-jobs")
        client = installation.client()

        def write(number: int) -> str:
            body = {"title": f"Settings {number}", "contentMarkdown": TEXT}
            article_id: str = client.post("/v1/articles", json=body).json()["id"]
            return article_id

        with ThreadPoolExecutor(4) as pool:
            articles = list(pool.map(write, range(ARTICLES)))
        task = client.post("/v1/tasks", json=change()).headers["Location"]

        def status() -> str:
            found: str = client.get(task).json()["status"]
            return found

        killed = installation.start("worker")
        installation.until(lambda: status() == "running", 30)
        killed.kill()
        killed.wait()
        assert status() == "running"
        installation.start("worker")
        installation.until(lambda: status() in ("completed", "failed"), 60)

        done = client.get(task).json()
        assert (done["status"], done["outcome"]) == ("completed", "drafts")
        waiting = client.get("/v1/drafts?page_size=100").json()["results"]
        assert sorted(draft["articleId"] for draft in waiting) == sorted(articles)
        assert sorted(draft["id"] for draft in waiting) == sorted(draft["id"] for draft in done["drafts"])
        draft = client.get(f"/v1/drafts/{waiting[0]['id']}").json()
        assert draft["contentMarkdown"].startswith(SETTINGS_AFTER)
