"""Searches of other packages as engines that speak GTP, opponents for matches in Othello.

    gameforge match 'alphabeta:time=0.1,selective=true + strong' \\
        'engine:command="python benchmarks/othello_engines.py rust-alphabeta",protocol=gtp' --game othello --games 20

The engines, all with 0.1 s a move: rust-alphabeta and rust-mcts of rust-reversi, openspiel-mcts with random rollouts.
They need the extra `bench`.
"""

import sys
import time
from typing import Protocol

SECONDS = 0.1
MOST = 10**9
MOST_DEPTH = 60
COMMANDS = ("protocol_version", "name", "version", "list_commands", "known_command", "quit", "boardsize", "komi")
GAME_COMMANDS = ("clear_board", "play", "genmove", "time_settings", "time_left")


class Game(Protocol):
    """A game that is being played. Squares are numbered from a1 = 0 along the rows."""

    def turn_to(self, black: bool) -> None:
        """Pass if it is the other side's turn: forced passes need not be sent."""

    def play(self, square: int) -> None: ...
    def find(self) -> int | None:
        """The search's move; None: the side to move must pass."""


class RustReversi:
    def __init__(self, kind: str) -> None:
        from rust_reversi import AlphaBetaSearch, Board, LegalNumEvaluator, MctsSearch

        self.board = Board()
        if kind == "rust-mcts":
            self.search = MctsSearch(MOST, 1.0, 10)  # values that its documentation recommends
        else:
            self.search = AlphaBetaSearch(LegalNumEvaluator(), MOST_DEPTH, 10**6)

    def turn_to(self, black: bool) -> None:
        from rust_reversi import Turn

        if (self.board.get_turn() == Turn.BLACK) != black:
            self.board.do_pass()

    def play(self, square: int) -> None:
        self.board.do_move(square)

    def find(self) -> int | None:
        if self.board.is_pass():
            return None
        return int(self.search.get_move_with_timeout(self.board, round(1000 * SECONDS)))


class OpenSpiel:
    PASS = 64

    def __init__(self) -> None:
        import pyspiel
        from openspiel_engines import mcts

        self.mcts = mcts
        self.game = pyspiel.load_game("othello")
        self.state = self.game.new_initial_state()
        self.simulations = self.in_time(100)

    def in_time(self, simulations: int) -> int:
        """How many simulations from the initial position it does in the time of a move."""
        bot, began = self.mcts(self.game, simulations), time.perf_counter()
        bot.step(self.state)
        return round(simulations * SECONDS / (time.perf_counter() - began))

    def turn_to(self, black: bool) -> None:
        if self.state.current_player() != (0 if black else 1):
            self.state.apply_action(self.PASS)

    def play(self, square: int) -> None:
        self.state.apply_action(square)

    def find(self) -> int | None:
        found = int(self.mcts(self.game, self.simulations).step(self.state))
        return None if found == self.PASS else found


def square(name: str) -> int:
    return ord(name[0].lower()) - ord("a") + 8 * (int(name[1]) - 1)


def name_of(number: int) -> str:
    return f"{'ABCDEFGH'[number % 8]}{number // 8 + 1}"


class Engine:
    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.game = self.new_game()

    def new_game(self) -> Game:
        return OpenSpiel() if self.kind == "openspiel-mcts" else RustReversi(self.kind)

    def answer(self, command: str, arguments: list[str]) -> str:
        if command == "protocol_version":
            return "2"
        if command in ("name", "version"):
            return self.kind
        if command == "list_commands":
            return "\n".join(COMMANDS + GAME_COMMANDS)
        if command == "known_command":
            return str(arguments[0] in COMMANDS + GAME_COMMANDS).lower()
        if command == "clear_board":
            self.game = self.new_game()
        elif command in ("play", "genmove"):
            self.game.turn_to(arguments[0].lower().startswith("b"))
            if command == "genmove":
                found = self.game.find()
                if found is None:
                    return "PASS"
                self.game.play(found)
                return name_of(found)
            if arguments[1].lower() != "pass":
                self.game.play(square(arguments[1]))
        return ""


def main() -> None:
    engine = Engine(sys.argv[1] if len(sys.argv) > 1 else "rust-alphabeta")
    for line in sys.stdin:
        words = line.split()
        if not words:
            continue
        number = words.pop(0) if words[0].isdigit() else ""
        try:
            answer = f"={number} {engine.answer(words[0], words[1:])}"
        except (ValueError, IndexError) as error:
            answer = f"?{number} {error}"
        print(answer, end="\n\n", flush=True)
        if words[0] == "quit":
            return


if __name__ == "__main__":
    main()
