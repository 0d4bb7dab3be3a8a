"""The manifest of a backup: its origin, and the size, digest and rows of each of its parts."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

FORMAT: Literal[1] = 1
MANIFEST = "manifest.json"
OBJECTS = "objects"

Identifier = Annotated[str, Field(pattern=r"^[a-z_][a-z0-9_]{0,62}$")]
Count = Annotated[int, Field(ge=0)]


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Part(Strict):
    """The bytes of a part before compression, and their SHA-256 in hexadecimal."""

    bytes: Count
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class TablePart(Part):
    """The rows of a table in the text format of PostgreSQL's COPY; each ends with a newline."""

    table: Identifier
    columns: list[Identifier]
    rows: Count

    @property
    def name(self) -> str:
        return f"tables/{self.table}"


class ObjectsPart(Part):
    """The files of a bucket: `count` are in the backup, `missing` were lost by the storage."""

    count: Count
    missing: Count

    @property
    def name(self) -> str:
        return OBJECTS


class Manifest(Strict):
    """All parts of a backup; `created_at` is the time of the snapshot, by the database's clock."""

    format: Literal[1]
    version: str
    revision: Annotated[str, Field(pattern=r"^[0-9]{4}$")]
    created_at: datetime
    tables: list[TablePart]
    # The last number of each sequence, by table and column.
    sequences: dict[Identifier, dict[Identifier, Count]]
    objects: ObjectsPart

    @property
    def parts(self) -> list[TablePart | ObjectsPart]:
        return [*self.tables, self.objects]

    @property
    def rows(self) -> int:
        return sum(part.rows for part in self.tables)
