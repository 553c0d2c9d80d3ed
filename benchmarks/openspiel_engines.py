"""OpenSpiel's MCTS as an engine that speaks UGI, an opponent for matches in draughts and Nine Men's Morris.

    gameforge match 'alphabeta:time=0.1,selective=true + strong' 'engine:protocol=ugi,handshake=60,patience=60,
        command="python benchmarks/openspiel_engines.py morris 0.1"' --game morris --games 20 --openings random:6

The arguments are GAME and SECONDS. GAME is `draughts` or `morris`; SECONDS is the time of a choice, of which OpenSpiel
makes one for every jump of a capture, and one for the man that a mill removes. The search is MCTSBot in C++ with one
random rollout a simulation. OpenSpiel draws a game of draughts after 40 plies without a capture, and its engine has no
move then; `--game draughts:no_progress=40` comes close to that rule. When the engine quits, it reports on standard
error how long its moves took. It needs the extra `bench`.
"""

import re
import sys
import time
from typing import Any

import pyspiel
from ugi import serve

OPENSPIEL_NAMES = {"draughts": "checkers", "morris": "nine_mens_morris"}
EXPLORATION = 1.4
FIRST_SIMULATIONS = 100
MOST_MEGABYTES = 1000
POINTS = re.findall(r"[a-g]\d", "a7 d7 g7 b6 d6 f6 c5 d5 e5 a4 b4 c4 e4 f4 g4 c3 d3 e3 b2 d2 f2 a1 d1 g1")
"""The points of Nine Men's Morris in OpenSpiel's order."""


def mcts(game: pyspiel.Game, simulations: int) -> pyspiel.MCTSBot:
    """Return the search, with one random rollout a simulation."""
    evaluator = pyspiel.RandomRolloutEvaluator(1, 1)
    return pyspiel.MCTSBot(game, evaluator, EXPLORATION, simulations, MOST_MEGABYTES, False, 1, False)


def square(number: int) -> str:
    """Return OpenSpiel's name of a square of draughts; its first mover plays up the board."""
    row, column = divmod(number - 1, 4)
    return f"{'gecahfdb'[column + 4 * (row % 2)]}{row + 1}"


NUMBERS = {square(number): number for number in range(1, 33)}


def squares(state: Any, action: int, game: str) -> list[str]:
    """Return the names in our notation of the places of an OpenSpiel action: one or two."""
    text = state.action_to_string(action)
    if game == "morris":
        return [POINTS[int(number)] for number in re.findall(r"\d+", text)]
    return [str(NUMBERS[name]) for name in re.findall(r"[a-h]\d", text)]


def moves(state: Any, game: str) -> list[tuple[list[str], list[int]]]:
    """Return the legal moves as places and as OpenSpiel's actions: a capture or a mill takes several."""
    found, mover = [], state.current_player()
    for action in state.legal_actions():
        places, child = squares(state, action, game), state.child(action)
        if child.is_terminal() or child.current_player() != mover:
            found.append((places, [action]))
            continue
        shared = 1 if game == "draughts" else 0  # a jump goes on from the square where the last one ended
        found += [(places + rest[shared:], [action, *more]) for rest, more in moves(child, game)]
    return found


def written(places: list[str], actions: list[int], state: Any, game: str) -> str:
    """Return a move in our notation."""
    if game == "draughts":
        return ("x" if is_jump(places) else "-").join(places)
    moved = len(squares(state, actions[0], game))
    return "-".join(places[:moved]) + "".join(f"x{name}" for name in places[moved:])


def is_jump(places: list[str]) -> bool:
    """Whether a move of draughts captures: it goes two rows in each step."""
    return abs((int(places[0]) - 1) // 4 - (int(places[1]) - 1) // 4) == 2


class Engine:
    """A game that is being played, and the search."""

    def __init__(self, game: str, seconds: float) -> None:
        self.name, self.game, self.seconds = game, pyspiel.load_game(OPENSPIEL_NAMES[game]), seconds
        self.simulations = FIRST_SIMULATIONS
        self.choose(self.game.new_initial_state())  # measures its speed

    def state(self, texts: list[str]) -> Any:
        """Return the state after these moves; squares between the first and the last may be left out."""
        state = self.game.new_initial_state()
        for text in texts:
            wanted = re.findall(r"[a-g]\d|\d+", text)
            meant = [actions for places, actions in moves(state, self.name) if self.is_meant(wanted, places)]
            if not meant:
                raise ValueError(f"{text} is not legal in OpenSpiel after {' '.join(texts)}")
            for action in meant[0]:
                state.apply_action(action)
        return state

    def is_meant(self, wanted: list[str], places: list[str]) -> bool:
        if self.name == "morris":
            return wanted == places
        return (wanted[0], wanted[-1]) == (places[0], places[-1]) and set(wanted) <= set(places)

    def choose(self, state: Any) -> int:
        """Return the search's action; the number of simulations follows the speed of the last search."""
        bot = mcts(self.game, self.simulations)
        began = time.perf_counter()
        action = int(bot.step(state))
        used = time.perf_counter() - began
        self.simulations = max(1, min(2 * self.simulations, round(self.simulations * self.seconds / max(used, 1e-6))))
        return action

    def find(self, texts: list[str]) -> tuple[str, float]:
        """Return the move after these moves, and the seconds of its search."""
        state = self.state(texts)
        if state.is_terminal():
            raise ValueError(f"by OpenSpiel's rules the game is over: {state.returns()}")
        before, mover, chosen = state.clone(), state.current_player(), []
        began = time.perf_counter()
        while not state.is_terminal() and state.current_player() == mover:
            chosen.append(self.choose(state))
            state.apply_action(chosen[-1])
        used = time.perf_counter() - began
        places = next(places for places, actions in moves(before, self.name) if actions == chosen)
        return written(places, chosen, before, self.name), used


if __name__ == "__main__":
    serve("openspiel-mcts", Engine(sys.argv[1], float(sys.argv[2])).find)
