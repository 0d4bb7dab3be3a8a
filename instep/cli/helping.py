"""The help of commands, with examples and named values, and the command `instep help`."""

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Annotated, Any, TypeVar

import typer
from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption
from typer.main import get_group

from instep.cli.table import bold

Function = TypeVar("Function", bound=Callable[..., Any])


class ExampleCommand(TyperCommand):
    """A command whose help ends with the examples in its epilog, one per line."""

    def make_context(self, *args: Any, **kwargs: Any) -> Any:
        # A missing value has the same name in the error as in the help.
        name_values(self.params)
        try:
            return super().make_context(*args, **kwargs)
        except typer.BadParameter as error:
            error.message = plain_refusal(error.message)
            raise

    def format_help(self, ctx: Any, formatter: Any) -> None:
        name_values(self.get_params(ctx))
        examples, self.epilog = self.epilog, None
        super().format_help(ctx, formatter)
        self.epilog = examples
        if examples:
            lines = (f"   {line}" for line in examples.splitlines())
            typer.echo("\n".join([bold(" Examples:"), *lines]))


class Area(TyperGroup):
    """A group of commands."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        name_values(self.get_params(ctx))
        super().format_help(ctx, formatter)


def lazy_area(module: str, text: str) -> typer.Typer:
    """An area whose module is imported when one of its commands runs or shows its help."""

    @cache
    def load() -> Any:
        return get_group(import_module(f"instep.cli.{module}").app).commands

    class LazyArea(Area):
        # The constructor sets the commands that it knows, which are none.
        commands: Any = property(lambda area: load(), lambda area, value: None)

    return typer.Typer(cls=LazyArea, no_args_is_help=True, help=text)


def plain_refusal(message: str) -> str:
    """The problem with a value, without the words of the library that checked it."""
    return message.removeprefix("Value error, ").partition(", unable to parse")[0]


class NamedArgument(TyperArgument):
    """An argument whose help shows its choices and no type."""

    def display_type_rich(self, ctx: Any) -> str:
        return choices_of(self)


def name_values(parameters: Any) -> None:
    """Show names of values instead of their types; a flag has no value."""
    for parameter in parameters:
        if isinstance(parameter, TyperArgument):
            parameter.__class__ = NamedArgument
            parameter.metavar = parameter.metavar or parameter.name.upper()
        elif parameter.is_flag:
            parameter.metavar = ""
        else:
            parameter.metavar = parameter.metavar or choices_of(parameter) or parameter.name.upper()


def choices_of(parameter: TyperOption | TyperArgument) -> str:
    return "|".join(str(choice) for choice in parameter.type_descriptor.choices or ())


def command(area: typer.Typer, name: str | None = None, *examples: str) -> Callable[[Function], Function]:
    """Make a function a command of an area; `examples` are command lines."""
    return area.command(name, cls=ExampleCommand, epilog="\n".join(examples))


def show_help(
    ctx: typer.Context,
    words: Annotated[
        list[str] | None, typer.Argument(metavar="COMMAND", help="For example `key` or `key create`.")
    ] = None,
) -> None:
    """Show the help of a command."""
    context = ctx.parent
    assert context is not None, "the command belongs to a group"
    for word in words or []:
        if not isinstance(context.command, TyperGroup):
            raise typer.BadParameter(f"`{context.command_path}` has no commands of its own.")
        _, chosen, _ = context.command.resolve_command(context, [word])
        assert chosen is not None, "resolve_command refuses an unknown name"
        context = chosen.make_context(word, [], parent=context, resilient_parsing=True)
        # Required arguments may be missing here, but an unknown command is refused.
        context.resilient_parsing = False
    if text := context.get_help():
        typer.echo(text)
