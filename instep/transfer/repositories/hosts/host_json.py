"""Reads values in the JSON of code hosts, any of which may be missing."""

import hashlib
import hmac
import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any
from urllib.parse import quote

from instep.transfer.repositories.schemas import HostRelease

# Bot accounts, by the names that hosts and common bots use.
BOT_NAME = re.compile(
    r"\[bot\]$|[-_]bot$|^(?:project|group)_\d+_bot|^(?:dependabot|renovate)\b", re.IGNORECASE
)


# The number of releases that are checked, newest first.
MAX_RELEASES = 10
COMMIT = re.compile("[0-9a-f]{7,64}")


class Malformed(ValueError):
    """The JSON does not have the documented form."""


def value_at(value: Any, *path: str) -> Any:
    """The value at a path of names; None if there is none."""
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def text_at(value: Any, *path: str) -> str:
    """The text at a path; raises `Malformed`."""
    text = value_at(value, *path)
    if not isinstance(text, str) or not text:
        raise Malformed(".".join(path))
    return text


def texts_at(value: Any, name: str, *path: str) -> tuple[str, ...]:
    """The texts of a list: its items, or with a path what each item has there; others are left out."""
    rows = value_at(value, name)
    texts = [value_at(row, *path) for row in rows] if isinstance(rows, list) else []
    return tuple(text for text in texts if isinstance(text, str))


def number_at(value: Any, *path: str) -> int:
    number = value_at(value, *path)
    if not isinstance(number, int) or not 0 <= number < 2**31:
        raise Malformed(".".join(path))
    return number


def commit_at(value: Any, *path: str) -> str | None:
    """The hash of a commit at a path; None if there is none."""
    commit = value_at(value, *path)
    return commit if isinstance(commit, str) and COMMIT.fullmatch(commit) else None


def moment_at(value: Any, *path: str) -> datetime | None:
    text = value_at(value, *path)
    try:
        moment = datetime.fromisoformat(text) if isinstance(text, str) else None
    except ValueError:
        return None
    return moment if moment is not None and moment.tzinfo else None


def releases_of(rows: Any, tag: str, published: str, *flags: str) -> list[HostRelease]:
    """The published releases among rows, by field names; rows with a true flag are not published."""
    return [
        HostRelease(text_at(row, tag), moment)
        for row in (rows[:MAX_RELEASES] if isinstance(rows, list) else ())
        if not any(value_at(row, flag) is True for flag in flags)
        and (moment := moment_at(row, *published.split("."))) is not None
    ]


def is_bot_name(name: object) -> bool:
    return isinstance(name, str) and BOT_NAME.search(name) is not None


def quoted_name(name: str) -> str:
    """A name such as `acme/app`, quoted for a path."""
    return quote(name, safe="/")


def has_signature(signature: str | None, body: bytes, secret: str) -> bool:
    """True if this is the HMAC-SHA256 of the body, in hexadecimal."""
    expected = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    return hmac.compare_digest((signature or "").encode(), expected.encode())


def header_of(headers: Mapping[str, str], name: str) -> str:
    return headers.get(name) or ""


def file_part(before: str, path: str, patch: Any, *, is_new: bool, is_gone: bool) -> str:
    """One file's part of a diff, from the hunks in an API's response; `hunks` is None if it omits them."""
    lines = [f"diff --git a/{before} b/{path}"]
    if before != path:
        lines += [f"rename from {before}", f"rename to {path}"]
    if is_new or is_gone:
        lines.append("new file mode 100644" if is_new else "deleted file mode 100644")
    if isinstance(patch, str) and patch:
        lines.append("--- /dev/null" if is_new else f"--- a/{before}")
        lines.append("+++ /dev/null" if is_gone else f"+++ b/{path}")
        lines.append(patch.removesuffix("\n"))
    return "\n".join([*lines, ""])
