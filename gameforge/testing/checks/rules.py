"""The contract of rules, checked with random games from the initial position."""

import time

from gameforge.interfaces.rules import MAX_REASONS, DrawRules, Rules, State
from gameforge.play.game import Game
from gameforge.play.perft import playouts
from gameforge.testing.checks import capabilities
from gameforge.testing.contract import Contract, Doubtful, Given, Skipped, Unsafe, checks_of, expect
from gameforge.testing.sampling import Sample
from gameforge.testing.uncompiled import PlainRules

_OTHER = 0x5AFE5AFE5AFE5AFE
_FEW = 30
"""Number of states for slow checks."""
_MANY = 200
"""Number of random games in which reasons are looked for."""
_SECONDS = 0.1
"""Least duration of the games whose speed is reported."""


def prepare(given: Given) -> Sample:
    """Check the types of attributes, that functions can be called, and that the game is not over at its start."""
    rules: Rules = given.component
    ready = Game(rules)
    expect(isinstance(rules.name, str) and rules.name != "", f"name is {rules.name!r}: must be a non-empty string")
    sides = rules.sides
    two = isinstance(sides, tuple) and len(sides) == 2 and all(isinstance(side, str) and side for side in sides)
    expect(two and sides[0] != sides[1], f"sides is {sides!r}: must be a tuple of two different names")
    reasons = rules.reasons
    texts = isinstance(reasons, tuple) and all(isinstance(text, str) for text in reasons)
    expect(texts, f"reasons is {reasons!r}: must be a tuple of strings")
    expect(len(reasons) <= MAX_REASONS, f"there are {len(reasons)} reasons, but at most {MAX_REASONS} are allowed")
    expect(isinstance(rules.draws, DrawRules), f"draws is {rules.draws!r}: must be DrawRules")
    most = rules.draws.max_plies
    expect(most >= 1, f"draws.max_plies is {most}: must be 1 or more, so that games end")
    sample = Sample(ready, given.seed)
    expect(sample.code(rules.initial()) == 0, "the initial position is a finished game")
    return sample


def gen_does_not_change_the_state(sample: Sample) -> int:
    for state in sample.states:
        expect(not sample.gen(state).spoilt, f"gen changed the {sample.text(state)} or the rules' data")
    return len(sample.states)


def gen_respects_max_moves(sample: Sample) -> int:
    most = sample.functions.max_moves
    for state in sample.states:
        if sample.gen(state).beyond:
            raise Unsafe(f"gen wrote more than max_moves = {most} moves in {sample.text(state)}")
    return len(sample.states)


def gen_depends_only_on_the_state(sample: Sample) -> int:
    for state in sample.states:
        same = sample.gen(state).words == sample.gen(state, _OTHER).words
        expect(same, f"a second call of gen wrote other moves in {sample.text(state)}")
    return len(sample.states)


def moves_are_distinct(sample: Sample) -> int:
    """Check that no move occurs twice, as a word; two moves may lead to the same position."""
    for state in sample.running:
        moves = sample.legal(state)
        twice = [move for move in moves if moves.count(move) > 1]
        expect(not twice, f"gen wrote the move {twice[:1]} twice in {sample.text(state)}")
    return len(sample.running)


def play_does_not_change_the_state(sample: Sample) -> int:
    for state, move, _ in sample.steps():
        spoilt = sample.play(state, move).spoilt
        expect(not spoilt, f"play({move:#x}) changed the {sample.text(state)} or the rules' data")
    return len(sample.steps())


def play_writes_only_the_child(sample: Sample) -> int:
    for state, move, child in sample.steps():
        again = sample.play(state, move, _OTHER)
        where = f"play({move:#x}) in {sample.text(state)}"
        expect(not again.beyond, f"{where} wrote more than words = {sample.functions.words} words")
        expect(again.words == child, f"{where} does not write every word of the child, or not the same words each time")
    return len(sample.steps())


def sides_alternate(sample: Sample) -> int:
    for state, move, child in sample.steps():
        sides = sample.rules.side_to_move(state), sample.rules.side_to_move(child)
        where = f"before and after move {move:#x} in {sample.text(state)}"
        expect(sides in ((0, 1), (1, 0)), f"the sides to move are {sides[0]} and {sides[1]} {where}")
    return len(sample.steps())


def outcomes_are_codes(sample: Sample) -> int:
    """Check that each code has an existing reason, and that there is a legal move while the game is running."""
    reasons = sample.rules.reasons
    for state in sample.states:
        code, where = sample.code(state), sample.text(state)
        known = code >= 0 and (code & 3 == 0 or code >> 2 < len(reasons))
        expect(known, f"outcome returned {code}, which is not a code, in {where}")
        stuck = f"the game is running in {where}, but there is no legal move (a pass is a move as well)"
        expect(code != 0 or len(sample.legal(state)) > 0, stuck)
    return len(sample.states)


def keys_distinguish_positions(sample: Sample) -> int:
    """Check that states with the same key have the same side to move, legal moves and outcome."""
    if sample.functions.key is None:
        raise Skipped("the rules have no function key")
    seen: dict[int, tuple[object, State]] = {}
    for state in [*sample.states, *(child for *_, child in sample.steps())]:
        found = sample.rules.side_to_move(state), sorted(sample.legal(state)), sample.code(state)
        earlier, other = seen.setdefault(sample.key(state), (found, state))
        both = f"{sample.text(state)} and {sample.text(other)}"
        expect(found == earlier, f"{both} have the same key, but are different positions")
    return len(seen)


def irreversible_moves_are_never_undone(sample: Sample) -> int:
    if sample.functions.irreversible is None:
        raise Skipped("the rules have no function irreversible")
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
        raise Skipped("the rules have no function retracts")
    cases = 0
    for line in sample.lines:
        for i in range(2, len(line.moves)):
            before, move = line.moves[i - 2], line.moves[i]
            if sample.retracts(before, move):
                cases += 1
                where = f"move {move:#x} takes back {before:#x} in {sample.text(line.states[i])}"
                expect(not sample.irreversible(line.states[i], move), f"{where}, but it is irreversible")
    return cases


def noisy_moves_come_first(sample: Sample) -> int:
    """Check that the noisy moves do not depend on the order of the given moves."""
    if sample.functions.noisy is None:
        raise Skipped("the rules have no function noisy")
    for state in sample.running:
        moves = list(sample.legal(state))
        (n, one), (again, other) = sample.noisy(state, moves), sample.noisy(state, moves[::-1])
        same = sorted(one) == sorted(other) == sorted(moves)
        expect(0 <= n <= len(moves) and same, f"noisy removed or added a move in {sample.text(state)}")
        same = n == again and sorted(one[:n]) == sorted(other[:n])
        expect(same, f"the noisy moves depend on the order of the moves in {sample.text(state)}")
    return len(sample.running)


def ended_agrees_with_outcome(sample: Sample) -> int:
    if sample.functions.ended is None:
        raise Skipped("the rules have no function ended")
    for state in sample.states:
        code, found = sample.code(state), sample.ended(state)
        expect(code == found, f"outcome returns {code}, but ended returns {found} in {sample.text(state)}")
    return len(sample.states)


def symmetries_preserve_the_game(sample: Sample) -> int:
    symmetries = sample.game.symmetries
    if symmetries is None:
        raise Skipped("the rules offer no symmetries")
    expect(symmetries.count >= 1, f"symmetries.count is {symmetries.count}: must be 1 or more, with the identity")
    states = sample.states[:_FEW]
    for i in range(symmetries.count):
        seen: dict[State, State] = {}
        for state in states:
            image, where = symmetries.state_image(state, i), f"symmetry {i} of {sample.text(state)}"
            expect(i > 0 or image == state, f"symmetry 0 changes {sample.text(state)}")
            expect(seen.setdefault(image, state) == state, f"{where} equals that of {sample.text(seen[image])}")
            legal = sample.legal(state)
            moves = [symmetries.move_image(state, move, i) for move in legal]
            expect(sorted(moves) == sorted(sample.legal(image)), f"{where} has other moves")
            expect(sample.code(image) == sample.code(state), f"{where} has another outcome")
            for move, turned in zip(legal, moves, strict=True):
                same = sample.after(image, turned) == symmetries.state_image(sample.after(state, move), i)
                expect(same, f"{where}: the image of move {move:#x} leads to another position")
                same = sample.irreversible(image, turned) == sample.irreversible(state, move)
                expect(same, f"{where}: only one of move {move:#x} and its image is irreversible")
    return symmetries.count * len(states)


def compiled_and_plain_functions_agree(sample: Sample) -> int:
    """Compare compiled functions with plain Python: for numba, `uint64` with a literal is `int64`."""
    plain = PlainRules(sample.functions)
    states = sample.states[:_FEW]
    for state in states:
        where = f"in {sample.text(state)}"
        legal = sample.legal(state)
        expect(plain.legal(state) == legal, f"gen as plain Python writes other moves {where}")
        expect(plain.code(state, len(legal)) == sample.code(state), f"outcome as plain Python differs {where}")
        for move in legal if not sample.code(state) else ():
            same = plain.after(state, move) == sample.after(state, move)
            expect(same, f"play({move:#x}) as plain Python differs {where}")
    return len(states)


def every_reason_occurs(sample: Sample) -> int:
    """Look for a random game that ends for each of the rules' reasons."""
    missing = dict(enumerate(sample.rules.reasons))
    for number in range(_MANY):
        if missing and (code := sample.code(sample.line(number).states[-1])):
            missing.pop(code >> 2, None)
    if missing:
        listed = " and ".join(f"{text!r} (reasons[{i}])" for i, text in missing.items())
        raise Doubtful(f"none of {_MANY} random games ended with {listed}; test it with a position of your own")
    return len(sample.rules.reasons)


def speed(sample: Sample) -> str:
    position = sample.game.position()
    playouts(position, 1)  # compiles
    games, seconds, plies = 1, 0.0, 0
    while seconds < _SECONDS:
        began = time.perf_counter()
        plies = playouts(position, games).plies
        seconds, games = time.perf_counter() - began, 4 * games
    return f"{plies / seconds:,.0f} moves per second in random games"


*_FIRST, _REASONS, _SPEED = checks_of(__name__)
CONTRACT = Contract(prepare, (*_FIRST, *capabilities.CHECKS, _REASONS, _SPEED))
