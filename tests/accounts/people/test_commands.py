"""`instep user …` and `instep audit`: operators set up people without seeing their passwords."""

import json
import subprocess
import sys
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from instep.cli import app
from instep.platform.core import config
from instep.platform.core.errors import AppError
from tests.support.sign_in import OTHER_PASSWORD, PASSWORD, fresh_email


class Command:
    """Runs `instep` in one workspace."""

    def __init__(self) -> None:
        self.workspace = ""
        self.workspace = self.json("workspace", "create", "Acme")["id"]

    def run(self, *arguments: str, typed: str = "") -> Result:
        of_workspace = ["--workspace", self.workspace] if self.workspace else []
        return CliRunner().invoke(app, [*arguments, *of_workspace], input=typed)

    def json(self, *arguments: str, typed: str = "") -> Any:
        result = self.run(*arguments, "--json", typed=typed)
        assert result.exit_code == 0, result.output
        return json.loads(result.stdout)

    def refused(self, *arguments: str, typed: str = "") -> str:
        result = self.run(*arguments, typed=typed)
        assert isinstance(result.exception, AppError), result.output
        return result.exception.message


@pytest.fixture
def instep(database_url: str, monkeypatch: pytest.MonkeyPatch) -> Command:
    there = config.settings().model_copy(update={"database_url": database_url})
    monkeypatch.setattr(config, "settings", lambda: there)
    return Command()


def test_an_owner_sets_people_up_and_the_audit_tells_it(instep: Command) -> None:
    email = fresh_email()

    user = instep.json(
        "user", "create", email.upper(), "--role", "viewer", "--password-stdin", typed=PASSWORD
    )
    prompted = instep.run("user", "create", fresh_email("bob"), typed=f"{PASSWORD}\n{PASSWORD}\n")
    changed = instep.json("user", "role", email, "editor")
    renewed = instep.run("user", "password", email, "--password-stdin", typed=f"{OTHER_PASSWORD}\r\n")
    disabled = instep.json("user", "disable", email)
    enabled = instep.json("user", "enable", email)
    listed = instep.json("user", "list")["results"]
    entries = instep.json("audit", "--limit", "6")["results"]
    older = instep.json("audit", "--before", entries[-1]["id"])["results"]

    assert (user["email"], user["role"], user["disabledAt"]) == (email, "viewer", None)
    assert user.keys() == {
        *("id", "workspaceId", "email", "role", "createdAt", "signedInAt", "disabledAt"),
    }
    assert prompted.exit_code == 0, prompted.output
    assert "signed out everywhere" in renewed.stdout
    assert PASSWORD not in prompted.output
    assert (changed["role"], bool(disabled["disabledAt"]), enabled["disabledAt"]) == ("editor", True, None)
    assert [row["role"] for row in listed] == ["editor", "editor"]
    actions = [(entry["action"], entry["channel"], entry["actor"]["name"]) for entry in entries]
    assert actions == [
        (action, "command", "instep")
        for action in (
            *("enable_user", "disable_user", "change_password", "change_role", "create_user", "create_user"),
        )
    ]
    assert {entry["resource"] for entry in entries[:4]} == {user["id"]}
    assert [entry["action"] for entry in older] == ["create_workspace"]
    assert "enable_user" in instep.run("audit").stdout


@pytest.mark.parametrize(
    ("email", "password", "words"),
    [
        ("no address", PASSWORD, "mail address"),
        ("ann@localhost", PASSWORD, "mail address"),
        ("ann@acme.example", "short", "12 to 256 characters"),
        ("ann@acme.example", "a" * 257, "12 to 256 characters"),
        ("ann@acme.example", "password12345", "easy to guess"),
        ("ann@acme.example", "qwertyuiop12", "easy to guess"),
        ("annabella.smithson@acme.example", "annabella.smithson", "easy to guess"),
        ("ann@acme.example", "instepinstepinstep", "easy to guess"),
    ],
)
def test_invalid_email_or_password_is_refused_with_its_reason(
    instep: Command, email: str, password: str, words: str
) -> None:
    assert words in instep.refused("user", "create", email, "--password-stdin", typed=password)


def test_a_password_is_not_asked_for_where_nobody_can_type_it() -> None:
    program = [sys.executable, "-c", "from instep.cli import main; main()", "user", "create"]

    process = subprocess.run(
        [*program, fresh_email()],
        input=PASSWORD,
        capture_output=True,
        text=True,
        check=False,
        start_new_session=True,
    )

    assert process.returncode == 1
    assert "--password-stdin" in process.stderr
    assert PASSWORD not in process.stdout + process.stderr


def test_an_address_is_one_persons_and_known(instep: Command) -> None:
    email = fresh_email()
    instep.json("user", "create", email, "--password-stdin", typed=PASSWORD)

    assert email in instep.refused("user", "create", email.title(), "--password-stdin", typed=PASSWORD)
    for command in (("disable",), ("enable",), ("role",)):
        more = ("owner",) if command == ("role",) else ()
        assert "user list" in instep.refused("user", *command, "nobody@acme.example", *more)
