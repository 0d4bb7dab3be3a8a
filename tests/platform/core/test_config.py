"""Settings: strict about names and values, and never revealing secrets."""

import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from instep.platform.core.config import SettingsError, read_settings
from instep.platform.core.secret_keys import secret_key
from tests.support.wording import like

NO_FILE = Path("there-is-no-such-file.toml")


def test_the_environment_wins_over_the_file_and_the_file_over_the_default(tmp_path: Path) -> None:
    file = tmp_path / "instep.toml"
    file.write_text('site_url = "https://file.example"\ntasks_per_hour = 7\n')

    settings = read_settings({"INSTEP_SITE_URL": "https://help.example/"}, file)

    assert settings.base_url == "https://help.example"
    assert (settings.tasks_per_hour, settings.requests_per_minute) == (7, 120)


def test_a_secret_may_stand_in_a_file(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("x" * 40 + "\n")

    settings = read_settings({"INSTEP_SECRET_KEY_FILE": str(secret)}, NO_FILE)

    assert settings.secret_key == "x" * 40
    assert secret_key(settings) == b"x" * 40


def test_variables_of_other_programs_are_ignored() -> None:
    ours = {"INSTEP_URL": "x", "INSTEP_API_KEY": "x", "INSTEP_WEBHOOK_SECRET": "x"}

    assert read_settings(ours | {"PATH": "x", "instep_x": "x"}, NO_FILE) == read_settings({}, NO_FILE)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("INSTEP_COLOUR", "red"),
        ("INSTEP_REQUESTS_PER_MINUTE", "many"),
        ("INSTEP_REQUESTS_PER_MINUTE", "0"),
        ("INSTEP_DATABASE_POOL", "101"),
        ("INSTEP_JOBS", "perhaps"),
        ("INSTEP_SECRET_KEY_FILE", "/nowhere/at/all"),
        ("INSTEP_WEBHOOK_ALLOW", "receiver,10.0.0.1/8"),
        ("OPENAI_API_KEY", "two words"),
        ("INSTEP_TRUSTED_PROXIES", "proxy.internal"),
        ("INSTEP_TRUSTED_PROXIES", "loopback,10.0.0.1/8"),
        ("INSTEP_TRUSTED_PROXIES", "0.0.0.0/0"),
        ("INSTEP_TRUSTED_PROXIES", "::/0"),
        ("INSTEP_PUBLIC_REQUESTS_PER_MINUTE", "0"),
        # Their defaults would be used silently: another database, another folder.
        ("INSTEP_DATABASE_URL", ""),
        ("INSTEP_DATA_DIR", " "),
        ("INSTEP_SECRET_KEY", ""),
        ("INSTEP_SECRET_KEY_FILE", ""),
        ("INSTEP_DATABASE_READ_URL", "postgresql://replica.example/instep"),
        ("INSTEP_CONVERSATION_RETENTION_DAYS", "36501"),
        ("INSTEP_VISIT_COUNT_RETENTION_DAYS", "9999999"),
    ],
)
def test_a_setting_that_cant_be_used_is_named(name: str, value: str) -> None:
    with pytest.raises(SettingsError, match=name):
        read_settings({name: value}, NO_FILE)


def test_an_empty_text_means_the_default_where_that_is_harmless() -> None:
    empty = dict.fromkeys(("INSTEP_SMTP_URL", "INSTEP_TRUSTED_PROXIES", "OPENAI_API_KEY"), "")

    settings = read_settings(empty, NO_FILE)

    assert (settings.smtp_server, settings.proxies, settings.provider_key) == (None, (), None)


def test_an_empty_folder_of_the_desktop_counts_as_not_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", "")

    assert read_settings({}, NO_FILE).data_dir.is_absolute()


def test_a_secret_that_is_too_short_is_not_repeated() -> None:
    with pytest.raises(SettingsError, match="INSTEP_SECRET_KEY") as refusal:
        read_settings({"INSTEP_SECRET_KEY": "hunter2"}, NO_FILE)

    assert "hunter2" not in str(refusal.value)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("site_url = ", "instep.toml can't be read: "),
        ("\x00", "instep.toml can't be read: "),
        ("colour = 'red'", "instep.toml: colour"),
        ("INSTEP_JOBS = true", "mean jobs"),
    ],
)
def test_a_file_that_cant_be_used_is_explained(tmp_path: Path, text: str, sentence: str) -> None:
    file = tmp_path / "instep.toml"
    file.write_text(text)

    with pytest.raises(SettingsError) as refusal:
        read_settings({}, file)

    assert sentence in str(refusal.value)


def test_a_signing_key_is_made_once_and_read_by_its_owner_only(tmp_path: Path) -> None:
    settings = read_settings({"INSTEP_DATA_DIR": str(tmp_path / "data")}, NO_FILE)

    with ThreadPoolExecutor(8) as threads:
        keys = set(threads.map(lambda _: secret_key(settings), range(32)))

    [key] = keys
    assert len(key) >= 32
    [file] = (tmp_path / "data").iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert secret_key(settings) == key


@pytest.mark.parametrize("content", ["", "short\n"])
def test_a_file_without_the_whole_secret_key_is_refused(tmp_path: Path, content: str) -> None:
    settings = read_settings({"INSTEP_DATA_DIR": str(tmp_path)}, NO_FILE)
    (tmp_path / "secret_key").write_text(content)

    with pytest.raises(SettingsError, match="this installation"):
        secret_key(settings)
    assert (tmp_path / "secret_key").read_text() == content


def test_a_line_break_that_an_editor_adds_belongs_to_no_secret_key(tmp_path: Path) -> None:
    settings = read_settings({"INSTEP_DATA_DIR": str(tmp_path)}, NO_FILE)
    key = secret_key(settings)
    (tmp_path / "secret_key").write_bytes(key + b"\n")

    assert secret_key(settings) == key


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("INSTEP_JOBS", "perhaps", "INSTEP_JOBS…INSTEP_JOBS=false"),
        (
            "INSTEP_DATABASE_POOL",
            "ten",
            "INSTEP_DATABASE_POOL…whole…INSTEP_DATABASE_POOL=20",
        ),
        (
            "INSTEP_DATABASE_POOL",
            "101",
            "INSTEP_DATABASE_POOL…100…INSTEP_DATABASE_POOL=20",
        ),
        (
            "INSTEP_TASKS_PER_HOUR",
            "0",
            "INSTEP_TASKS_PER_HOUR…1…INSTEP_TASKS_PER_HOUR=600",
        ),
        ("INSTEP_SECRET_KEY", "short", "INSTEP_SECRET_KEY…32…"),
        (
            "INSTEP_LOG_FORMAT",
            "xml",
            "INSTEP_LOG_FORMAT…'json'…'text'…INSTEP_LOG_FORMAT=json",
        ),
        (
            "INSTEP_WEBHOOK_ALLOW",
            "{host}",
            "INSTEP_WEBHOOK_ALLOW: {host}…10.0.0.0/8",
        ),
        (
            "INSTEP_OIDC_ISSUER",
            "https://login.example.com",
            "INSTEP_OIDC_ISSUER…INSTEP_OIDC_CLIENT_ID…INSTEP_OIDC_CLIENT_SECRET",
        ),
        (
            "INSTEP_MODEL",
            "openai:small",
            "INSTEP_MODEL: openai:small…OPENAI_API_KEY…OPENAI_BASE_URL…",
        ),
    ],
)
def test_a_bad_value_is_answered_with_what_it_must_be_and_an_example(
    name: str, value: str, sentence: str
) -> None:
    with pytest.raises(SettingsError) as refusal:
        read_settings({name: value}, NO_FILE)

    assert str(refusal.value) == like(sentence)


@pytest.mark.parametrize(
    "address",
    [
        *("help.example.com", "not an address", "", "ftp://help.example.com", "https://", "https://:8000"),
        *("https://help.example.com/help", "https://help.example.com?a=b", "https://help.example.com#a"),
        *("https://me@help.example.com", "https://help.example.com:99999", "https://help.example.com:0"),
        *("https://help example.com", "https://help.example.com\n", "https://[::1", "https://[]"),
    ],
)
def test_the_address_of_the_site_is_an_origin(address: str) -> None:
    with pytest.raises(SettingsError) as refusal:
        read_settings({"INSTEP_SITE_URL": address}, NO_FILE)

    assert str(refusal.value).startswith("INSTEP_SITE_URL: it must")
    assert str(refusal.value).endswith("such as INSTEP_SITE_URL=https://help.example.com")


@pytest.mark.parametrize(
    "address",
    [
        *("https://help.example.com", "https://Help.Example.com/", "http://127.0.0.1:8000"),
        *("http://[::1]:8000", "http://localhost", "https://help.example.com:8443/"),
    ],
)
def test_an_origin_is_taken_as_the_address_of_the_site(address: str) -> None:
    settings = read_settings({"INSTEP_SITE_URL": address}, NO_FILE)

    assert settings.base_url == address.removesuffix("/")


@pytest.mark.parametrize(
    ("name", "suggestion"),
    [
        ("INSTEP_SITEURL", "INSTEP_SITE_URL"),
        ("INSTEP_TASK_PER_HOUR", "INSTEP_TASKS_PER_HOUR"),
        ("INSTEP_OPENAI_KEY", "OPENAI_API_KEY"),
    ],
)
def test_a_mistyped_name_is_answered_with_the_one_that_was_meant(name: str, suggestion: str) -> None:
    with pytest.raises(SettingsError) as refusal:
        read_settings({name: "x"}, NO_FILE)

    assert str(refusal.value) == like(f"{name}…{suggestion}?")


def test_a_name_that_is_like_none_is_answered_shortly() -> None:
    with pytest.raises(SettingsError, match="remove it") as refusal:
        read_settings({"INSTEP_FOO": "x"}, NO_FILE)

    assert "INSTEP_JOBS" not in str(refusal.value)
