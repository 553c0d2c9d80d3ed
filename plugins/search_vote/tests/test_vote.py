"""Several saved players as one: a majority vote of their searches."""

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from called import completed
from gameforge_search_vote.vote import Ballot, elected, most_votes
from hypothesis import given
from hypothesis import strategies as st
from member_players import GAME, net, positions, save_nets
from uncompiled import both_ways

import gameforge as gf
from gameforge.errors import GameforgeError
from gameforge.kernel.compile.jit import COMPILED
from gameforge.play.player import Player
from gameforge.play.saved_players import save_player
from gameforge.play.workshop import Workshop
from gameforge.testing import check


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of players with different nets."""
    return save_nets(tmp_path_factory.mktemp("players"))


def vote(*folders: Path) -> Player:
    return gf.player(
        GAME, searcher={"use": "vote", "players": [str(folder) for folder in folders]}, evaluator="none", name="all"
    )


BALLOTS = st.lists(st.builds(Ballot, move=st.integers(0, 5), score=st.floats(-1, 1)), min_size=1, max_size=12)


class TestCounting:
    @given(BALLOTS)
    def test_the_elected_move_has_the_most_votes(self, ballots: list[Ballot]) -> None:
        counted = most_votes(ballots)
        votes = Counter(ballot.move for ballot in ballots)
        assert {choice.move: choice.votes for choice in counted} == votes
        assert counted[0].votes == max(votes.values())
        assert elected(counted[0], ballots).move == counted[0].move

    @given(BALLOTS)
    def test_ties_go_to_the_higher_mean_score(self, ballots: list[Ballot]) -> None:
        first, *others = most_votes(ballots)
        assert all(first.score >= other.score for other in others if other.votes == first.votes)

    def test_remaining_ties_go_to_the_earlier_member(self) -> None:
        ballots = [Ballot(move=move, score=0.5) for move in (3, 1, 1, 3)]
        assert most_votes(ballots)[0].move == 3


class TestVote:
    def test_the_move_has_the_majority_of_the_members_searches(self, saved: Path) -> None:
        player = vote(saved)
        for position in positions(12):
            found = player.analyse(position)
            alone = [member.analyse(position) for member in Workshop().load_all(sorted(saved.iterdir()))]
            votes = Counter(analysis.move.code for analysis in alone)
            assert votes[found.move.code] == max(votes.values())
            mean = np.mean([one.score for one in alone if one.move == found.move])
            assert found.score == pytest.approx(mean)
            assert found.nodes == sum(one.nodes for one in alone)
            assert {s.move.code: s.visits for s in found.statistics} == votes
            assert found.line[0] == found.move

    def test_trained_players_vote_at_their_levels(self) -> None:
        position = positions(5)[-1]
        alone = [gf.player("draughts", "strong", level=level).analyse(position) for level in (2, 3)]
        assert alone[0].nodes != alone[1].nodes
        found = vote(Path("strong:level=2"), Path("draughts/strong:level=3")).analyse(position)
        assert found.nodes == alone[0].nodes + alone[1].nodes
        votes = Counter(one.move.code for one in alone)
        assert {statistics.move.code: statistics.visits for statistics in found.statistics} == votes

    def test_a_single_voter_decides_alone(self, saved: Path) -> None:
        for position in positions(5):
            one, vote_of_one = net(3).analyse(position), vote(saved / "p3").analyse(position)
            assert (vote_of_one.move, vote_of_one.score, vote_of_one.line) == (one.move, one.score, one.line)

    def test_a_match_depends_on_its_seed_alone(self, saved: Path) -> None:
        player, other = vote(saved), net(9)
        one = gf.match(player, other, 6, seed=2)
        again = gf.match(vote(saved), other, 6, seed=2, workers=2)
        assert [game.codes for game in one.games] == [game.codes for game in again.games]

    def test_random_members_depend_on_the_seed(self, tmp_path: Path) -> None:
        for i in range(3):
            save_player(tmp_path / str(i), gf.player(GAME, searcher="uct:simulations=20", evaluator="none"))
        first, second = ([g.codes for g in gf.match(vote(tmp_path), net(1), 4, seed=s).games] for s in (1, 2))
        assert first == [g.codes for g in gf.match(vote(tmp_path), net(1), 4, seed=1).games]
        assert first != second

    def test_a_vote_is_saved_by_its_settings(self, saved: Path, tmp_path: Path) -> None:
        player = vote(saved)
        save_player(tmp_path / "vote", player)
        again = gf.player(tmp_path / "vote")
        position = GAME.position()
        assert again.analyse(position).move == player.analyse(position).move
        assert again.spec == player.spec

    def test_the_members_of_a_run_are_its_generations(self, saved: Path, tmp_path: Path) -> None:
        save_player(tmp_path / "player", net(9))
        (tmp_path / "generations").symlink_to(saved)
        position = positions(7)[-1]
        found, wanted = (vote(folder).analyse(position) for folder in (tmp_path, saved))
        assert (found.move, found.score, found.nodes) == (wanted.move, wanted.score, wanted.nodes)

    def test_a_vote_plays_on_the_command_line(self, saved: Path) -> None:
        player = f"vote:players={saved}"
        for arguments in (
            ["match", player, "random", "--games", "2", "--json"],
            ["analyze", "W:W18,22,26:B3,4,11", "--player", player],
        ):
            done = completed([*arguments, "--game", "draughts"])
            assert done.returncode == 0, done.stderr
            assert done.stdout
            if "--json" in arguments:
                assert json.loads(done.stdout)["wins"] + json.loads(done.stdout)["draws"] > 0


def test_contract(saved: Path) -> None:
    print(check("searcher", f"vote:players={saved}", game="draughts").require())


@pytest.mark.parametrize(
    ("searcher", "evaluator", "sentence"),
    [
        ({"use": "vote", "players": []}, "none", "must name a run, a saved player, a trained player or a list"),
        ({"use": "vote"}, "none", "searcher.players is missing"),
        ({"use": "vote", "players": 3}, "none", "must be a path or a list of paths"),
        ({"use": "vote", "players": "{empty}"}, "none", "holds no saved players; name a run"),
        ({"use": "vote", "players": "{othello}"}, "none", "player plays Othello"),
        ({"use": "vote", "players": ["stronk:level=1"]}, "none", "stronk:level=1 holds no .* or a trained player"),
        (
            {"use": "vote", "players": ["strong:level=99"]},
            "none",
            "player 'strong' has no level 99; it has levels 1 to ",
        ),
        ({"use": "vote", "players": ["strong:levle=1"]}, "none", r"player strong.levle: no such parameter \(did you"),
    ],
)
def test_bad_input(searcher: object, evaluator: object, sentence: str, saved: Path, tmp_path: Path) -> None:
    places = {name: str(tmp_path / name) for name in ("empty", "othello", "random")} | {"p0": str(saved / "p0")}
    (tmp_path / "empty").mkdir()
    save_player(tmp_path / "othello", gf.player("othello", searcher="random", evaluator="none"))
    save_player(tmp_path / "random", gf.player(GAME, searcher="random", evaluator="none"))
    choices = json.loads(json.dumps([searcher, evaluator]).replace("{empty}", places["empty"]))
    for settings in choices:
        if isinstance(settings, dict) and isinstance(settings.get("players"), str):
            settings["players"] = settings["players"].format(**places)
    with pytest.raises(GameforgeError, match=sentence):
        gf.player(GAME, searcher=choices[0], evaluator=choices[1])


@pytest.mark.skipif(not COMPILED, reason="compares with compiled kernels")
def test_uncompiled_code_plays_the_same(saved: Path) -> None:
    place = positions(9)[-1]
    code = (
        "import numpy; numpy.seterr(over='ignore'); import gameforge as gf\n"
        f"game = gf.game('draughts'); position = game.position({GAME.position_text(place.state)!r})\n"
        f"vote = gf.player(game, searcher={{'use': 'vote', 'players': [{str(saved)!r}]}}, evaluator='none')\n"
        f"found = vote.analyse(position); print(found.move, found.nodes)\n"
    )
    compiled, uncompiled = both_ways(code)
    assert compiled == uncompiled
