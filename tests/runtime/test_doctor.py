"""`instep doctor`: the settings that it prints, and problems that nothing else shows."""

from datetime import timedelta
from pathlib import Path
from urllib.parse import urlsplit

from instep.operations.ops.doctor import describe_settings
from instep.operations.ops.health import State, newest_revision, problems_of
from instep.platform.core.clock import utc_now
from instep.platform.core.config import read_settings
from instep.platform.core.database import Tx
from instep.platform.core.jobs import defer
from instep.platform.core.secret_keys import secret_key
from tests.support.cast import Cast, Client
from tests.support.commands import Operator
from tests.support.http import create_article
from tests.support.installation import free_port
from tests.support.uploads import upload
from tests.support.wording import like

NO_FILE = Path("there-is-no-such-file.toml")


def test_doctor_names_the_file_of_a_generated_secret_key(tmp_path: Path) -> None:
    settings = read_settings({"INSTEP_DATA_DIR": str(tmp_path)}, NO_FILE)
    before = describe_settings(settings)
    key = secret_key(settings).decode()
    after = describe_settings(settings)

    assert before["INSTEP_SECRET_KEY"] == like(f"…created…{tmp_path}/secret_key")
    assert after["INSTEP_SECRET_KEY"] == f"in {tmp_path}/secret_key"
    assert key not in str(after)
    assert after["INSTEP_MODEL"] == "not set"


async def test_doctor_names_a_replica_that_refuses_the_connection(operator: Operator) -> None:
    replica = f"postgresql://127.0.0.1:{free_port()}/instep"

    result = await operator.run("doctor", INSTEP_DATABASE_READ_URL=replica)

    assert result.code == 1
    assert "PROBLEM: The database of INSTEP_DATABASE_READ_URL refuses the connection" in result.out


async def test_doctor_counts_the_jobs_that_are_due(operator: Operator, owner: Tx) -> None:
    await defer(owner, "now", {})
    await defer(owner, "later", {}, run_at=utc_now() + timedelta(hours=1))

    assert "jobs waiting: 1\n" in (await operator.run("doctor")).out


def test_a_newer_schema_asks_for_a_newer_version_and_an_older_one_for_a_migration() -> None:
    newest = newest_revision()

    assert problems_of(State(newest, None)) == []
    [newer], [older], [none] = (problems_of(State(name, None)) for name in ("9999", "0061", None))
    assert "newer than this version" in newer
    assert older == none == like("…`instep migrate`…")


async def test_doctor_names_texts_that_show_files_at_a_former_address(
    operator: Operator, client: Client, cast: Cast
) -> None:
    file = await upload(client)
    path = urlsplit(file["url"]).path
    foreign = "https://elsewhere.example/files/acme/" + "0" * 64 + ".png"
    await create_article(client, "Here", contentMarkdown=f"![]({file['url']}) ![]({path}) ![]({foreign})")
    base = file["url"].removesuffix(path)

    for same in (base, base.upper().replace("HTTP://", "http://")):
        assert "show files at" not in (await operator.run("doctor", INSTEP_SITE_URL=same)).out

    moved = await operator.run("doctor", INSTEP_SITE_URL="https://help.example.com")
    assert moved.code == 1
    assert f"PROBLEM: Texts of {cast.acme.slug} (1, such as “Here”) show files at {base}," in moved.out
    assert "elsewhere" not in moved.out
