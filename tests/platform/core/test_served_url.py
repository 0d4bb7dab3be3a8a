"""Commands print links to the URL at which the installation is served."""

from pathlib import Path

import pytest

from instep.operations.ops.doctor import describe_settings
from instep.platform.core.config import read_settings
from instep.platform.core.served_url import remember_served_url, served_url

NO_FILE = Path("there-is-no-such-file.toml")


def test_links_lead_to_where_the_server_was_last_started(tmp_path: Path) -> None:
    folder = {"INSTEP_DATA_DIR": str(tmp_path / "data")}
    before = served_url(read_settings(folder, NO_FILE), {})

    remember_served_url(read_settings(folder | {"INSTEP_SITE_URL": "http://127.0.0.1:8123"}, NO_FILE))

    assert before == "http://127.0.0.1:8000"
    assert served_url(read_settings(folder, NO_FILE), {}) == "http://127.0.0.1:8123"


@pytest.mark.parametrize("url", ["https://help.example", "https://help.example/", "https://help.example/v1"])
def test_the_addresses_that_are_set_go_before(tmp_path: Path, url: str) -> None:
    folder = {"INSTEP_DATA_DIR": str(tmp_path)}
    remember_served_url(read_settings(folder | {"INSTEP_SITE_URL": "http://127.0.0.1:8123"}, NO_FILE))
    configured = read_settings(folder | {"INSTEP_SITE_URL": "https://docs.example/"}, NO_FILE)

    assert served_url(read_settings(folder, NO_FILE), {"INSTEP_URL": url}) == "https://help.example"
    assert served_url(configured, {"INSTEP_URL": url}) == "https://docs.example"


def test_invalid_url_is_ignored(tmp_path: Path) -> None:
    settings = read_settings({"INSTEP_DATA_DIR": str(tmp_path)}, NO_FILE)

    assert served_url(settings, {"INSTEP_URL": "help.example"}) == "http://127.0.0.1:8000"


def test_a_folder_that_cant_be_written_is_no_failure(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    settings = read_settings({"INSTEP_DATA_DIR": str(tmp_path / "file")}, NO_FILE)

    remember_served_url(settings)

    assert served_url(settings, {}) == "http://127.0.0.1:8000"


def test_the_doctor_names_the_url_of_the_last_server(tmp_path: Path) -> None:
    folder = {"INSTEP_DATA_DIR": str(tmp_path)}
    served = read_settings(folder | {"INSTEP_SITE_URL": "http://127.0.0.1:8311"}, NO_FILE)

    remember_served_url(served)

    assert "http://127.0.0.1:8311" in describe_settings(read_settings(folder, NO_FILE))["INSTEP_SITE_URL"]
    assert describe_settings(served)["INSTEP_SITE_URL"] == "http://127.0.0.1:8311"
