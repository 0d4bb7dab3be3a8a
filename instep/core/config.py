"""Settings: read from the environment (`INSTEP_…`) and an optional `instep.toml`, strict about names."""

import os
import secrets
import tomllib
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from instep.core.outbound.allowed import AllowList, read_allow_list

PREFIX = "INSTEP_"
FILE = Path("instep.toml")


class SettingsError(Exception):
    """A setting is unknown or has a value that can't be used."""


class Settings(BaseModel):
    """What an operator can set; `instep doctor` prints it without secrets."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    database_url: str | None = Field(None, description="an external PostgreSQL; none: the embedded one")
    data_dir: Path = Field(default_factory=lambda: default_data_dir(), description="the data folder")
    site_url: str = Field("http://127.0.0.1:8000", description="the public address of this installation")
    secret_key: str | None = Field(
        None, min_length=32, description="signs cursors, seals secrets; made when missing"
    )
    requests_per_minute: int = Field(120, ge=1, description="requests a minute per API key")
    anonymous_requests_per_minute: int = Field(
        60, ge=1, description="requests a minute per address without a valid API key"
    )
    tasks_per_hour: int = Field(30, ge=1, description="tasks an hour per workspace")
    jobs: bool = Field(True, description="whether the server's processes run jobs too")
    database_pool: int = Field(10, ge=1, le=100, description="database connections of one process")
    webhook_allow: str = Field("", description="hosts and networks open to webhooks though not public")

    @field_validator("webhook_allow")
    @classmethod
    def readable_allow_list(cls, text: str) -> str:
        read_allow_list(text)
        return text

    @property
    def base_url(self) -> str:
        return self.site_url.rstrip("/")

    @property
    def allow_list(self) -> AllowList:
        return read_allow_list(self.webhook_allow)


SECRETS = {"database_url", "secret_key"}
# Read by client commands or the Makefile, not by the server.
ELSEWHERE = {"INSTEP_URL", "INSTEP_API_KEY"}


@cache
def settings() -> Settings:
    """The settings of this process, read once, at first use."""
    return read_settings(os.environ, FILE)


def read_settings(environ: Mapping[str, str], file: Path) -> Settings:
    """Environment over file over default; `INSTEP_X_FILE` names a file that holds the value of `INSTEP_X`."""
    values = read_file(file) if file.exists() else {}
    for name, value in sorted(environ.items()):
        if name.startswith(PREFIX) and name not in ELSEWHERE:
            values.update([from_environment(name, value)])
    try:
        return Settings(**values)
    except ValidationError as error:
        raise SettingsError("; ".join(explain(problem) for problem in error.errors())) from None


def read_file(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text())
    except (OSError, ValueError) as error:
        raise SettingsError(f"{file} can't be read: {error}") from None


def from_environment(name: str, value: str) -> tuple[str, str]:
    key = name.removeprefix(PREFIX).lower()
    if key.endswith("_file") and key not in Settings.model_fields:
        try:
            return key.removesuffix("_file"), Path(value).read_text().strip()
        except (OSError, ValueError) as error:
            raise SettingsError(f"{name}: {error}") from None
    return key, value


def explain(problem: Any) -> str:
    name = PREFIX + ".".join(str(part) for part in problem["loc"]).upper()
    if problem["type"] == "extra_forbidden":
        known = ", ".join(sorted(PREFIX + field.upper() for field in Settings.model_fields))
        return f"{name} is not a setting of Instep; the settings are {known}"
    return f"{name}: {problem['msg'].removeprefix('Value error, ')}"


def default_data_dir() -> Path:
    if "XDG_DATA_HOME" in os.environ:
        return Path(os.environ["XDG_DATA_HOME"]) / "instep"
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        return Path("/var/lib/instep")
    return Path.home() / ".local/share/instep"


def secret_key(settings: Settings) -> bytes:
    """The signing key: as set, or made once and kept in the data folder."""
    if settings.secret_key:
        return settings.secret_key.encode()
    path = settings.data_dir / "secret_key"
    settings.data_dir.mkdir(parents=True, exist_ok=True)
    if not path.exists():
        made = path.with_name(f".{path.name}-{secrets.token_hex(8)}")
        descriptor = os.open(made, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w") as file:
            file.write(secrets.token_urlsafe(48))
        # Of several starting processes exactly one gives its key the name, and nobody reads half a key.
        with suppress(FileExistsError):
            os.link(made, path)
        made.unlink()
    return path.read_bytes()
