"""The coder `legacy`: bit for bit the coding of the surviving code of NeuroDraughts."""

import pytest
from gameforge_draughts.evaluation import NetFeatureMap
from gameforge_draughts.feature_terms import NAMES
from gameforge_draughts.rules import Draughts
from hypothesis import given
from hypothesis import strategies as st
from test_features_net import BITS, KINGS, Board, boards, inputs, reference, start

from gameforge.errors import GameforgeError

LEGACY = NetFeatureMap(coder="legacy")
FULL = {"PieceThreat": 7, "PieceTake": 7, "Exposure": 7, "Threat": 7, "Taken": 7, "TotalMobility": 15}
CENTRES = ("CentreControl", "XCentreControl", "KingCentreControl")


def stored_value(values: dict[str, int], name: str) -> int:
    if name == "Advancement":
        return values[name] + 8
    return values[name] - 1 if name in CENTRES else values[name]


def legacy_coded(values: dict[str, int]) -> list[int]:
    """Input by input: the first call stores the value, each further one halves what is stored."""
    bits: list[int] = []
    for name in NAMES:
        stored = stored_value(values, name)
        odd = stored > 0 and stored % 2 == 1
        if name in ("PieceDisadvantage", "Advancement"):
            odd = stored == 1
        elif name in FULL:
            odd = odd or stored > FULL[name]
        bits.append(int(odd))
        for _ in range(BITS[name] - 1):
            stored = int(stored / 2)
            bits.append(int(stored > 0 and stored % 2 == 1))
    return bits


@given(boards, st.booleans())
def test_it_is_the_coding_of_the_surviving_code(board: Board, black_has_moved: bool) -> None:
    assert inputs(board, black_has_moved, LEGACY) == legacy_coded(reference(board, black_has_moved))


@given(boards, st.booleans(), st.sets(st.sampled_from(NAMES), min_size=1))
def test_a_subset_is_the_slice_of_all(board: Board, black_has_moved: bool, names: set[str]) -> None:
    everything = iter(inputs(board, black_has_moved, LEGACY))
    expected = [bit for name in NAMES for bit in [next(everything) for _ in range(BITS[name])] if name in names]
    assert inputs(board, black_has_moved, NetFeatureMap(features=names, coder="legacy")) == expected


@pytest.mark.parametrize(
    ("board", "name", "bits"),
    [
        (start(), "Advancement", [0, 0, 1]),  # -4 is stored as 4
        (start(), "DiagonalMoment", [0, 0, 0]),  # 24 modulo 8
        (start(), "CentreControl", [1, 0, 0]),  # 2 is stored as 1
        (start(), "KingCentreControl", [0, 0, 0]),  # 0 is stored as -1
        (KINGS, "PieceAdvantage", [1, 1, 0, 0]),
        (dict.fromkeys(range(1, 13), "B"), "PieceAdvantage", [0, 0, 1, 0]),  # 36 modulo 16
        ({1: "w"}, "PieceDisadvantage", [0, 1, 0, 0]),
        ({1: "W"}, "PieceDisadvantage", [0, 1, 0, 0]),  # 3 loses its first bit
        ({1: "W", 32: "b"}, "PieceDisadvantage", [1, 0, 0, 0]),
        (dict.fromkeys((6, 7, 8, 14, 15, 16, 22, 23), "B"), "Exposure", [1, 0, 0]),  # 8
        (dict.fromkeys((6, 7, 8, 14, 15, 16, 22, 23, 24), "W"), "TotalMobility", [1, 0, 0, 0]),  # 16
    ],
)
def test_known_values(board: Board, name: str, bits: list[int]) -> None:
    assert inputs(board, True, NetFeatureMap(features=[name], coder="legacy")) == bits


def test_sizes_names_and_viewpoint_are_those_of_the_clean_coder() -> None:
    clean, legacy = NetFeatureMap().functions(Draughts()), LEGACY.functions(Draughts())
    assert (legacy.inputs, legacy.names, legacy.viewpoint) == (clean.inputs, clean.names, clean.viewpoint)


def test_another_coder_is_refused() -> None:
    with pytest.raises(GameforgeError, match="'coder' must be 'clean' or 'legacy' \\(did you mean 'legacy'\\?\\)"):
        NetFeatureMap(coder="legasy")  # type: ignore[arg-type]
