"""Runs for commands that show several: a damaged one is named, and does not hide the others."""

import sys
from collections.abc import Iterable
from pathlib import Path

from gameforge.errors import GameforgeError
from gameforge.training.run_report import RunReport, read_run, run_folders


def readable_runs(where: Iterable[Path]) -> list[RunReport]:
    """The reports of all runs in these folders, each once, with a warning for each that cannot be read.

    Raises GameforgeError if a folder holds no runs, or if there is only one and it cannot be read.
    """
    folders = list(dict.fromkeys(folder for place in where for folder in run_folders(place)))
    if len(folders) == 1:
        return [read_run(folders[0])]
    reports = []
    for folder in folders:
        try:
            reports.append(read_run(folder))
        except GameforgeError as error:
            print(f"warning: {folder} is left out: {error}", file=sys.stderr)
    return reports
