"""The entry point `gameforge`: global options, error messages and exit codes.

Exit codes: 0 on success; 2, with `error: <one sentence>`, for errors that the user can fix; 130 after Ctrl-C.
Any other exception is a bug and shows its traceback.
"""

import _thread
import contextlib
import gc
import os
import re
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TextIO

import typer
from typer.main import get_command

from gameforge.cli.command_group import CommandGroup, state
from gameforge.cli.options import as_option
from gameforge.cli.terminal import OutputFailed, neutral_output, running
from gameforge.discovery.loading import unloaded
from gameforge.errors import DISTRIBUTION, GameforgeError, shortened

if TYPE_CHECKING:
    from typer._click.core import Command as Described

COMPLETION = "_GAMEFORGE_COMPLETE"
"""The environment variable by which a shell asks for completions; typer writes it into the shell's script."""

_app = typer.Typer(
    cls=CommandGroup,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Train, analyse and match players of two-player games, composed of plugins.",
)


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        print(f"gameforge {version(DISTRIBUTION)}")
        raise typer.Exit


# --plugin is eager, so that `gameforge --plugin my.py --help` shows the commands of my.py.
@_app.callback(invoke_without_command=True)
def _options(
    ctx: typer.Context,
    plugin: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="Load a plugin from a Python file; may be repeated.", is_eager=True),
    ] = None,
    allow_engines: Annotated[
        bool,
        typer.Option(
            "--allow-engines",
            help="Start the programs that files name, such as an engine in the folder of a player, without asking.",
            is_eager=True,
        ),
    ] = False,
    trust: Annotated[
        bool,
        typer.Option(
            "--trust",
            help="Let kernels call rules of others without trying first that they keep their bounds.",
            is_eager=True,
        ),
    ] = False,
    version: Annotated[
        bool, typer.Option("--version", help="Show the version and exit.", is_eager=True, callback=_print_version)
    ] = False,
) -> None:
    state(ctx)
    running.set(ctx.invoked_subcommand or "")
    if ctx.invoked_subcommand is None:
        print(ctx.get_help())


def run(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit code."""
    try:
        with neutral_output(), warnings.catch_warnings():
            warnings.showwarning = _show_warning
            code = _invoke(arguments)
            if sys.stdout is not None:
                sys.stdout.flush()
    except OutputFailed as failed:
        return _fail_to_write(failed.reason)
    except OSError as error:  # an error without a file name comes from writing the output, if not from a lost folder
        if error.filename is not None:
            raise
        return _fail_to_write(error) if _in_a_folder() else _fail("the current folder no longer exists")
    return code


def _in_a_folder() -> bool:
    try:
        os.getcwd()
    except OSError:
        return False
    return True


def _fail_to_write(reason: OSError) -> int:
    _discard_output()
    if isinstance(reason, BrokenPipeError):  # its reader has closed it, as in `gameforge plugins | head`
        return 1
    with contextlib.suppress(OSError):
        _fail(f"cannot write the output: {reason.strerror or reason}")
    _discard_output()
    return 2


def _discard_output() -> None:
    """Give up what cannot be written, so that Python does not try it again at its end."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def main() -> None:
    """Run the console script `gameforge`."""
    sys.unraisablehook = _Insistent(sys.unraisablehook)
    code = run(sys.argv[1:])
    gc.freeze()  # or Python would search numba's objects for cycles at exit: a fifth of the time of a quick command
    sys.exit(code)


class _Insistent:
    """Interrupts again after Ctrl-C arrived where Python reports exceptions and continues: in `__del__`, or in what
    C calls, such as llvmlite's functions while it loads kernels. Another hook reports all other exceptions.
    """

    def __init__(self, otherwise: Callable[["sys.UnraisableHookArgs"], object]) -> None:
        self._otherwise = otherwise

    def __call__(self, unraisable: "sys.UnraisableHookArgs") -> None:
        if unraisable.exc_type is KeyboardInterrupt:
            again = threading.Timer(_SOON, _interrupt)
            again.daemon = True
            again.start()
        else:
            self._otherwise(unraisable)


_SOON = 0.01
"""Seconds, after which the main thread has most likely left the place where exceptions are lost; if not, once more."""


def _interrupt() -> None:
    """Do what Ctrl-C does."""
    if sys.platform == "win32":
        _thread.interrupt_main()
    else:  # interrupt_main would not end a wait of the main thread
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)


def _invoke(arguments: Sequence[str]) -> int:
    group = get_command(_app)
    if COMPLETION in os.environ:
        return _complete(group, arguments)
    try:
        with group.make_context("gameforge", list(arguments)) as ctx:
            group.invoke(ctx)
    except typer.Exit as end:
        return end.exit_code
    except SystemExit as end:  # after --install-completion and --show-completion
        return int(end.code or 0)
    except (KeyboardInterrupt, typer.Abort) as interrupt:
        return _end_interrupted(*map(str, interrupt.args))
    except Exception as error:
        if _of_interrupt(error):
            return _end_interrupted()
        sentence = _sentence(error, arguments, group)
        if sentence is None:
            raise
        return _fail(sentence)
    return 0


def _sentence(error: Exception, arguments: Sequence[str], group: "Described") -> str | None:
    """Return what an error tells the user; None if it is a bug, or comes from writing the output."""
    match error:
        case GameforgeError():
            return error.sentence(as_option)
        case typer.TyperException():
            return error.format_message() + _right_place(error, group)
        case MemoryError():
            return f"not enough memory: {error}" if str(error) else "not enough memory"
        case ImportError() | OSError() if sentence := unloaded(error):
            return sentence
        case OSError() if error.filename is not None:
            what = "--install-completion: cannot write" if "--install-completion" in arguments else "cannot use"
            return f"{what} {error.filename}: {error.strerror}"
    return None


def _complete(group: "Described", arguments: Sequence[str]) -> int:
    """Print what the shell asks for: the ways to continue an unfinished command line; none if it has a mistake."""
    try:
        group.main(list(arguments), "gameforge", COMPLETION)
    except GameforgeError:
        return 1
    except SystemExit as end:
        return int(end.code or 0)
    return 0


def _right_place(error: typer.TyperException, group: "Described") -> str:
    """Return where what was taken for an unknown option belongs; "" if that is unknown.

    It is an option of all commands, such as `--plugin`, or an argument, such as the position `--XO-- X`.
    """
    option = getattr(error, "option_name", "--an-option")
    if any(option in parameter.opts for parameter in group.params):
        return f"; {option} stands before the command, as in `gameforge {option} ... COMMAND`"
    if re.fullmatch(r"-[a-z]|--[a-z][a-z0-9-]*", option):
        return ""
    return "; an argument that begins with '-' comes last, after --"


def _of_interrupt(error: BaseException | None) -> bool:
    """Return whether Ctrl-C caused an error, or whether Python turned Ctrl-C into this RuntimeError.

    Up to Python 3.11, an exception in a class statement becomes a RuntimeError. A wait that Ctrl-C interrupts may
    release a lock that it does not hold, which raises a RuntimeError, too. Other errors after Ctrl-C are reported.
    """
    if error is None:
        return False
    if isinstance(error, KeyboardInterrupt):
        return True
    by_python = type(error) is RuntimeError and not error.__suppress_context__
    return _of_interrupt(error.__cause__ or (error.__context__ if by_python else None))


def _end_interrupted(*left: str) -> int:
    """Say that the command was interrupted, and what it leaves."""
    print(": ".join(["interrupted", *left]), file=sys.stderr)
    return 130


def _fail(message: str) -> int:
    if message:  # it is empty if a group was called without a command and has shown its help
        print(f"error: {shortened(' '.join(message.split()))}", file=sys.stderr)
    return 2


_python_showwarning = warnings.showwarning


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Show GameForge's own warnings without the line of code, since they are for users."""
    if category.__module__.startswith("gameforge"):
        print(f"warning: {message}", file=sys.stderr)
    else:
        _python_showwarning(message, category, filename, lineno, file, line)
