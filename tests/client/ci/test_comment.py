"""The comment on a pull request: one, kept up to date, in which other people's words have no effect."""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from instep.client.ci.comment import comment_text, write_comment
from instep.client.ci.escaping import inert
from instep.client.ci.hosts import find_thread
from instep.client.ci.report import Run
from instep.client.ci.shapes import Bot, Draft, Task, parse_shape
from instep.platform.core import limits
from instep.platform.core.markdown import render
from tests.client.ci.test_report import DRAFT, MARKDOWN
from tests.support.cast import Json
from tests.support.ci_servers import BOT, TASK, Asked, Reply, ordinary, serving
from tests.support.commands import run_command
from tests.support.limits import SetLimit
from tests.support.repositories import Repository

ACME = parse_shape(Bot, BOT | {"slug": "acme-help"})
URL = "https://help.test"
VERDICTS = [{"verdict": verdict} for verdict in ("edit", "no_edit", "concerned", "no_edit")]


def run(*drafts: Json, **fields: object) -> Run:
    listed = [{name: draft[name] for name in ("id", "type", "title", "articleId")} for draft in drafts]
    outcome = "drafts" if drafts else "no_changes"
    task = TASK | {"status": "completed", "outcome": outcome, "drafts": listed, "reviewed": VERDICTS} | fields
    details = [parse_shape(Draft, draft) for draft in drafts]
    return Run(URL, [], parse_shape(Task, task), details, bot=ACME)


@dataclass
class CodeHost:
    """The comments of one pull request, with the API of GitHub or GitLab."""

    prefix: str
    update: str
    comments: list[Json] = field(default_factory=list)
    requests: list[Asked] = field(default_factory=list)
    status: int = 200

    def reply(self, asked: Asked) -> Reply:
        self.requests.append(asked)
        method, address = asked.line.split(" ")
        if self.status != 200:
            return Reply(self.status, {"message": "no"})
        if method == "GET":
            page = int(address.rpartition("=")[2])
            return Reply(200, self.comments[(page - 1) * 100 : page * 100])
        body = json.loads(asked.body)["body"]
        if method == "POST" and address == self.prefix:
            self.comments.append({"id": len(self.comments) + 1, "body": body})
            return Reply(201, {})
        if match := re.fullmatch(self.update, asked.line):
            self.comments[int(match[1]) - 1]["body"] = body
            return Reply(200, {})
        return Reply(404, {})


@contextmanager
def github(folder: Path) -> Iterator[tuple[CodeHost, dict[str, str]]]:
    host = CodeHost("/repos/acme/app/issues/7/comments", r"PATCH /repos/acme/app/issues/comments/(\d+)")
    event = folder / "event.json"
    event.write_text(json.dumps({"pull_request": {"number": 7}}))
    with serving(host.reply) as url:
        yield (
            host,
            {
                "GITHUB_ACTIONS": "true",
                "GITHUB_EVENT_PATH": str(event),
                "GITHUB_API_URL": url,
                "GITHUB_REPOSITORY": "acme/app",
                "GITHUB_TOKEN": "ghs_x",
            },
        )


@contextmanager
def gitlab(folder: Path) -> Iterator[tuple[CodeHost, dict[str, str]]]:
    notes = "/projects/42/merge_requests/7/notes"
    host = CodeHost(notes, rf"PUT {notes}/(\d+)")
    with serving(host.reply) as url:
        yield (
            host,
            {
                "GITLAB_CI": "true",
                "CI_API_V4_URL": url,
                "CI_PROJECT_ID": "42",
                "CI_MERGE_REQUEST_IID": "7",
                "INSTEP_GITLAB_TOKEN": "glpat-x",
            },
        )


Hosting = Callable[[Path], AbstractContextManager[tuple[CodeHost, dict[str, str]]]]


@pytest.mark.parametrize("at", [github, gitlab])
def test_there_is_one_comment_and_it_is_kept_up_to_date(at: Hosting, tmp_path: Path) -> None:
    with at(tmp_path) as (host, environment):
        host.comments += [{"id": number + 1, "body": "Others talk."} for number in range(100)]
        for _ in range(2):
            write_comment(run(DRAFT), ACME, environment)
        assert len(host.comments) == 101
        assert "1 draft" in host.comments[100]["body"]
        write_comment(run(DRAFT | {"status": "applied"}), ACME, environment)

    assert len(host.comments) == 101
    assert "all drafts are reviewed" in host.comments[100]["body"]
    # An unchanged comment is not written again.
    assert [asked.line.split(" ")[0] for asked in host.requests if not asked.line.startswith("GET")] == [
        "POST",
        host.update[: host.update.index(" ")],
    ]
    headers = host.requests[0].headers
    assert headers.get("authorization") == "Bearer ghs_x" or headers.get("private-token") == "glpat-x"


def test_bots_have_comments_of_their_own_and_without_drafts_there_is_none(tmp_path: Path) -> None:
    other = parse_shape(Bot, {"id": "other", "name": "Other"})
    with github(tmp_path) as (host, environment):
        write_comment(run(), ACME, environment)
        assert host.comments == []
        write_comment(run(DRAFT), ACME, environment)
        write_comment(run(DRAFT), other, environment)
        write_comment(Run(URL, []), ACME, environment)

    first, second = [comment["body"] for comment in host.comments]
    assert "no article" in first
    assert "1 draft" in second


def test_the_comment_shows_the_drafts_and_leads_to_their_review() -> None:
    assert comment_text(run(DRAFT, summary="Found."), ACME) == (
        "### Instep: 1 draft waits for review\n"
        "\nFound\\.\n"
        "\n**[Upload limits](https://help.test/app/acme-help/review/edit_1)** (edit)\n"
        "\n> The limit is 25\\.  \n"
        "\nReviewed, no change: 2 articles.\n"
    )


def test_a_new_article_is_shown_by_its_beginning() -> None:
    text = "# Exports\n\nPress **Export**.\n" + "More.\n" * 50
    new = DRAFT | {"type": "new_article", "diff": None, "contentMarkdown": text, "status": "applied"}

    comment = comment_text(run(new), ACME)

    assert "** (new article, applied)\n\n> Exports  \n> Press Export\\.  \n" in comment
    assert comment.count("\n> ") == limits.MAX_COMMENT_EXCERPT_LINES + 1
    assert "> …\n" in comment


def test_a_comment_is_no_longer_than_a_host_takes(set_limit: SetLimit) -> None:
    many = [DRAFT | {"id": f"edit_{number}", "diff": "+" + "a@b.c " * 400} for number in range(40)]
    assert f"And {40 - limits.MAX_COMMENTED_DRAFTS} more." in comment_text(run(*many), ACME)

    set_limit("MAX_COMMENT_CHARACTERS", 3_000)
    assert len(comment_text(run(*many), ACME)) < 3_100


REFERENCES = [
    "x @team",
    "#12",
    "!12",
    "~label",
    "%1.0",
    "$5",
    "[x]: https://evil.test",
    "https://evil.test/1",
]


@pytest.mark.parametrize("words", [*MARKDOWN, *REFERENCES, "/close", "www.evil.test", "<!-- instep x -->"])
def test_words_of_others_mention_nobody_and_are_no_markup(words: str) -> None:
    hostile = DRAFT | dict.fromkeys(("title", "type", "status"), words) | {"diff": f"+{words}\n+ {words}"}

    comment = comment_text(run(hostile, summary=words), ACME)

    assert not re.search(r"[@#!~](?=\w)|%(?=\w)|https://(?!help\.test/)|www\.|<!--", comment)
    assert not any(line.startswith("/") for line in comment.splitlines())
    page = render(comment)
    # Links to headings begin with `#` and are ignored.
    assert set(re.findall(r'<a href="([^#][^"]*)"', page)) == {f"{URL}/app/acme-help/review/edit_1"}
    for markup in ("<b>", "<img", "<table", "<h1"):
        assert markup not in page


def test_code_in_words_of_others_is_code() -> None:
    assert inert("Reads `MAX_*` of @ada, `` `#1` `` and ``x``.") == (
        "Reads `MAX_*` of \\@\u200bada, \\`\\` `#1` \\`\\` and \\`\\`x\\`\\`\\."
    )


@pytest.mark.parametrize(
    ("changes", "status", "sentence"),
    [
        ({"GITHUB_TOKEN": ""}, 200, "GITHUB_TOKEN is not set"),
        ({"GITHUB_EVENT_PATH": ""}, 200, "pull request"),
        ({"GITHUB_API_URL": "https://a@b"}, 200, "can't be used"),
        ({}, 403, "with 403"),
    ],
)
def test_a_comment_that_cant_be_written_is_told(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    changes: dict[str, str],
    status: int,
    sentence: str,
) -> None:
    with github(tmp_path) as (host, environment):
        host.status = status
        write_comment(run(DRAFT), ACME, environment | changes)

    assert sentence in capsys.readouterr().err
    assert host.comments == []


def test_the_command_comments_when_it_is_asked_to(repository: Repository, tmp_path: Path) -> None:
    listed = {name: DRAFT[name] for name in ("id", "type", "title", "articleId")}
    replies = ordinary() | {"GET /v1/drafts/edit_1": [Reply(200, DRAFT)]}
    replies["GET /v1/tasks/task_1"] = [
        Reply(200, TASK | {"status": "completed", "outcome": "drafts", "drafts": [listed]})
    ]
    with github(tmp_path) as (host, environment), serving(lambda asked: replies[asked.line][0]) as url:
        environment |= {"INSTEP_URL": url, "INSTEP_API_KEY": "isk_x"}
        result = run_command("change", "--comment", "--base", "main", **environment)
        assert result.code == 0, result.err
        nothing = run_command("change", "--comment", "--base", "HEAD", **environment)

    assert nothing.out.startswith("Nothing to send")
    [comment] = host.comments
    assert "both revisions" in comment["body"]
    assert find_thread(environment).project.headers["Authorization"] == "Bearer ghs_x"
