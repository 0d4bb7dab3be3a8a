"""The lists in `docs/help` match the code: settings, jobs, tools, codes, commands and limits."""

import re
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import get_args

import pytest
import typer
from typer.core import TyperGroup

import instep.app
from instep.cli import app
from instep.interfaces.mcp_servers.servers import DOCS, WORKSPACE
from instep.notifications.webhooks.schemas import EventKind
from instep.operations.ops.health import LAG_SECONDS, State, problems_of
from instep.platform.core import limits
from instep.platform.core.config import environment_name, settings
from instep.platform.core.database import Database
from instep.platform.core.errors import AppError
from instep.platform.core.jobs import MAX_ATTEMPTS
from instep.platform.core.outbound.client import OutboundClient
from instep.platform.core.settings import Settings
from instep.runtime import worker_of

HELP = Path(__file__).parents[2] / "docs" / "help"
TABLE = re.compile(r"^\| (.+) \|\n\|[-| ]+\|\n((?:\|.*\|\n)+)", re.MULTILINE)
# Codes of the visitor API and MCP, which other articles describe.
OTHER_CODES = {"invalid_credentials", "origin_not_allowed", "unknown_tool"}


@cache
def article(name: str) -> str:
    """The Markdown of an article, by its file name without the number."""
    [file] = HELP.glob(f"*/[0-9][0-9]-{name}.md")
    return file.read_text()


@cache
def whole_help() -> str:
    return "\n".join(file.read_text() for file in sorted(HELP.glob("*/*.md")))


def rows(text: str, *header: str) -> list[list[str]]:
    """The cells of each row in tables that start with these columns, without code marks."""
    tables = [body for head, body in TABLE.findall(text) if head.split(" | ")[: len(header)] == [*header]]
    assert tables, f"there is no table {header}"
    lines = "".join(tables).splitlines()
    return [[cell.strip(" `") for cell in line.strip("|").split(" | ")] for line in lines]


def first_cells(text: str, *header: str) -> set[str]:
    return {row[0] for row in rows(text, *header)}


def command_words() -> set[str]:
    """Every command as people type it after `instep`."""

    def below(group: TyperGroup, words: str) -> set[str]:
        paths: set[str] = set()
        for name, command in group.commands.items():
            path = f"{words} {name}".strip()
            paths |= below(command, path) if isinstance(command, TyperGroup) else {path}
        return paths

    root = typer.main.get_command(app)
    assert isinstance(root, TyperGroup)
    return below(root, "")


def error_codes() -> dict[str, int]:
    """The code and status of every error that the application can return."""
    assert instep.app, "importing the application imports every class of error"
    classes, codes = [AppError], {}
    while classes:
        error = classes.pop()
        classes += error.__subclasses__()
        if error.__module__.startswith("instep.") and not error.__module__.startswith(
            "instep.accounts.oauth"
        ):
            codes[error.code] = error.status
    return codes


def test_every_setting_is_documented_and_every_documented_setting_exists() -> None:
    names = {environment_name(field) for field in Settings.model_fields}

    cells = first_cells(whole_help(), "setting", "default")
    assert {name for cell in cells for name in cell.split("`, `")} == names


def test_the_defaults_of_settings_are_those_of_the_code() -> None:
    documented = {row[0]: row[1].replace(",", "") for row in rows(whole_help(), "setting", "default")}
    defaults = {
        environment_name(field): str(info.default).lower()
        for field, info in Settings.model_fields.items()
        if isinstance(info.default, bool | int)
    }

    assert defaults.items() <= documented.items()


async def test_every_kind_of_job_is_documented(database: Database) -> None:
    worker = worker_of(database, OutboundClient(settings().allow_list))

    assert first_cells(article("workers-and-jobs"), "job", "when") == set(worker._handlers)


def test_every_command_is_documented_and_every_documented_command_exists() -> None:
    commands = command_words()
    lines = [line.split() for line in re.findall(r"(?:`|^)instep ([a-z].*?)(?:`|$)", whole_help(), re.M)]

    assert {" ".join(words[:count]) for words in lines for count in (1, 2)} >= commands
    assert {words[0] for words in lines} == {command.split()[0] for command in commands}


@pytest.mark.parametrize(
    ("name", "server"), [("mcp-for-your-workspace", WORKSPACE), ("mcp-for-everybody", DOCS)]
)
def test_every_tool_of_an_mcp_server_is_documented(name: str, server: object) -> None:
    tools = set(vars(server)["tools"])

    assert first_cells(article(name), "tool") == tools


def test_every_prompt_of_the_workspaces_server_is_documented() -> None:
    assert first_cells(article("mcp-for-your-workspace"), "prompt") == set(vars(WORKSPACE)["prompts"])


def test_every_kind_of_event_is_documented() -> None:
    assert first_cells(article("webhooks"), "kind", "when") == set(get_args(EventKind))


def test_every_error_code_is_documented_with_its_status() -> None:
    codes = {code: str(status) for code, status in error_codes().items() if code not in OTHER_CODES}

    assert {row[1]: row[0] for row in rows(article("errors"), "HTTP", "code")} == codes


def test_the_problems_of_readiness_are_documented() -> None:
    documented = first_cells(article("health-checks-and-doctor"), "problem", "meaning")
    sentences = problems_of(State(revision=None, lag=130.0))

    beginnings = {re.sub(r"\d+", "…", sentence.split(":")[0]) for sentence in sentences}
    assert beginnings <= documented


def days(time: timedelta) -> str:
    return f"{time.days} days"


@pytest.mark.parametrize(
    ("name", "quotes"),
    [
        (
            "workers-and-jobs",
            (
                f"| {limits.IDEMPOTENCY_RETENTION_HOURS} hours |",
                f"Recently deleted | {days(limits.DELETED_ARTICLE_RETENTION)} |",
                f"deliveries | {days(limits.EVENT_RETENTION)} |",
                f"| {days(limits.CONVERSATION_RETENTION)} |",
                f"| {days(limits.AUDIT_RETENTION)} |",
                f"at most {MAX_ATTEMPTS} times",
                f"up to {limits.MAX_CONCURRENT_DELIVERIES} deliveries",
            ),
        ),
        (
            "health-checks-and-doctor",
            (
                f"more than {LAG_SECONDS} seconds",
                f"after {MAX_ATTEMPTS} attempts",
                f"for {limits.MAX_EMBEDDING_LAG_SECONDS // 60} minutes",
            ),
        ),
        (
            "webhooks",
            (
                f"at most {limits.MAX_DESCRIPTION_CHARACTERS} characters",
                f"at most {limits.MAX_WEBHOOK_ENDPOINTS} endpoints",
                f"At most {limits.MAX_WEBHOOK_SECRETS} secrets",
                f"at most {limits.MAX_WEBHOOK_URL_CHARACTERS:,} characters",
                f"kept for {days(limits.EVENT_RETENTION)}",
            ),
        ),
        ("answers", (f"{limits.MAX_QUESTION_CHARACTERS:,} characters",)),
        (
            "redirects",
            (
                f"at most {limits.MAX_REDIRECTS:,} redirects",
                f"at most {limits.MAX_REDIRECT_PATH_CHARACTERS} characters in "
                f"{limits.MAX_REDIRECT_SEGMENTS} segments",
                f"{limits.DELETED_ARTICLE_RETENTION.days} days after",
            ),
        ),
        ("collections", (f"at most {['two', 'three', 'four'][limits.MAX_COLLECTION_LEVELS - 2]} levels",)),
        (
            "images-and-files",
            (
                f"| {limits.MAX_FILE_BYTES // 1024**2} MiB |",
                f"| {limits.MAX_PICTURE_PIXELS:,} pixels |",
                f"| {limits.MAX_AVIF_PIXELS:,} pixels |",
                f"| {limits.MAX_BOT_FILES_BYTES // 1024**3} GiB |",
                f"| {limits.MAX_FILE_NAME_CHARACTERS} characters |",
                f"| {limits.MAX_WAITING_UPLOADS} |",
                f"removed after {days(limits.UNREFERENCED_FILE_RETENTION)}",
            ),
        ),
        ("golden-questions", (f"{limits.MAX_GOLDEN_QUESTIONS}",)),
        (
            "sync-with-git",
            (f"at most {limits.MAX_SYNC_FILES:,} files in {limits.MAX_SYNC_BODY_BYTES // 1024**2} MiB",),
        ),
        ("send-a-code-change", (f"{limits.IDEMPOTENCY_RETENTION_HOURS} hours",)),
        ("articles", (f"{days(limits.DELETED_ARTICLE_RETENTION)}",)),
    ],
)
def test_the_limits_that_articles_quote_are_those_of_the_code(name: str, quotes: tuple[str, ...]) -> None:
    missing = [quote for quote in quotes if quote not in article(name)]

    assert missing == []
