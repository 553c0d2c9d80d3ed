"""Several saved players as one: a majority vote of their searches, or one evaluator combined from theirs."""

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from called import completed
from gameforge_search_vote.ballots import Ballot, elected, most_votes
from gameforge_search_vote.modules import Modular
from gameforge_search_vote.named import NamedEvaluator
from hypothesis import given
from hypothesis import strategies as st
from uncompiled import both_ways

import gameforge as gf
from gameforge.discovery.registry import default_registry
from gameforge.errors import GameforgeError
from gameforge.interfaces.capabilities import capability
from gameforge.kernel.compile.jit import COMPILED
from gameforge.play.game import Position
from gameforge.play.player import Player
from gameforge.play.saved_players import load_players, save_player
from gameforge.testing import check

GAME = gf.game("draughts")
MEMBERS = 5
SEARCHER = "alphabeta:depth=2,memory=0"


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of players with different nets."""
    folder = tmp_path_factory.mktemp("players")
    for i in range(MEMBERS):
        save_player(folder / f"p{i}", net(i))
    return folder


def net(seed: int) -> Player:
    return gf.player(GAME, searcher=SEARCHER, evaluator="mlp:hidden=3,low=-1,high=1", seed=seed, name=f"p{seed}")


def vote(*folders: Path) -> Player:
    return gf.player(
        GAME, searcher={"use": "vote", "players": [str(folder) for folder in folders]}, evaluator="none", name="all"
    )


def ensemble(folder: Path, combine: str) -> Player:
    evaluator = {"use": "ensemble", "players": str(folder), "combine": combine}
    return gf.player(GAME, searcher=SEARCHER, evaluator=evaluator)


def positions(n: int) -> list[Position]:
    """Positions from a few random games."""
    rng = np.random.default_rng(1)
    found = [GAME.position()]
    while len(found) < n:
        moves = found[-1].legal_moves
        found.append(found[-1].play(moves[rng.integers(len(moves))]) if moves else GAME.position())
    return [position for position in found if len(position.codes) > 1]


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
            alone = [member.analyse(position) for member in load_players(sorted(saved.iterdir()), default_registry())]
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
        assert [game.moves for game in one.games] == [game.moves for game in again.games]

    def test_random_members_depend_on_the_seed(self, tmp_path: Path) -> None:
        for i in range(3):
            save_player(tmp_path / str(i), gf.player(GAME, searcher="uct:simulations=20", evaluator="none"))
        first, second = ([g.moves for g in gf.match(vote(tmp_path), net(1), 4, seed=s).games] for s in (1, 2))
        assert first == [g.moves for g in gf.match(vote(tmp_path), net(1), 4, seed=1).games]
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


class TestEnsemble:
    @pytest.mark.parametrize(("combine", "combined"), [("average", np.mean), ("max", np.max), ("min", np.min)])
    def test_scores_are_combined_for_the_side_to_move(self, saved: Path, combine: str, combined: object) -> None:
        states = np.array([position.state for position in positions(30)], np.uint64)
        members = load_players(sorted(saved.iterdir()), default_registry())
        assert callable(combined)
        expected = combined(np.stack([member.values(states) for member in members]), axis=0)
        assert ensemble(saved, combine).values(states) == pytest.approx(expected)

    def test_players_without_weights_may_be_members(self, tmp_path: Path) -> None:
        save_player(tmp_path / "a", gf.player(GAME, searcher="minimax", evaluator="material"))
        save_player(tmp_path / "b", net(1))
        states = np.array([GAME.position("W:W18,22,26:B3,4").state], np.uint64)
        alone = [gf.player(tmp_path / name).values(states)[0] for name in "ab"]
        assert ensemble(tmp_path, "average").values(states)[0] == pytest.approx(np.mean(alone))

    @pytest.mark.parametrize(
        "evaluator",
        [
            {"use": "ensemble", "players": "strong:level=2"},
            {"use": "modules", "players": ["strong:level=2", "strong"], "bounds": [12]},
        ],
    )
    def test_the_levels_of_a_trained_player_have_the_same_scores(self, evaluator: dict[str, object]) -> None:
        states = np.array([GAME.position("W:W18,22,26:B3,4").state], np.uint64)
        found = gf.player(GAME, searcher=SEARCHER, evaluator=evaluator)
        assert found.values(states) == pytest.approx(gf.player("draughts", "strong", level=2).values(states))

    def test_threads_do_not_interfere(self, saved: Path) -> None:
        player = ensemble(saved, "average")
        games = [gf.match(player, net(9), 6, seed=1, workers=workers).games for workers in (1, 2)]
        assert [game.moves for game in games[0]] == [game.moves for game in games[1]]


class TestModules:
    def test_the_player_of_the_phase_scores(self, saved: Path) -> None:
        """24 men at first; the third player scores from 23 pieces on, the first one up to 11."""
        evaluator = {"use": "modules", "players": [str(saved / f"p{i}") for i in range(3)], "bounds": [12, 23]}
        modular = gf.player(GAME, searcher=SEARCHER, evaluator=evaluator)
        found = set()
        for position in [*positions(60), GAME.position("W:W18,22,26:B3,4,11")]:
            pieces = sum(word.bit_count() for word in position.state[:2])
            module = 0 if pieces < 12 else 1 if pieces < 23 else 2
            states = np.array([position.state], np.uint64)
            assert modular.values(states)[0] == pytest.approx(gf.player(saved / f"p{module}").values(states)[0])
            found.add(module)
        assert found == {0, 1, 2}

    def test_a_search_uses_it(self, saved: Path) -> None:
        one = {"use": "modules", "players": [str(saved / "p1"), str(saved / "p1")], "bounds": [12]}
        player = gf.player(GAME, searcher=SEARCHER, evaluator=one)
        alone = gf.player(saved / "p1")
        assert player.analyse(GAME.position()).score == pytest.approx(alone.analyse(GAME.position()).score)

    def test_evaluators_without_weights_and_saved_players_may_be_mixed(self, saved: Path, tmp_path: Path) -> None:
        saved_one = {"use": "ensemble", "players": str(saved / "p1")}
        evaluator = {"use": "modules", "evaluators": ["material:king=2", saved_one], "bounds": [12]}
        modular = gf.player(GAME, searcher=SEARCHER, evaluator=evaluator)
        material = gf.player(GAME, searcher=SEARCHER, evaluator="material:king=2")
        few, many = (
            np.array([GAME.position(text).state], np.uint64)
            for text in ("W:W18,22,K26:B3,4,11", GAME.position_text(GAME.position().state))
        )
        assert modular.values(few)[0] == pytest.approx(material.values(few)[0])
        assert modular.values(few)[0] != 0
        assert modular.values(many)[0] == pytest.approx(gf.player(saved / "p1").values(many)[0])
        save_player(tmp_path / "modules", modular)
        assert gf.player(tmp_path / "modules").values(many)[0] == modular.values(many)[0]
        games = [gf.match(modular, material, 4, seed=1, workers=workers).games for workers in (1, 2)]
        assert [game.moves for game in games[0]] == [game.moves for game in games[1]]

    def test_a_pipeline_knows_the_parameters_of_each_evaluator(self) -> None:
        pipeline = gf.Pipeline(game="morris", evaluator='modules:evaluators=["material", "weighted"],bounds=[12]')
        named = pipeline.settings["evaluator"]["evaluators"]
        assert [one["use"] for one in named] == ["material", "weighted"]
        assert "players" not in pipeline.settings["evaluator"]
        assert set(named[1]) > {"use"}

    def test_what_an_evaluator_raises_ends_the_search(self) -> None:
        class Failing:
            def values(self, states: object) -> object:
                raise RuntimeError("no answer")

        cells = capability(GAME.rules, "cells")
        modular = Modular((NamedEvaluator("failing", Failing(), None),), (), cells)  # type: ignore[arg-type]
        with pytest.raises(GameforgeError, match="no answer"):
            gf.player(GAME, searcher=SEARCHER, evaluator=modular).analyse(GAME.position())


@pytest.mark.parametrize(("kind", "use"), [("searcher", "vote"), ("evaluator", "ensemble")])
def test_contract(kind: str, use: str, saved: Path) -> None:
    print(check(kind, f"{use}:players={saved}", game="draughts").require())


def test_contract_of_modules() -> None:
    check("evaluator", 'modules:evaluators=["material", "mobility"],bounds=[20]', game="othello").require()


@pytest.mark.parametrize(
    ("searcher", "evaluator", "sentence"),
    [
        ({"use": "vote", "players": []}, "none", "must name a run, a saved player, a trained player or a list"),
        ({"use": "vote"}, "none", "searcher.players is missing"),
        ({"use": "vote", "players": 3}, "none", "must be a path or a list of paths"),
        ({"use": "vote", "players": "{empty}"}, "none", "holds no saved players; name a run"),
        ({"use": "vote", "players": "{othello}"}, "none", "player plays Othello"),
        ("minimax", {"use": "ensemble", "players": "{random}"}, "has no evaluator"),
        ("minimax", {"use": "ensemble", "players": "{p0}", "combine": "mean"}, "'average' or 'max' or 'min'"),
        (
            "minimax",
            {"use": "modules", "players": ["a", "b"], "bounds": []},
            "one number fewer than there are players",
        ),
        ("minimax", {"use": "modules", "players": ["a", "b", "c"], "bounds": [9, 9]}, "must be above 0 and ascend"),
        ({"use": "vote", "players": ["stronk:level=1"]}, "none", "stronk:level=1 holds no .* or a trained player"),
        (
            {"use": "vote", "players": ["strong:level=99"]},
            "none",
            "player 'strong' has no level 99; it has levels 1 to ",
        ),
        ({"use": "vote", "players": ["strong:levle=1"]}, "none", r"player strong.levle: no such parameter \(did you"),
        (
            "minimax",
            {"use": "ensemble", "players": "strong:level=0"},
            "player 'strong' has no level 0; it has levels 1 to ",
        ),
        ("minimax", {"use": "modules", "players": ["{empty}"], "bounds": []}, "holds no saved players; name a run"),
        (
            "minimax",
            {"use": "modules", "players": [], "bounds": []},
            "must name a run, a saved player, a trained player or a list",
        ),
        ("minimax", {"use": "modules", "bounds": []}, r"needs either evaluators=\[...\] or players=\[...\]"),
        (
            "minimax",
            {"use": "modules", "evaluators": ["material"], "players": ["a"], "bounds": []},
            r"needs either evaluators=\[...\] or players=\[...\]",
        ),
        (
            "minimax",
            {"use": "modules", "evaluators": [], "bounds": [3]},
            "evaluators = .*: length must be >= 1",
        ),
        (
            "minimax",
            {"use": "modules", "evaluators": ["material"], "bounds": [3]},
            "one number fewer than there are evaluators, 0",
        ),
        ("minimax", {"use": "modules", "evaluators": ["material", "mlp"], "bounds": [9]}, "mlp needs training"),
        ("minimax", {"use": "modules", "evaluators": ["mlp:features=bits"], "bounds": []}, "mlp needs training before"),
        ("minimax", {"use": "modules", "evaluators": ["patterns"], "bounds": []}, "patterns needs training before"),
        (
            "minimax",
            {"use": "modules", "players": ["material"], "bounds": []},
            r"material is an evaluator, not a player; name it in evaluators=\[...\]",
        ),
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


@pytest.mark.parametrize(
    ("evaluators", "sentence"),
    [
        (["material", "nosuch"], "modules.evaluators.1: unknown evaluator 'nosuch'"),
        (["material:kings=2"], "modules.evaluators.0: evaluator.kings: no such parameter"),
        ([3], "evaluator.evaluators = .*: must be a list of values, each a component"),
    ],
)
def test_an_evaluator_is_checked_when_the_pipeline_is_read(evaluators: list[object], sentence: str) -> None:
    bounds = list(range(1, len(evaluators)))
    with pytest.raises(GameforgeError, match=sentence):
        gf.Pipeline(game=GAME, evaluator={"use": "modules", "evaluators": evaluators, "bounds": bounds})


@pytest.mark.skipif(not COMPILED, reason="compares with compiled kernels")
def test_uncompiled_code_plays_the_same(saved: Path) -> None:
    place = positions(9)[-1]
    code = (
        "import numpy; numpy.seterr(over='ignore'); import gameforge as gf\n"
        f"game = gf.game('draughts'); position = game.position({GAME.position_text(place.state)!r})\n"
        f"vote = gf.player(game, searcher={{'use': 'vote', 'players': [{str(saved)!r}]}}, evaluator='none')\n"
        f"found = vote.analyse(position); print(found.move, found.nodes)\n"
        f"e = {{'use': 'ensemble', 'players': {str(saved)!r}}}\n"
        "print(gf.player(game, searcher='minimax:depth=1', evaluator=e).analyse(position).move)\n"
    )
    compiled, uncompiled = both_ways(code)
    assert compiled == uncompiled
