"""Matches: pairs with colours swapped, the same result for any number of workers, figures with error bars."""

import math
from typing import Any

import attrs
import numpy as np
import pytest
from toy_site import registry, shuttle

import gameforge as gf
from gameforge.arena import MatchResult, Workspace, random_opening
from gameforge.arena.elo import elo_interval, elo_text, expected_score, score_interval
from gameforge.errors import ComponentError, GameforgeError
from gameforge.interfaces.games import GameRecord, Opening
from gameforge.interfaces.rules import Outcome
from gameforge.kernel.compile.jit import kernel
from gameforge.kernel.compile.launch import entry
from gameforge.play.player import Player


def toy(name: str = "player", **parts: Any) -> Player:
    chosen = {"searcher": "greedy", "evaluator": "linear", "features": "lanes"} | parts
    game = chosen.pop("game", "shuttle")
    return gf.player(game, registry=registry(), name=name, **chosen)


def result(points: str) -> MatchResult:
    """Return a match with these points of the first player, one character (2, 1, 0) per game."""
    games = []
    for i, point in enumerate(points):
        first = i % 2
        winner = {"2": first, "0": 1 - first, "1": None}[point]
        games.append(
            GameRecord(
                phase="match",
                number=i + 1,
                players=("a", "b"),
                start=(i // 2,),
                moves=(i,),
                outcome=Outcome(winner, "", loop=winner is None),
            )
        )
    return MatchResult(("a", "b"), tuple(games))


class TestNumbers:
    def test_counts_are_the_first_players(self) -> None:
        found = result("2210" + "0011")
        assert (found.wins, found.draws, found.losses, found.loops) == (2, 3, 3, 3)
        assert found.score == 7 / 16

    def test_elo_by_hand(self) -> None:
        """A score of 3/4 is 400 log10 3 = 190.85; 10/11 is 400."""
        assert result("2220").elo == pytest.approx(190.848, abs=0.001)
        assert result("2" * 20 + "00").elo == pytest.approx(400)
        assert result("0" * 20 + "22").elo == pytest.approx(-400)
        assert result("1" * 6).elo == 0

    def test_error_comes_from_the_spread_of_pairs(self) -> None:
        """Pairs score 1, 1/2, 1/2, 3/4: mean 0.6875, variance (0.3125^2 + 2 * 0.1875^2 + 0.0625^2) / 3 = 0.0572917;
        1.96 * sqrt(0.0572917 / 4) = 0.234569; Elo of 0.922069 is 429.23, of 0.452931 -32.80; half of the distance."""
        found = result("22" + "20" + "11" + "21")
        assert found.elo_error == pytest.approx((429.23 + 32.80) / 2, abs=0.05)

    @pytest.mark.parametrize("pair", ["20", "11"])
    def test_pairs_that_are_all_alike_leave_an_error(self, pair: str) -> None:
        """Their score is 1/2 +- (1 - 0.025^(1/8)) = 1/2 +- 0.36941 after 8 pairs; Elo of 0.86941 is 329.3."""
        assert result(pair * 8).elo == 0
        assert result(pair * 8).elo_error == pytest.approx(329.3, abs=0.1)

    def test_a_few_drawn_games_do_not_determine_an_error(self) -> None:
        assert result("1111").elo_error == math.inf
        assert elo_text((0, 0, 2, 0, 0)) == "Elo +0, error unknown"
        assert elo_text((0, 0, 200, 0, 0)) == "Elo +0 +- 13"

    @pytest.mark.parametrize("points", ["22", "2222", "0000", "21"])
    def test_no_error_bar_where_there_is_none(self, points: str) -> None:
        assert result(points).elo_error == math.inf

    def test_unbounded_elo(self) -> None:
        assert result("2222").elo == math.inf
        assert result("0000").elo == -math.inf

    @pytest.mark.parametrize(
        ("points", "text"),
        [
            ("2" * 200, "Elo more than +570 (95 %)"),
            ("0" * 200, "Elo less than -570 (95 %)"),
            ("2" * 38 + "20", "Elo +636, more than +439 (95 %)"),
            ("0" * 38 + "20", "Elo -636, less than -439 (95 %)"),
            ("2210", "Elo +89, error unknown"),
            ("", "Elo unknown"),
            ("22", "Elo unknown"),  # more than -636, which does not say who is stronger
            ("00", "Elo unknown"),
            ("2" * 12, "Elo more than +28 (95 %)"),
            ("21" * 8 + "11" * 8, "Elo +89 +- 47"),
        ],
    )
    def test_in_words(self, points: str, text: str) -> None:
        assert elo_text(result(points).pentanomial) == text
        assert "inf" not in str(result(points))
        assert "nan" not in str(result(points))

    @pytest.mark.parametrize("pairs", [1, 3, 100])
    def test_all_won(self, pairs: int) -> None:
        """At the bound all pairs are won with a probability of 2.5 %, if a pair is either won or lost."""
        low, high = result("22" * pairs).elo_interval
        assert high == math.inf
        assert expected_score(low) ** pairs == pytest.approx(0.025)
        assert result("00" * pairs).elo_interval == (-math.inf, -low)

    def test_an_interval_of_the_score_is_never_a_point(self) -> None:
        """If a fifth of all pairs were not won, 20 pairs would all be won with less than 2.5 %."""
        low, high = score_interval((0, 0, 0, 0, 20))
        assert (round(low, 3), high) == (0.832, 1.0)
        assert expected_score(elo_interval((0, 0, 0, 0, 20))[0]) == pytest.approx(low)
        low, high = score_interval((0, 1, 2, 1, 0))
        assert (low, high) == pytest.approx([expected_score(end) for end in elo_interval((0, 1, 2, 1, 0))])

    def test_summary(self) -> None:
        assert str(result("2210")) == (
            "a - b: 2 won, 1 drawn (1 loop), 1 lost; Elo +89, error unknown; 4 distinct of 4 games"
        )


class TestMatch:
    def test_does_not_depend_on_workers(self) -> None:
        one, other = toy("one", seed=1), toy("other", seed=2)
        matches = [gf.match(one, other, 30, openings=3, seed=5, workers=workers) for workers in (1, 2, 3)]
        assert matches[0] == matches[1] == matches[2]
        assert matches[0] != gf.match(one, other, 30, openings=3, seed=6)
        assert matches[0].distinct > 10

    def test_draughts_with_two_workers(self) -> None:
        players = [gf.player("draughts", searcher="minimax:depth=2", oracle="none", seed=seed) for seed in (1, 2)]
        assert gf.match(*players, 6, seed=1) == gf.match(*players, 6, seed=1, workers=2)

    def test_it_may_be_planned_for_more_games_than_any_memory_holds(self) -> None:
        """Whoever stops it has the games of a shorter match."""

        class Enough(Exception):
            pass

        seen: list[GameRecord] = []

        def finished(record: GameRecord) -> None:
            seen.append(record)
            if len(seen) == 6:
                raise Enough

        with pytest.raises(Enough):
            gf.match(toy("a"), toy("b"), 1 << 32, seed=5, workers=2, game_finished=finished, progress=False)
        short = gf.match(toy("a"), toy("b"), 6, seed=5, progress=False)
        assert [game.codes for game in seen] == [game.codes for game in short.games]
        with pytest.raises(GameforgeError, match=r"games = 18446744073709551616: must be from"):
            gf.match(toy("a"), toy("b"), 1 << 64)

    def test_the_end_by_a_test_does_not_depend_on_workers(self) -> None:
        """With several workers, some pairs are ahead when the test ends the match; they do not count."""
        weak = toy("weak", searcher="script:moves=[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]")
        matches = [gf.match(toy("strong"), weak, 400, sprt="0,100", workers=workers) for workers in (1, 3)]
        assert matches[0] == matches[1]
        assert matches[0].accepted == "H1"
        assert len(matches[0].games) < 100
        assert gf.match(toy("strong"), weak, len(matches[0].games) - 2, sprt="0,100").accepted is None

    def test_repeated_games_prove_nothing(self) -> None:
        """Two deterministic players who always meet from the same position play one pair of games, 20 times."""
        weak = toy("weak", searcher="script:moves=[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]")
        found = gf.match(toy("strong"), weak, 40, openings="random:0", sprt="0,100")
        assert (len(found.games), found.distinct_pairs, found.accepted) == (40, 1, None)
        assert found.llr is not None
        assert abs(found.llr) < 1

    def test_few_games_in_many_pairs(self) -> None:
        """Five games of each colour combine into 25 different pairs, and prove as much as five."""
        first, second = gf.match(toy("one", seed=1), toy("other", seed=2), 2, seed=1).games
        games = [
            attrs.evolve(game, moves=(*game.codes, ending))
            for i in range(25)
            for game, ending in ((first, i % 5), (second, i // 5))
        ]
        found = MatchResult(("one", "other"), tuple(games))
        assert (found.distinct, found.distinct_pairs) == (10, 5)
        assert sum(found.independent_pairs) == pytest.approx(5)

    def test_players_that_play_alike(self) -> None:
        """Both games of each pair are the same, but every opening is another one."""
        found = gf.match(toy("one", seed=1), toy("one", seed=1), 12, openings=6, seed=1)
        starts = {game.codes[:6] for game in found.games}
        assert found.distinct == found.distinct_pairs == len(starts)

    def test_searchers_that_remember(self) -> None:
        """A transposition table is empty when a game begins, whatever was played in the workspace before."""
        players = [gf.player("draughts", searcher=f"alphabeta:depth={depth},memory=1") for depth in (4, 3)]
        matches = [gf.match(*players, 8, seed=1, workers=workers) for workers in (1, 2)]
        assert matches[0] == matches[1]

    def test_time_per_move(self) -> None:
        """Only searches are timed, separately for each player."""
        quick = gf.player("draughts", searcher="alphabeta:depth=1,memory=0", name="quick")  # a thousandth of it
        slow = gf.player("draughts", searcher="alphabeta:time=0.02", name="slow")
        for found in (gf.match(quick, slow, 2, seed=1), gf.match(slow, quick, 2, seed=1, workers=2)):
            times = dict(zip(found.players, found.seconds_per_move, strict=True))
            assert 0 < times["quick"] < times["slow"]
            assert all(sum(game.searches) <= len(game.codes) - game.opening_plies for game in found.games)

    def test_each_opening_twice_with_colours_swapped(self) -> None:
        found = gf.match(toy("one", seed=1), toy("other", seed=2), 8, openings=2, seed=1)
        for first, second in zip(found.games[::2], found.games[1::2], strict=True):
            assert first.start == second.start == gf.game("shuttle", registry=registry()).rules.initial()
            assert first.codes[:2] == second.codes[:2]
            assert first.opening == "2 random plies"
            assert first.opening_plies == second.opening_plies == 2
            assert (first.players, second.players) == (("one", "other"), ("other", "one"))
        assert [game.number for game in found.games] == list(range(1, 9))
        assert {game.phase for game in found.games} == {"match"}

    @pytest.mark.parametrize("opening", ["2,2,9,0,0", "2,2,9,1,1"])
    def test_the_first_player_has_the_first_side_first(self, opening: str) -> None:
        """Whichever side is to move in the opening. One player always takes stones, the other first steps left."""

        class Takes:
            def values(self, states: Any) -> Any:
                return states[:, 2] / 10  # fewer stones are worse for the side to move next

        class Walks:
            def values(self, states: Any) -> Any:
                return -states[:, 2].astype(float) / 10

        game = shuttle()
        takes, walks = (toy(type(e).__name__, evaluator=e, features=None) for e in (Takes(), Walks()))
        start = game.position(opening)
        found = gf.match(takes, walks, 2, openings=[start])
        for record in found.games:
            position, mover = start, []
            for move in record.codes:
                mover.append((record.players[position.turn], move >= 2))
                position = position.after(move)
            assert set(mover) <= {("Takes", True), ("Walks", False), ("Walks", True)}
            assert ("Takes", True) in mover
            assert position.outcome == record.outcome
        assert found.games[0].players == ("Takes", "Walks")

    def test_records_replay_to_their_outcome(self) -> None:
        game = gf.game("draughts")
        player = gf.player("draughts", searcher="minimax:depth=1", evaluator="material")
        for record in gf.match(player, player, 6, seed=3).games:
            position = game.position(game.position_text(record.start))
            for move in record.codes:
                assert position.outcome is None
                position = position.after(move)
            assert position.outcome == record.outcome

    def test_games_are_told_in_order(self) -> None:
        told: list[GameRecord] = []
        found = gf.match(toy("one"), toy("other"), 12, openings=2, workers=3, game_finished=told.append)
        assert tuple(told) == found.games

    def test_distinct_games(self) -> None:
        player = toy()
        assert gf.match(player, player, 6, openings=0).distinct == 1
        assert gf.match(player, player, 40, openings=3, seed=1).distinct > 5


class TestBatchEvaluators:
    class Cells:
        def values(self, states: Any) -> Any:
            return (states[:, 0].astype(float) - states[:, 1].astype(float)) / 10

    def test_play_matches(self) -> None:
        batch = toy("batch", evaluator=self.Cells(), features=None)
        weights = np.array([10, -10, 0], np.float32)
        functions, same = (Player(toy().parts, weights, name) for name in ("kernel", "batch"))
        found = gf.match(batch, functions, 20, openings=3, seed=2, workers=2)
        assert found == gf.match(batch, functions, 20, openings=3, seed=2)
        assert found == gf.match(same, functions, 20, openings=3, seed=2)


class TestForfeits:
    """With on_error="forfeit", a player that fails loses that game, and the match continues."""

    class Torn:
        """An evaluator that fails if its runner could reach the end of the lane."""

        def values(self, states: Any) -> Any:
            if states[0, 1] == 4:
                raise ZeroDivisionError("torn")
            return states[:, 2] / 10

    @pytest.mark.parametrize("workers", [1, 2])
    def test_a_crash(self, workers: int) -> None:
        torn = toy("torn", evaluator=self.Torn(), features=None)
        found = gf.match(torn, toy("whole"), 40, openings=2, workers=workers, on_error="forfeit")
        crashed = [game for game in found.games if game.note]
        assert 0 < len(crashed) < 40
        for game in crashed:
            assert game.note == "ZeroDivisionError: torn"
            assert game.outcome.reason == "crash"
            assert game.players[game.outcome.winner or 0] == "whole"
            position = shuttle().position()
            for move in game.codes:
                assert position.outcome is None
                position = position.after(move)
            assert game.players[position.turn] == "torn"  # which was to move
            assert position.outcome is None
        assert found.forfeits == (len(crashed), 0)
        assert f"torn forfeited {len(crashed)}" in str(found)
        assert found == gf.match(torn, toy("whole"), 40, openings=2, on_error="forfeit")

    def test_players_that_share_a_failing_evaluator(self) -> None:
        """If players share an evaluator, the one that is to move has failed."""
        torn = toy("torn", evaluator=self.Torn(), features=None)
        found = gf.match(torn, torn, 20, openings=2, workers=2, on_error="forfeit")
        assert sum(found.forfeits) > 0
        assert found.forfeits[0] > 0 < found.forfeits[1]

    def test_in_draughts_too(self) -> None:
        class Torn:
            def values(self, states: Any) -> Any:
                raise ZeroDivisionError("torn")

        torn = gf.player("draughts", searcher="minimax:depth=4", evaluator=Torn(), name="torn")
        found = gf.match(torn, torn, 4, workers=2, on_error="forfeit")
        assert [game.outcome.reason for game in found.games] == ["crash"] * 4
        assert {len(game.codes) for game in found.games} == {4}  # the opening
        assert found.forfeits == (2, 2)

    def test_an_illegal_move(self) -> None:
        """The script always goes left, which is not a move at the end of the lane."""
        stuck = toy("stuck", searcher="script:moves=[0, 0, 0, 0, 0, 0, 0, 0, 0, 0]")
        found = gf.match(stuck, toy(), 2, openings=0)
        assert {game.outcome.reason for game in found.games} == {"illegal move"}
        assert found.losses == 2
        assert found.forfeits == (2, 0)

    def test_no_player_loses_if_the_rules_fail(self) -> None:
        class Torn(type(shuttle().rules)):  # type: ignore[misc]
            def functions(self) -> Any:
                import attrs

                def outcome(rules: Any, s: Any, n: Any) -> Any:
                    raise ZeroDivisionError("torn")

                return attrs.evolve(super().functions(), outcome=outcome, compiled=False)

        torn = toy(game=gf.game(Torn()))
        with pytest.raises(ComponentError, match="raised ZeroDivisionError: torn"):
            gf.match(torn, torn, 2, openings=[(2, 2, 3, 0, 0)])


class TestErrors:
    @pytest.mark.parametrize("games", [0, 1, 7, -2])
    def test_games_come_in_pairs(self, games: int) -> None:
        with pytest.raises(GameforgeError, match=rf"games = {games}: must be even and 2 or more"):
            gf.match(toy(), toy(), games)

    @pytest.mark.parametrize(
        ("settings", "message"),
        [
            ({"games": 2.0}, r"games = 2\.0: must be a whole number"),
            ({"seed": "a"}, "seed = 'a': must be a whole number"),
            ({"seed": -1}, "seed = -1: must be 0 or more"),
            ({"workers": True}, "workers = True: must be a whole number"),
        ],
    )
    def test_numbers(self, settings: dict[str, Any], message: str) -> None:
        with pytest.raises(GameforgeError, match=message):
            gf.match(toy(), toy(), **settings)

    def test_something_else_than_a_position(self) -> None:
        for action in (toy().choose, toy().analyse):
            with pytest.raises(GameforgeError, match="position = 'x': must be a Position, such as"):
                action("x")  # type: ignore[arg-type]

    def test_workers(self) -> None:
        with pytest.raises(GameforgeError, match="workers = 0: must be 1 or more"):
            gf.match(toy(), toy(), workers=0)

    def test_other_rules(self) -> None:
        with pytest.raises(GameforgeError, match=r"one plays Shuttle\(stones=3.*other plays Shuttle\(stones=4.*same"):
            gf.match(toy("one"), toy("other", game="shuttle:stones=4"))
        with pytest.raises(GameforgeError, match="both must play the same game by the same rules"):
            gf.match(toy(), gf.player("draughts"))

    @pytest.mark.parametrize("openings", [[], [(1, 2)], [3], -1])
    def test_openings(self, openings: Any) -> None:
        with pytest.raises(GameforgeError, match=r"openings = .*: must be a number of random plies"):
            gf.match(toy(), toy(), openings=openings)

    def test_finished_opening(self) -> None:
        with pytest.raises(GameforgeError, match="openings: the game is over in 0x2,0x2,0x0,0x1,0x1"):
            gf.match(toy(), toy(), openings=[shuttle(stones=1).position().play("0x2")])

    def test_openings_longer_than_any_game(self) -> None:
        """Random games with one stone rarely last that long; this is an error after a number of attempts."""
        game = shuttle(stones=1)
        with pytest.raises(GameforgeError, match="openings = 40: 1000 random games of shuttle ended earlier; choose"):
            random_opening(game, 40, np.random.default_rng(1))


class TestTable:
    def test_any_two_players_of_a_workspace_play(self) -> None:
        """A game depends on weights, seeds and the two players, not on other players or earlier games."""
        players = [Player(toy().parts, np.full_like(toy().weights, weight)) for weight in (0.5, -0.5, 1.0)]
        start = gf.game("shuttle", registry=registry()).position().state
        together = Workspace(*players)
        for pair in ((0, 1), (2, 0), (1, 2), (0, 0), (0, 1)):
            alone = Workspace(*(players[place] for place in pair)).play(Opening("", start), False, (3, 4))
            here = together.play(Opening("", start), False, (3, 4), pair)
            assert (here.outcome, here.codes) == (alone.outcome, alone.codes)


def test_a_kernel_is_entered_twice_with_the_same_result() -> None:
    """The first call determines the types, later ones use the machine code directly."""
    add = kernel(_add)
    calls = [entry(add)(np.arange(3.0), 2.0) for _ in range(3)]
    assert [call.tolist() for call in calls] == [[2.0, 3.0, 4.0]] * 3


def _add(x: Any, y: Any) -> Any:
    return x + y


def test_searchers_that_do_not_fit_into_memory_together_are_told_before_the_first_game(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    large = gf.player("othello", searcher="alphabeta:depth=1,memory=64", evaluator="material")
    monkeypatch.setattr("gameforge.memory.available_memory", lambda: 100_000_000)
    with pytest.raises(GameforgeError, match=r"^playing games, 1 at a time, needs 13\d MB of memory, of which 100"):
        gf.match(large, large, 2)
