"""Positions of self-play: what is kept of a game, that it depends on nothing but the plan, how positions are read."""

import itertools
import json
import shutil
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from copies import copies_this_process, exit_code, in_a_copy, kill_this_process
from gameforge_examples import making, positions
from gameforge_examples.conversion import Filter, filter_examples
from gameforge_examples.folder import ExampleFolder, Rows, row_type
from gameforge_examples.making import Plan, make_examples
from gameforge_examples.positions import (
    GameSettings,
    Positions,
    SelfplayPlan,
    make_positions,
    play_games,
    positions_of,
    read_positions,
)
from toy_site import registry
from uncompiled import both_ways

import gameforge as gf
from gameforge.cli.main import run
from gameforge.config import Spec
from gameforge.errors import GameforgeError
from gameforge.play.game import Position
from gameforge.play.pipeline import Pipeline
from gameforge.play.player import Player
from gameforge.training.work import LocalSite

ALPHABETA = "alphabeta:depth=2,memory=0,draws=false"
PLAN = SelfplayPlan(games=70, settings=GameSettings(random_plies=6, random_moves=0.1), seed=5)


def player(searcher: str = ALPHABETA, oracle: str = "none") -> Player:
    return gf.player("draughts", searcher=searcher, evaluator="material", oracle=oracle)


def played(one: Player, games: int = 20, **settings: Any) -> Rows:
    pipeline = Pipeline.from_settings({"learner": "none", "oracle": "none"} | dict(one.spec))
    site = LocalSite(pipeline, one.parts)
    return play_games(site, None, one.weights, GameSettings(**settings), 12345, 0, games).rows


def test_a_row_is_a_quiet_position_with_the_score_of_its_search() -> None:
    one = player()
    rows = played(one, 4, random_plies=5)
    assert len(rows) > 50
    for row in rows[::7]:
        state = tuple(row["state"].tolist())
        position = Position(one.game, state)
        assert not any("x" in str(move) for move in position.legal_moves)
        assert len(position.legal_moves) > 1
        assert row["utility"] == np.float32(-min(max(one.analyse(position).score, -1), 1))
        assert (row["mover"], row["visits"]) == (1 - position.turn, 1)
        assert row["ply"] % 2 == row["mover"]
    assert rows["ply"].min() >= 4
    assert not rows["exact"].any()


def test_noisy_positions_are_kept_on_request() -> None:
    """The games are the same, and so is what is known of the quiet positions."""
    quiet, every = (played(player(), 30, quiet=quiet) for quiet in (True, False))
    places = set(quiet[["match", "ply"]].tolist())
    kept = np.array([place in places for place in every[["match", "ply"]].tolist()])
    assert every[kept].tobytes() == quiet.tobytes()
    left_out = [Position(player().game, tuple(row["state"].tolist())) for row in every[~kept]]
    assert len(left_out) > 50
    assert any("x" in str(move) for position in left_out for move in position.legal_moves)


def test_greedy_moves_have_the_best_static_score() -> None:
    """Each position after the first is reached by the move after which the opponent's static score is lowest."""
    one = player()
    rows = played(one, 10, greedy_moves=1.0, quiet=False)
    steps = 0
    for before, after in itertools.pairwise(rows):
        if (before["match"], before["ply"] + 1) != (after["match"], after["ply"]):
            continue
        position = Position(one.game, tuple(before["state"].tolist()))
        children = np.array([position.play(move).state for move in position.legal_moves], np.uint64)
        reached = (children == after["state"]).all(axis=1)
        scores = one.values(children)
        assert scores[reached] == scores.min()
        steps += 1
    assert steps > 100


def test_greedy_moves_need_an_evaluator() -> None:
    with pytest.raises(GameforgeError, match="greedy moves need an evaluator, which this player does not have"):
        played(gf.player("draughts", searcher="random", evaluator="none"), 1, greedy_moves=0.5)


def test_results_are_those_of_the_mover_and_one_a_game() -> None:
    rows = played(player(), 30, random_moves=0.3)
    assert set(np.unique(rows["result"]).tolist()) == {-1, 0, 1}
    for number in np.unique(rows["match"]):
        results = [set(rows["result"][(rows["match"] == number) & (rows["mover"] == side)].tolist()) for side in (0, 1)]
        assert results in ([{1}, {-1}], [{-1}, {1}], [{0}, {0}])


def test_games_end_where_an_oracle_knows() -> None:
    one = player(oracle="chinook:pieces=3")
    oracle = gf.oracle("chinook", pieces=3)
    rows = played(one, 40, random_moves=0.2)
    assert rows["exact"].any()
    for number in np.unique(rows["match"]):
        game = rows[rows["match"] == number]
        assert not game["exact"][:-1].any()
        if game["exact"][-1]:
            verdict = oracle.probe(Position(one.game, tuple(game["state"][-1].tolist())))
            value = {"win": -1, "draw": 0, "loss": 1}[verdict.value]
            assert (game["utility"][-1], game["result"][-1]) == (value, value)
    on = played(one, 40, random_moves=0.2, adjudicate=False)
    assert on["exact"].sum() > rows["exact"].sum()
    assert len(on) > len(rows)
    assert set(on["utility"][on["exact"]].tolist()) <= {-1.0, 0.0, 1.0}


def test_games_begin_with_the_openings_of_a_set_in_turn() -> None:
    game = gf.game("draughts")
    rows = played(player(), 9, openings="2move", random_plies=0, quiet=False)
    for number, opening in enumerate(game.openings.get("2move")[:9]):
        before = Position(game, opening.start)
        for move in opening.moves:
            before = Position(game, game.play(before.state, move))
        first = rows[(rows["match"] == number) & (rows["ply"] == 0)]
        after = Position(game, tuple(first["state"][0].tolist()))
        assert after.state in [before.play(move).state for move in before.legal_moves]
        assert first["mover"][0] == before.turn
    with pytest.raises(GameforgeError, match="no openings '2mov'"):
        played(player(), 1, openings="2mov")
    with pytest.raises(GameforgeError, match="openings = '3move': morris has no sets of openings"):
        played(gf.player("morris", searcher="random", evaluator="none", oracle="none"), 1, openings="3move")


def test_positions_outside_the_margin_and_a_share_of_the_others_are_left_out() -> None:
    every, even = (played(player(), 30, margin=margin) for margin in (1.0, 0.05))
    assert even.tobytes() == every[np.abs(every["utility"]) <= np.float32(0.05)].tobytes()
    assert 0 < len(even) < len(every)
    some = played(player(), 30, kept=0.25)
    assert set(some[["match", "ply"]].tolist()) <= set(every[["match", "ply"]].tolist())
    assert 0.2 < len(some) / len(every) < 0.3


def test_positions_that_an_evaluator_does_not_score_0_are_left_out() -> None:
    every, equal = (played(player(), 30, balanced_by=spec) for spec in (None, Spec("material", {"king": 1})))
    pieces = np.bitwise_count(every["state"][:, :2])
    assert equal.tobytes() == every[pieces[:, 0] == pieces[:, 1]].tobytes()
    assert 0 < len(equal) < len(every)
    with pytest.raises(GameforgeError, match="balanced_by: patterns has weights to train; choose an evaluator without"):
        played(player(), 1, balanced_by=Spec("patterns"))
    with pytest.raises(GameforgeError, match="balanced_by: evaluator mlp needs a feature map"):
        played(player(), 1, balanced_by=Spec("mlp"))


def test_a_judge_scores_what_the_player_kept() -> None:
    """Its scores depend on nothing but the position."""
    own, judged = (played(player(), 6, judge=judge) for judge in (None, Spec("alphabeta", {"depth": 4, "memory": 1})))
    columns = [name for name in own.dtype.names or () if name != "utility"]
    assert all(np.array_equal(own[name], judged[name]) for name in columns)
    judge = player("alphabeta:depth=4,memory=1")
    for row in judged[::9]:
        score = judge.analyse(Position(judge.game, tuple(row["state"].tolist()))).score
        assert row["utility"] == np.float32(-min(max(score, -1), 1))
    assert (own["utility"] != judged["utility"]).any()


def othello(evaluator: str = "wpc") -> Player:
    return gf.player("othello", searcher="alphabeta:depth=1,memory=0", evaluator=evaluator, oracle="none")


def test_games_begin_with_further_random_moves_until_the_score_is_even() -> None:
    first, later, even = (
        played(othello(), 20, random_plies=4, quiet=False, **settings)
        for settings in ({}, {"further_plies": 12}, {"further_plies": 12, "even": 0.02})
    )
    begins = [
        {int(rows["ply"][rows["match"] == number].min()) for number in range(20)} for rows in (first, later, even)
    ]
    assert max(begins[0]) < 8 < max(begins[1]) < 18
    assert all(abs(rows["utility"][rows["match"] == number][0]) <= 0.02 for rows in (even,) for number in range(20))
    assert max(abs(later["utility"][later["match"] == number][0]) for number in range(20)) > 0.02


def test_positions_whose_lead_an_oracle_knows_score_what_it_is_worth() -> None:
    """Those before them score a share of the game's first known lead."""
    plain, known, mixed = (
        played(othello(), 4, quiet=False, random_moves=0.2, **settings)
        for settings in (
            {},
            {"leads": Spec("solver", {"empty": 7})},
            {"leads": Spec("solver", {"empty": 7}), "outcome": 0.25},
        )
    )
    game, solver = othello().game, gf.oracle("solver", empty=7)
    for row in known[known["exact"]]:
        position = Position(game, tuple(row["state"].tolist()))
        lead = solver.probe(position).lead
        assert lead is not None
        empty = 64 - int(np.bitwise_count(row["state"][:2]).sum())
        assert row["utility"] == np.float32(-np.tanh(lead * (2.17 / max(1, empty)) / 2))
    before = ~known["exact"]
    assert known["utility"][before].tolist() == plain["utility"][before].tolist()
    assert known["utility"][~before].tolist() == mixed["utility"][~before].tolist()
    for number in range(4):
        of_game = mixed["match"] == number
        first = known[of_game & ~before][0]
        signs = np.where(mixed["mover"] == first["mover"], 1, -1)
        expected = 0.75 * plain["utility"] + 0.25 * signs * first["utility"]
        np.testing.assert_allclose(mixed["utility"][of_game & before], expected[of_game & before], rtol=1e-6)
    with pytest.raises(GameforgeError, match="leads: this oracle does not know by how many pieces a game ends"):
        played(player(), 1, leads=Spec("chinook", {"pieces": 2}))


def test_the_plan_may_draw_earlier_than_the_rules() -> None:
    long, short = (played(player(), 20, no_progress=plies)["ply"] for plies in (None, 10))
    assert short.max() < long.max()


def test_a_share_of_random_moves_leaves_that_share_out() -> None:
    none, all_of_them = (played(player(), 20, random_moves=share) for share in (0.0, 1.0))
    assert len(none) > 500
    assert len(all_of_them) == 0


def test_positions_are_the_same_whatever_plays_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = make_positions(tmp_path / "one", player(), PLAN, workers=1)
    monkeypatch.setattr(making, "FLUSH_SECONDS", 0.0)
    monkeypatch.setattr(positions, "GAMES_A_JOB", 3)
    shards = make_positions(tmp_path / "shards", player(), PLAN, workers=1)
    assert len(shards.batches[0].shards) > len(one.batches[0].shards)
    two = make_positions(tmp_path / "two", player(), PLAN, workers=2)
    assert one.rows().tobytes() == shards.rows().tobytes() == two.rows().tobytes()
    assert one.matches == len(np.unique(one.rows()["match"])) == 70
    assert make_positions(tmp_path / "one", player(), PLAN).batches == one.batches  # nothing is made twice


def killed(folder: Path) -> None:
    """Make positions until the first games are finished, in a copy of this process."""
    making.FLUSH_SECONDS, positions.GAMES_A_JOB = 0.0, 3
    make_positions(folder, player(), PLAN, progress=lambda *_: kill_this_process())


@copies_this_process
def test_a_kill_loses_no_finished_game(tmp_path: Path) -> None:
    whole = make_positions(tmp_path / "whole", player(), PLAN)
    assert exit_code(in_a_copy(lambda: killed(tmp_path / "killed"))) == -signal.SIGKILL
    there = ExampleFolder.read(tmp_path / "killed")
    assert 0 < there.matches < 70
    resumed = make_positions(tmp_path / "killed", player(), PLAN)
    assert resumed.rows().tobytes() == whole.rows().tobytes()


def test_it_is_the_same_without_a_compiler() -> None:
    code = """
import hashlib, tempfile
from pathlib import Path
from toy_site import registry
import gameforge as gf
from gameforge_examples.positions import GameSettings, SelfplayPlan, make_positions
player = gf.player("shuttle", searcher="alphabeta:depth=2,memory=0", oracle="none", evaluator="none",
                   registry=registry())
plan = SelfplayPlan(games=6, settings=GameSettings(random_plies=1, random_moves=0.2))
with tempfile.TemporaryDirectory() as out:
    folder = make_positions(Path(out) / "made", player, plan, registry=registry())
    print(folder.examples, hashlib.sha256(folder.rows().tobytes()).hexdigest())
"""
    compiled, uncompiled = both_ways(code)
    assert compiled == uncompiled
    assert int(compiled.split()[0]) > 2


def test_kinds_of_examples_are_kept_apart(tmp_path: Path) -> None:
    make_positions(tmp_path / "a", player(), SelfplayPlan(games=2))
    uct = gf.player("draughts", searcher="uct:simulations=2", evaluator="none", oracle="none")
    with pytest.raises(GameforgeError, match="holds positions of self-play, to which examples of another kind"):
        make_examples(tmp_path / "a", uct, Plan(start_matches=1, states=0), append=True)
    make_examples(tmp_path / "b", uct, Plan(start_matches=1, states=0))
    assert "exact" not in json.loads((tmp_path / "b" / "manifest.json").read_text())
    with pytest.raises(GameforgeError, match="exact is not set there and true here"):
        make_positions(tmp_path / "b", player(), SelfplayPlan(games=2), append=True)


def test_random_plies_that_end_every_game_are_refused(tmp_path: Path) -> None:
    pile = gf.player("shuttle", searcher=ALPHABETA, evaluator="none", oracle="none", registry=registry())
    plan = SelfplayPlan(games=2, settings=GameSettings(random_plies=1000))
    with pytest.raises(GameforgeError, match="1000 random plies end every game of shuttle, or none"):
        make_positions(tmp_path / "a", pile, plan, registry=registry())
    assert not (tmp_path / "a").exists()


def test_the_command_keeps_positions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = str(tmp_path / "out")
    text = ["examples", "make", f"{ALPHABETA} + material", "--game", "draughts", "--games", "3", "--out", out]
    assert run([*text, "--random-plies", "4", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["matches"] == 3
    assert run(["examples", "stats", out]) == 0
    printed = capsys.readouterr().out
    assert "batch 1: 3 games of self-play, " in printed
    assert "visit" not in printed  # an alphabeta counts none


def some_rows() -> Rows:
    """(first word of the state, utility, result, match, exact) each."""
    rows = np.zeros(5, row_type(3, exact=True))
    values = [(7, -0.5, -1, 0, 0), (8, 0.0, 0, 1, 0), (7, 0.5, 1, 1, 0), (9, 1.0, 0, 1, 1), (9, 0.0, 0, 2, 0)]
    for row, (word, utility, result, match, exact) in zip(rows, values, strict=True):
        row["state"][0], row["utility"], row["result"] = word, utility, result
        row["match"], row["exact"], row["visits"] = match, exact, 1
    return rows


def test_values_are_for_the_side_to_move() -> None:
    found = positions_of(some_rows(), source=3, before=10)
    assert found.results.tolist() == [1.0, 0.5, 0.0, 0.5, 0.5]
    assert found.scores.tolist() == [0.75, 0.5, 0.25, 0.0, 0.5]
    assert found.games.tolist() == [10, 11, 11, 11, 12]
    assert set(found.sources.tolist()) == {3}


def test_equal_states_become_one_and_an_oracle_outdoes_searches() -> None:
    found = positions_of(some_rows()).merged()
    assert found.states[:, 0].tolist() == [7, 8, 9]
    assert found.weights.tolist() == [2, 1, 2]
    assert found.results.tolist() == [0.5, 0.5, 0.5]
    assert found.scores.tolist() == [0.5, 0.5, 0.0]
    assert found.exact.tolist() == [False, False, True]
    assert found.games.tolist() == [0, 1, 1]


def test_positions_can_be_filtered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They keep their further columns. What does not fit into memory is not read."""
    folder = make_positions(tmp_path / "a", player(), SelfplayPlan(games=6))
    kept = filter_examples(tmp_path / "a", tmp_path / "b", Filter(sides="both", draws="both", duplicates="mean"))
    assert kept.exact
    assert 0 < kept.examples <= folder.examples
    assert len(read_positions([tmp_path / "b"], gf.game("draughts"))) == kept.examples
    with monkeypatch.context() as small:
        small.setattr("gameforge.memory.available_memory", lambda: 100)
        with pytest.raises(GameforgeError, match=rf"^examples: a set of {kept.examples} positions needs .* of memory"):
            read_positions([tmp_path / "b"], gf.game("draughts"))


def test_images_have_the_same_values(tmp_path: Path) -> None:
    one = player()
    make_positions(tmp_path / "a", one, SelfplayPlan(games=3))
    plain = read_positions([tmp_path / "a"], one.game, merged=False)
    both = plain.with_images(one.game)
    n = len(plain)
    assert len(both) == 2 * n
    assert both.scores[n:].tolist() == plain.scores.tolist()
    assert both.games[n:].tolist() == plain.games.tolist()
    images = Positions(**{name: getattr(both.chosen(np.arange(n, 2 * n)), name) for name in vars_of(both)})
    assert images.with_images(one.game).states[n:].tolist() == plain.states.tolist()
    shutil.copytree(tmp_path / "a", tmp_path / "b")
    merged = read_positions([tmp_path / "a", tmp_path / "b"], one.game, images=True)
    assert merged.weights.sum() == 4 * n
    assert set(merged.sources.tolist()) == {0}


def test_a_folder_that_is_named_twice_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its games would count as different ones, some of them for validation."""
    make_positions(tmp_path / "a", player(), SelfplayPlan(games=2))
    (tmp_path / "link").symlink_to(tmp_path / "a")
    monkeypatch.chdir(tmp_path)
    for other in (Path("a"), tmp_path / "a", Path("a/../a"), Path("link")):
        with pytest.raises(GameforgeError, match=f"examples: a and {other} are the same folder; name it once"):
            read_positions([Path("a"), other], gf.game("draughts"))


def vars_of(positions: Positions) -> list[str]:
    return ["states", "results", "scores", "exact", "weights", "games", "sources"]


def test_a_game_without_symmetries_has_no_images() -> None:
    game = gf.game("shuttle", registry=registry())
    with pytest.raises(GameforgeError, match="shuttle names no symmetries; leave images out"):
        positions_of(some_rows()).with_images(game)


def test_an_empty_folder_and_a_missing_one_are_refused(tmp_path: Path) -> None:
    with pytest.raises(GameforgeError, match="holds no set of examples"):
        read_positions([tmp_path], gf.game("draughts"))
    with pytest.raises(GameforgeError, match=r"examples: the folder .*missing does not exist"):
        read_positions([tmp_path / "missing"], gf.game("draughts"))
