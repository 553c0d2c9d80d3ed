"""Plain input and output in the terminal, without rich, which quick commands do not load.

* Output that cannot control the terminal: text from files may hold escape sequences, tags and names above all.
* The notice that explains why a first run takes seconds.
* The loop of the commands that read a person's input line by line.
"""

import contextlib
import io
import sys
import tempfile
import textwrap
from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TextIO, cast

from gameforge.errors import GameforgeError
from gameforge.play.terminal import compilation_text, printable

if TYPE_CHECKING:
    from rich.status import Status

    from gameforge.cli.console import Console


class OutputFailed(Exception):
    """The standard output or the standard error cannot be written."""

    def __init__(self, reason: OSError) -> None:
        super().__init__(reason)
        self.reason = reason


class _Output:
    """A text stream that raises OutputFailed if it fails, so that callers can tell this from the failure of a file."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        with _failures():
            return self._stream.write(text)

    def flush(self) -> None:
        with _failures():
            self._stream.flush()


class _Neutral:
    """A text stream to which everything is written as `printable` text that its encoding can express."""

    def __init__(self, stream: TextIO) -> None:
        self.rich_proxied_file = _Output(stream)
        """What rich writes to, colours included; gameforge.cli.console neutralizes its text."""

    def __getattr__(self, name: str) -> Any:
        return getattr(self.rich_proxied_file, name)

    def write(self, text: str) -> int:
        encoding = self.rich_proxied_file.encoding or "utf-8"
        neutral = printable(text).encode(encoding, "backslashreplace").decode(encoding)
        self.rich_proxied_file.write(neutral)
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
    from gameforge.cli.compile_times import estimate_text, record_seconds
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
