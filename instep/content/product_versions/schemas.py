"""The shapes of product versions, and the version of a branch."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from fnmatch import fnmatchcase
from typing import Annotated, Literal

from pydantic import MISSING, AfterValidator, Field

from instep.platform.core import limits
from instep.platform.core.ids import looks_like_id
from instep.platform.identity.schemas import ReadVersion
from instep.platform.web.shapes import Body, Out, Position, Text, Timestamp, VisibleText

VERSION_SLUG = r"[a-z0-9]+([.\-][a-z0-9]+)*"
WILDCARDS = frozenset("*?[]")
# Compared with the current version.
VersionStatus = Literal["older", "current", "next"]


def valid_version_slug(slug: str) -> str:
    if not re.fullmatch(VERSION_SLUG, slug):
        raise ValueError("it must consist of lower-case letters and digits, joined by dots or hyphens")
    if looks_like_id(slug):
        raise ValueError("it looks like an id")
    return slug


VersionSlug = Annotated[
    Text,
    Field(
        max_length=limits.MAX_VERSION_NAME_CHARACTERS,
        description="The part of addresses that names the version: lower-case letters and digits, joined by"
        " dots or hyphens.",
        examples=["1.x"],
        json_schema_extra={"pattern": f"^{VERSION_SLUG}$"},
    ),
    AfterValidator(valid_version_slug),
]
VersionName = Annotated[
    VisibleText,
    Field(
        max_length=limits.MAX_VERSION_NAME_CHARACTERS,
        description="The name that readers see.",
        examples=["1.x"],
    ),
]
VersionPosition = Annotated[
    Position, Field(description="The place in the order of versions: 0 is the oldest one.", examples=[0])
]
BranchPatterns = Annotated[
    list[Annotated[VisibleText, Field(max_length=limits.MAX_BRANCH_CHARACTERS)]],
    Field(
        max_length=limits.MAX_VERSION_BRANCHES,
        description="The branches of the version: names, or patterns in which `*` stands for any characters"
        " and `?` for one.",
        examples=[["release/1.*"]],
    ),
]
# A version in the fields of an article, by its id or slug.
VersionRef = Annotated[Text, Field(examples=["1.x"])]


@dataclass(frozen=True, slots=True)
class ProductVersion:
    """A row of `product_versions`; position 0 is the oldest version."""

    id: str
    slug: str
    name: str
    position: int
    is_current: bool
    branches: list[str]
    status: VersionStatus
    created_at: datetime
    updated_at: datetime

    def is_named(self, ref: str) -> bool:
        return ref in (self.id, self.slug)

    @property
    def as_read(self) -> ReadVersion:
        return ReadVersion(self.slug, self.name, self.position, self.is_current)


def version_of_branch(versions: Iterable[ProductVersion], branch: str) -> ProductVersion | None:
    """The version with the most specific pattern that matches a branch; the newest if several are equal."""
    matches = [
        (sum(character not in WILDCARDS for character in pattern), version.position, version)
        for version in versions
        for pattern in version.branches
        if fnmatchcase(branch, pattern)
    ]
    return max(matches, key=lambda match: match[:2], default=(0, 0, None))[2]


def named(versions: Sequence[ProductVersion]) -> str:
    """The slugs of versions in a sentence: `1.x, 2.0 and 3.0`."""
    *before, last = (version.slug for version in versions)
    return f"{', '.join(before)} and {last}" if before else last


class ProductVersionCreate(Body):
    """The fields of a new version. The first one of a help center becomes the current one."""

    slug: VersionSlug
    name: VersionName | MISSING = Field(default=MISSING, description="If not sent, the slug.")
    position: VersionPosition | MISSING = Field(default=MISSING, description="If not sent, the newest.")
    is_current: bool = Field(
        default=False, description="True makes it the version that addresses without a version show."
    )
    branches: BranchPatterns = Field(default_factory=list)


class ProductVersionUpdate(Body):
    """Only the sent fields are changed."""

    slug: VersionSlug | MISSING = MISSING
    name: VersionName | MISSING = MISSING
    position: VersionPosition | MISSING = MISSING
    is_current: Literal[True] | MISSING = Field(
        default=MISSING, description="Makes it the current version; the former one is no longer current."
    )
    branches: BranchPatterns | MISSING = MISSING


class ProductVersionOut(Out):
    """A version of the product."""

    id: str
    slug: str
    name: str
    position: int = Field(description="0 is the oldest version.")
    is_current: bool = Field(description="True if addresses without a version show this one.")
    status: VersionStatus = Field(
        description="`current`; `older`: before the current one; `next`: after it, so not released yet."
    )
    branches: list[str]
    bot_id: str
    created_at: Timestamp
    updated_at: Timestamp

    @classmethod
    def of(cls, version: ProductVersion, bot_id: object) -> "ProductVersionOut":
        return cls.of_row(version, bot_id=str(bot_id))


class ProductVersionDeletedOut(Out):
    """The version is deleted."""

    id: str
    deleted: bool
