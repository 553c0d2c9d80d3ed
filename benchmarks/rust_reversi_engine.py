"""rust-reversi's searches as an engine that speaks GTP, an opponent for matches.

    gameforge match 'alphabeta:time=0.1,selective=true + strong' \\
        'engine:command="python benchmarks/rust_reversi_engine.py alphabeta",protocol=gtp' --game othello --games 20

Needs the extra `bench`. The second argument is the time of a move in milliseconds (100).
"""

import sys
from collections.abc import Callable

from rust_reversi import AlphaBetaSearch, Board, LegalNumEvaluator, MctsSearch, Turn

MOST_PLAYOUTS = 10**9
MOST_DEPTH = 60
COMMANDS = ("protocol_version", "name", "version", "list_commands", "known_command", "quit", "boardsize", "komi")
GAME_COMMANDS = ("clear_board", "play", "genmove", "time_settings", "time_left")


def square(name: str) -> int:
    """Number of a square, from a1 = 0 along the rows."""
    return ord(name[0].lower()) - ord("a") + 8 * (int(name[1]) - 1)


def move_text(number: int) -> str:
    return f"{'ABCDEFGH'[number % 8]}{number // 8 + 1}"


def search(kind: str, milliseconds: int) -> Callable[[Board], int]:
    """The search of this kind, as a function from a board to a square."""
    if kind == "mcts":
        mcts = MctsSearch(MOST_PLAYOUTS, 1.0, 10)  # values that its documentation recommends
        return lambda board: mcts.get_move_with_timeout(board, milliseconds)
    alphabeta = AlphaBetaSearch(LegalNumEvaluator(), MOST_DEPTH, 10**6)
    return lambda board: alphabeta.get_move_with_timeout(board, milliseconds)


class Engine:
    def __init__(self, kind: str, milliseconds: int) -> None:
        self.kind, self.find = kind, search(kind, milliseconds)
        self.board = Board()

    def answer(self, command: str, arguments: list[str]) -> str:
        if command == "protocol_version":
            return "2"
        if command in ("name", "version"):
            return f"rust-reversi {self.kind}"
        if command == "list_commands":
            return "\n".join(COMMANDS + GAME_COMMANDS)
        if command == "known_command":
            return str(arguments[0] in COMMANDS + GAME_COMMANDS).lower()
        if command == "clear_board":
            self.board = Board()
        elif command == "play":
            self.turn_to(arguments[0])
            if arguments[1].lower() != "pass":
                self.board.do_move(square(arguments[1]))
        elif command == "genmove":
            self.turn_to(arguments[0])
            if self.board.is_pass():
                return "PASS"
            found = self.find(self.board)
            self.board.do_move(found)
            return move_text(found)
        return ""

    def turn_to(self, colour: str) -> None:
        """Pass if it is the other side's turn: forced passes need not be sent."""
        if (self.board.get_turn() == Turn.BLACK) != colour.lower().startswith("b"):
            self.board.do_pass()


def main() -> None:
    kind = sys.argv[1] if len(sys.argv) > 1 else "alphabeta"
    engine = Engine(kind, int(sys.argv[2]) if len(sys.argv) > 2 else 100)
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
