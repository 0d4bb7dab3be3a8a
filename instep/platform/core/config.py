"""Settings from the environment (`INSTEP_…`) and an optional `instep.toml`; unknown names are errors."""

import os
import tomllib
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from instep.platform.core.errors import Unusable
from instep.platform.core.setting_forms import EMPTY
from instep.platform.core.settings import Settings

PREFIX = "INSTEP_"
FILE = Path("instep.toml")
# Clauses by the type of the Pydantic error.
EXPECTATIONS = {
    "bool_parsing": "it must be true or false",
    "bool_type": "it must be true or false",
    "greater_than_equal": "it must be at least {ge}",
    "int_from_float": "it must be a whole number",
    "int_parsing": "it must be a whole number",
    "int_parsing_size": "it must be a whole number of fewer digits",
    "int_type": "it must be a whole number",
    "less_than_equal": "it must be at most {le}",
    "literal_error": "it must be {expected}",
    "path_type": "it must be a path, as a string in quotes",
    "string_pattern_mismatch": "it must consist of visible ASCII characters, without spaces and line breaks",
    "string_too_short": "it must have at least {min_length} characters",
    "string_type": "it must be a string in quotes",
}


class SettingsError(Unusable):
    """A setting is unknown or has an invalid value."""


# Settings whose variables have others' established names, without the prefix.
PROVIDERS = {
    *("openai_api_key", "openai_base_url", "anthropic_api_key", "anthropic_base_url"),
    "otel_exporter_otlp_endpoint",
}
# Variables of client commands and the Makefile, which the server ignores.
ELSEWHERE = {"INSTEP_URL", "INSTEP_API_KEY", "INSTEP_BOT", "INSTEP_IMPORT_KEY", "INSTEP_WEBHOOK_SECRET"}


@cache
def settings() -> Settings:
    """The settings of this process, read once, at first use."""
    return read_settings(os.environ, FILE)


def read_settings(environ: Mapping[str, str], file: Path) -> Settings:
    """The environment overrides the file; `INSTEP_X_FILE` names a file with the value of `INSTEP_X`.

    Raises `SettingsError` with one sentence for each invalid setting.
    """
    values = read_file(file) if file.exists() else {}
    for name, value in sorted(environ.items()):
        if is_ours(name):
            values.update([from_environment(name, value)])
    try:
        return Settings(**values)
    except ValidationError as error:
        raise SettingsError("; ".join(explain(problem) for problem in error.errors())) from None


def read_file(file: Path) -> dict[str, Any]:
    try:
        values = tomllib.loads(file.read_text())
    except (OSError, ValueError) as error:
        raise SettingsError(f"{file} can't be read: {error}") from None
    unknown_names = [name for name in values if name not in Settings.model_fields]
    if unknown_names:
        problems = [explain_unknown(name, PREFIX, list(Settings.model_fields)) for name in unknown_names]
        raise SettingsError("; ".join(f"{file}: {problem}" for problem in problems))
    return values


def is_ours(name: str) -> bool:
    if name.lower().removesuffix("_file") in PROVIDERS:
        return name.isupper()
    return name.startswith(PREFIX) and name not in ELSEWHERE


def from_environment(name: str, value: str) -> tuple[str, str]:
    key = name.removeprefix(PREFIX).lower()
    if key.endswith("_file") and key not in Settings.model_fields:
        if not value.strip():
            raise SettingsError(f"{name}: {EMPTY}")
        try:
            return key.removesuffix("_file"), Path(value).read_text().strip()
        except (OSError, ValueError) as error:
            raise SettingsError(f"{name}: {error}") from None
    return key, value


def explain(problem: Any) -> str:
    """The message about one of Pydantic's problems; one about several settings already names the first."""
    if not problem["loc"]:
        return str(problem["ctx"]["error"])
    field = ".".join(str(part) for part in problem["loc"])
    name = environment_name(field)
    if problem["type"] == "extra_forbidden":
        return explain_unknown(name, PREFIX, [environment_name(field) for field in Settings.model_fields])
    [example] = Settings.model_fields[field].examples or [None]
    return explain_value(name, problem, example)


def environment_name(field: str) -> str:
    return field.upper() if field in PROVIDERS else PREFIX + field.upper()


def explain_unknown(name: str, prefix: str, names: Sequence[str]) -> str:
    """The message about an unknown setting, with the one of `names` that was probably meant."""
    # The prefix, which nearly all names share, would make all of them similar.
    by_word = {setting.removeprefix(prefix).lower(): setting for setting in names}
    similar = get_close_matches(name.removeprefix(prefix).lower(), by_word, n=1)
    advice = (
        f"did you mean {by_word[similar[0]]}?"
        if similar
        else "remove it; the article “Settings” of the documentation (docs/help) lists all settings."
    )
    return f"{name} is not a setting of Instep: {advice}"


def explain_value(name: str, problem: Mapping[str, Any], example: object) -> str:
    """The message about an invalid value, without the value, which may be secret; `problem` is Pydantic's."""
    context = problem.get("ctx", {})
    if problem["type"] == "value_error":
        expectation = str(context["error"])
    else:
        expectation = EXPECTATIONS.get(problem["type"], "it can't be read").format(**context)
    ending = f", such as {name}={example}" if example is not None else ""
    return f"{name}: {expectation}{ending}"
