"""States of learners as attrs classes: what a checkpoint holds of them, and what it refuses."""

from collections.abc import Callable
from typing import Any

import attrs
import numpy as np
import pytest
from numpy.typing import NDArray

from gameforge.errors import GameforgeError
from gameforge.interfaces.learner import LearnerState
from gameforge.storage import checkpoint


@attrs.define
class Sums:
    """A table within a state."""

    wins: int = 0
    balance: float = 0.0


@attrs.define
class State:
    """A state with a field of each kind."""

    net: NDArray[np.float32] = attrs.field(metadata=checkpoint.kept("weights"))
    steps: NDArray[np.float32] = attrs.field(metadata=checkpoint.kept(None, "weights"))
    best: NDArray[np.float32] | None = attrs.field(metadata=checkpoint.kept("weights", name="first best"))
    genes: dict[int, NDArray[np.bool_]] = attrs.field(metadata=checkpoint.kept(3))
    moves: NDArray[np.uint64]
    names: list[str]
    session: int
    sums: Sums
    keys: list[int] | None = None


def state(best: bool = False) -> State:
    net = np.array([1, 2], np.float32)
    return State(
        net=net,
        steps=np.zeros((4, 2), np.float32),
        best=net + 1 if best else None,
        genes={7: np.array([True, False, True])},
        moves=np.array([1 << 63], np.uint64),
        names=["a", "b"],
        session=3,
        sums=Sums(1, -0.5),
    )


def test_names_of_arrays_and_values() -> None:
    packed = checkpoint.pack(state(best=True))
    assert {name: array.dtype for name, array in packed.arrays.items()} == {
        "net": np.float32,
        "steps": np.float32,
        "first best": np.float32,
        "genes 7": np.bool_,
        "moves": np.uint64,
    }
    assert packed.values == {"names": ["a", "b"], "session": 3, "sums": {"wins": 1, "balance": -0.5}}


@pytest.mark.parametrize("best", [False, True])
def test_a_state_comes_back(best: bool) -> None:
    whole, found = state(best), checkpoint.unpack(State, checkpoint.pack(state(best)), "test", weights=2)
    for one, other in zip(attrs.astuple(whole), attrs.astuple(found), strict=True):
        np.testing.assert_equal(one, other)
    assert found.moves.dtype == np.uint64
    assert found.sums == whole.sums


def test_what_was_packed_does_not_change_with_the_state() -> None:
    one = state()
    packed = checkpoint.pack(one)
    one.net[:] = 9
    one.names.append("c")
    one.sums.wins = 9
    assert packed.arrays["net"].tolist() == [1, 2]
    assert packed.values["names"] == ["a", "b"]
    assert packed.values["sums"]["wins"] == 1


def _array(name: str, array: NDArray[Any]) -> Callable[[LearnerState], LearnerState]:
    return lambda packed: attrs.evolve(packed, arrays={**packed.arrays, name: array})


def _value(name: str, value: Any) -> Callable[[LearnerState], LearnerState]:
    return lambda packed: attrs.evolve(packed, values={**packed.values, name: value})


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (_array("net", np.zeros(3, np.float32)), r"the array 'net': expected the shape \(2\), got \(3,\)"),
        (_array("net", np.full(2, np.nan)), "the array 'net': there are values that are not finite"),
        (_array("steps", np.zeros((4, 3))), r"the array 'steps': expected the shape \(any, 2\), got \(4, 3\)"),
        (_array("moves", np.zeros(2)), "the array 'moves': expected values of type uint64, got float64"),
        (_array("genes 8", np.zeros(3)), "the array 'genes 8': expected values of type bool, got float64"),
        (_array("genes x", np.zeros(3, np.bool_)), "the arrays 'genes' are not numbered"),
        (_value("session", -1), "session = -1: must be 0 or more"),
        (_value("session", 1.5), "session = 1.5: must be an integer"),
        (_value("names", "ab"), 'names = "ab": must be a list of strings'),
        (_value("sums", {"wins": "x"}), 'sums: wins = "x": must be an integer'),
        (lambda packed: attrs.evolve(packed, arrays={}), "the array 'net' is missing"),
        (lambda packed: attrs.evolve(packed, values={}), "the value 'names' is missing"),
    ],
)
def test_damaged_states_are_refused(damage: Callable[[LearnerState], LearnerState], message: str) -> None:
    with pytest.raises(GameforgeError, match=f"^it does not match: {message}"):
        checkpoint.unpack(State, damage(checkpoint.pack(state())), "it does not match", weights=2)
