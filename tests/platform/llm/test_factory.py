"""The configured model, from the environment variables that its provider defines."""

from pathlib import Path

import pytest

from instep.operations.ops.doctor import describe_settings
from instep.platform.core.config import SettingsError, read_settings
from instep.platform.core.outbound.networks import Address
from instep.platform.core.outbound.urls import parse_url
from instep.platform.llm.anthropic import Anthropic
from instep.platform.llm.factory import allow_only, describe_model, open_model, provider_of
from instep.platform.llm.openai import OpenAi
from tests.support.model_endpoint import KEY

NO_FILE = Path("there-is-no-such-file.toml")


async def test_none_is_set_by_default() -> None:
    settings = read_settings({"OPENAI_API_KEY": KEY}, NO_FILE)

    async with open_model(settings) as model:
        assert model is None
    assert describe_model(settings) == "none is set"


def test_a_provider_is_called_at_its_own_address_with_its_own_key() -> None:
    both = {"OPENAI_API_KEY": "sk-o", "ANTHROPIC_API_KEY": "sk-a"}

    openai = provider_of(read_settings({**both, "INSTEP_MODEL": "openai:gpt-9"}, NO_FILE))
    anthropic = provider_of(read_settings({**both, "INSTEP_MODEL": "anthropic:claude-9"}, NO_FILE))

    assert openai == OpenAi("gpt-9", key="sk-o")
    assert openai.url == "https://api.openai.com/v1/chat/completions"
    assert anthropic == Anthropic("claude-9", key="sk-a")
    assert anthropic.url == "https://api.anthropic.com/v1/messages"


def test_a_server_of_ones_own_needs_no_key_and_knows_the_older_field() -> None:
    local = {"INSTEP_MODEL": "openai:qwen3:8b", "OPENAI_BASE_URL": "http://localhost:11434/v1/"}

    provider = provider_of(read_settings(local, NO_FILE))

    assert provider == OpenAi("qwen3:8b", "http://localhost:11434/v1/", limit="max_tokens")
    assert provider.url == "http://localhost:11434/v1/chat/completions"
    assert "Authorization" not in provider.headers


def test_a_key_may_stand_in_a_file_or_in_the_settings_file(tmp_path: Path) -> None:
    (tmp_path / "key").write_text(f"{KEY}\n")
    (tmp_path / "instep.toml").write_text(f'model = "anthropic:claude-9"\nanthropic_api_key = "{KEY}"\n')
    environment = {"INSTEP_MODEL": "openai:gpt-9", "OPENAI_API_KEY_FILE": str(tmp_path / "key")}

    assert read_settings(environment, NO_FILE).provider_key == KEY
    assert read_settings({}, tmp_path / "instep.toml").provider_key == KEY


@pytest.mark.parametrize(
    ("environment", "named"),
    [
        ({"INSTEP_MODEL": "openai:gpt-9"}, "OPENAI_API_KEY"),
        ({"INSTEP_MODEL": "openai:gpt-9", "OPENAI_API_KEY": "", "OPENAI_BASE_URL": ""}, "OPENAI_API_KEY"),
        ({"INSTEP_MODEL": "anthropic:claude-9", "OPENAI_API_KEY": KEY}, "ANTHROPIC_API_KEY"),
        ({"INSTEP_MODEL": "gpt-9", "OPENAI_API_KEY": KEY}, "INSTEP_MODEL"),
        ({"INSTEP_MODEL": "mistral:large"}, "INSTEP_MODEL"),
        ({"INSTEP_MODEL": "openai: "}, "INSTEP_MODEL"),
        ({"OPENAI_BASE_URL": "http://user:pass@host/v1"}, "OPENAI_BASE_URL"),
        ({"OPENAI_BASE_URL": "https://host/v1?api-version=1"}, "OPENAI_BASE_URL"),
        ({"ANTHROPIC_BASE_URL": "file:///etc/passwd"}, "ANTHROPIC_BASE_URL"),
        ({"OPENAI_API_KEY": f"{KEY}\r\nX-Other: 1"}, "OPENAI_API_KEY"),
        ({"ANTHROPIC_API_KEY_FILE": "/nowhere/at/all"}, "ANTHROPIC_API_KEY_FILE"),
        ({"INSTEP_MODEL_SECONDS": "0"}, "INSTEP_MODEL_SECONDS"),
        ({"INSTEP_MODEL_TOKENS_PER_TASK": "10"}, "INSTEP_MODEL_TOKENS_PER_TASK"),
    ],
)
def test_invalid_setting_is_named_and_no_key_is_repeated(environment: dict[str, str], named: str) -> None:
    with pytest.raises(SettingsError, match=named) as refused:
        read_settings(environment, NO_FILE)

    assert KEY not in str(refused.value)


def test_doctor_says_which_model_is_set_and_never_the_key() -> None:
    settings = read_settings({"INSTEP_MODEL": "openai:gpt-9", "OPENAI_API_KEY": KEY}, NO_FILE)

    lines = describe_settings(settings)

    assert describe_model(settings) == "openai:gpt-9 at https://api.openai.com/v1/chat/completions"
    assert (lines["INSTEP_MODEL"], lines["OPENAI_API_KEY"]) == ("openai:gpt-9", "(set)")
    assert KEY not in str(lines) + describe_model(settings)


@pytest.mark.parametrize(
    "address", ["http://127.0.0.1:11434/v1", "http://ollama:11434", "https://10.1.2.3/x"]
)
def test_the_operators_own_address_may_be_private_and_no_other_is(address: str) -> None:
    allowed = allow_only(address)
    here: Address | None = parse_url(address).address

    assert allowed.names(parse_url(address))
    assert not allowed.names(parse_url("http://127.0.0.2:8000/"))
    assert here is None or allowed.permits(here, str(here))


def test_not_even_the_operators_address_may_be_a_metadata_service() -> None:
    address = parse_url("http://169.254.169.254/v1").address

    assert address is not None
    assert not allow_only("http://169.254.169.254/v1").permits(address, "169.254.169.254")
