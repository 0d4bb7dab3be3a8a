"""`instep change`, `instep sync` and others for CI, which call the server at INSTEP_URL."""

import os
from collections.abc import Callable
from inspect import Parameter, Signature
from typing import Annotated, Any, get_type_hints

import typer

from instep.client.ci.options import (
    ChangeOptions,
    DeclaredOption,
    DriftOptions,
    ReleaseOptions,
    SyncOptions,
    TranslateOptions,
    declared_options,
)


def with_declared_options(run: Callable[[Any], int]) -> Callable[..., None]:
    """A command with the options of `run`'s dataclass, and its docstring as help."""
    options = get_type_hints(run)["options"]
    declared = list(declared_options(options))

    def command(**values: Any) -> None:
        given = {option.field: values[option.field] for option in declared}
        repeated = {option.field: given[option.field] or () for option in declared if option.is_repeatable}
        raise typer.Exit(run(options(**given | repeated)))

    command.__name__, command.__doc__ = run.__name__, run.__doc__
    command.__dict__["__signature__"] = Signature([parameter_of(option) for option in declared])
    return command


def parameter_of(option: DeclaredOption) -> Parameter:
    texts: dict[str, Any] = {"help": option.help.text, "metavar": option.help.value}
    if option.help.is_argument:
        info: Any = typer.Argument(**texts)
    else:
        minimum = 1 if option.kind in (int, int | None) else None
        info = typer.Option(option.flag, min=minimum, envvar=option.help.variable, **texts)
    kind = list[str] | None if option.is_repeatable else option.kind
    default = None if option.is_repeatable else option.default
    return Parameter(
        option.field,
        Parameter.KEYWORD_ONLY,
        default=Parameter.empty if option.is_required else default,
        annotation=Annotated[kind, info],
    )


@with_declared_options
def change(options: ChangeOptions) -> int:
    """Send the code change of this checkout as a task to INSTEP_URL, with INSTEP_API_KEY, usually in CI.

    With --since, --last or --range, each merged change in the history becomes a separate task, oldest first.
    """
    from instep.client.ci.backfill import run_change

    return run_change(options, os.environ)


@with_declared_options
def release(options: ReleaseOptions) -> int:
    """Apply the drafts approved for shipped changes, at INSTEP_URL, with INSTEP_API_KEY."""
    from instep.client.review.release import run_release

    return run_release(options, os.environ)


@with_declared_options
def translate(options: TranslateOptions) -> int:
    """Have articles at INSTEP_URL translated as drafts, with INSTEP_API_KEY.

    The model writes them in the background, within its budgets. Translated articles are skipped.
    """
    from instep.client.review.translating import run_translate

    return run_translate(options, os.environ)


@with_declared_options
def drift(options: DriftOptions) -> int:
    """Find statements in articles at INSTEP_URL that the code contradicts; exits with 3 if there are any."""
    from instep.client.drift.command import run_drift

    return run_drift(options, os.environ)


@with_declared_options
def sync(options: SyncOptions) -> int:
    """Sync a folder in git with the help center at INSTEP_URL, with INSTEP_API_KEY, usually in CI.

    Changes in git go live. Changes in Instep are written to the files, for you to commit.
    """
    from instep.client.ci.folder_sync import run_sync

    return run_sync(options, os.environ)
