"""Pictures of the terminal, drawn from what commands print in one: `python website/casts.py` makes them again.

A picture `casts/NAME.svg` on a page shows the block of commands above it.
"""

import contextlib
import fcntl
import io
import itertools
import os
import pty
import re
import struct
import subprocess
import sys
import sysconfig
import tempfile
import termios
from collections.abc import Iterator
from pathlib import Path

import attrs
import pyte
from elsewhere import DOCS, ROOT
from pyte.screens import Char
from rich.console import Console
from rich.style import Style
from rich.terminal_theme import DIMMED_MONOKAI
from rich.text import Text

sys.path.append(str(ROOT / "tests"))

import document

PICTURES = ROOT / DOCS / "casts"
COLUMNS, ROWS = 76, 100

_CAST = re.compile(r"^ *```sh\n((?:(?! *```).*\n)+) *```\s+!\[[^\]]*\]\([./]*casts/([\w-]+)\.svg\)", re.MULTILINE)
_FONT = re.compile(r"@font-face \{.*?\}\s*", re.DOTALL)


@attrs.frozen
class Cast:
    """A picture of the terminal."""

    name: str
    page: Path
    commands: str
    """One a line."""


def casts() -> list[Cast]:
    """Return the pictures of all pages."""
    pages = [(page, page.read_text(encoding="utf-8")) for page in sorted((ROOT / DOCS).rglob("*.md"))]
    return [Cast(name, page, commands) for page, text in pages for commands, name in _CAST.findall(text)]


def recorded(cast: Cast, folder: Path) -> Text:
    """Run the commands of a picture in a folder and return the screen."""
    screen = pyte.Screen(COLUMNS, ROWS)
    stream = pyte.ByteStream(screen)
    with contextlib.chdir(folder):
        document.save_earlier(cast.page)
        for command in cast.commands.splitlines():
            stream.feed(f"\x1b[1;92m$\x1b[0;1m {command.strip()}\x1b[0m\r\n".encode())
            for printed in _terminal(command):
                stream.feed(printed)
    lines = [_line([screen.buffer[y][x] for x in range(COLUMNS)]) for y in range(screen.cursor.y)]
    return Text("\n").join(line for line in lines if not line.plain.startswith("compiling kernels"))


def drawing(cast: Cast, screen: Text) -> str:
    """Return the picture as SVG. It loads no font: rich's own format would take one from another host."""
    console = Console(record=True, width=COLUMNS, file=io.StringIO())
    console.print(screen, soft_wrap=True)
    return _FONT.sub("", console.export_svg(title="", theme=DIMMED_MONOKAI, unique_id=cast.name))


def _terminal(command: str) -> Iterator[bytes]:
    """Run a command in a terminal and return what it prints; a command that fails raises CalledProcessError."""
    ours, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    path = os.pathsep.join([sysconfig.get_path("scripts"), os.environ.get("PATH", "")])
    size = {"COLUMNS": str(COLUMNS), "LINES": str(ROWS), "TERM": "xterm-256color"}
    running = subprocess.Popen(command, shell=True, env=os.environ | size | {"PATH": path}, stdout=its, stderr=its)
    os.close(its)
    with contextlib.suppress(OSError):  # the end of the command is the end of the terminal
        while printed := os.read(ours, 65536):
            yield printed
    os.close(ours)
    if code := running.wait():
        raise subprocess.CalledProcessError(code, command)


def _line(cells: list[Char]) -> Text:
    line = Text()
    for style, run in itertools.groupby(cells, _style):
        line.append("".join(cell.data for cell in run), style)
    line.rstrip()
    return line


def _style(cell: Char) -> Style:
    return Style(color=_color(cell.fg), bgcolor=_color(cell.bg), bold=cell.bold, reverse=cell.reverse)


def _color(name: str) -> str:
    """Return rich's name of a colour of the terminal."""
    if re.fullmatch("[0-9a-f]{6}", name):
        return f"#{name}"
    return re.sub("^bright(?!_)", "bright_", name.replace("brown", "yellow"))


def main() -> None:
    """Run the commands of each picture in a new folder, and draw what they print."""
    for cast in casts():
        with tempfile.TemporaryDirectory() as folder:
            picture = drawing(cast, recorded(cast, Path(folder)))
        (PICTURES / f"{cast.name}.svg").write_text(picture, encoding="utf-8")


if __name__ == "__main__":
    main()
