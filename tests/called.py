"""The command line called in this process, as a shell would see it: exit code, and what it printed."""

import contextlib
import io
import os
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator, Sequence
from typing import BinaryIO

from gameforge.cli.main import run


def gameforge(arguments: Sequence[str]) -> tuple[int, str]:
    """Call `gameforge ARGUMENTS`, whose standard input is at its end; (exit code, all that it and its children print).

    As in a pipe, the standard output is written when it is complete, the standard error line by line. An exception
    that the command line does not handle is raised.
    """
    with tempfile.TemporaryFile() as printed:
        code = call(arguments, printed, printed)
        return code, _text(printed)


def completed(arguments: Sequence[str]) -> "subprocess.CompletedProcess[str]":
    """Call `gameforge ARGUMENTS` likewise, but keep its standard output and its standard error apart."""
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        code = call(arguments, output, errors)
        return subprocess.CompletedProcess(["gameforge", *arguments], code, _text(output), _text(errors))


def call(arguments: Sequence[str], output: BinaryIO, errors: BinaryIO) -> int:
    """Call `gameforge ARGUMENTS` likewise, with these files as its standard output and error; its exit code."""
    with _standard_streams(output, errors), warnings.catch_warnings():
        warnings.simplefilter("default", UserWarning)  # GameForge's own are printed, as in a process of its own
        return run(arguments)


def _text(file: BinaryIO) -> str:
    file.seek(0)
    return file.read().decode()


@contextlib.contextmanager
def _standard_streams(to_output: BinaryIO, to_errors: BinaryIO) -> Iterator[None]:
    """Write the standard output and error to files, also those of child processes and of C code."""
    sys.stdout.flush()
    sys.stderr.flush()
    streams, kept = (sys.stdin, sys.stdout, sys.stderr), [os.dup(number) for number in range(3)]
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    for number, file in ((1, to_output), (2, to_errors)):
        os.dup2(file.fileno(), number)
    sys.stdin = io.TextIOWrapper(io.BufferedReader(io.FileIO(0, closefd=False)), encoding="utf-8")
    output = io.BufferedWriter(io.FileIO(1, "w", closefd=False), buffer_size=1 << 20)
    sys.stdout = io.TextIOWrapper(output, encoding="utf-8")
    errors = io.BufferedWriter(io.FileIO(2, "w", closefd=False))
    sys.stderr = io.TextIOWrapper(errors, encoding="utf-8", line_buffering=True)
    try:
        yield
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        sys.stdin, sys.stdout, sys.stderr = streams
        for number, descriptor in enumerate(kept):
            os.dup2(descriptor, number)
            os.close(descriptor)
