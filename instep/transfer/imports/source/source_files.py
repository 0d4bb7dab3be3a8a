"""Reads the files of a source: a folder, or a ZIP archive with archives in it.

Links are never followed. An archive is untrusted data: if a name leads out of it, or a size exceeds the
limits, the whole import is refused, so no part of a hostile archive is ever read as an article. Entries that
merely can't be read, such as links and devices, are left out and reported.
"""

import os
import re
import stat
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from io import BytesIO
from pathlib import Path
from typing import IO

from instep.platform.core import limits
from instep.platform.core.page_names import comparable_path, is_pointer
from instep.platform.text.encodings import Decoded, composed, decode_bytes, decode_unicode, guess_text
from instep.transfer.imports.openapi.api_document import is_api_description
from instep.transfer.imports.tree.schemas import Loss, Losses, UnreadableSource

ARCHIVE = ".zip"
ZIP_MARK = b"PK"
# Folders and files created by tools, which are not part of the source.
LITTER = re.compile(r"(?:^|/)(?:__MACOSX|\.git|node_modules|\.DS_Store|Thumbs\.db|desktop\.ini)(?:/|$)")
DRIVE = re.compile(r"^[A-Za-z]:")
ENCRYPTED = 0x1
# Up to this size, the compression ratio is not checked.
UNSUSPICIOUS_BYTES = 1024 * 1024
# Files that are read as text; files with settings contain names of files.
TEXT_FILE = re.compile(r"\.(?:mdx?|mdown|markdown|html?|json|ya?ml|toml)$", re.IGNORECASE)
SETTINGS_FILE = re.compile(r"\.(?:json|ya?ml|toml)$", re.IGNORECASE)
TOO_LARGE = f"file larger than {limits.MAX_IMPORT_FILE_BYTES // 1024**2} MB"
LINK = "symbolic link, which imports don't follow: replace it with its target"
# The maximum size of a Git LFS pointer.
SMALL_BYTES = 1024
POINTER = "Git LFS pointer instead of the file: run `git lfs pull` and import again"

Open = Callable[[], IO[bytes]]
UTF8 = 0x800
# The encoding that Python's library assumes for names without a flag (APPNOTE 4.4.4, D.1).
UNFLAGGED = "cp437"
MAX_LOCATION_CHARACTERS = 80


@dataclass(frozen=True, slots=True)
class OpenedFiles:
    """The files of a source; their paths and settings are normalized (Unicode NFC).

    `losses` lists omitted files; reading adds texts whose encoding is a guess. `root` is the name of an
    archive's only folder, which is not part of the paths, and distinguishes sources.
    """

    entries: dict[str, Open]
    losses: Losses
    root: str = ""

    def paths(self) -> Iterable[str]:
        return sorted(self.entries)

    def read(self, path: str) -> bytes:
        content = read_bounded(self.entries[comparable_path(path)], path)
        if content and TEXT_FILE.search(path):
            content = self._as_utf8(path, content)
        return content

    def _as_utf8(self, path: str, content: bytes) -> bytes:
        decoded = decode_bytes(content)
        if decoded is None:
            self.losses.add(path, "text in an unknown encoding: save the file as UTF-8")
            return content.decode(errors="replace").encode()
        if decoded.guess:
            self.losses.add(path, f"text that is not UTF-8: read as {decoded.guess}")
        return (composed(decoded.text) if SETTINGS_FILE.search(path) else decoded.text).encode()

    def add(self, path: str, size: int, open: Open) -> None:
        path = comparable_path(path)
        if path in self.entries:
            self.losses.add(path, "second file with the same name")
        elif TEXT_FILE.search(path) and size <= SMALL_BYTES and is_pointer(read_bounded(open, path)):
            self.losses.add(path, POINTER)
        else:
            self.entries[path] = open

    def all_losses(self) -> tuple[Loss, ...]:
        return tuple(dict.fromkeys(self.losses.rows))


@dataclass(slots=True)
class Unpacking:
    """The total contents of one source's archives, checked against the limits."""

    files: OpenedFiles = field(default_factory=lambda: OpenedFiles({}, Losses()))
    entries: int = 0
    unpacked_bytes: int = 0

    def add_archive(self, content: IO[bytes], name: str, depth: int) -> None:
        archive = open_zip(content, name)
        names = stored_names(archive, name, self.files.losses)
        is_bundled = depth < limits.MAX_IMPORT_ARCHIVE_DEPTH and is_bundle(names.values())
        for info, stored_name in names.items():
            path = checked_path(stored_name, name)
            if info.is_dir() or LITTER.search(path):
                continue
            self._count(info, name)
            fault = fault_of_entry(info) or fault_of_name(path)
            if fault is not None:
                self.files.losses.add(readable_name(path), fault)
            elif not is_bundled:
                self.files.add(path, info.file_size, opener(archive, info))
            elif path.lower().endswith(ARCHIVE):
                part = read_bounded(opener(archive, info), path)
                self.add_archive(BytesIO(part), path, depth + 1)
            else:
                self.files.losses.add(path, "file next to the archives in an export")

    def _count(self, info: zipfile.ZipInfo, name: str) -> None:
        self.entries += 1
        self.unpacked_bytes += info.file_size
        if self.entries > limits.MAX_IMPORT_ENTRIES:
            raise refusal(name, f"it contains more than {limits.MAX_IMPORT_ENTRIES:,} files")
        if self.unpacked_bytes > limits.MAX_IMPORT_UNPACKED_BYTES:
            raise refusal(name, f"it unpacks to more than {limits.MAX_IMPORT_UNPACKED_BYTES // 1024**2:,} MB")
        if info.file_size > UNSUSPICIOUS_BYTES + info.compress_size * limits.MAX_IMPORT_COMPRESSION_RATIO:
            raise refusal(name, f"its entry “{readable_name(info.filename)}” is compressed like a ZIP bomb")


def open_folder(root: Path) -> OpenedFiles:
    """The files below a local folder, chosen by the person who runs the command."""
    files = OpenedFiles({}, Losses())
    for path in walk(root):
        if len(files.entries) >= limits.MAX_IMPORT_ENTRIES:
            raise UnreadableSource(
                f"{root} contains more than {limits.MAX_IMPORT_ENTRIES:,} files: name the folder that "
                "contains the articles."
            )
        name = path.relative_to(root).as_posix()
        fault = fault_of_file(path) or fault_of_name(name)
        if fault is None:
            files.add(name, path.stat().st_size, opener_of(path))
        else:
            files.losses.add(readable_name(name), fault)
    return files


def walk(folder: Path) -> Iterator[Path]:
    """All files below a folder, including links to folders."""
    for path in sorted(folder.iterdir()):
        if LITTER.search(path.name):
            continue
        if path.is_dir() and not path.is_symlink():
            yield from walk(path)
        else:
            yield path


def opener_of(path: Path) -> Open:
    return lambda: path.open("rb")


def fault_of_file(path: Path) -> str | None:
    """The reason to leave out a file of a folder, if any."""
    if path.is_symlink():
        return LINK
    if not path.is_file():
        return "device or other entry that is not a file"
    if not os.access(path, os.R_OK):
        return "file that can't be opened: check its permissions"
    return TOO_LARGE if path.stat().st_size > limits.MAX_IMPORT_FILE_BYTES else None


def open_archive(content: bytes, name: str) -> OpenedFiles:
    """The files of a ZIP archive; raises `UnreadableSource` if it is unreadable or hostile.

    An archive of archives, which products create for large exports, is read as all of their files. A single
    folder that contains everything is not part of the paths. An OpenAPI document needs no archive.
    """
    if not content.startswith(ZIP_MARK) and is_api_description(content):
        # The name is the same for each version of the document, whatever its file is called.
        path = "openapi.json" if content.lstrip().startswith(b"{") else "openapi.yaml"
        return OpenedFiles({path: lambda: BytesIO(content)}, Losses())
    unpacking = Unpacking()
    unpacking.add_archive(BytesIO(content), name, 1)
    files = unpacking.files
    if not files.entries:
        left_out = next((f"it contains only a {loss.what}" for loss in files.losses.rows), None)
        raise refusal(name, left_out or "it contains no files")
    return without_root(files)


def without_root(files: OpenedFiles) -> OpenedFiles:
    """Remove the single folder that contains everything, as in archives of repositories."""
    folders = {path.partition("/")[0] if "/" in path else "" for path in files.paths()}
    if len(folders) > 1 or "" in folders:
        return files
    root = folders.pop()
    losses = [replace(loss, path=loss.path.removeprefix(f"{root}/")) for loss in files.losses.rows]
    entries = {path.removeprefix(f"{root}/"): open for path, open in files.entries.items()}
    return OpenedFiles(entries, Losses(losses), root)


def open_zip(content: IO[bytes], name: str) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(content)
    except (zipfile.BadZipFile, NotImplementedError, ValueError, OSError):
        raise UnreadableSource(
            f"“{readable_name(name)}” is not a valid ZIP archive: create it again and send all of it."
        ) from None


def is_bundle(names: Iterable[str]) -> bool:
    """True if an archive contains archives, and otherwise only notes that are not imported."""
    files = [name for name in names if not name.endswith("/") and not LITTER.search(name)]
    others = [name for name in files if not name.lower().endswith(ARCHIVE)]
    return len(others) < len(files) and all(name.lower().endswith((".txt", ".pdf")) for name in others)


def checked_path(path: str, name: str) -> str:
    """The path of an entry, with slashes; refuses one that leads out of the archive."""
    path = path.replace("\\", "/")
    fault = None
    if path.startswith("/") or DRIVE.match(path):
        fault = "has an absolute path"
    elif ".." in path.split("/"):
        fault = "leads out of the archive"
    elif len(path) > limits.MAX_IMPORT_PATH_CHARACTERS:
        fault = f"has a path longer than {limits.MAX_IMPORT_PATH_CHARACTERS} characters"
    if fault:
        raise refusal(name, f"its entry “{readable_name(path)}” {fault}")
    return path.rstrip("/")


def fault_of_name(path: str) -> str | None:
    is_storable = path.isprintable() and path.strip("/")
    return None if is_storable else "file with a name that not every system can store: rename it"


def fault_of_entry(info: zipfile.ZipInfo) -> str | None:
    """The reason to leave out an entry, if any: archives may contain links and devices of Unix systems."""
    mode = info.external_attr >> 16
    if stat.S_ISLNK(mode):
        return LINK
    if stat.S_IFMT(mode) not in (0, stat.S_IFREG):
        return "device or other entry that is not a file"
    if info.flag_bits & ENCRYPTED:
        return "file with a password"
    return TOO_LARGE if info.file_size > limits.MAX_IMPORT_FILE_BYTES else None


def opener(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Open:
    # The size in the directory was checked, and the library cuts the stream at that size.
    return lambda: archive.open(info)


def read_bounded(open: Open, path: str) -> bytes:
    """The bytes of a file; raises `UnreadableSource` for a damaged file in an archive."""
    try:
        with open() as stream:
            return stream.read(limits.MAX_IMPORT_FILE_BYTES)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError):
        raise UnreadableSource(
            f"“{readable_name(path)}” in the archive is damaged: create the archive again."
        ) from None


def refusal(name: str, reason: str) -> UnreadableSource:
    return UnreadableSource(
        f"“{readable_name(name)}” can't be imported: {reason}. Create an archive that contains only the "
        "files."
    )


def stored_names(archive: zipfile.ZipFile, name: str, losses: Losses) -> dict[zipfile.ZipInfo, str]:
    """The entries with their names; entries with unreadable names are left out and reported.

    A name without the UTF-8 flag is read as UTF-8 if it is valid. All other names are read in the one older
    encoding that fits, if there is one.
    """
    # `filename` ends at a NUL character.
    names = {info: info.orig_filename for info in archive.infolist()}
    raw_names = dict[zipfile.ZipInfo, bytes]()
    for info, path in names.items():
        raw_name = b"" if info.flag_bits & UTF8 else path.encode(UNFLAGGED)
        utf8_name = decode_unicode(raw_name)
        if utf8_name is None:
            raw_names[info] = raw_name.replace(b"\n", b" ")
        else:
            names[info] = utf8_name or path
    guessed = dict(zip(raw_names, guessed_names(list(raw_names.values())), strict=True))
    for info, decoded in guessed.items():
        if decoded is None:
            losses.add(readable_name(names.pop(info)), "file name in an unknown encoding: rename the file")
        else:
            names[info] = decoded.text
    examples = {decoded.guess: decoded.text for decoded in guessed.values() if decoded is not None}
    for guess, example in examples.items():
        losses.add(
            name, f"file names in an older encoding: read as {guess}, such as “{readable_name(example)}”"
        )
    return names


def guessed_names(raw_names: list[bytes]) -> list[Decoded | None]:
    """Decode the names with one encoding that fits all of them, or each with the encoding that fits it."""
    together = guess_text(b"\n".join(raw_names))
    if together is None:
        return [guess_text(raw_name) for raw_name in raw_names]
    paths = together.text.split("\n")
    return [Decoded(path, together.guess) for _, path in zip(raw_names, paths, strict=False)]


def readable_name(name: str) -> str:
    """An untrusted name, made safe to quote in a sentence."""
    printable = "".join(sign if sign.isprintable() else "�" for sign in name)
    return (
        printable if len(printable) <= MAX_LOCATION_CHARACTERS else f"…{printable[-MAX_LOCATION_CHARACTERS:]}"
    )
