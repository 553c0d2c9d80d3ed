"""Openings of matches: random plies, sets of the game, files."""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pytest
from toy_site import shuttle

import gameforge as gf
from gameforge.arena import balanced
from gameforge.arena.openings import match_openings
from gameforge.discovery.registry import Registry
from gameforge.errors import GameforgeError
from gameforge.interfaces.capabilities import Defaults
from gameforge.interfaces.games import Opening
from gameforge.play.game import Game


class Booked:
    """The toy game with two sets of openings."""

    def __init__(self) -> None:
        self._rules = shuttle().rules

    def __getattr__(self, name: str) -> Any:
        return getattr(self._rules, name)

    @property
    def openings(self) -> "Booklet":
        return Booklet()


class Booklet:
    names = ("steps", "wrong")

    def get(self, name: str) -> Sequence[Opening]:
        start = shuttle().rules.initial()
        if name == "wrong":
            return [Opening("too far", start, (0, 0, 0, 0, 0, 0))]
        return [Opening(f"step {i}", start, (i, j)) for i in (0, 1) for j in (0, 1, 2)]


BOOKED = Game(Booked())  # type: ignore[arg-type]


class TestRandom:
    def test_moves_are_kept(self) -> None:
        for opening in match_openings(shuttle(), 3, 10, seed=1):
            assert opening.start == shuttle().rules.initial()
            assert len(opening.moves) == 3
            assert shuttle().code_after(opening.start, opening.moves) == 0

    def test_those_of_a_seed_never_change(self) -> None:
        """Also where most random games end too early."""
        found = match_openings(shuttle(stones=1), 5, 4, seed=5)
        assert [opening.moves for opening in found] == [
            (0, 1, 1, 1, 0),
            (0, 0, 1, 1, 0),
            (0, 1, 1, 0, 0),
            (1, 0, 0, 0, 1),
        ]
        (draughts,) = match_openings(gf.game("draughts"), 6, 1, seed=5)
        assert draughts.moves == (906, 1304, 1230, 1099645846487, 8389835, 1500)

    def test_a_random_game_goes_on_until_it_is_over(self) -> None:
        game = shuttle(stones=1)
        played = [(list(moves), legal) for moves, legal in game.random_game(np.random.default_rng(2))]
        assert [len(moves) for moves, _ in played] == list(range(len(played)))
        state = game.rules.initial()
        for (moves, legal), following in pairwise(played):
            assert legal == game.legal(state)
            assert following[0][:-1] == moves
            state = game.play(state, following[0][-1])
        ends = [game.play(state, move) for move in played[-1][1]]
        assert any(game.code(end, len(game.legal(end))) for end in ends)

    def test_by_text(self) -> None:
        assert [*match_openings(shuttle(), "random:3", 10, 1)] == [*match_openings(shuttle(), 3, 10, 1)]
        assert [*match_openings(shuttle(), "random", 10, 1)] == [*match_openings(shuttle(), 4, 10, 1)]

    def test_a_longer_match_begins_alike(self) -> None:
        for openings in ("random:3", "steps"):
            assert [*match_openings(BOOKED, openings, 4, 7)] == match_openings(BOOKED, openings, 9, 7)[:4]


class TestSets:
    def test_every_opening_once_before_any_twice(self) -> None:
        found = match_openings(BOOKED, "steps", 15, seed=3)
        names = [opening.name for opening in found]
        assert len(set(found[:6])) == 6
        assert found[6:12] == found[:6]
        assert found[12:] == found[:3]
        assert set(names) == {"step 0", "step 1"}

    def test_the_seed_shuffles(self) -> None:
        assert len({tuple(o.moves for o in match_openings(BOOKED, "steps", 6, seed)) for seed in range(10)}) > 5

    def test_illegal_lines_are_the_books_fault(self) -> None:
        with pytest.raises(GameforgeError, match=r"openings: ply \d of the line 'too far' is not legal in 0x"):
            match_openings(BOOKED, "wrong", 1, 0)

    def test_unknown_sets(self) -> None:
        with pytest.raises(GameforgeError, match=r"'stps': no such set or file \(did you mean 'steps'\?\); must be"):
            match_openings(BOOKED, "stps", 1, 0)
        with pytest.raises(GameforgeError, match=r"no such set or file; .*\(shuttle has no sets\)"):
            match_openings(shuttle(), "3move", 1, 0)

    def test_ballots_of_draughts(self) -> None:
        """A match of 312 games plays all 156 ballots, with two games each."""
        game = gf.game("draughts")
        found = match_openings(game, "3move", 156, seed=1)
        assert len({opening.moves for opening in found}) == 156
        assert {len(opening.moves) for opening in found} == {3}


class TestFiles:
    def test_a_line_each(self, tmp_path: Path) -> None:
        game = gf.game("draughts")
        file = tmp_path / "lines.txt"
        file.write_text("# mine\n11-15 23-19\n\nB:WK32,31:BK1,2  # an ending\n1. 9-13 2. 22-18\n")
        found = match_openings(game, str(file), 3, seed=1)
        by_name = {opening.name: opening for opening in found}
        assert set(by_name) == {"11-15 23-19", "B:WK32,31:BK1,2", "1. 9-13 2. 22-18"}
        assert len(by_name["11-15 23-19"].moves) == 2
        assert game.position_text(by_name["B:WK32,31:BK1,2"].start) == "B:W31,K32:BK1,2"
        assert len(by_name["1. 9-13 2. 22-18"].moves) == 2

    def test_games_of_the_games_own_format(self, tmp_path: Path) -> None:
        game = gf.game("draughts")
        file = tmp_path / "lines.pdn"
        file.write_text('[Event "A"]\n\n1. 11-15 23-19 *\n\n[Event "B"]\n\n1. 9-13 22-18 2. 12-16 *\n')
        found = match_openings(game, str(file), 2, seed=1)
        assert {(opening.name, len(opening.moves)) for opening in found} == {("A", 2), ("B", 3)}

    def test_games_of_another_kind(self, tmp_path: Path) -> None:
        file = tmp_path / "lines.pdn"
        file.write_text('[Event "A"]\n[GameType "20"]\n\n1. 32-28 19-23 *\n')
        with pytest.raises(GameforgeError, match=r"openings .*GameType"):
            match_openings(gf.game("draughts"), str(file), 1, seed=1)


def test_positions_and_openings_of_a_caller() -> None:
    game = shuttle()
    position = game.position().after(0)
    line = Opening("mine", game.rules.initial(), (1, 1))
    assert [*match_openings(game, [position, line], 3, 0)] == [
        Opening("", position.state),
        line,
        Opening("", position.state),
    ]


def test_longer_than_a_game() -> None:
    game = shuttle(max_plies=4)
    with pytest.raises(GameforgeError, match="the line has 4 plies; must have fewer than 4, after which"):
        match_openings(game, [Opening("", game.rules.initial(), (0, 0, 1, 1))], 1, 0)


def test_openings_are_values() -> None:
    assert attrs.has(Opening)
    assert hash(Opening("a", (1,), (2,))) == hash(Opening("a", (1,), (2,)))


@pytest.mark.parametrize(
    "text",
    ["f5 d6 c3 d3", "1. f5 d6 2. c3 d3", "f5d6c3d3", "F5D6C3D3"],
)
def test_a_line_of_moves_is_not_read_as_the_position_that_it_leads_to(text: str, tmp_path: Path) -> None:
    """Othello reads these texts as positions, too."""
    othello = gf.game("othello")
    path = tmp_path / "lines.txt"
    path.write_text(f"{text}\n{othello.position_text(othello.rules.initial())}\n", encoding="utf-8")
    found = {opening.name: opening for opening in match_openings(othello, str(path), 2, 0)}
    line = found[text]
    assert line.start == othello.rules.initial()
    state, words = line.start, []
    for move in line.moves:
        words.append(othello.move_text(state, move, othello.legal(state)))
        state = othello.play(state, move)
    assert words == ["f5", "d6", "c3", "d3"]
    assert [len(opening.moves) for name, opening in found.items() if name != text] == [0]


def test_a_line_may_leave_out_passes(tmp_path: Path) -> None:
    """After these moves White can only pass."""
    path = tmp_path / "lines.txt"
    path.write_text("f5 f6 e6 f4 g5 e7 f7 h5 e8\n", encoding="utf-8")
    othello = gf.game("othello")
    moves, position = [], othello.position()
    for word in path.read_text(encoding="utf-8").split():
        if str(position.legal_moves[0]) == "pass":
            position = position.play("pass")
        position = position.play(word)
    moves = position.moves_played
    assert match_openings(othello, str(path), 1, 0)[0].moves == tuple(moves)


class TestBalanced:
    """Lines that a judge calls even; here a cheap one."""

    TEXT = 'balanced:4,player="alphabeta:depth=1,memory=0 + wpc",margin=0.005'

    @pytest.fixture(autouse=True)
    def cache(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
        monkeypatch.setattr(balanced, "cache_folder", lambda: tmp_path / "cache")
        return tmp_path / "cache"

    def test_the_judge_calls_them_even(self) -> None:
        game = gf.game("othello")
        judge = gf.player(game, searcher="alphabeta:depth=1,memory=0", evaluator="wpc")

        def scores(openings: str) -> list[float]:
            found = []
            for opening in match_openings(game, openings, 20, 3):
                position = game.position()
                for move in opening.moves:
                    position = position.after(move)
                found.append(abs(judge.analyse(position).score))
                assert len(opening.moves) == 4
            return found

        assert max(scores(self.TEXT)) <= 0.005 < max(scores("random:4"))

    def test_each_depends_on_the_seed_and_its_number_alone(self, cache: Path) -> None:
        game = gf.game("othello")
        forwards = list(match_openings(game, self.TEXT, 6, 3))
        [file] = cache.iterdir()
        file.unlink()
        backwards = match_openings(game, self.TEXT, 8, 3)
        assert [backwards[i] for i in reversed(range(8))][::-1][:6] == forwards
        assert len(file.read_bytes().splitlines()) == 8
        assert list(match_openings(game, self.TEXT, 6, 4)) != forwards

    def test_they_are_found_once(self, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """What is damaged in the cache is found again."""
        game = gf.game("othello")
        found = list(match_openings(game, self.TEXT, 3, 3))
        [file] = cache.iterdir()
        judged: list[int] = []
        judge = balanced.BalancedLines._balanced

        def counted(lines: balanced.BalancedLines, number: int) -> tuple[int, ...]:
            judged.append(number)
            return judge(lines, number)

        monkeypatch.setattr(balanced.BalancedLines, "_balanced", counted)
        assert list(match_openings(game, self.TEXT, 3, 3)) == found
        assert judged == []
        lines = file.read_text().splitlines()
        file.write_text(f"{lines[0]}\n[1, 0, 0, 0, 0]\n{lines[2][:-3]}")
        assert list(match_openings(game, self.TEXT, 3, 3)) == found
        assert judged == [1, 2]

    def test_a_match_does_not_depend_on_who_finds_them(self, cache: Path, tmp_path: Path) -> None:
        player = gf.player("othello", searcher="random", evaluator="none", name="r")
        one = gf.match(player, player, 6, openings=self.TEXT, seed=2)
        again = gf.match(player, player, 6, openings=self.TEXT, seed=2, workers=3, out=tmp_path / "m")
        assert one == again
        assert gf.match(player, player, 8, openings=self.TEXT, seed=2, out=tmp_path / "m").games[:6] == one.games

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            (
                'balanced:3,margin=0,player="minimax:depth=2 + wpc"',
                "judges none to be even within 0; choose",
            ),
            ("balanced:four", "balanced:four"),
            ("balanced:-1", "balanced:-1"),
            ("balanced:4,margin=2", "margin = 2.0: must be from 0 to 1"),
            ("balanced:4,edge=2", "edge"),
            ("balanced:4,player=nobody", "nobody"),
        ],
    )
    def test_bad_input(self, text: str, message: str) -> None:
        with pytest.raises(GameforgeError, match=message):
            match_openings(gf.game("othello"), text, 1, 0)[0]

    def test_a_game_without_a_default_player(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(Registry, "defaults", lambda registry, rules: Defaults())
        with pytest.raises(GameforgeError, match="no default player to judge them; name one: balanced:player=PLAYER"):
            match_openings(gf.game("othello"), "balanced", 1, 0)


def test_openings_of_more_games_than_any_memory_holds() -> None:
    """They are drawn when they are used, and are those of a shorter match."""
    for openings in (2, "random:2", [shuttle().position()]):
        many = match_openings(shuttle(), openings, 1 << 31, seed=7)
        assert len(many) == 1 << 31
        assert [*many[:3]] == [*match_openings(shuttle(), openings, 3, seed=7)]
        assert many[(1 << 31) - 1].start == shuttle().rules.initial()
        with pytest.raises(IndexError):
            many[1 << 31]
