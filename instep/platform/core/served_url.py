"""The URL at which this installation was last served, for commands that print links to it."""

import os
from collections.abc import Mapping
from contextlib import suppress

from instep.platform.core.settings import Settings

FILE = "served_url"


def remember_served_url(settings: Settings) -> None:
    """Write the URL to the data folder; if that fails, links use the default URL."""
    with suppress(OSError):
        settings.data_dir.mkdir(parents=True, exist_ok=True)
        draft = settings.data_dir / f".{FILE}-{os.getpid()}"
        draft.write_text(settings.base_url)
        draft.replace(settings.data_dir / FILE)


def served_url(settings: Settings, environ: Mapping[str, str]) -> str:
    """`INSTEP_SITE_URL` if it is set, else `INSTEP_URL`, else the URL of the last server."""
    if "site_url" in settings.model_fields_set:
        return settings.base_url
    url = environ.get("INSTEP_URL", "").strip().rstrip("/").removesuffix("/v1")
    if url.startswith(("http://", "https://")):
        return url
    with suppress(OSError, ValueError):
        return (settings.data_dir / FILE).read_text() or settings.base_url
    return settings.base_url
