"""What oracles must do: know for certain, or say nothing."""

import itertools
from typing import Any

import attrs

from gameforge.interfaces.oracle import OracleFunctions
from gameforge.interfaces.outcome import DRAW, LOSS, WIN
from gameforge.interfaces.rules import State
from gameforge.kernel.assembly import block as data_block
from gameforge.kernel.compile.functions import call, compiled_function
from gameforge.kernel.context import PROBE_CONVERSION, PROBE_DISTANCE, PROBE_SCRATCH
from gameforge.play.game import Game
from gameforge.testing.contract import Check, Contract, Skipped, expect
from gameforge.testing.sampling import Sample, block, same_words
from gameforge.testing.toy import Pile

_NAMES = {WIN: "win", LOSS: "loss", DRAW: "draw"}
_FROM_BEHIND = {WIN: LOSS, LOSS: WIN, DRAW: DRAW}
_HEADER, _MOST = PROBE_SCRATCH, 250


@attrs.frozen
class Known:
    """An opened oracle and positions of the game to ask it about."""

    sample: Sample
    functions: OracleFunctions
    function: Any
    data: Any

    def answer(self, state: State) -> tuple[int, int | None]:
        """(status, plies to the end of the game if they are told)."""
        out = block([0] * (_HEADER + self.functions.scratch))
        status = int(call(self.function, self.data, block(state), out))
        distance = int(out[PROBE_DISTANCE])
        return status, distance - 1 if distance and not out[PROBE_CONVERSION] else None

    def positions(self) -> list[tuple[State, int, int | None]]:
        """Those of the sample that it knows, with status and distance; Skipped if there is none."""
        found = ((state, *self.answer(state)) for state in self.sample.everywhere if self.sample.is_running(state))
        known = list(itertools.islice((entry for entry in found if entry[1]), _MOST))
        if not known:
            raise Skipped(f"it knows {self.functions.covers}, which the sample does not hold")
        return known


def prepare(component: Any, game: Game | None, features: Any, registry: Any, seed: int) -> Known:
    """An OracleFunctions that says what it covers."""
    game = game or Game(Pile())
    functions = component.open(game.rules)
    expect(isinstance(functions, OracleFunctions), f"open() returned {functions!r}, not an OracleFunctions")
    expect(isinstance(functions.covers, str) and functions.covers != "", "covers does not say what it knows")
    function = compiled_function("probe", functions.probe, compiled=functions.compiled)
    return Known(Sample(game, seed), functions, function, data_block(functions.data))


def answers_are_codes(oracle: Known) -> int:
    """UNKNOWN, WIN, LOSS or DRAW, and nothing written beyond the workspace that was asked for."""
    size = _HEADER + oracle.functions.scratch
    for state in oracle.sample.running:
        out = block([0] * size)
        before = out[size:].copy()
        status = int(call(oracle.function, oracle.data, block(state), out))
        expect(status in (0, WIN, LOSS, DRAW), f"it answers {status} in {oracle.sample.text(state)}: no code")
        expect((out[size:] == before).all(), f"it writes behind out[{size - 1}] in {oracle.sample.text(state)}")
    return len(oracle.sample.running)


def the_state_is_left_alone(oracle: Known) -> int:
    for state in oracle.sample.running:
        words = block(state)
        call(oracle.function, oracle.data, words, block([0] * (_HEADER + oracle.functions.scratch)))
        expect(same_words(words, state), f"{oracle.sample.text(state)} is changed")
    return len(oracle.sample.running)


def answers_stay_the_same(oracle: Known) -> int:
    for state, *answer in oracle.positions():
        expect(
            oracle.answer(state) == tuple(answer), f"asked again, it says something else of {oracle.sample.text(state)}"
        )
    return len(oracle.positions())


def answers_follow_from_those_of_the_moves(oracle: Known) -> int:
    """A win has a move to a loss of the other side; a loss has none but to its wins; a draw has a draw at best.

    Moves to positions that it does not know prove nothing, and are left out.
    """
    cases = 0
    for state, status, _ in oracle.positions():
        after = [_after(oracle, state, move)[0] for move in oracle.sample.legal(state)]
        mine = [_FROM_BEHIND.get(value, 0) for value in after]
        where = f"{oracle.sample.text(state)} is called a {_NAMES[status]}"
        best = WIN if WIN in mine else DRAW if DRAW in mine else LOSS
        if 0 in mine:  # the rest may hold a better move, or the only one
            too_low = (best == WIN and status != WIN) or (best == DRAW and status == LOSS)
            expect(not too_low, f"{where}, but has a move to a {_NAMES[_FROM_BEHIND[best]]} of the other side")
        else:
            cases += 1
            expect(best == status, f"{where}, but its moves say that it is a {_NAMES[best]}")
    return cases


def distances_follow_from_those_of_the_moves(oracle: Known) -> int:
    """A win is one ply longer than the shortest of its moves' losses, a loss one longer than the longest win."""
    cases = 0
    for state, status, distance in oracle.positions():
        after = [_after(oracle, state, move) for move in oracle.sample.legal(state)]
        if distance is None or status == DRAW or any(not value or plies is None for value, plies in after):
            continue
        wanted = [plies for value, plies in after if value == _FROM_BEHIND[status] and plies is not None]
        if wanted:
            cases += 1
            due = 1 + (min(wanted) if status == WIN else max(wanted))
            where = f"{oracle.sample.text(state)} is called a {_NAMES[status]} in {distance} plies"
            expect(distance == due, f"{where}, but its moves say {due}")
    return cases


def what_is_unknown_is_explained(oracle: Known) -> int:
    unknown = [state for state in oracle.sample.running if not oracle.answer(state)[0]]
    for state in unknown:
        why = oracle.functions.why_not(state)
        expect(isinstance(why, str) and why.strip() != "", f"why_not says {why!r} of {oracle.sample.text(state)}")
    return len(unknown)


def _after(oracle: Known, state: State, move: int) -> tuple[int, int | None]:
    """(status, plies) after a move; by the rules where that ends the game."""
    child = oracle.sample.after(state, move)
    code = oracle.sample.code(child) & 3
    return (code, 0) if code else oracle.answer(child)


CONTRACT = Contract(
    prepare,
    tuple(
        map(
            Check.of,
            (
                answers_are_codes,
                the_state_is_left_alone,
                answers_stay_the_same,
                answers_follow_from_those_of_the_moves,
                distances_follow_from_those_of_the_moves,
                what_is_unknown_is_explained,
            ),
        )
    ),
)
