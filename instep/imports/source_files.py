"""Reads the files of a source: a folder, or a ZIP archive with archives in it. Nothing is followed.

An archive is foreign data. One name in it that leads out of it, a link, a device, or a size beyond the limits
refuses the whole import with one sentence; so no part of a hostile archive is ever read as an article.
"""

import re
import stat
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import IO

from instep.core import limits
from instep.imports.tree import SourceFiles, UnreadableSource

ARCHIVE = ".zip"
# Folders and files that tools leave behind, and that no source means.
LITTER = re.compile(r"(?:^|/)(?:__MACOSX|\.git|node_modules|\.DS_Store|Thumbs\.db|desktop\.ini)(?:/|$)")
DRIVE = re.compile(r"^[A-Za-z]:")
ENCRYPTED = 0x1
# A file of this size may be compressed in any way.
UNSUSPICIOUS_BYTES = 1024 * 1024
MAX_LOCATION_CHARACTERS = 80


@dataclass(frozen=True, slots=True)
class FolderFiles:
    """The files below a folder; links are left out, wherever they lead."""

    root: Path
    files: dict[str, Path]

    def paths(self) -> Iterable[str]:
        return sorted(self.files)

    def read(self, path: str) -> bytes:
        return read_bounded(self.files[path].open("rb"), path)


@dataclass(frozen=True, slots=True)
class ArchivedFile:
    """One file in an archive, or in an archive inside of it."""

    archive: zipfile.ZipFile
    info: zipfile.ZipInfo


@dataclass(frozen=True, slots=True)
class ArchiveFiles:
    """The files of an archive and of the archives in it, which are unpacked when they are read."""

    entries: dict[str, ArchivedFile]

    def paths(self) -> Iterable[str]:
        return sorted(self.entries)

    def read(self, path: str) -> bytes:
        entry = self.entries[path]
        return read_entry(entry.archive, entry.info, path)


@dataclass(frozen=True, slots=True)
class FilesBelow:
    """The files below one folder of a source, by paths relative to that."""

    files: SourceFiles
    folder: str

    def paths(self) -> Iterable[str]:
        return [path.removeprefix(self.folder) for path in self.files.paths() if path.startswith(self.folder)]

    def read(self, path: str) -> bytes:
        return self.files.read(self.folder + path)


@dataclass(slots=True)
class Unpacking:
    """What the archives of one source hold so far, against the limits."""

    entries: dict[str, ArchivedFile] = field(default_factory=dict)
    folded_paths: dict[str, str] = field(default_factory=dict)
    unpacked_bytes: int = 0

    def add_archive(self, content: IO[bytes], name: str, depth: int) -> None:
        archive = open_zip(content, name)
        is_bundled = depth < limits.MAX_IMPORT_ARCHIVE_DEPTH and is_bundle(archive)
        for info in archive.infolist():
            path = checked_path(info, name)
            if info.is_dir() or LITTER.search(path):
                continue
            refuse_special(info, name)
            self._count(info, name)
            if is_bundled and path.lower().endswith(ARCHIVE):
                self.add_archive(BytesIO(read_entry(archive, info, path)), path, depth + 1)
            else:
                self._add(path, ArchivedFile(archive, info), name)

    def _count(self, info: zipfile.ZipInfo, name: str) -> None:
        self.unpacked_bytes += info.file_size
        if len(self.entries) >= limits.MAX_IMPORT_ENTRIES:
            raise refusal(name, f"it holds more than {limits.MAX_IMPORT_ENTRIES:,} files")
        if self.unpacked_bytes > limits.MAX_IMPORT_UNPACKED_BYTES:
            raise refusal(name, f"it unpacks to more than {limits.MAX_IMPORT_UNPACKED_BYTES // 1024**2:,} MB")
        if info.file_size > UNSUSPICIOUS_BYTES + info.compress_size * limits.MAX_IMPORT_COMPRESSION_RATIO:
            raise refusal(name, f"“{readable(info.filename)}” in it is compressed as only a bomb is")

    def _add(self, path: str, entry: ArchivedFile, name: str) -> None:
        other = self.folded_paths.setdefault(path.casefold(), path)
        if path in self.entries or other != path:
            both = f"“{readable(other)}” and “{readable(path)}”"
            raise refusal(name, f"it holds {both}, which are one file on some systems")
        self.entries[path] = entry


def open_folder(root: Path) -> FolderFiles:
    """The files below a folder of this machine, which whoever runs the command chose."""
    files: dict[str, Path] = {}
    for path in walk(root):
        if len(files) >= limits.MAX_IMPORT_ENTRIES:
            raise UnreadableSource(
                f"{root} holds more than {limits.MAX_IMPORT_ENTRIES:,} files: name the articles' folder."
            )
        files[path.relative_to(root).as_posix()] = path
    return FolderFiles(root, files)


def walk(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        if path.is_symlink() or LITTER.search(path.name):
            continue
        if path.is_dir():
            yield from walk(path)
        elif path.is_file():
            yield path


def open_archive(content: bytes, name: str) -> SourceFiles:
    """The files of a ZIP archive; raises `UnreadableSource` for one that can't be trusted, or not be read.

    An archive that holds only archives, as products make them of large exports, counts as all of their files.
    One folder that holds everything else is not part of the paths.
    """
    unpacking = Unpacking()
    unpacking.add_archive(BytesIO(content), name, 1)
    if not unpacking.entries:
        raise refusal(name, "it holds no file")
    return without_root(ArchiveFiles(unpacking.entries))


def without_root(files: SourceFiles) -> SourceFiles:
    """Leave out the one folder that everything is in, as archives of repositories have it."""
    folders = {path.partition("/")[0] if "/" in path else "" for path in files.paths()}
    return FilesBelow(files, f"{folders.pop()}/") if len(folders) == 1 and "" not in folders else files


def root_name(files: SourceFiles) -> str | None:
    """The name of the one folder of an archive, which tells sources apart; None if there is none."""
    return files.folder.rstrip("/") if isinstance(files, FilesBelow) else None


def open_zip(content: IO[bytes], name: str) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(content)
    except (zipfile.BadZipFile, NotImplementedError, ValueError, OSError):
        raise UnreadableSource(
            f"“{readable(name)}” is no intact ZIP archive: make it again and send it whole."
        ) from None


def is_bundle(archive: zipfile.ZipFile) -> bool:
    """Whether an archive holds nothing but archives."""
    names = [info.filename for info in archive.infolist() if not info.is_dir()]
    return all(name.lower().endswith(ARCHIVE) or LITTER.search(name) for name in names)


def checked_path(info: zipfile.ZipInfo, name: str) -> str:
    """The path of an entry; `UnreadableSource` if it is not a plain path inside of the archive."""
    # `filename` ends at a NUL character, and some systems read a backslash as a slash.
    path = info.orig_filename
    fault = fault_of_path(path)
    if fault:
        raise refusal(name, f"“{readable(path)}” in it {fault}")
    return path.rstrip("/")


def fault_of_path(path: str) -> str | None:
    if path.startswith(("/", "\\")) or DRIVE.match(path):
        return "is not inside of it"
    if ".." in path.replace("\\", "/").split("/"):
        return "leads out of it"
    if "\\" in path or not path.isprintable() or not path.strip("/"):
        return "has a name that not every system can store"
    if len(path) > limits.MAX_IMPORT_PATH_CHARACTERS:
        return f"has a path of more than {limits.MAX_IMPORT_PATH_CHARACTERS} characters"
    return None


def refuse_special(info: zipfile.ZipInfo, name: str) -> None:
    """Refuse links and devices, which archives of Unix systems may hold, and what is encrypted."""
    mode = info.external_attr >> 16
    if stat.S_IFMT(mode) not in (0, stat.S_IFREG):
        kind = "a link" if stat.S_ISLNK(mode) else "no plain file"
        raise refusal(name, f"“{readable(info.filename)}” in it is {kind}")
    if info.flag_bits & ENCRYPTED:
        raise refusal(name, "it has a password")


def read_entry(archive: zipfile.ZipFile, info: zipfile.ZipInfo, path: str) -> bytes:
    try:
        # The size in the directory was checked; what the stream really holds is cut at it by the library.
        return read_bounded(archive.open(info), path)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError):
        raise UnreadableSource(
            f"“{readable(path)}” in the archive is damaged: make the archive again."
        ) from None


def read_bounded(stream: IO[bytes], path: str) -> bytes:
    with stream:
        content = stream.read(limits.MAX_IMPORT_FILE_BYTES + 1)
    if len(content) > limits.MAX_IMPORT_FILE_BYTES:
        raise UnreadableSource(
            f"“{readable(path)}” is larger than {limits.MAX_IMPORT_FILE_BYTES // 1024**2} MB: leave it out."
        )
    return content


def refusal(name: str, reason: str) -> UnreadableSource:
    return UnreadableSource(
        f"“{readable(name)}” can't be imported: {reason}. Make an archive of the files alone."
    )


def readable(name: str) -> str:
    """A foreign name as a sentence may hold it."""
    printable = "".join(sign if sign.isprintable() else "�" for sign in name)
    return (
        printable if len(printable) <= MAX_LOCATION_CHARACTERS else f"…{printable[-MAX_LOCATION_CHARACTERS:]}"
    )
