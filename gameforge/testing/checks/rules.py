"""What rules must do. Each check looks at random games of the initial position."""

from typing import Any

from gameforge.interfaces.outcome import MAX_REASONS
from gameforge.interfaces.rules import DrawRules
from gameforge.play.game import Game
from gameforge.testing.checks import capabilities, cells
from gameforge.testing.contract import Check, Contract, Skipped, expect
from gameforge.testing.plain import PlainRules
from gameforge.testing.sampling import Sample

_OTHER = 0x5AFE5AFE5AFE5AFE
_FEW = 30
"""States of the checks that take their time."""


def prepare(rules: Any, game: Any, features: Any, registry: Any, seed: int) -> Sample:
    """Attributes of the right kind, functions that can be called, an initial state in which somebody moves."""
    ready = Game(rules)
    expect(isinstance(rules.name, str) and rules.name != "", f"name is {rules.name!r}, not a text")
    sides = rules.sides
    two = isinstance(sides, tuple) and len(sides) == 2 and all(isinstance(side, str) and side for side in sides)
    expect(two and sides[0] != sides[1], f"sides is {sides!r}, not a tuple of two different names")
    reasons = rules.reasons
    expect(
        isinstance(reasons, tuple) and all(isinstance(text, str) for text in reasons), "reasons is no tuple of texts"
    )
    expect(len(reasons) <= MAX_REASONS, f"there are {len(reasons)} reasons, at most {MAX_REASONS} can be told")
    expect(isinstance(rules.draws, DrawRules), f"draws is {rules.draws!r}, not DrawRules")
    expect(rules.draws.max_plies >= 1, "draws.max_plies is 0: not every game would end")
    sample = Sample(ready, seed)
    start = rules.initial()
    expect(sample.code(start) == 0, "the initial position is a finished game")
    return sample


def gen_leaves_the_state_alone(sample: Sample) -> int:
    for state in sample.states:
        expect(not sample.gen(state).spoilt, f"gen changed its {sample.text(state)} or the rules' data")
    return len(sample.states)


def gen_keeps_within_max_moves(sample: Sample) -> int:
    most = sample.functions.max_moves
    for state in sample.states:
        expect(not sample.gen(state).beyond, f"gen wrote more than max_moves = {most} moves in {sample.text(state)}")
    return len(sample.states)


def gen_depends_on_the_state_alone(sample: Sample) -> int:
    for state in sample.states:
        first, second = sample.gen(state).moves, sample.gen(state, _OTHER).moves
        expect(first == second, f"gen gave other moves when asked again in {sample.text(state)}")
    return len(sample.states)


def moves_are_distinct(sample: Sample) -> int:
    """As words; two moves may lead to one position."""
    for state in sample.running:
        moves = sample.legal(state)
        twice = [move for move in moves if moves.count(move) > 1]
        expect(not twice, f"gen wrote the move {twice[:1]} twice in {sample.text(state)}")
    return len(sample.running)


def play_leaves_the_state_alone(sample: Sample) -> int:
    for state, move, _ in sample.steps():
        expect(
            not sample.play(state, move).spoilt, f"play({move:#x}) changed its {sample.text(state)} or the rules' data"
        )
    return len(sample.steps())


def play_writes_the_child_and_nothing_else(sample: Sample) -> int:
    for state, move, child in sample.steps():
        again = sample.play(state, move, _OTHER)
        where = f"play({move:#x}) in {sample.text(state)}"
        expect(not again.beyond, f"{where} wrote more than words = {sample.functions.words} words")
        expect(again.child == child, f"{where} does not write every word of the child, or not always the same")
    return len(sample.steps())


def sides_alternate(sample: Sample) -> int:
    for state, move, child in sample.steps():
        sides = sample.rules.side_to_move(state), sample.rules.side_to_move(child)
        where = f"after the move {move:#x} in {sample.text(state)}"
        expect(sides in ((0, 1), (1, 0)), f"the sides to move are {sides[0]} and {sides[1]} {where}")
    return len(sample.steps())


def outcomes_are_codes(sample: Sample) -> int:
    """A reason that exists, and a move to make wherever the game runs."""
    reasons = sample.rules.reasons
    for state in sample.states:
        code, n = sample.code(state), len(sample.legal(state))
        result, index = code & 3, code >> 2
        expect(
            code >= 0 and (result == 0 or index < len(reasons)), f"outcome is {code} in {sample.text(state)}: no code"
        )
        expect(
            code != 0 or n > 0, f"the game runs in {sample.text(state)}, but there is no move: a pass is a move, too"
        )
    return len(sample.states)


def keys_tell_positions_apart(sample: Sample) -> int:
    """States of one key are one position: the same side moves, with the same moves and the same outcome."""
    if sample.functions.key is None:
        raise Skipped("the rules have no key of their own")
    seen: dict[int, Any] = {}
    for state in [*sample.states, *(child for *_, child in sample.steps())]:
        moves = sorted(sample.legal(state))
        here = sample.rules.side_to_move(state), moves, sample.code(state)
        there, other = seen.setdefault(sample.key(state), (here, state))
        expect(here == there, f"{sample.text(state)} and {sample.text(other)} have one key, but are no one position")
    return len(seen)


def irreversible_moves_are_never_undone(sample: Sample) -> int:
    if sample.functions.irreversible is None:
        raise Skipped("the rules name no irreversible moves")
    cases = 0
    for line in sample.lines:
        barred: set[int] = set()
        waiting: list[int] = []
        for i, move in enumerate(line.moves):
            state = line.states[i]
            waiting.append(sample.key(state))
            if sample.irreversible(state, move):
                barred.update(waiting)
                waiting, cases = [], cases + 1
            child = line.states[i + 1]
            expect(sample.key(child) not in barred, f"{sample.text(child)} occurred again after an irreversible move")
    return cases


def retracting_moves_are_reversible(sample: Sample) -> int:
    if sample.functions.retracts is None:
        raise Skipped("the rules do not say which moves take a move back")
    cases = 0
    for line in sample.lines:
        for i in range(2, len(line.moves)):
            before, move = line.moves[i - 2], line.moves[i]
            if sample.retracts(before, move):
                cases += 1
                where = f"{move:#x} takes {before:#x} back in {sample.text(line.states[i])}"
                expect(not sample.irreversible(line.states[i], move), f"{where}, but is irreversible")
    return cases


def noisy_moves_come_first(sample: Sample) -> int:
    """Whatever the order in which the moves are given."""
    if sample.functions.noisy is None:
        raise Skipped("the rules name no noisy moves")
    for state in sample.running:
        moves = list(sample.legal(state))
        (n, one), (again, other) = sample.noisy(state, moves), sample.noisy(state, moves[::-1])
        same = sorted(one) == sorted(other) == sorted(moves)
        expect(0 <= n <= len(moves) and same, f"noisy lost or made up a move in {sample.text(state)}")
        expect(n == again and sorted(one[:n]) == sorted(other[:n]), f"noisy moves change in {sample.text(state)}")
    return len(sample.running)


def symmetries_keep_the_game(sample: Sample) -> int:
    symmetries = sample.game.symmetries
    if symmetries is None:
        raise Skipped("the rules offer no symmetries")
    expect(symmetries.count >= 1, f"symmetries.count is {symmetries.count}, but the identity counts, too")
    states = sample.states[:_FEW]
    for i in range(symmetries.count):
        seen: dict[Any, Any] = {}
        for state in states:
            image, where = symmetries.state_image(state, i), f"symmetry {i} of {sample.text(state)}"
            expect(i > 0 or image == state, f"symmetry 0 changes {sample.text(state)}")
            expect(seen.setdefault(image, state) == state, f"{where} is that of {sample.text(seen[image])}, too")
            legal = sample.legal(state)
            moves = [symmetries.move_image(state, move, i) for move in legal]
            expect(sorted(moves) == sorted(sample.legal(image)), f"{where} has other moves")
            expect(sample.code(image) == sample.code(state), f"{where} has another outcome")
            for move, turned in zip(legal, moves, strict=True):
                same = sample.after(image, turned) == symmetries.state_image(sample.after(state, move), i)
                expect(same, f"{where}: the move {move:#x} leads to another position")
                same = sample.irreversible(image, turned) == sample.irreversible(state, move)
                expect(same, f"{where}: the move {move:#x} is not as irreversible")
    return symmetries.count * len(states)


def compiled_and_plain_functions_agree(sample: Sample) -> int:
    """Numba's integers are not Python's: `uint64` with a literal is `int64`."""
    plain = PlainRules(sample.functions)
    states = sample.states[:_FEW]
    for state in states:
        where = f"in {sample.text(state)}"
        legal = sample.legal(state)
        expect(plain.legal(state) == list(legal), f"gen gives other moves as plain Python {where}")
        expect(plain.code(state, len(legal)) == sample.code(state), f"outcome differs as plain Python {where}")
        for move in legal if not sample.code(state) else ():
            same = plain.after(state, move) == sample.after(state, move)
            expect(same, f"play({move:#x}) differs as plain Python {where}")
    return len(states)


CONTRACT = Contract(
    prepare,
    (
        *map(
            Check.of,
            (
                gen_leaves_the_state_alone,
                gen_keeps_within_max_moves,
                gen_depends_on_the_state_alone,
                moves_are_distinct,
                play_leaves_the_state_alone,
                play_writes_the_child_and_nothing_else,
                sides_alternate,
                outcomes_are_codes,
                keys_tell_positions_apart,
                irreversible_moves_are_never_undone,
                retracting_moves_are_reversible,
                noisy_moves_come_first,
                symmetries_keep_the_game,
                compiled_and_plain_functions_agree,
            ),
        ),
        *capabilities.CHECKS,
        *cells.CHECKS,
    ),
)
