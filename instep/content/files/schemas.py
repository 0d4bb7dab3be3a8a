"""The shapes of a file (contract section 10)."""

import re
import unicodedata
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from pydantic import Field

from instep.content.files.kinds import BY_CONTENT_TYPE, FileKind
from instep.content.files.storage import Location
from instep.platform.core import limits
from instep.platform.core.config import settings
from instep.platform.identity.schemas import Bot
from instep.platform.web.shapes import Out, Timestamp

# The name of a file whose own name has nothing that can be kept.
NAMELESS = "file"
# Control, format and private characters, surrogates, and separators of lines (Unicode, section 4.5).
UNPRINTABLE = ("C", "Zl", "Zp")
SEPARATORS = re.compile(r"[/\\]")


@dataclass(frozen=True, slots=True)
class StoredFile:
    """One row of `files`, with the location of its object."""

    id: str
    name: str
    content_type: str
    bytes: int
    width: int | None
    height: int | None
    sha256: str
    object_key: str
    location: Location
    created_at: datetime

    @property
    def kind(self) -> FileKind:
        return BY_CONTENT_TYPE[self.content_type]

    @property
    def download_name(self) -> str:
        """The name under which a browser saves the file; its extension always fits its kind."""
        extension = f".{self.kind.extension}"
        return self.name if self.name.lower().endswith(extension) else f"{self.name}{extension}"


@dataclass(frozen=True, slots=True)
class PictureSize:
    """The size, in pixels, of the images with this digest."""

    sha256: str
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class SentFile:
    """The file made from sent bytes: both digests, and the served type."""

    sent_sha256: str
    sha256: str
    content_type: str

    def path(self, bot: Bot) -> str:
        """The path that texts use for the file, wherever they are shown."""
        return path_of_file(bot, self.sha256, BY_CONTENT_TYPE[self.content_type])


@dataclass(frozen=True, slots=True)
class UploadedFile:
    """A sent file, and whether it is new."""

    file: StoredFile
    is_new: bool

    @property
    def id(self) -> str:
        return self.file.id


@dataclass(frozen=True, slots=True)
class FileUse:
    """An article or changelog entry that shows the file with a digest."""

    sha256: str
    id: str
    title: str


class FileOut(Out):
    """An image or a download of articles."""

    id: str
    url: Annotated[
        str,
        Field(
            description="The address that articles use. It shows the file to members of the workspace and"
            " to anyone who can see an article or changelog entry that refers to it.",
            examples=[f"https://help.example.com/files/acme/{'9f86d081884c7d65' * 4}.png"],
        ),
    ]
    name: Annotated[str, Field(description="As it was sent, without folders.", examples=["dashboard.png"])]
    content_type: Annotated[str, Field(description="By the bytes.", examples=["image/png"])]
    bytes: Annotated[int, Field(description="The size of the served file.", examples=[48213])]
    width: Annotated[int | None, Field(description="In pixels; null unless it is an image.", examples=[1280])]
    height: Annotated[int | None, Field(description="In pixels; null unless it is an image.", examples=[720])]
    sha256: Annotated[
        str,
        Field(
            description="The SHA-256 digest of the served file, in hexadecimal.",
            examples=["9f86d081884c7d65" * 4],
        ),
    ]
    bot_id: str
    created_at: Timestamp

    @classmethod
    def of(cls, file: StoredFile, bot: Bot) -> "FileOut":
        return cls.of_row(file, url=file_url(bot, file), bot_id=str(bot.id))


class FileDeletedOut(Out):
    """The file is deleted: its URL is 404 from now on."""

    id: str
    deleted: bool


def file_url(bot: Bot, file: StoredFile) -> str:
    return settings().base_url + path_of_file(bot, file.sha256, file.kind)


def path_of_file(bot: Bot, sha256: str, kind: FileKind) -> str:
    """The path of a file in links of texts."""
    return f"/files/{bot.slug}/{sha256}.{kind.extension}"


def clean_name(name: str) -> str:
    """The last part of a path, without invisible characters; never empty."""
    last = SEPARATORS.split(name)[-1]
    visible = "".join(sign for sign in last if not unicodedata.category(sign).startswith(UNPRINTABLE))
    return visible.strip(" .")[: limits.MAX_FILE_NAME_CHARACTERS] or NAMELESS
