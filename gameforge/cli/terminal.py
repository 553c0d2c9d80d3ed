"""Plain input and output in the terminal, without rich, which quick commands do not load.

* Output that cannot control the terminal: text from files may hold escape sequences, tags and names above all.
* The notice that explains why a first run takes seconds, and how long it took in earlier runs.
* The question whether a program that a file names may be started, and the memory of the answer.
* The loop of the commands that read a person's input line by line.
"""

import contextlib
import io
import os
import stat
import sys
import tempfile
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TextIO, cast

import attrs
import platformdirs
import typer

from gameforge.discovery.consent import Program
from gameforge.errors import GameforgeError
from gameforge.play.display import compilation_text, duration_text, printable
from gameforge.storage.files import write_atomically, write_json
from gameforge.storage.stored import parse_json, read_as

if TYPE_CHECKING:
    from rich.status import Status

    from gameforge.cli.console import Console


class OutputFailed(Exception):
    """The standard output or the standard error cannot be written."""

    def __init__(self, reason: OSError) -> None:
        super().__init__(reason)
        self.reason = reason


class _Output:
    """A text stream that spells out what its encoding cannot express, such as the ellipsis of rich in ASCII.

    It raises OutputFailed if it fails, so that callers can tell this from the failure of a file.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        encoding = self._stream.encoding or "utf-8"
        with _failures():
            return self._stream.write(text.encode(encoding, "backslashreplace").decode(encoding))

    def flush(self) -> None:
        with _failures():
            self._stream.flush()


class _Neutral:
    """A text stream to which everything is written as `printable` text."""

    def __init__(self, stream: TextIO) -> None:
        self.rich_proxied_file = _Output(stream)
        """What rich writes to, colours included; gameforge.cli.console neutralizes its text."""

    def __getattr__(self, name: str) -> Any:
        return getattr(self.rich_proxied_file, name)

    def write(self, text: str) -> int:
        self.rich_proxied_file.write(printable(text))
        return len(text)


@contextlib.contextmanager
def _failures() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise OutputFailed(error) from error


@contextlib.contextmanager
def neutral_output() -> Iterator[None]:
    """Neutralize what is printed to the standard output and the standard error."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (stream and cast(TextIO, _Neutral(stream)) for stream in before)  # None: it is closed
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


NOTICE = "compiling kernels (first run only)"
_LINE_SECONDS = 10.0
"""Seconds of compilation between two lines."""
running: ContextVar[str] = ContextVar("running", default="")
"""Name of the command that this process runs; "" in other programs."""
_printed: set[str] = set()
"""What this process has printed already: a command may prepare players, then play, and compile in both parts."""


@contextlib.contextmanager
def compilation_notice(console: "Console | None" = None) -> Iterator[None]:
    """Print a notice when the first kernel of this process is compiled, on `console` or else on standard error.

    It says how long that takes, if earlier runs of the command have shown it.

    While the compiler works, say which function it compiles, and for how long it has worked: in a status, each second,
    if the console is a terminal, else in a line now and then. Print a warning, also only once, if the folder of
    compiled kernels cannot be written.
    """
    from gameforge.kernel.compile.jit import on_compilation

    due = _LINE_SECONDS
    status: Status | None = None
    command, latest, before = running.get(), "", 0.0
    measured: dict[str, float] = {}

    def say_once(text: str, more: Callable[[], str] = lambda: "") -> None:
        if text in _printed:
            return
        _printed.add(text)
        text += more()
        if console is None:
            print(text, file=sys.stderr)
        else:
            console.print(text, soft_wrap=True)

    problem = _cache_problem()
    if problem:
        say_once(problem)

    def compiling(function: str | None, seconds: float) -> None:
        nonlocal due, status, latest, before
        if function is None:
            if latest:  # another process may have compiled it
                measured[latest] = measured.get(latest, 0.0) + seconds - before
            before = seconds
            if status is not None:
                status.stop()
                status = None
            return
        latest = function
        say_once(NOTICE, lambda: estimate_text(command))
        text = compilation_text(function, seconds)
        if status is not None:
            status.update(text)
        elif console is not None and console.is_terminal:
            status = console.status(text)
            status.start()
        elif seconds >= due:
            due = seconds + _LINE_SECONDS
            say_once(text)

    with on_compilation(compiling):
        yield
    if command and measured:
        record_seconds(command, measured)


def _cache_problem() -> str:
    """Return a warning if compiled kernels cannot be kept in their folder; else ""."""
    from gameforge.kernel.compile.cache import cache_root

    root = cache_root()
    try:
        root.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=root).close()
    except OSError as error:
        reason = error.strerror or error
        return (
            f"warning: the folder of compiled kernels, {root}, cannot be written ({reason}), so every command may "
            "compile them again; set GAMEFORGE_CACHE to another folder"
        )
    return ""


_SECONDS_FILE = "seconds.json"
_MOST_SECONDS = 24 * 3600.0
"""Seconds; a record of more is damaged."""


@attrs.frozen
class _CompileTimes:
    commands: dict[str, dict[str, float]] = attrs.Factory(dict)
    """Seconds by command and function, each as it was measured last. They serve estimates only: what cannot be read
    counts as missing, and what cannot be written is not kept."""


def _compile_times() -> _CompileTimes:
    from gameforge.kernel.compile.cache import cache_root

    try:
        return read_as(_CompileTimes, parse_json((cache_root() / _SECONDS_FILE).read_bytes()))
    except (OSError, ValueError, GameforgeError):
        return _CompileTimes()


def estimate_text(command: str) -> str:
    """Say how long all kernels take that the command has ever compiled; "" if less than a second, or not known."""
    seconds = sum(_compile_times().commands.get(command, {}).values())
    return f"; at most {duration_text(seconds)}, judging by earlier runs" if 1 <= seconds <= _MOST_SECONDS else ""


def record_seconds(command: str, measured: Mapping[str, float]) -> None:
    """Keep the seconds that functions took; those that the command did not compile this time stay as they were."""
    from gameforge.kernel.compile.cache import cache_root

    commands = _compile_times().commands
    commands[command] = {**commands.get(command, {}), **{name: round(took, 3) for name, took in measured.items()}}
    with contextlib.suppress(OSError, GameforgeError):
        write_json(cache_root() / _SECONDS_FILE, {"commands": commands})


@contextlib.contextmanager
def kept(folder: Path | None, what: str) -> Iterator[None]:
    """After Ctrl-C, say that the finished games or trials are kept in the folder, if there is one."""
    try:
        yield
    except KeyboardInterrupt:
        if folder is None or not folder.exists():
            raise
        raise KeyboardInterrupt(f"{folder} holds the finished {what}; repeat the command to resume") from None


_WIDTH = 79
"""Columns of lists, so that terminals wrap no lines."""


class Dialog(Protocol):
    """What a person and a command say to each other."""

    @property
    def prompt(self) -> str: ...

    @property
    def over(self) -> bool:
        """Whether the person has left."""
        ...

    def take(self, line: str) -> None:
        """Execute a line of input. Invalid input raises GameforgeError and changes nothing."""
        ...


def require_input(command: str) -> None:
    """Raise GameforgeError if a command has no standard input; let characters that the terminal lacks be replaced."""
    if sys.stdin is None:
        raise GameforgeError(f"{command}: there is no standard input; run it in a terminal, or pipe lines to it")
    for stream in (sys.stdin, sys.stdout):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def converse(dialog: Dialog, before_input: Callable[[], None] = lambda: None) -> None:
    """Execute the person's lines until the person leaves or the input ends.

    Errors are printed, and Ctrl-C interrupts the execution of a line. `before_input` is called before each line.
    """
    with contextlib.suppress(ImportError):
        import readline  # noqa: F401 - line editing and history for input()
    while not dialog.over:
        before_input()
        try:
            line = input(dialog.prompt)
        except EOFError:
            print()
            return
        if not sys.stdin.isatty():
            print(line)
        try:
            dialog.take(line)
        except KeyboardInterrupt:
            print("interrupted")
        except GameforgeError as error:
            print(f"error: {' '.join(str(error).split())}")


def in_lines(entries: Sequence[str], between: str) -> str:
    """Lay out entries in lines, without a line break inside an entry."""
    unbroken = between.join(entry.replace(" ", "\N{NO-BREAK SPACE}") for entry in entries)
    return textwrap.fill(unbroken, _WIDTH, break_on_hyphens=False).replace("\N{NO-BREAK SPACE}", " ")


_PRIVATE = 0o600


def ask_to_start(program: Program, origin: str) -> bool:
    """Return whether the person at the terminal agrees, or has agreed before; without a terminal, nobody does.

    The answer holds for the same component with the same texts, while the files that these name have the same content.
    """
    digest = program.lasting_digest
    if digest in _allowed_programs():
        return True
    if not _on_terminal():
        return False
    named = f"{origin or 'A file'} names a program, which would run with all your rights: {program.spec}"
    if not typer.confirm(f"{printable(named)}\nStart it?", err=True):
        return False
    with contextlib.suppress(GameforgeError):  # the answer then holds for this command alone
        allowed = sorted({*_allowed_programs(), digest})
        write_atomically(_allowed_file(), "".join(f"{one}\n" for one in allowed).encode(), _PRIVATE)
    return True


def _on_terminal() -> bool:
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stderr))


def _allowed_file() -> Path:
    return platformdirs.user_state_path("gameforge", ensure_exists=True) / "allowed-programs"


def _allowed_programs() -> set[str]:
    """Return the digests of programs to which this user has agreed; a file that others can write counts for nothing."""
    try:
        with _allowed_file().open(encoding="ascii") as file:
            about = os.fstat(file.fileno())
            others = about.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
            windows = not hasattr(os, "getuid")  # there, the mode does not say who can write
            own = windows or (about.st_uid == os.getuid() and not others)
            return set(file.read().split()) if own else set()
    except (OSError, UnicodeDecodeError):
        return set()
