"""The table of all settings: descriptions, defaults and bounds of `instep/platform/core/settings.py`."""

from annotated_types import Ge, Le, MinLen
from pydantic.fields import FieldInfo

from instep.demo.help import HELP, read_page
from instep.platform.core.config import environment_name
from instep.platform.core.settings import Settings
from scripts.reference.tables import code, table

PAGE = "02-run-it/01-settings.md"
HEADER = ("setting", "default", "meaning")
# The article, with the place in it, that tells more about a setting.
ARTICLES = {
    "secret_key": "settings#change-the-secret-key",
    "secret_key_previous": "settings#change-the-secret-key",
    "data_dir": "settings#the-default-data-folder",
    "database_url": "your-own-postgresql",
    "trusted_proxies": "settings#behind-a-proxy",
    "model_allow": "set-up-a-model#choose-a-provider",
    "webhook_allow": "settings#open-hosts-to-webhooks",
    "conversation_retention_days": "data-of-visitors",
    "card_fonts": "for-machines#links-in-chats",
    "visit_count_retention_days": "insights#visitor-activity",
    "jobs": "workers-and-jobs",
    "metrics_token": "watch-it",
    "metrics_port": "watch-it#metrics-of-a-worker",
    "otel_exporter_otlp_endpoint": "watch-it#traces",
    "oidc_issuer": "people-and-the-audit",
    "smtp_url": "email",
    "files": "images-and-files#where-files-are-stored",
    "backups": "back-up-and-restore#every-day",
    "model": "language-model",
    "embeddings": "embeddings",
}


def settings_page(present: str) -> str:
    """The article about settings with its first table written anew."""
    before, rest = present.split("## All settings\n", 1)
    _, _, after = rest.partition("|---|---|---|\n")
    lines = after.splitlines(keepends=True)
    end = next(number for number, line in enumerate(lines) if not line.startswith("|"))
    rows = [row_of(name, field) for name, field in Settings.model_fields.items()]
    return f"{before}## All settings\n\n{table(HEADER, rows)}\n{''.join(lines[end:])}"


def row_of(name: str, field: FieldInfo) -> tuple[str, str, str]:
    sentences = [str(field.description), bounds_of(field), more_about(name)]
    return code(environment_name(name)), default_of(field), " ".join(filter(None, sentences))


def default_of(field: FieldInfo) -> str:
    if field.default_factory is not None:
        return "see right"
    if field.default is None:
        return "not set"
    value = str(field.default).lower() if isinstance(field.default, bool) else field.default
    return "empty" if value == "" else code(value)


def bounds_of(field: FieldInfo) -> str:
    """A sentence about the values that the setting may have, or nothing."""
    least = next((bound.ge for bound in field.metadata if isinstance(bound, Ge)), None)
    most = next((bound.le for bound in field.metadata if isinstance(bound, Le)), None)
    length = next((bound.min_length for bound in field.metadata if isinstance(bound, MinLen)), None)
    if length is not None:
        return f"At least {length} characters."
    if most is not None:
        return f"From {least} to {most}."
    return f"At least {least}." if least is not None else ""


def more_about(name: str) -> str:
    address = ARTICLES.get(name, "")
    slug, _, anchor = address.partition("#")
    if slug == "settings":
        return f"See [below](#{anchor})."
    return f"See [{title_of(slug)}](/help/instep/articles/{address})." if slug else ""


def title_of(slug: str) -> str:
    [file] = HELP.glob(f"*/[0-9]*-{slug}.md")
    return read_page(file, slug).title
