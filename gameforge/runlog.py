"""The files that a run writes while it goes on; each is a subscriber of the hooks' events."""

import json
import time
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from gameforge.game import Game
from gameforge.hooks import hookimpl
from gameforge.learning import GameRecord, Progress, Trained
from gameforge.rules import HasGameText

if TYPE_CHECKING:
    from gameforge.runs import Run


class MetricsFile:
    """metrics.jsonl: one JSON object a session, readable while the run goes on."""

    def __init__(self, folder: Path) -> None:
        self._file = (folder / "metrics.jsonl").open("w", encoding="utf-8")

    def close(self) -> None:
        self._file.close()

    @hookimpl
    def gameforge_checkpoint(self, progress: Progress) -> None:
        line = {"session": progress.session, "games": progress.games, **progress.numbers}
        self._file.write(json.dumps(line) + "\n")
        self._file.flush()


class GameLog:
    """games.*: every game, in the game's own notation if it has one, else moves as text."""

    def __init__(self, folder: Path, game: Game) -> None:
        self._game = game
        suffix = game.rules.game_suffix if isinstance(game.rules, HasGameText) else ".txt"
        self._file: IO[str] = (folder / f"games{suffix}").open("w", encoding="utf-8")

    def close(self) -> None:
        self._file.close()

    @hookimpl
    def gameforge_game_finished(self, game: GameRecord) -> None:
        self._file.write(game_text(self._game, game) + "\n")

    @hookimpl
    def gameforge_checkpoint(self) -> None:
        self._file.flush()

    @hookimpl
    def gameforge_run_finished(self) -> None:
        self._file.flush()


class Log:
    """log.txt: what happened when."""

    def __init__(self, folder: Path) -> None:
        self._file = (folder / "log.txt").open("w", encoding="utf-8")
        self._began = time.perf_counter()

    def close(self) -> None:
        self._file.close()

    def _write(self, text: str) -> None:
        self._file.write(f"{time.strftime('%Y-%m-%d %H:%M:%S')} {text}\n")
        self._file.flush()

    @hookimpl
    def gameforge_run_started(self, run: "Run") -> None:
        parts = {key: value["use"] for key, value in run.pipeline.table.items() if isinstance(value, dict)}
        oracles = [str(lookup.spec) for lookup in run.pipeline.oracles]
        self._write(f"started: {parts}, oracles {oracles}, seed {run.pipeline.seed}")

    @hookimpl
    def gameforge_checkpoint(self, progress: Progress) -> None:
        self._write(f"session {progress.session} of {progress.sessions}: {json.dumps(dict(progress.numbers))}")

    @hookimpl
    def gameforge_run_finished(self, result: Trained) -> None:
        seconds = time.perf_counter() - self._began
        self._write(f"finished after {seconds:.1f} s: {json.dumps(dict(result.summary))}")


def game_text(game: Game, record: GameRecord) -> str:
    """A finished game as text, in the game's own format where it has one."""
    event = f"{record.phase} {record.number}" + (f", session {record.session}" if record.session else "")
    outcome, sides = record.outcome, game.rules.sides
    reason = f"{outcome.reason}: {record.note}" if record.note else outcome.reason
    if isinstance(game.rules, HasGameText):
        tags: dict[str, Any] = {"Event": event, **dict(zip(sides, record.players, strict=True))}
        if record.opening:
            tags["Opening"] = record.opening
        return game.rules.game_text(tags, record.start, record.moves, outcome.winner, reason)
    texts, state = [], record.start
    for move in record.moves:
        texts.append(game.move_text(state, move, game.legal(state)))
        state = game.play(state, move)
    winner = "draw" if outcome.winner is None else f"{sides[outcome.winner]} wins"
    names = " - ".join(record.players)
    return f"{event}: {names}; start {game.position_text(record.start)}; {' '.join(texts)}; {winner} ({reason})"
