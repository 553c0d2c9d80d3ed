"""Engine protocols: overhead per move, punctuality, `stop`, and a match against an engine that crashes at random.

    python benchmarks/protocols.py [MOVES] [GAMES]

An engine of ours speaks UGI as a child process, on the same machine. Overhead: the time of a move through the searcher
`engine` less that of the same search inside, medians. Punctuality: time from `go movetime 20` to the answer, less 20
ms; MOVES of them (10,000). `stop`: time from `stop` to the answer. Match: GAMES (200).
"""

import random
import shlex
import statistics
import sys
import time
from pathlib import Path

from gameforge_engines.protocols import EngineProcess

import gameforge as gf
from gameforge.play.game import Position

PARTS = "alphabeta:depth=3,memory=0 + material + none"
DOUBLE = Path(__file__).parents[1] / "plugins" / "engines" / "tests" / "double.py"
POSITIONS, STOPS, SECONDS, LATE = 200, 50, 0.02, 0.01


def command(parts: str) -> str:
    return shlex.join([sys.executable, "-m", "gameforge", "engine", parts, "--game", "draughts", "--protocol", "ugi"])


def positions(count: int) -> list[Position]:
    """Positions of random games that have a choice of moves."""
    rng, found = random.Random(1), list[Position]()
    while len(found) < count:
        position = gf.game("draughts").position()
        while position.outcome is None:
            position = position.after(rng.choice(position.codes))
            if len(position.codes) > 1 and position.outcome is None:
                found.append(position)
    return found[:count]


def overhead() -> None:
    searcher = {"use": "engine", "command": command(PARTS), "protocol": "ugi", "handshake": 120.0}
    far = gf.player("draughts", searcher=searcher, evaluator=None, oracle="none")
    near = gf.player("draughts", searcher="alphabeta:depth=3,memory=0", evaluator="material", oracle="none")
    times: dict[str, list[float]] = {"through": [], "inside": []}
    for position in positions(POSITIONS):
        for name, player in (("through", far), ("inside", near)):
            began = time.perf_counter()
            player.analyse(position)
            times[name].append(time.perf_counter() - began)
    through, inside = (1000 * statistics.median(times[name][5:]) for name in ("through", "inside"))
    print(f"a move: {through:.2f} ms through UGI, {inside:.2f} ms inside; overhead {through - inside:.2f} ms")


def answered(engine: EngineProcess) -> float:
    """Wait for the answer; return the time at which it came."""
    while not engine.receive(60).startswith("bestmove"):
        pass
    return time.perf_counter()


def punctuality(moves: int) -> None:
    engine = EngineProcess(command("alphabeta:depth=60 + material + none"))
    engine.send("ugi")
    late = []
    chosen = positions(100)
    for i in range(moves + 1):
        position = chosen[i % len(chosen)]
        moves_played = [str(move).replace(" ", "_") for move in moves_of(position)]
        engine.send(f"position startpos moves {' '.join(moves_played)}")
        began = time.perf_counter()
        engine.send(f"go movetime {round(1000 * SECONDS)}")
        late.append(answered(engine) - began - SECONDS)
    late = sorted(late[1:])
    over = sum(one > LATE for one in late)
    print(
        f"{len(late)} moves of 20 ms: median {1000 * statistics.median(late):+.1f} ms, "
        f"latest {1000 * late[-1]:+.1f} ms, {over} more than 10 ms late"
    )
    stops = []
    for i in range(STOPS):
        engine.send("go infinite")
        time.sleep(0.05 + 0.001 * i)
        began = time.perf_counter()
        engine.send("stop")
        stops.append(answered(engine) - began)
    print(f"stop: median {1000 * statistics.median(stops):.1f} ms, longest {1000 * max(stops):.1f} ms")
    engine.close("quit")


def moves_of(position: Position) -> list[object]:
    moves, here = list[object](), position
    while here.parent is not None:
        moves.append(next(move for move in here.parent.legal_moves if move.code == here.last_move))
        here = here.parent
    return moves[::-1]


def crashes(games: int) -> None:
    line = shlex.join([sys.executable, str(DOUBLE), "othello", "ugi", "crashes"])
    searcher = {"use": "engine", "command": line, "protocol": "ugi", "handshake": 60.0}
    wild = gf.player("othello", searcher=searcher, evaluator=None, oracle="none", name="crashes")
    calm = gf.player("othello", searcher="minimax:depth=1", evaluator="wpc", oracle="none", name="calm")
    began = time.perf_counter()
    result = gf.match(wild, calm, games, progress=False)
    notes = [game.note for game in result.games if game.note]
    explained = sum("ended with exit code" in note for note in notes)
    print(
        f"{len(result.games)} games in {time.perf_counter() - began:.0f} s: {result.forfeits[0]} forfeits, "
        f"{explained} explained"
    )


def main() -> None:
    moves, games = (int(sys.argv[i]) if len(sys.argv) > i else usual for i, usual in ((1, 10_000), (2, 200)))
    overhead()
    punctuality(moves)
    crashes(games)


if __name__ == "__main__":
    main()
