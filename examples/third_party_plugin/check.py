"""Check a third-party plugin: use every part of GameForge with it, from outside.

    python check.py                 in the environment of this Python, which has GameForge and the plugin
    python check.py --python PATH   in the environment of another Python
    python check.py --fresh         in a new virtual environment: installs this checkout and the plugin

Everything goes through the command line and the public API, in a temporary folder. The exit code
is 0 only if every step works and every number is right.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

HERE = Path(__file__).resolve().parent
PERFT = [7, 49, 343, 2401, 16807, 117649, 823536, 5673234]
"""Connect Four: 7^n up to 6 plies; then full columns, and from 8 plies on games that are over."""
PLAYOUTS = """
import gameforge as gf
from gameforge.play.perft import playouts
result = playouts(gf.game("connect-four").position(), 20000, seed=1)
print(result.wins / 20000, result.draws / 20000, result.plies / 20000)
"""
LEARNER = "td:sessions=1,games=10"
PIPELINE = ("--features=open-lines", "--evaluator=mlp", "--searcher=minimax:depth=2", "--oracle=none")


class Failed(Exception):
    """A step of the check failed."""


def expect(condition: bool, what: str, seen: object) -> None:
    """Raise Failed, with the expected and the actual result, unless the condition holds."""
    if not condition:
        raise Failed(f"expected {what}, but saw: {seen}")
    print(f"ok: {what}", flush=True)


def run(*command: str | Path, cwd: Path) -> str:
    """Run a command and return its output; it sees only installed packages, and warnings count as failures."""
    environment = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "GAMEFORGE_PLUGINS")}
    words = [str(word) for word in command]
    done = subprocess.run(words, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    if done.returncode or "warning:" in done.stderr:
        raise Failed(f"{' '.join(words)}\nended with code {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def check(python: Path, folder: Path) -> None:
    """Use the plugin that is installed in the environment of `python`; `folder` is for files."""

    def gameforge(*arguments: str | Path) -> str:
        return run(python.parent / "gameforge", *arguments, cwd=folder)

    listed = json.loads(gameforge("plugins", "--json"))
    offers = [(item["kind"], item["name"], item["origin"]) for item in listed["components"]]
    for kind, name in (("rules", "connect-four"), ("features", "open-lines")):
        expect((kind, name, "gameforge-connect-four 1.0") in offers, f"{kind} {name} among the plugins", offers)
    expect(listed["failures"] == [], "no plugin failed", listed["failures"])

    lines = gameforge("perft", "--game=connect-four", f"--depth={len(PERFT)}", "--json").splitlines()
    counts = [json.loads(line)["leaves"] for line in lines]
    expect(counts == PERFT, f"perft {PERFT}", counts)

    wins, draws, plies = map(float, run(python, "-c", PLAYOUTS, cwd=folder).split())
    expect(
        abs(wins - 0.556) < 0.02 and draws < 0.01 and abs(plies - 21.3) < 0.5,
        "random games: the first wins 56 %, 0.3 % are draws, 21 plies each",
        (wins, draws, plies),
    )

    text = gameforge("match", "minimax:depth=5", "minimax:depth=1", "--game=connect-four", "--games=20", "--json")
    result = json.loads(text)
    expect(
        result["wins"] + result["draws"] + result["losses"] == 20 and result["score"] > 0.7,
        "minimax with 5 plies beats minimax with 1",
        result,
    )

    gameforge("run", "--game=connect-four", *PIPELINE, f"--learner={LEARNER}", "--seed=7", "--out=run")
    state = json.loads((folder / "run" / "run.json").read_text())
    expect(state["state"] == "finished" and state["summary"]["games"] == 10, "a TD run of 10 games", state)
    records = (folder / "run" / "games.trace").read_text().splitlines()
    expect(sum(line.startswith("training") for line in records) == 10, "10 training games on record", records)
    gameforge("run", "run", "--out=again", "--match-games=0")
    same = [(folder / name / "player" / "weights.npz").read_bytes() for name in ("run", "again")]
    expect(same[0] == same[1], "the same weights when the run is run again", "other weights")
    text = gameforge("match", "run", "minimax:depth=1", "--game=connect-four", "--games=2", "--json")
    expect(len(json.loads(text)["players"]) == 2, "the trained player plays", text)


def fresh_environment(folder: Path) -> Path:
    """The Python of a new environment in which GameForge and the plugin are installed as usual."""
    venv.create(folder, with_pip=True)
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    run(python, "-m", "pip", "install", "--quiet", HERE.parents[1], HERE, cwd=folder)
    return python


def main() -> int:
    """Returns the exit code."""
    parser = argparse.ArgumentParser(description="Check a third-party plugin from outside.")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--python", type=Path, default=Path(sys.executable), help="of the environment to check")
    which.add_argument("--fresh", action="store_true", help="make a new environment and check that")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        try:
            python = fresh_environment(folder / "venv") if options.fresh else options.python.absolute()
            check(python, folder)
        except Failed as failure:
            print(f"FAILED: {failure}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
