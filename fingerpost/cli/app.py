"""The command line: which commands there are, and how one is made of a function."""

import re
import shlex
from collections.abc import Callable
from importlib import import_module
from inspect import Parameter, getdoc, signature
from pathlib import Path
from typing import Annotated, Any, Protocol, get_args

import typer
from typer.core import TyperCommand, TyperGroup, TyperOption
from typer.main import get_command_from_info
from typer.models import CommandInfo, OptionInfo

from fingerpost.jobs.provenance import run

TASKS = {
    "Start": ("demo", "examples", "new", "schema"),
    "Analyse a network": (
        *("info", "route", "draw", "loads", "survive", "export", "report", "order", "prove"),
    ),
    "Simulate": ("simulate", "sweep", "soak"),
    "Make hardware": ("generate", "cosim", "cost", "port", "board"),
    "Do research": ("reproduce", "search", "survey"),
}
"""What the commands are for: the groups of `--help`."""

TOGETHER = {
    **dict.fromkeys(("examples", "new", "schema", "export", "generate", "port"), "files"),
    **dict.fromkeys(("search", "survey", "soak"), "research"),
}
"""The modules of `fingerpost.commands` that have several commands, each a function of its name.
Others have one of their own, with a function `main`."""


class CommandError(Exception):
    """An error of a command, which is the cause of this one."""


class StrictCommand(TyperCommand):
    """A command that refuses a second value for an option, rather than ignore the first.

    Its results carry the command line.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments of a command."""
        _, _, given = self.make_parser(ctx).parse_args(args=list(args))
        for each in given:
            has_one_value = isinstance(each, TyperOption) and not (each.multiple or each.is_flag)
            if has_one_value and given.count(each) > 1:
                ctx.fail(f"{each.opts[-1]} is given {given.count(each)} times; give it once")
        ctx.meta["command"] = shlex.join(("fingerpost", str(self.name), *args))
        return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Run a command; an error that typer would report in its own way becomes the cause of one.

        Raises
        ------
        CommandError
            If there is such an error.
        """
        seed = ctx.params.get("seed", ctx.params.get("seeds"))
        if "seeds" in ctx.params and isinstance(seed, int):  # of `cost`: their number
            seed = f"1..{seed}"
        try:
            with run(ctx.meta["command"], seed):
                return super().invoke(ctx)
        except (EOFError, BrokenPipeError) as error:
            raise CommandError from error


class Commands(TyperGroup):
    """The commands; the module of one is imported when that command is asked for.

    For `--help` of all, and for a shell, the summaries are read without an import.
    """

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        for task, names in TASKS.items():
            for name in names:
                self.commands[name] = StrictCommand(name, rich_help_panel=task)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a command, perhaps with no more than its summary."""
        command = self.commands.get(cmd_name)
        if command is not None and command.help is None:
            command.help = summary(cmd_name)
        return command

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Import the command that is asked for."""
        if args[0] in self.commands:
            self.commands[args[0]] = loaded(args[0])
        return super().resolve_command(ctx, args)


def _where(name: str) -> tuple[str, str]:
    """Return the module and the function of a command."""
    return (TOGETHER[name], name) if name in TOGETHER else (name, "main")


def summary(name: str) -> str:
    """Return the first paragraph of the help of a command, from its source."""
    module, function = _where(name)
    text = (Path(__file__).parents[1] / "commands" / f"{module}.py").read_text("utf-8")
    pattern = rf'^def {function}\(.*?\) -> None:\n    """(.*?)(\n\n|""")'
    found = re.search(pattern, text, re.M | re.S)
    return " ".join(found[1].split()) if found else ""


def loaded(name: str) -> Any:
    """Return a command with its options."""
    module, function = _where(name)
    made: CommandInfo = getattr(import_module(f"fingerpost.commands.{module}"), function).info
    return get_command_from_info(made, pretty_exceptions_short=False, rich_markup_mode="rich")


class Registered(Protocol):
    """The function of a command, with what typer needs to know of it."""

    info: CommandInfo

    def __call__(self, *arguments: Any, **options: Any) -> None: ...


def option(
    default: object,
    help: str,
    metavar: str | None = None,
    *,
    called: str = "",
    usual: str | bool = True,
    **more: Any,
) -> Any:
    """Return an option of a command, which is called as its parameter, or otherwise.

    A parameter `output` has the short form ``-o``, too, and a flag is off unless it is given.

    Parameters
    ----------
    default : object
        What it is if it is not given; an ellipsis where it has to be, or its parameter has one.
    usual : str or bool
        The same in words, or whether `--help` shows the default.
    **more
        As `typer.Option` takes it: min, max, parser, callback, autocompletion, hidden.
    """
    names = [called] if called else []
    return typer.Option(default, *names, help=help, metavar=metavar, show_default=usual, **more)


def _name(parameter: Parameter) -> None:
    """Give an option its names, unless it has others."""
    kind, *notes = get_args(parameter.annotation) or [None]
    for made in (parameter.default, *notes):
        if isinstance(made, OptionInfo) and not made.param_decls:
            if parameter.name == "output":
                made.param_decls = ("-o", "--output")
            elif bool in (kind, parameter.annotation):
                made.param_decls = (f"--{parameter.name.replace('_', '-')}",)


def command(
    example: str, *, ignore_unknown_options: bool = False
) -> Callable[[Callable[..., None]], Registered]:
    """Make a function a command whose name and help come from an example and its docstring."""
    name = example.split(maxsplit=1)[0]
    (task,) = (task for task, names in TASKS.items() if name in names)

    def register(function: Any) -> Registered:
        for parameter in signature(function).parameters.values():
            _name(parameter)
        function.info = CommandInfo(
            name,
            cls=StrictCommand,
            callback=function,
            help=re.sub(r"(?<!\n)\n(?!\n)", " ", getdoc(function) or ""),  # lines as wide as here
            epilog=f"Example:  fingerpost {example}",
            context_settings={"ignore_unknown_options": ignore_unknown_options},
            rich_help_panel=task,
        )
        return function  # type: ignore[no-any-return]

    return register


app = typer.Typer(
    cls=Commands,
    help="Routers for dense, low-degree networks: Verilog that is compared with a model of the "
    "network, decision by decision and cycle by cycle.\n\nEach command has an example in its own "
    "[bold]--help[/].",
    epilog="Start with:  fingerpost examples -o networks,  then  "
    "fingerpost info networks/borel-21.yaml",
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
)


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        print("fingerpost", version("fingerpost"))
        raise typer.Exit


@app.callback()
def _common(
    _: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    pass
