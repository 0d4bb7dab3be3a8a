"""`instep doctor`: the settings that it prints."""

from pathlib import Path

from instep.operations.ops.doctor import describe_settings
from instep.platform.core.config import read_settings
from instep.platform.core.secret_keys import secret_key
from tests.support.wording import like

NO_FILE = Path("there-is-no-such-file.toml")


def test_it_says_where_the_secret_key_is_that_nobody_has_set(tmp_path: Path) -> None:
    settings = read_settings({"INSTEP_DATA_DIR": str(tmp_path)}, NO_FILE)
    before = describe_settings(settings)
    key = secret_key(settings).decode()
    after = describe_settings(settings)

    assert before["INSTEP_SECRET_KEY"] == like(f"…created…{tmp_path}/secret_key")
    assert after["INSTEP_SECRET_KEY"] == f"in {tmp_path}/secret_key"
    assert key not in str(after)
    assert after["INSTEP_MODEL"] == "not set"
