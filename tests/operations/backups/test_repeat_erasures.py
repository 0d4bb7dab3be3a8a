"""A visitor's erased data stays erased when an older backup is restored."""

import shutil
from pathlib import Path

import psycopg
import pytest

from instep.operations.backups.destinations import open_folder
from instep.operations.backups.erasure_ledger import read_marks, write_marks
from instep.platform.core.database import Tx
from instep.visitors.privacy.erasure_marks import list_marks
from instep.visitors.privacy.visitor_data import Subject, erase_visitor, repeat_erasures
from tests.operations.backups.conftest import BackUp
from tests.support.cast import Api, Cast, RunJobs
from tests.support.commands import Operator
from tests.support.limits import SetSetting
from tests.support.questions import ask
from tests.support.visitors import leave, rows

ANN, BOB, EVE = "Ann.Erased@example.com", "bob@example.com", "eve@example.com"


async def visit(api: Api, cast: Cast, email: str, visitor: str) -> None:
    """Ask in vain with the email address in the question, and leave it in other ways."""
    answer = await ask(api(None), cast.acme, f"Where is my invoice? Write to {email}.", visitor=visitor)
    conversation = answer["conversationId"]
    await leave(api(None), cast.acme, email=email, conversationId=conversation)
    await leave(api(None), cast.acme, email="other@example.com", message=f"Also for <{email}>, please")


def traces_of(url: str, word: str) -> list[str]:
    """The tables of a database that contain a word."""
    with psycopg.connect(url) as connection:
        tables = ("conversations", "messages", "leads", "unanswered_questions", "events")
        return [
            table
            for table in tables
            if word.lower() in str(connection.execute(texts_of(table)).fetchone()).lower()
        ]


def texts_of(table: str) -> bytes:
    text = "convert_from(body, 'UTF8')" if table == "events" else "to_jsonb(t)::text"
    return f"select string_agg({text}, ' ') from {table} t".encode()


async def test_an_erasure_by_address_and_one_by_identifier_are_repeated_after_a_restore(
    api: Api,
    cast: Cast,
    operator: Operator,
    elsewhere: Operator,
    back_up: BackUp,
    run_jobs: RunJobs,
    set_setting: SetSetting,
    database_url: str,
    empty_url: str,
    tmp_path: Path,
) -> None:
    set_setting("INSTEP_DATA_DIR", str(tmp_path / "here"))
    await visit(api, cast, ANN, "ann-of-acme")
    await visit(api, cast, BOB, "bob")
    await visit(api, cast, "cas@example.com", "cas")
    file = await back_up()
    workspace = str(cast.acme.workspace_id)
    await operator.json("visitor", "erase", "--email", ANN, "--workspace", workspace)
    await operator.json("visitor", "erase", "--visitor", "bob", "--workspace", workspace)
    await run_jobs()
    # The erasure marks are copied along with the backup and name no one.
    shutil.copytree(tmp_path / "here" / "erasures", file.parent / "erasures", dirs_exist_ok=True)
    marks = "".join(mark.read_text() for mark in (file.parent / "erasures").iterdir())

    printed = await elsewhere.json("restore", str(file))

    assert printed["erasedVisitors"] >= 2
    assert traces_of(empty_url, ANN) == traces_of(database_url, ANN) == []
    assert traces_of(empty_url, "cas@example.com") == traces_of(database_url, "cas@example.com") != []
    with psycopg.connect(empty_url) as connection:
        emails = connection.execute("select distinct email from conversations where email is not null")
        assert BOB not in {email for (email,) in emails}
    assert "ann-of-acme" not in marks.lower()
    assert "@" not in marks


async def test_a_visitor_who_comes_again_after_an_erasure_is_kept(
    api: Api, cast: Cast, owner: Tx, tmp_path: Path
) -> None:
    """The database recorded the erasure, so it happened before the backup."""
    workspace = cast.acme.workspace_id
    await visit(api, cast, EVE, "eve")
    await erase_visitor(owner, workspace, Subject(email=EVE))
    destination = open_folder(tmp_path / "kept", "tests")
    assert write_marks(destination, await list_marks(owner)) > 0
    assert write_marks(destination, await list_marks(owner)) == 0
    await visit(api, cast, EVE, "eve")

    assert await repeat_erasures(owner, read_marks(destination)) == 0

    assert await rows(owner, "leads", cast.acme)


async def test_a_damaged_mark_refuses_the_restore_before_anything_is_touched(
    elsewhere: Operator, back_up: BackUp, empty_url: str
) -> None:
    file = await back_up()
    (file.parent / "erasures").mkdir()
    (file.parent / "erasures" / "era_1.json").write_text("{}")

    refusal = await elsewhere.refused("restore", str(file))

    assert "erasures/era_1.json" in refusal
    with psycopg.connect(empty_url) as connection:
        assert connection.execute("select from pg_tables where schemaname = 'public'").rowcount == 0


@pytest.mark.parametrize(
    "text",
    [
        "ann@example.com",
        "mailto:ann@example.com",
        "<a href='mailto:Ann@Example.com'>",
        "https://acme.example/?email=ann@example.com&x=1",
        "Write to ann@example.com!",
        "(ann@example.com),",
        "“ann@example.com”",
    ],
)
async def test_an_address_is_found_however_it_stands_in_a_text(
    api: Api, cast: Cast, owner: Tx, text: str
) -> None:
    await leave(api(None), cast.acme, email="other@example.com", message=text)
    await erase_visitor(owner, cast.acme.workspace_id, Subject(email="ANN@example.com"))
    await leave(api(None), cast.acme, email="other@example.com", message=text)
    marks = [mark for mark in await list_marks(owner) if mark.workspace_id == cast.acme.workspace_id]
    await owner.execute("delete from erasures where workspace_id = %(id)s", id=cast.acme.workspace_id)

    assert await repeat_erasures(owner, marks) == 1

    kept = "select count(*) from leads where workspace_id = %(id)s"
    assert await owner.value(kept, id=cast.acme.workspace_id) == 0
