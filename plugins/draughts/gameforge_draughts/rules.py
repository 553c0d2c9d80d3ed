"""Rules of English draughts (WCDF), with draws and loops as named settings."""

import attrs


from gameforge.rules import DrawRules, RulesKernel, State
from gameforge_draughts import movegen
from gameforge_draughts.board import STATE_WORDS, mask


@attrs.frozen(kw_only=True)
class Draughts:
    """The game; `repetition`, `no_progress`, `max_plies`, `shuffle` as in gameforge.rules.DrawRules."""

    repetition: int = 3
    no_progress: int = 80
    max_plies: int = 300
    shuffle: int = 3

    name = "draughts"
    sides = ("Black", "White")
    reasons = ("no legal move",)
    preset = "draughts"

    @property
    def draws(self) -> DrawRules:
        return DrawRules(
            repetition=self.repetition,
            no_progress=self.no_progress,
            max_plies=self.max_plies,
            shuffle=self.shuffle,
            loops=("repetition", "shuffle"),
        )

    def kernel(self) -> RulesKernel:
        return RulesKernel(
            words=STATE_WORDS,
            max_moves=movegen.MAX_MOVES,
            gen=movegen.gen,
            play=movegen.play,
            outcome=movegen.outcome,
            irreversible=movegen.irreversible,
            retracts=movegen.retracts,
        )

    def initial(self) -> State:
        return int(mask(*range(1, 13))), int(mask(*range(21, 33))), 0

    def side_to_move(self, state: State) -> int:
        return state[2] >> 63
