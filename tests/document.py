"""Runs the code blocks of a Markdown file in their order, in the current folder: `document.py FILE.md`.

* python: runs in one namespace; with a first line `# NAME.py` it is saved under that name instead.
* toml: must be valid; with a first line `# NAME.toml` it is saved; one with the key `game` that is
  not saved must describe a pipeline.
* sh: lines that call gameforge; each must succeed.
* console: the same with `$ ` before each command, and below it what it prints (`...` stands for
  anything). A command whose output begins with `error:` must end with exit code 2.
* text: with a first line `# NAME.pdn` the rest is saved under that name.

A line `<!-- continues PAGE.md -->` saves the named files of another page first. A line `<!-- begins with FOLDER -->`
copies the folder's content first, such as the finished trials of experiments.

Commands find their standard input at its end. They are called in this process, which saves each the half second that
Python and numba need to start; those of which the process is a part (a plugin file, an environment variable, a pipe)
have one of their own. Other languages are not run, nor is a block below a line `<!-- not run: REASON -->`.
"""

import doctest
import importlib.metadata
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import textwrap
import tomllib
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs
import called

_FENCE = re.compile(r"( *)```(\w*)\n")
_NOT_RUN = re.compile(r" *<!-- not run: \S.* -->\n")
_CONTINUES = re.compile(r"^<!-- continues (\S+\.md) -->$", re.MULTILINE)
_BEGINS = re.compile(r"^<!-- begins with (\S+) -->$", re.MULTILINE)
_VERSION = re.compile(r'(?<="gameforge": ")[^"]*')
_FILE = re.compile(r"# ((?:[\w-]+/)*[\w-]+\.(py|toml|pdn))\n")
_COMMAND = re.compile(r"([A-Z_]+=\S+ )*(echo \S+ \| )?gameforge ")
_ALONE = re.compile(r"^(?!gameforge )|--plugin|[|<>&`$~*]|; ")
"""A command that needs a shell, or a process that has not loaded the plugin file in an earlier version."""
COLUMNS = "200"
"""Width of the terminal in characters, for tables."""
PROGRESS = re.compile(
    r"^(compiling kernels .*|\+\d+ =\d+ -\d+  .* of [\d,]+ games.*|[\d,]+ of [\d,]+ games, .*( left|; session .*))\n",
    re.MULTILINE,
)
"""Lines that say how far a command is. A slow machine prints more of them."""
_LIKE = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


class Wrong(Exception):
    """A block does not do what the page says."""


@attrs.frozen
class Block:
    """One fenced block."""

    language: str
    text: str
    line: int
    """Where its first line of code stands, from 1."""
    run: bool


def blocks(markdown: str) -> Iterator[Block]:
    """All fenced blocks; Wrong if a fence is never closed."""
    lines = markdown.splitlines(keepends=True)
    i = 0
    while i < len(lines):
        fence = _FENCE.match(lines[i])
        i += 1
        if fence:
            start, marked = i, i >= 2 and _NOT_RUN.fullmatch(lines[i - 2]) is not None
            while i < len(lines) and lines[i].strip() != "```":
                i += 1
            if i == len(lines):
                raise Wrong(f"line {start}: this block has no end")
            yield Block(fence[2], textwrap.dedent("".join(lines[start:i])), start + 1, not marked)
            i += 1


def shell(command: str) -> tuple[int, str]:
    """(exit code, everything printed) of a line that calls gameforge."""
    if not _COMMAND.match(command):
        raise Wrong(f"{command!r} calls something else than gameforge; put <!-- not run: REASON --> above the block")
    if _ALONE.search(command):
        return _in_its_own_process(command)
    os.environ["COLUMNS"] = COLUMNS
    return called.gameforge(shlex.split(command, comments=True)[1:])


def _in_its_own_process(command: str) -> tuple[int, str]:
    path = os.pathsep.join([sysconfig.get_path("scripts"), os.environ.get("PATH", "")])
    environment = os.environ | {"PATH": path, "COLUMNS": COLUMNS}
    done = subprocess.run(
        command,
        shell=True,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout


def run_sh(text: str) -> None:
    """Commands that have to succeed."""
    for command in text.splitlines():
        code, output = shell(command)
        if code:
            raise Wrong(f"{command!r} ended with code {code}:\n{output}")


def run_console(text: str) -> None:
    """Commands with what they print."""
    for session in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, _, expected = session.partition("\n")
        code, output = shell(command)
        output = PROGRESS.sub("", output)
        if code != (2 if expected.startswith("error:") else 0):
            raise Wrong(f"{command!r} ended with code {code}:\n{output}")
        if not doctest.OutputChecker().check_output(expected.strip(), output.strip(), _LIKE):
            raise Wrong(f"{command!r} printed\n{output}instead of\n{expected}")


def run_toml(text: str, saved: bool) -> None:
    """Valid, and a pipeline if it says so."""
    table = tomllib.loads(text)
    if "game" in table and not saved:
        import gameforge

        gameforge.Pipeline.from_settings(table)


def save(block: Block) -> "re.Match[str] | None":
    """Save a block that begins with the name of a file; the match of that line, or None."""
    file = _FILE.match(block.text)
    if file:
        Path(file[1]).parent.mkdir(parents=True, exist_ok=True)
        Path(file[1]).write_text(block.text[file.end() :] if file[2] == "pdn" else block.text)
    return file


def save_earlier(document: Path) -> None:
    """Save the named files of the pages that a page continues."""
    for earlier in _CONTINUES.findall(document.read_text(encoding="utf-8")):
        for block in blocks((document.parent / earlier).read_text(encoding="utf-8")):
            save(block)


def copy_folders(document: Path) -> None:
    """Copy the folders that a page begins with.

    Manifests of experiments get the present version: their figures only have to be drawn, and need not be recomputed.
    """
    for folder in _BEGINS.findall(document.read_text(encoding="utf-8")):
        shutil.copytree(document.parent / folder, ".", dirs_exist_ok=True)
        for manifest in Path().glob("*/experiment.json"):
            manifest.write_text(_VERSION.sub(importlib.metadata.version("gameforge"), manifest.read_text()))


def run(block: Block, name: str, namespace: dict[str, Any]) -> None:
    """One block; `name` is the document's, for tracebacks."""
    file = save(block)
    if block.language == "toml":
        run_toml(block.text, file is not None)
    elif block.language == "python" and not file:
        code = "\n" * (block.line - 1) + block.text
        exec(compile(code, name, "exec"), namespace)
    elif block.language == "sh":
        run_sh(block.text)
    elif block.language == "console":
        run_console(block.text)


def main(document: str) -> None:
    """Run a document; what fails is raised with a note that says where."""
    warnings.simplefilter("error", UserWarning)  # GameForge's own: a function that should compile does not
    sys.path[0] = ""
    namespace: dict[str, Any] = {"__name__": "__main__"}
    markdown = Path(document).read_text(encoding="utf-8")
    save_earlier(Path(document))
    copy_folders(Path(document))
    for block in blocks(markdown):
        if block.run:
            try:
                run(block, document, namespace)
            except BaseException as error:
                error.add_note(f"in the {block.language} block at {document}, line {block.line}")
                raise


if __name__ == "__main__":
    main(sys.argv[1])
