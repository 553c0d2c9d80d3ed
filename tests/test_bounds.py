"""Rules of others that write beyond their blocks end in a sentence, not in the end of the process."""

from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pytest
from broken_rules import pile
from toy_site import shuttle

import gameforge as gf
from gameforge.cli import command_group
from gameforge.errors import GameforgeError
from gameforge.interfaces.rules import RulesFunctions
from gameforge.play import bounds
from gameforge.testing import toy


class Narrow(toy.Pile):
    """There are three moves in most positions."""

    def functions(self) -> RulesFunctions:
        return attrs.evolve(super().functions(), max_moves=2)


def wide_play(rules: Any, s: Any, m: Any, child: Any) -> None:
    child[0], child[1], child[2] = s[0] - m, 1 - s[1], 7


def play_twice(rules: Any, s: Any, m: Any, child: Any) -> None:
    child[0], child[1] = s[0] - m, s[1]


def gen_that_fails(rules: Any, s: Any, moves: Any) -> int:
    raise ValueError("out of stones")


@pytest.mark.parametrize(
    ("rules", "reason"),
    [
        (Narrow(), r"gen wrote more than max_moves = 2 moves in state \(0xc, 0x0\)"),
        (pile(play=wide_play), r"play wrote more than words = 2 words after state \("),
        (pile(play=play_twice), r"the same side moves twice, in state \("),
    ],
)
def test_rules_that_break_their_bounds_are_refused(rules: Any, reason: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "_is_own", lambda module: False)
    for use in (lambda game: game.position().legal_moves, lambda game: gf.perft(game.position(), depth=3)):
        with pytest.raises(GameforgeError, match=reason):
            use(gf.Game(rules))


def test_sound_rules_play_as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    before = gf.perft(shuttle().position(), depth=4)
    monkeypatch.setattr(bounds, "_is_own", lambda module: False)
    assert gf.perft(shuttle().position(), depth=4) == before
    assert len(gf.Game(toy.Pile()).position().legal_moves) == 3


def test_sound_rules_are_tried_once_in_a_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Trying them takes 20 ms, and a page or a database makes the game again and again."""
    monkeypatch.setattr(bounds, "_is_own", lambda module: False)
    monkeypatch.setattr(bounds, "_tried", set())
    blocks: list[int] = []
    guarded = bounds.Guarded
    monkeypatch.setattr(bounds, "Guarded", lambda *size: blocks.append(1) or guarded(*size))
    for stones, tries in ((7, 1), (7, 1), (8, 2)):
        assert gf.Game(toy.Pile(stones=stones)).compiled
        assert len(blocks) == 3 * tries


def test_what_rules_raise_is_reported_by_who_needs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "_is_own", lambda module: False)
    assert gf.Game(pile(gen=gen_that_fails)).compiled
    with pytest.raises(GameforgeError, match="out of stones"):
        gf.Game(pile(gen=gen_that_fails)).position().legal_moves  # noqa: B018


def test_only_rules_of_others_are_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    assert bounds._is_own("gameforge_draughts.rules")
    assert bounds._is_own("gameforge.testing.toy")
    assert not bounds._is_own("gameforge_connect_four")
    assert not bounds._is_own("toy_game")
    blocks = [bounds.Guarded(2), bounds.Guarded(2, 16)]
    for one in blocks:
        words = one.holding((1, 2))
        assert one.holds((1, 2))
        words[2] = np.uint64(0)
        assert not one.intact()


class TestTrust:
    @pytest.fixture
    def wrong(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> gf.Game:
        """A game whose play writes a word too many, which is harmless to the process."""
        monkeypatch.setattr(bounds, "_is_own", lambda module: False)
        monkeypatch.setattr(bounds, "_passed_folder", lambda: tmp_path / "passed")
        monkeypatch.delenv(bounds.TRUST, raising=False)
        return gf.Game(pile(play=wide_play))

    def test_trusted_rules_are_not_tried(self, wrong: gf.Game, monkeypatch: pytest.MonkeyPatch) -> None:
        with pytest.raises(GameforgeError, match="play wrote more than"):
            wrong.compiled  # noqa: B018
        monkeypatch.setenv(bounds.TRUST, "1")
        assert wrong.compiled

    def test_the_option_stands_before_or_after_the_command(self) -> None:
        assert command_group._before_command(["perft", "--trust", "x"]) == ["--trust", "perft", "x"]
        assert command_group._before_command(["--allow-engines", "perft", "--", "--trust"]) == [
            "--allow-engines", "perft", "--", "--trust",
        ]  # fmt: skip

    def test_rules_that_passed_are_remembered_until_they_change(
        self, wrong: gf.Game, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        assert not bounds.has_passed(wrong.rules)
        bounds.remember_passed(wrong.rules)
        assert bounds.has_passed(wrong.rules)
        assert wrong.compiled
        changed = tmp_path / "changed.py"
        changed.write_text("# another line\n")
        sources = bounds._sources
        monkeypatch.setattr(bounds, "_sources", lambda rules: [*sources(rules), changed])
        assert not bounds.has_passed(wrong.rules)
        assert not bounds.has_passed(toy.Pile(stones=5))

    def test_the_contract_remembers(self, wrong: gf.Game) -> None:
        assert not gf.testing.check("rules", toy.Pile()).named("failed")
        assert bounds.has_passed(toy.Pile())
        assert not bounds.has_passed(wrong.rules)
