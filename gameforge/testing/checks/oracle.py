"""The contract of oracles: certain answers, or none."""

import functools
import itertools
from collections.abc import Callable

import attrs
import numpy as np

from gameforge.interfaces.oracle import OracleFunctions
from gameforge.interfaces.rules import DRAW, LOSS, WIN, State
from gameforge.kernel import slots
from gameforge.kernel.assembly import block as data_block
from gameforge.kernel.compile.functions import call, compiled_function
from gameforge.kernel.types import WordArray
from gameforge.play.bounds import block
from gameforge.testing.contract import Contract, Given, Skipped, checks_of, expect
from gameforge.testing.sampling import Sample, same_words, sample_of

_NAMES = {WIN: "win", LOSS: "loss", DRAW: "draw"}
_BEFORE = {WIN: LOSS, LOSS: WIN, DRAW: DRAW}
"""A position's value for the side that has just moved, by its value for the side to move."""
_HEADER, _MOST = slots.PROBE_SCRATCH, 250


@attrs.frozen(slots=False, eq=False)
class Known:
    """An opened oracle, and a sample of positions to probe."""

    sample: Sample
    functions: OracleFunctions
    function: Callable[..., object]
    data: WordArray

    def workspace(self) -> WordArray:
        """Return the words that a probe may write, with a guard. A solver may want a million of them."""
        return block(np.zeros(_HEADER + self.functions.scratch, np.uint64))

    def answer(self, state: State) -> tuple[int, int | None]:
        """Probe a state; return the status and, if it is known, the distance to the end of the game in plies."""
        out = self.workspace()
        status = int(call(self.function, self.data, block(state), out))
        distance = int(out[slots.PROBE_DISTANCE])
        return status, distance - 1 if distance and not out[slots.PROBE_CONVERSION] else None

    @functools.lru_cache(maxsize=50_000)  # noqa: B019  an opened oracle lives as long as its checks
    def first_answer(self, state: State) -> tuple[int, int | None]:
        """Return what the first probe of a state answered: a probe may be an exact search of seconds."""
        return self.answer(state)

    @functools.cached_property
    def positions(self) -> list[tuple[State, int, int | None]]:
        """The positions of the sample that the oracle knows, with status and distance; raises Skipped if none."""
        running = filter(self.sample.is_running, self.sample.everywhere)
        found = ((state, *self.first_answer(state)) for state in running)
        known = list(itertools.islice((entry for entry in found if entry[1]), _MOST))
        if not known:
            raise Skipped(f"the oracle knows {self.functions.covers}, but the sample has no such positions")
        return known


def prepare(given: Given) -> Known:
    """Check that open() returns OracleFunctions with the text `covers`."""
    functions = given.component.open(given.played.rules)
    expect(isinstance(functions, OracleFunctions), f"open() returned {functions!r}, not OracleFunctions")
    covers = functions.covers
    expect(isinstance(covers, str) and covers != "", f"covers is {covers!r}: must say what the oracle knows")
    function = compiled_function("probe", functions.probe, compiled=functions.compiled)
    return Known(sample_of(given.played, given.seed), functions, function, data_block(functions.data))


def answers_are_codes(oracle: Known) -> int:
    """Check that answers are UNKNOWN, WIN, LOSS or DRAW, and that nothing is written after the requested workspace."""
    size = _HEADER + oracle.functions.scratch
    for state in oracle.sample.running:
        out = oracle.workspace()
        before = out[size:].copy()
        status = int(call(oracle.function, oracle.data, block(state), out))
        expect(status in (0, WIN, LOSS, DRAW), f"probe returns {status}, not a code, in {oracle.sample.text(state)}")
        expect((out[size:] == before).all(), f"probe writes beyond out[{size - 1}] in {oracle.sample.text(state)}")
    return len(oracle.sample.running)


def the_state_is_not_changed(oracle: Known) -> int:
    for state in oracle.sample.running:
        words = block(state)
        call(oracle.function, oracle.data, words, oracle.workspace())
        expect(same_words(words, state), f"{oracle.sample.text(state)} is changed")
    return len(oracle.sample.running)


def answers_stay_the_same(oracle: Known) -> int:
    for state, *answer in oracle.positions:
        same = oracle.answer(state) == tuple(answer)
        expect(same, f"a second probe gives another answer in {oracle.sample.text(state)}")
    return len(oracle.positions)


def answers_agree_with_the_next_positions(oracle: Known) -> int:
    """Check that each value is the best value after any move.

    In a win, a move leads to a loss of the other side; in a loss, all moves lead to its wins. Moves to positions that
    the oracle does not know are ignored.
    """
    cases = 0
    for state, status, _ in oracle.positions:
        after = [_after(oracle, state, move)[0] for move in oracle.sample.legal(state)]
        mine = [_BEFORE.get(value, 0) for value in after]
        where = f"{oracle.sample.text(state)} is a {_NAMES[status]} according to probe"
        best = WIN if WIN in mine else DRAW if DRAW in mine else LOSS
        if 0 in mine:  # an unknown move may be better
            too_low = (best == WIN and status != WIN) or (best == DRAW and status == LOSS)
            expect(not too_low, f"{where}, but a move leads to a {_NAMES[_BEFORE[best]]} of the other side")
        else:
            cases += 1
            expect(best == status, f"{where}, but a {_NAMES[best]} according to the values after its moves")
    return cases


def distances_agree_with_the_next_positions(oracle: Known) -> int:
    """Check that a win takes one ply more than the shortest loss after a move, a loss one more than the longest win."""
    cases = 0
    for state, status, distance in oracle.positions:
        after = [_after(oracle, state, move) for move in oracle.sample.legal(state)]
        if distance is None or status == DRAW or any(not value or plies is None for value, plies in after):
            continue
        wanted = [plies for value, plies in after if value == _BEFORE[status] and plies is not None]
        if wanted:
            cases += 1
            due = 1 + (min(wanted) if status == WIN else max(wanted))
            where = f"{oracle.sample.text(state)} is a {_NAMES[status]} in {distance} plies according to probe"
            expect(distance == due, f"{where}, but in {due} according to the distances after its moves")
    return cases


def unknown_states_are_explained(oracle: Known) -> int:
    unknown = [state for state in oracle.sample.running if not oracle.first_answer(state)[0]]
    for state in unknown:
        why = oracle.functions.why_not(state)
        expect(isinstance(why, str) and why.strip() != "", f"why_not returns {why!r} for {oracle.sample.text(state)}")
    return len(unknown)


def _after(oracle: Known, state: State, move: int) -> tuple[int, int | None]:
    """Return status and distance after a move; the rules give them if the move ends the game."""
    child = oracle.sample.after(state, move)
    code = oracle.sample.code(child) & 3
    return (code, 0) if code else oracle.first_answer(child)


CONTRACT = Contract(prepare, checks_of(__name__))
