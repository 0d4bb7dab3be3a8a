"""The fields of the API's responses that `instep drift` reads."""

from dataclasses import dataclass

from instep.client.ci.shapes import Shape


@dataclass(frozen=True)
class ArticleNames(Shape):
    article_id: str
    first_line: int
    titles: list[str]
    names: list[str]


@dataclass(frozen=True)
class ListedStatements(Shape):
    names: list[str]
    values: list[str]
    paths: list[str]
    articles: int
    reads: list[ArticleNames]


@dataclass(frozen=True)
class CodeLocation(Shape):
    file: str
    line: int
    text: str


@dataclass(frozen=True)
class Changed(Shape):
    commit: str
    title: str
    date: str


@dataclass(frozen=True)
class ReportedFinding(Shape):
    article_id: str
    title: str
    line: int
    statement: str
    kind: str
    old: str
    new: str | None
    now: CodeLocation | None
    changed: Changed | None
    draft_id: str | None
    place_id: str | None


@dataclass(frozen=True)
class DriftAnswer(Shape):
    findings: list[ReportedFinding]
    articles: int
    statements: int
    readings: int
