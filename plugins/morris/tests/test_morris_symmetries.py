"""The 16 symmetries: a group, and the rules do not change under any of them."""

from gameforge_morris.cells import IMAGES, SYMMETRIES
from gameforge_morris.movegen import NAMES, POINTS
from hypothesis import given
from hypothesis import strategies as st
from morris_positions import positions
from morris_reference import EDGES, MILLS

import gameforge as gf
from gameforge.interfaces.rules import State

GAME = gf.game("morris")


def test_the_symmetries_are_a_group_of_sixteen() -> None:
    maps = {images[:POINTS] for images in IMAGES}
    assert len(maps) == SYMMETRIES.count == 16
    assert {tuple(a[b[p]] for p in range(POINTS)) for a in maps for b in maps} == maps
    assert IMAGES[0] == tuple(range(POINTS + 1))


def test_lines_and_mills_are_mapped_to_lines_and_mills() -> None:
    for images in IMAGES:
        names = {name: NAMES[images[bit]] for bit, name in enumerate(NAMES)}
        assert {frozenset(names[point] for point in edge) for edge in EDGES} == EDGES
        assert {frozenset(names[p] for p in mill) for mill in MILLS} == {frozenset(mill) for mill in MILLS}


@given(positions(), st.integers(0, SYMMETRIES.count - 1))
def test_moves_of_the_image_are_the_images_of_the_moves(state: State, i: int) -> None:
    there = SYMMETRIES.state_image(state, i)
    legal = GAME.legal(state)
    images = [SYMMETRIES.move_image(state, move, i) for move in legal]
    assert sorted(images) == sorted(GAME.legal(there))
    assert GAME.code(there, len(legal)) == GAME.code(state, len(legal))
    for move, moved in zip(legal, images, strict=True):
        assert GAME.play(there, moved) == SYMMETRIES.state_image(GAME.play(state, move), i)
