"""A plugin in one file: an evaluator that sleeps and shows that it works, for tests that end endless searches."""

import os
import threading
import time
from pathlib import Path

from gameforge import Component, hookimpl
from gameforge.interfaces.evaluator import EvaluatorFunctions


def evaluate(ed, w, s, x):
    """Every thread counts its evaluations by the length of a file in the folder $SLEEPY."""
    with Path(os.environ["SLEEPY"], str(threading.get_ident())).open("a") as file:
        file.write(".")
    time.sleep(0.01)
    return 0.0


def evaluations(folder: Path) -> list[int]:
    """The numbers of evaluations of the threads that have evaluated anything."""
    return [path.stat().st_size for path in folder.iterdir()]


class Sleepy:
    def functions(self, rules, features):
        return EvaluatorFunctions(evaluate=evaluate, compiled=False)


@hookimpl
def gameforge_components():
    return [Component("evaluator", "sleepy", f"{__name__}:Sleepy", "takes its time")]
