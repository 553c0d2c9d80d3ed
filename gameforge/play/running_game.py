"""A game that is played in place, move by move, for callers that need neither its record nor earlier positions."""

from gameforge.interfaces.outcome import RUNNING, Outcome, outcome_of
from gameforge.interfaces.rules import State
from gameforge.play.game import Game


class RunningGame:
    """A game in progress. It adjudicates draws as `Position.outcome` does, without playing the game again each time."""

    def __init__(self, game: Game) -> None:
        from gameforge.kernel.assembly import game_workspace
        from gameforge.kernel.stepping import Stepper

        self.game = game
        self._workspace = game_workspace(game.compiled, game.rules.draws)
        self._words = int(game.compiled.words)
        self._step = Stepper(self._workspace)
        self.begin()

    def begin(self, start: State | None = None) -> None:
        """Begin a game at a state; None: at the initial one."""
        from gameforge.kernel.stepping import BEGIN

        self._workspace.states[: self._words] = self.game.rules.initial() if start is None else start
        self.play(BEGIN)

    def play(self, move: int) -> None:
        """Play a move, given as its word; its legality is not checked, and the game must not be over."""
        n, code = self._step(move)
        self.state: State = tuple(self._workspace.states[: self._words].tolist())
        self.moves: list[int] = self._workspace.moves[:n].tolist()
        """The legal moves."""
        self.outcome: Outcome | None = None if code == RUNNING else outcome_of(self.game.rules, code, self.turn)
        """None until the game is over."""

    @property
    def turn(self) -> int:
        """The side to move: 0 the first mover, 1 the second."""
        return self.game.side_to_move(self.state)
