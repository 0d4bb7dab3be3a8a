"""Formats the report of an import: as JSON for programs, and as text for a terminal."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from pydantic import TypeAdapter
from pydantic.alias_generators import to_camel

from instep.transfer.imports.schemas import ImportReport, LocaleCount, Outcome, OutcomeCounts

NOUNS = {
    "pages": ("article", "articles"),
    "collections": ("collection", "collections"),
    "entries": ("changelog entry", "changelog entries"),
    "redirects": ("old address", "old addresses"),
    "questions": ("golden question", "golden questions"),
    "parts": ("part or variable", "parts and variables"),
}
WORDS: dict[Outcome, str] = {
    "created": "new",
    "updated": "changed",
    "draft": "to review (changed on both sides)",
    "unchanged": "unchanged",
    "kept_here": "changed here and kept",
    "deleted_here": "deleted here",
    "failed": "not imported",
}
# Marks of lines in the tree; new and unchanged ones have none.
MARKS: dict[Outcome, str] = {
    "updated": "changed",
    "draft": "to review",
    "deleted_here": "deleted here",
    "failed": "not imported",
}


REPORT = TypeAdapter(ImportReport)


def as_stored(report: ImportReport) -> dict[str, Any]:
    """The report in the form stored in the import's row, which `read_stored` reads."""
    return asdict(report)


def read_stored(stored: dict[str, Any]) -> ImportReport:
    return REPORT.validate_python(stored)


def as_json(report: ImportReport) -> dict[str, Any]:
    """All counts, lines and losses, with names in the API's style."""
    wire_form: dict[str, Any] = camel(asdict(report))
    return wire_form


def camel(value: Any) -> Any:
    if isinstance(value, dict):
        return {to_camel(name): camel(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [camel(item) for item in value]
    return value


def as_text(report: ImportReport, *, has_tree: bool = True) -> str:
    """The counts, the tree and the losses, as lines."""
    parts = ["\n".join(summary_lines(report))]
    if has_tree and report.tree:
        parts.append("\n".join(tree_lines(report)))
    if report.losses:
        parts.append("\n".join(loss_lines(report)))
    return "\n\n".join(parts)


def summary_lines(report: ImportReport) -> Iterator[str]:
    for name, nouns in NOUNS.items():
        counts: OutcomeCounts = getattr(report, name)
        if counts.total or counts.absent or counts.archived:
            yield f"{counted(counts.total, nouns)}: {in_words(counts)}"
        if name == "pages":
            yield from page_lines(report)
    links = report.links
    if links.total:
        broken = f", {links.broken:,} already broken in the source" if links.broken else ""
        outside = f", {links.outside:,} to parts that are not imported" if links.outside else ""
        names = ("link", "links")
        yield f"{counted(links.total, names)} between pages: {links.rewritten:,} rewritten{broken}{outside}"
    if links.anchors:
        missing = f", {links.missing_anchors:,} to a missing heading" if links.missing_anchors else ""
        yield f"{counted(links.anchors, ('link', 'links'))} to a heading{missing}"
    files = report.files
    if files.total:
        listed = f", {files.listed:,} not stored (listed below)" if files.listed else ""
        names = ("image or file", "images and files")
        yield f"{counted(files.total, names)}: {files.stored:,} stored{listed}"
    if files.remote:
        yield f"{counted(files.remote, ('image', 'images'))} on other sites: linked, not stored"


def page_lines(report: ImportReport) -> Iterator[str]:
    if report.locales:
        yield languages_in_words(report.locales)
    if report.moved:
        moved = counted(len(report.moved), NOUNS["pages"])
        yield f"{moved} moved in the source and matched to existing articles"


def languages_in_words(locales: Sequence[LocaleCount]) -> str:
    if len(locales) == 1:
        return f"Language: {locales[0].locale}"
    return "Languages: " + ", ".join(f"{row.locale} ({row.pages:,})" for row in locales)


def in_words(counts: OutcomeCounts) -> str:
    words = [f"{number:,} {word}" for name, word in WORDS.items() if (number := getattr(counts, name))]
    if counts.archived:
        words.append(f"{counts.archived} more no longer in the source (to be archived)")
    if counts.absent:
        words.append(f"{counts.absent} more no longer in the source (kept)")
    return ", ".join(words)


def tree_lines(report: ImportReport) -> Iterator[str]:
    for branch in report.tree:
        mark = f"  ({MARKS[branch.outcome]})" if branch.outcome in MARKS else ""
        locales = f"  [{', '.join(branch.locales)}]" if len(branch.locales) > 1 else ""
        title = f"{branch.title}/" if branch.kind == "collection" else branch.title
        yield f"{'  ' * branch.level}{title}{locales}{mark}"


def loss_lines(report: ImportReport) -> Iterator[str]:
    yield f"Changed or left out ({len(report.losses)}):"
    for loss in report.losses:
        place = f"{loss.path}:{loss.line}" if loss.line else loss.path
        times = f" ({loss.times:,} times)" if loss.times > 1 else ""
        yield f"  {place}: {loss.what}{times}" if place else f"  {loss.what}{times}"


def counted(number: int, nouns: tuple[str, str]) -> str:
    return f"{number:,} {nouns[0] if number == 1 else nouns[1]}"
