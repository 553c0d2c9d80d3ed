"""Tournaments: schedule, crosstable, ratings that find the true strengths."""

import itertools
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from simulated import pair_shares, true_elo
from toy_site import registry

import gameforge as gf
from gameforge.arena import match
from gameforge.arena.elo import elo, elo_error, mean_and_variance
from gameforge.arena.result import MatchResult
from gameforge.arena.tournament import Meeting, ratings, schedule, tournament
from gameforge.errors import GameforgeError
from gameforge.interfaces.games import GameRecord
from gameforge.play.player import Player


def toy(name: str, seed: int = 0, **parts: Any) -> Player:
    chosen = {"searcher": "greedy", "evaluator": "linear", "features": "lanes"} | parts
    return gf.player(chosen.pop("game", "shuttle"), registry=registry(), name=name, seed=seed, **chosen)


def play(first: Player, second: Player, number: int) -> MatchResult:
    return match(first, second, 8, openings=2, seed=1)


class TestRatings:
    def test_two_players_differ_by_the_elo_of_their_match(self) -> None:
        """Except for the drawn game that is added."""
        pairs = (200, 1000, 4000, 1500, 300)
        one, other = ratings(2, [Meeting(0, 1, pairs)])
        assert one.elo == -other.elo
        assert one.elo - other.elo == pytest.approx(elo(mean_and_variance(pairs)[0]), abs=0.05)
        assert 2 * one.error == pytest.approx(elo_error(pairs), rel=0.01)

    def test_the_middle_of_three(self) -> None:
        """a beats b as b beats c, and a and c never meet."""
        pairs = (2, 10, 40, 30, 18)
        a, b, c = ratings(3, [Meeting(0, 1, pairs), Meeting(1, 2, pairs)])
        assert b.elo == pytest.approx(0, abs=1e-6)
        assert a.elo == pytest.approx(-c.elo)

    def test_swapped_players_change_nothing(self) -> None:
        pairs = (2, 10, 40, 30, 18)
        found = ratings(2, [Meeting(0, 1, pairs)])
        assert [(r.elo, r.error) for r in ratings(2, [Meeting(1, 0, pairs[::-1])])] == [
            pytest.approx((r.elo, r.error)) for r in found
        ]

    def test_who_wins_everything_has_a_rating(self) -> None:
        best, worst = ratings(2, [Meeting(0, 1, (0, 0, 0, 0, 10))])
        assert best.elo - worst.elo == pytest.approx(elo(20.5 / 21))
        assert math.isfinite(best.error)
        assert best.error > 50

    def test_simulated_players(self) -> None:
        """Four players of known strength, 300 round robins: no bias, and error bars that cover the truth in 95 %."""
        rng = np.random.default_rng(3)
        strengths = np.array([-60.0, -10.0, 20.0, 50.0])
        shares = {
            (i, j): pair_shares(strengths[i] - strengths[j], draws=0.4, bias=100)
            for i, j in itertools.combinations(range(4), 2)
        }
        gap = true_elo(pair_shares(110, draws=0.4, bias=100))  # openings and draws bring the scores together
        covered, found = 0, []
        exact = ratings(
            4, [Meeting(i, j, tuple((10**6 * np.array(s)).astype(int).tolist())) for (i, j), s in shares.items()]
        )
        for _ in range(300):
            meetings = [Meeting(i, j, tuple(rng.multinomial(60, s).tolist())) for (i, j), s in shares.items()]
            rated = ratings(4, meetings)
            found.append([r.elo for r in rated])
            covered += sum(abs(r.elo - true.elo) <= r.error for r, true in zip(rated, exact, strict=True))
        assert exact[3].elo - exact[0].elo == pytest.approx(gap, abs=3)
        assert np.mean(found, axis=0) == pytest.approx([r.elo for r in exact], abs=4)
        assert covered / 1200 == pytest.approx(0.95, abs=0.025)


class TestTournament:
    def test_schedules(self) -> None:
        assert schedule(4) == [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
        assert schedule(4, gauntlet=True) == [(0, 1), (0, 2), (0, 3)]

    def test_everybody_meets_everybody(self) -> None:
        players = [toy(f"p{seed}", seed) for seed in range(4)]
        told: list[MatchResult] = []
        found = tournament(players, play, match_finished=told.append)
        assert tuple(told) == found.matches
        assert len(found.matches) == 6
        assert sum(found.score(name) for name in found.players) == 6 * 8
        assert all(found.games(name) == 24 for name in found.players)
        assert [r.elo for r in found.ratings] == sorted((r.elo for r in found.ratings), reverse=True)
        for one, other in itertools.combinations(found.players, 2):
            assert found.points(one, other) + found.points(other, one) == 8
        first = found.matches[0]
        assert found.cell(*first.players) == f"+{first.wins} ={first.draws} -{first.losses}"
        assert found.cell(*first.players[::-1]) == f"+{first.losses} ={first.draws} -{first.wins}"
        assert found.cell("p1", "p1") == ""

    def test_gauntlet(self) -> None:
        found = tournament([toy(f"p{seed}", seed) for seed in range(3)], play, gauntlet=True)
        assert [match.players for match in found.matches] == [("p0", "p1"), ("p0", "p2")]
        assert found.cell("p1", "p2") == ""
        assert math.isnan(found.points("p1", "p2"))
        assert found.games("p0") == 16
        assert str(found).splitlines()[-1] == f"{found.distinct} distinct of {found.played} games"
        best, rating = found.players[0], found.ratings[0]
        assert str(found).startswith(
            f"1. {best}: Elo {rating.elo:+.0f} +- {rating.error:.0f}, {found.score(best):g} points of "
        )

    def test_errors(self) -> None:
        with pytest.raises(GameforgeError, match="number of players = 1: must be 2 or more"):
            tournament([toy("a")], play)
        with pytest.raises(GameforgeError, match="2 players have the name 'a'; names must differ"):
            tournament([toy("a"), toy("b"), toy("a")], play)
        with pytest.raises(GameforgeError, match="both must play the same game"):
            tournament([toy("a"), gf.player("draughts", name="b")], play)


class TestFromPython:
    def test_players_are_players_or_texts(self, tmp_path: Path) -> None:
        """The matches are those of `gf.match`, and the folder those of `gameforge tournament`."""
        names = [toy("a"), "greedy + linear + lanes", toy("c", seed=2)]
        finished: list[MatchResult] = []
        games: list[GameRecord] = []
        result = gf.tournament(
            names, 4, out=tmp_path, openings=2, seed=3, registry=registry(),
            match_finished=finished.append, game_finished=games.append,
        )  # fmt: skip
        assert result.matches == tuple(finished)
        assert (result.played, len(games)) == (12, 12)
        assert result.matches[1] == gf.match(toy("a"), toy("c", seed=2), 4, openings=2, seed=3)
        assert sorted(path.name for path in tmp_path.iterdir()) == ["match-001", "match-002", "match-003"]
        again = gf.tournament(names, 4, out=str(tmp_path), openings=2, seed=3, workers=2, registry=registry())
        assert again == result

    def test_a_gauntlet(self) -> None:
        result = gf.tournament([toy("a"), toy("b", 1), toy("c", 2)], 2, openings=2, gauntlet=True)
        assert [match.players for match in result.matches] == [("a", "b"), ("a", "c")]

    def test_a_single_text_is_refused(self) -> None:
        with pytest.raises(GameforgeError, match="players = 'random': must be a list of players"):
            gf.tournament("random")
