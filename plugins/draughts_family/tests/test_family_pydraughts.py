"""Moves compared with pydraughts, move for move, on random positions, many with kings.

It has neither pool checkers nor Spanish draughts. Where it differs, the reference, which is written from the rules of
the federations, must agree with us:

* Turkish: its kings move through pieces. A king moves over free squares only.
* Frisian: it misses captures of kings that turn between diagonals and rows, and values a king at 1.501 men, so that
  seven men outrank four kings. A king is worth less than two men, and n kings more than 2n - 1 men (article 11).
"""

import json
import os
import random
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from family_positions import laws_of, places_of, position_of, random_state
from family_reference import legal_moves
from gameforge_draughts_family.board import BLACK, WHITE, Variant, board_of, pieces, to_move
from gameforge_draughts_family.captures import ends, taken_squares
from gameforge_draughts_family.rules import FamilyRules

import gameforge as gf
from gameforge.interfaces.rules import State

NAMES = {"international": "standard", "antidraughts": "antidraughts", "breakthrough-draughts": "breakthrough"}
SAME = ("international", "russian", "brazilian", "italian", "antidraughts", "breakthrough-draughts")
DIFFERENT = ("frisian", "turkish")


@pytest.fixture(scope="module")
def child() -> "Iterator[subprocess.Popen[str]]":
    """pydraughts in an environment of its own, $GAMEFORGE_CLIENTS/pydraughts; skip without it, but not in CI."""
    python = Path(os.environ.get("GAMEFORGE_CLIENTS", "/nowhere")) / "pydraughts" / "bin" / "python"
    if not python.exists():
        assert not os.environ.get("CI"), f"{python} is missing: .ci/run makes the environment"
        pytest.skip(
            "no environment with pydraughts: python -m venv $GAMEFORGE_CLIENTS/pydraughts; pip install it there"
        )
    script = Path(__file__).with_name("pydraughts_child.py")
    with subprocess.Popen([python, script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield process
        assert process.stdin
        process.stdin.close()


def fen(variant: Variant, state: State) -> str:
    lists: dict[int, list[str]] = {WHITE: [], BLACK: []}
    for square, (colour, is_king) in pieces(board_of(variant), state).items():
        lists[colour].append("K" * is_king + str(square + 1))
    return f"{'WB'[to_move(state)]}:W{','.join(lists[WHITE])}:B{','.join(lists[BLACK])}"


def differences(child: "subprocess.Popen[str]", name: str, positions: int) -> int:
    """Compare random positions; return the number of those that differ and of which the reference says that we err."""
    rules = gf.game(name).rules
    assert isinstance(rules, FamilyRules)
    assert child.stdin
    assert child.stdout
    variant, game = rules.settings(), gf.game(name)
    board, rng, wrong = board_of(variant), random.Random(22), 0
    for _ in range(positions):
        state = random_state(variant, rng, rng.choice((0.1, 0.3, 0.6)))
        child.stdin.write(f"{NAMES.get(name, name)} {fen(variant, state)}\n")
        child.stdin.flush()
        theirs = {(start, to, tuple(taken)) for start, to, taken in json.loads(child.stdout.readline())}
        legal = game.legal(state)
        ours = set()
        for move in legal:
            start, to = ends(board, move)
            ours.add((start + 1, to + 1, tuple(square + 1 for square in taken_squares(board, state, move))))
        if ours != theirs:
            found = {places_of(board, state, move) for move in legal}
            right = found == legal_moves(laws_of(variant), position_of(board, state), to_move(state) == WHITE)
            wrong += name in SAME or not right
    return wrong


@pytest.mark.engines
@pytest.mark.parametrize("name", SAME + DIFFERENT)
def test_random_positions(child: "subprocess.Popen[str]", name: str) -> None:
    assert differences(child, name, 60) == 0


@pytest.mark.slow
@pytest.mark.parametrize("name", SAME + DIFFERENT)
def test_twenty_thousand_random_positions(child: "subprocess.Popen[str]", name: str) -> None:
    assert differences(child, name, 20_000) == 0
