"""The options of commands that call a server, declared once for `instep` and for `instep.pyz`."""

from collections.abc import Iterator, Sequence
from dataclasses import MISSING, dataclass, fields
from pathlib import Path
from typing import Annotated, Any, NamedTuple, get_args, get_type_hints

from instep.client.ci.environment import Kind
from instep.platform.core import limits


class Help(NamedTuple):
    """The help of an option: `value` names its value, and `name` is the option's, if the field has another.

    `variable` is the environment variable with its default.
    """

    text: str
    value: str | None = None
    name: str | None = None
    is_argument: bool = False
    variable: str | None = None


OfBot = Annotated[
    str | None, Help("The bot's id or slug, if the key covers several bots.", "BOT", variable="INSTEP_BOT")
]
AsJson = Annotated[bool, Help("Print one JSON object and nothing else.", name="json")]


@dataclass(frozen=True, slots=True)
class ChangeOptions:
    """The options of `instep change`; None means that the CI or the checkout decides."""

    base: Annotated[str | None, Help("The revision to compare with; by default from the CI.", "REV")] = None
    head: Annotated[str | None, Help("The last commit; by default from the CI, or HEAD.", "REV")] = None
    title: Annotated[str | None, Help("The change's title; by default from the CI.")] = None
    url: Annotated[str | None, Help("The change's web page; by default from the CI.")] = None
    kind: Annotated[Kind | None, Help("The kind of change; by default from the CI.")] = None
    paths: Annotated[
        Sequence[str], Help("Only send files in this folder of the checkout; repeatable.", "PATH", "path")
    ] = ()
    labels: Annotated[
        Sequence[str],
        Help("A label of the change; repeatable; by default from the CI.", "LABEL", "label"),
    ] = ()
    branch: Annotated[
        str | None,
        Help("The branch it goes to, which decides about its version; by default from the CI.", "BRANCH"),
    ] = None
    bot: OfBot = None
    wait: Annotated[bool, Help("Wait for drafts and places, and show them.")] = False
    check: Annotated[bool, Help("Wait, and exit with code 3 if articles need an edit or new text.")] = False
    comment: Annotated[
        bool, Help("Wait, and post drafts and places as a comment on the pull or merge request.")
    ] = False
    timeout: Annotated[int, Help("How long to wait; after that, the exit code is 4.", "SECONDS")] = (
        limits.TASK_WAIT_SECONDS
    )
    since: Annotated[
        str | None, Help("Send each change merged since then: 30d, 2w, 12h, 2026-10-31.", "TIME")
    ] = None
    last: Annotated[int | None, Help("Send each of the last N merged changes.", "N")] = None
    revisions: Annotated[
        str | None, Help("Send each change merged between two revisions.", "A..B", "range")
    ] = None
    dry_run: Annotated[bool, Help("Count the merged changes that would be sent, and send none.")] = False
    as_json: AsJson = False

    @property
    def waits(self) -> bool:
        return self.wait or self.check or self.comment

    @property
    def choices(self) -> list[str | int]:
        """The chosen parts of the history; without one, the change of the checkout is sent."""
        return [value for value in (self.since, self.last, self.revisions) if value is not None]


@dataclass(frozen=True, slots=True)
class SyncOptions:
    """The options of `instep sync`."""

    path: Annotated[Path, Help("A folder of Markdown files in a git checkout.", "PATH", is_argument=True)]
    bot: OfBot = None
    drafts: Annotated[
        bool, Help("Propose the changes from git as drafts instead of publishing them.", name="draft")
    ] = False
    dry_run: Annotated[bool, Help("Show what would change; the exit code is 3 if anything would.")] = False
    restart: Annotated[
        bool, Help("After a forced push: forget the last sync; differences become drafts.")
    ] = False
    as_json: AsJson = False


@dataclass(frozen=True, slots=True)
class DriftOptions:
    """The options of `instep drift`."""

    path: Annotated[Path, Help("The checkout; by default the current folder.", "PATH", is_argument=True)] = (
        Path()
    )
    bot: OfBot = None
    since: Annotated[str | None, Help("Only consider changes to the code since this revision.", "REV")] = None
    limit: Annotated[int | None, Help("The maximum number of findings.", "N")] = None
    readings: Annotated[
        int,
        Help(
            "The maximum number of articles, or parts of long ones, that the language model compares with "
            "code; 0 for none.",
            "N",
        ),
    ] = limits.DRIFT_READINGS
    as_json: AsJson = False
    as_sarif: Annotated[bool, Help("Print SARIF 2.1.0 and nothing else.", name="sarif")] = False


@dataclass(frozen=True, slots=True)
class ReleaseOptions:
    """The options of `instep release`."""

    urls: Annotated[Sequence[str], Help("The web page of a shipped change; repeatable.", "URL", "url")] = ()
    revisions: Annotated[
        str | None,
        Help("The shipped commits: includes their pull requests, commits and tags.", "A..B", "range"),
    ] = None
    bot: OfBot = None
    as_json: AsJson = False


@dataclass(frozen=True, slots=True)
class TranslateOptions:
    """The options of `instep translate`; by default, it is about the whole help center."""

    locale: Annotated[str, Help("The language, such as de.", "LOCALE", is_argument=True)]
    article: Annotated[str | None, Help("Only this article, by its id or slug.", "ARTICLE")] = None
    collection: Annotated[
        str | None, Help("Only articles of this collection, by its id or slug.", "COLLECTION")
    ] = None
    dry_run: Annotated[bool, Help("Only count, and estimate the cost.")] = False
    bot: OfBot = None
    as_json: AsJson = False


class DeclaredOption(NamedTuple):
    """An option as its dataclass declares it; `kind` is the type of its value."""

    field: str
    kind: Any
    help: Help
    default: Any

    @property
    def flag(self) -> str:
        return f"--{self.help.name or self.field.replace('_', '-')}"

    @property
    def is_required(self) -> bool:
        return self.default is MISSING

    @property
    def is_repeatable(self) -> bool:
        return bool(self.kind == Sequence[str])


def declared_options(options: type[Any]) -> Iterator[DeclaredOption]:
    """The options that a dataclass declares, in its order."""
    hints = get_type_hints(options, include_extras=True)
    for field in fields(options):
        kind, text = get_args(hints[field.name])
        yield DeclaredOption(field.name, kind, text, field.default)
