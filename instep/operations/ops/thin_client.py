"""`instep.pyz`, the client for CI jobs as one file, which the server builds from its own modules.

Two servers of the same version produce the same bytes: entries are sorted and have no dates.
"""

import base64
import hashlib
import io
import zipfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

import instep
from instep.platform.core import limits
from instep.platform.core.etags import matches_any_etag
from instep.platform.web.public import public

PATH = "/ci/instep.pyz"
MAIN = "client/thin_client/__main__.py"
# All modules that its commands import: a test runs them without anything else.
PACKAGES = ("client/ci", "client/drift", "client/review", "client/thin_client", "platform/core/limits")
MODULES = (
    *("__init__", "client/__init__", "platform/__init__"),
    *(f"platform/core/{name}" for name in ("__init__", "errors", "page_names")),
    *(
        f"platform/text/{name}"
        for name in ("__init__", "characters", "encodings", "file_kinds", "patch", "patch_parser")
    ),
)
SHEBANG = b"#!/usr/bin/env python3\n"
# The earliest time that a ZIP file can store.
NO_DATE = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class ClientFile:
    """The bytes of `instep.pyz` and their SHA-256."""

    content: bytes
    digest: bytes


@cache
def build_archive() -> ClientFile:
    """Build `instep.pyz`, once per process."""
    buffer = io.BytesIO(SHEBANG)
    buffer.seek(0, io.SEEK_END)
    with zipfile.ZipFile(buffer, "a", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, content in sorted(entries().items()):
            entry = zipfile.ZipInfo(name, NO_DATE)
            # The same on every system: Unix files that everyone may read.
            entry.create_system, entry.external_attr = 3, 0o644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content, compresslevel=9)
    content = buffer.getvalue()
    return ClientFile(content, hashlib.sha256(content).digest())


def entries() -> dict[str, bytes]:
    """The files of the archive, by their names in it."""
    root = Path(instep.__file__).parent
    paths = [path for package in PACKAGES for path in sorted((root / package).glob("*.py"))]
    paths += [root / f"{module}.py" for module in MODULES]
    files = {f"instep/{path.relative_to(root).as_posix()}": path.read_bytes() for path in paths}
    # Python finds the version of a program in its metadata.
    metadata = f"Metadata-Version: 2.1\nName: instep\nVersion: {instep.__version__}\n"
    files[f"instep-{instep.__version__}.dist-info/METADATA"] = metadata.encode()
    files["__main__.py"] = files.pop(f"instep/{MAIN}")
    return files


@public
async def get_archive(request: Request) -> Response:
    """The file, with its digest (RFC 9530) and an entity tag."""
    archive = build_archive()
    etag = f'"{archive.digest.hex()}"'
    headers = {
        "ETag": etag,
        "Repr-Digest": f"sha-256=:{base64.b64encode(archive.digest).decode()}:",
        "Cache-Control": f"public, max-age={limits.THIN_CLIENT_CACHE_SECONDS}",
        "Content-Disposition": 'attachment; filename="instep.pyz"',
    }
    if matches_any_etag(etag, request.headers.get("if-none-match", "")):
        return Response(status_code=304, headers=headers)
    return Response(archive.content, 200, headers, "application/octet-stream")


@public
async def get_digest(request: Request) -> Response:
    """The SHA-256 of the file, in the format of `sha256sum --check`."""
    headers = {"Cache-Control": f"public, max-age={limits.THIN_CLIENT_CACHE_SECONDS}"}
    return Response(f"{build_archive().digest.hex()}  instep.pyz\n", 200, headers, "text/plain")


routes = [Route(PATH, get_archive), Route(f"{PATH}.sha256", get_digest)]
