"""Examples made by matches: what is recorded of a match, and that it depends on nothing but the plan."""

import json
import shutil
import signal
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from copies import copies_this_process, exit_code, in_a_copy, kill_this_process
from gameforge_examples import making
from gameforge_examples.folder import ExampleFolder, Rows
from gameforge_examples.making import Plan, make_examples, random_states
from toy_site import shuttle
from uncompiled import both_ways

import gameforge as gf
from gameforge.cli.main import run
from gameforge.errors import GameforgeError
from gameforge.interfaces.rules import State
from gameforge.play.game import Game
from gameforge.play.pipeline import Pipeline
from gameforge.play.player import Player
from gameforge.training.work import LocalSite

SIMULATIONS = 30
UCT = f"uct:simulations={SIMULATIONS},reuse=false"
PLAN = Plan(start_matches=3, states=4, matches=2, seed=5)


def player(searcher: str = UCT, game: str = "othello") -> Player:
    return gf.player(game, searcher=searcher, evaluator="none", oracle="none")


def recorded(one: Player, number: int = 0) -> Rows:
    pipeline = Pipeline.from_settings({"learner": "none", "oracle": "none"} | dict(one.spec))
    start = one.game.rules.initial()
    return making.play_match(LocalSite(pipeline, one.parts), None, start, np.random.SeedSequence(1), number).rows


@pytest.mark.parametrize("block", [4096, 1])
def test_all_children_of_every_root_are_recorded(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """This holds even if the kernel's block of rows fills up many times."""
    monkeypatch.setattr(making, "_ROWS", block)
    one = player()
    game, rows = one.game, recorded(one, 7)
    turns = [rows[rows["ply"] == ply] for ply in range(rows["ply"][-1] + 1)]
    possible = [game.rules.initial()]
    for ply, turn in enumerate(turns):
        (state,) = (s for s in possible if children(game, s) == set(map(tuple, turn["state"].tolist())))
        assert len(turn) == len(game.legal(state))
        assert set(turn["mover"].tolist()) == {ply % 2}
        assert turn["visits"].sum() == SIMULATIONS
        assert np.abs(turn["utility"]).max() <= 1
        best = max(zip(turn["utility"].tolist(), turn["visits"].tolist(), strict=True))  # the move that is played
        possible = [tuple(row["state"].tolist()) for row in turn if (row["utility"], row["visits"]) == best]
    assert any(game.code(state, len(game.legal(state))) for state in possible)
    assert set(rows["match"].tolist()) == {7}


def children(game: Game, state: State) -> set[State]:
    return {game.play(state, move) for move in game.legal(state)}


def test_results_are_for_the_mover() -> None:
    """All examples of a mover have the same result, and the two movers have opposite ones."""
    one = player()
    for number in range(3):
        rows = recorded(one, number)
        by_mover = {mover: set(rows["result"][rows["mover"] == mover].tolist()) for mover in (0, 1)}
        assert by_mover in ({0: {1}, 1: {-1}}, {0: {-1}, 1: {1}}, {0: {0}, 1: {0}})


def test_examples_do_not_depend_on_workers_or_shards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rows are the same for one and two workers, and for large and small shards."""
    one = make_examples(tmp_path / "one", player(), PLAN, workers=1)
    monkeypatch.setattr(making, "FLUSH_SECONDS", 0.0)
    two = make_examples(tmp_path / "two", player(), PLAN, workers=2)
    assert len(two.batches[0].shards) > len(one.batches[0].shards)
    assert one.rows().tobytes() == two.rows().tobytes()
    assert one.batches[0].numbers["mean_plies"] == two.batches[0].numbers["mean_plies"]
    assert one.matches == PLAN.total == 11
    assert Counter(one.rows()["match"].tolist()).keys() == set(range(PLAN.total))
    other = make_examples(tmp_path / "other", player(), Plan(start_matches=3, states=4, matches=2, seed=6))
    assert other.rows().tobytes() != one.rows().tobytes()


class _Stopped(Exception):
    pass


def test_an_interrupted_batch_resumes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is interrupted again and again, and has the same examples at the end."""
    whole = make_examples(tmp_path / "whole", player(), PLAN)
    monkeypatch.setattr(making, "FLUSH_SECONDS", 0.0)
    interrupted, finished = 0, False
    while not finished:

        def stop(done: int, total: int, folder: ExampleFolder) -> None:
            raise _Stopped

        try:
            finished = bool(make_examples(tmp_path / "parts", player(), PLAN, workers=2, progress=stop))
        except _Stopped:
            interrupted += 1
            assert ExampleFolder.read(tmp_path / "parts").matches > 0
    assert interrupted > 2
    assert ExampleFolder.read(tmp_path / "parts").rows().tobytes() == whole.rows().tobytes()


def killed(folder: Path) -> None:
    """Make examples until the fifth match is finished, in a copy of this process."""
    making.FLUSH_SECONDS = 0.0

    def kill(done: int, *_: object) -> None:
        if done > 4:
            kill_this_process()

    make_examples(folder, player(), PLAN, workers=2, progress=kill)


@copies_this_process
def test_a_kill_loses_no_finished_match(tmp_path: Path) -> None:
    whole = make_examples(tmp_path / "whole", player(), PLAN)
    assert exit_code(in_a_copy(lambda: killed(tmp_path / "killed"))) == -signal.SIGKILL
    unfinished = ExampleFolder.read(tmp_path / "killed")
    assert unfinished.matches > 4
    assert not unfinished.batches[0].finished
    resumed = make_examples(tmp_path / "killed", player(), PLAN)
    assert resumed.rows().tobytes() == whole.rows().tobytes()


def test_nothing_is_made_twice_and_other_examples_need_append(tmp_path: Path) -> None:
    small = Plan(start_matches=1, states=0)
    first = make_examples(tmp_path / "a", player(), small)
    assert make_examples(tmp_path / "a", player(), small).batches == first.batches
    other = Plan(start_matches=1, states=0, seed=1)
    with pytest.raises(GameforgeError, match=r"seed is 0, not 1; add to them nevertheless with append=\.\.\.$"):
        make_examples(tmp_path / "a", player(), other)
    with pytest.raises(GameforgeError, match=r"with other settings: player\.searcher\.simulations is \d+, not 31;"):
        make_examples(tmp_path / "a", player("uct:simulations=31"), small)
    both = make_examples(tmp_path / "a", player(), other, append=True)
    assert [batch.matches for batch in both.batches] == [1, 1]
    rows = both.rows()
    assert set(rows["match"].tolist()) == {0, 1}
    assert rows[: first.examples].tobytes() == first.rows().tobytes()


def test_an_unfinished_batch_must_be_finished_before_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(making, "FLUSH_SECONDS", 0.0)

    def stop(done: int, total: int, folder: ExampleFolder) -> None:
        raise _Stopped

    with pytest.raises(_Stopped):
        make_examples(tmp_path / "a", player(), PLAN, progress=stop)
    with pytest.raises(
        GameforgeError,
        match="an unfinished batch with other settings: seed is 5, not 6; finish it first",
    ):
        make_examples(tmp_path / "a", player(), Plan(start_matches=3, states=4, matches=2, seed=6), append=True)


def test_a_new_folder_is_removed_if_no_match_is_finished(tmp_path: Path) -> None:
    def check() -> None:
        raise _Stopped

    with pytest.raises(_Stopped):
        make_examples(tmp_path / "a", player("uct:simulations=200000"), PLAN, check=check)
    assert not (tmp_path / "a").exists()


def test_random_states_are_different_unfinished_and_nearest_first() -> None:
    game = gf.game("othello")
    states = random_states(game, 40, 10.0, np.random.default_rng(3))
    discs = [bin(state[0] | state[1]).count("1") for state in states]
    assert len(set(states)) == len(states) == 40
    assert discs == sorted(discs)
    assert discs[0] == 5
    assert discs[-1] <= 4 + 40 / 3  # five games at once, few of them in equal states
    assert all(game.code(state, len(game.legal(state))) == 0 for state in states)


def test_a_game_with_too_few_states_is_refused() -> None:
    with pytest.raises(GameforgeError, match=r"reach only \d+ different states, not 100000; choose a smaller number"):
        random_states(shuttle(), 100_000, 10.0, np.random.default_rng(0))


def test_a_searcher_that_does_not_count_visits_is_refused(tmp_path: Path) -> None:
    with pytest.raises(GameforgeError, match="does not count visits of moves"):
        make_examples(tmp_path / "a", player("minimax:depth=1"), PLAN)
    assert not (tmp_path / "a").exists()


def test_the_command_makes_counts_and_filters(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    raw, kept = str(tmp_path / "raw"), str(tmp_path / "kept")
    small = ["--game", "othello", "--start-matches", "2", "--states", "1", "--matches", "2"]
    assert run(["examples", "make", "uct:simulations=20", *small, "--out", raw, "--workers", "2", "--json"]) == 0
    made = json.loads(capsys.readouterr().out)
    assert made["matches"] == 4
    assert made["examples"] == sum(made["results"]) == made["unvisited"] + sum(made["utilities"])
    assert run(["examples", "filter", raw, "--out", kept, "--json"]) == 0
    chosen = json.loads(capsys.readouterr().out)
    assert chosen["examples"] == chosen["states"] == chosen["results"][0]
    assert chosen["test"] == round(0.1 * chosen["examples"])
    assert run(["examples", "stats", kept]) == 0
    printed = capsys.readouterr().out
    assert f"{chosen['examples']:,} examples of othello" in printed
    assert "\nvisits 1 to " in printed


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["make", "uct:simulations=0"], "simulations"),
        (["make", "uct:time=0"], "time"),
        (["make"], "give a player that plays against itself, or files of games with --from"),
        (["make", "uct:simulations=5", "--start-matches", "0"], "--start-matches"),
        (["make", "minimax:depth=1 + wpc"], "does not count visits of moves"),
        (["make", "minimax:depth=1 + wpc"], "or make examples of whole games with --games"),
        (["make", "uct:simulations=5", "--random-moves", "0.1"], "--random-moves needs --games and a player"),
        (["make", "uct:simulations=5", "--no-quiet"], "--no-quiet needs --games and a player"),
        (["make", "--from", "games.oth", "--games", "2"], "--games plays games of a player, and does not go with"),
        (["make", "uct:simulations=5", "--games", "2", "--states", "3"], "--states needs a player, and does not go"),
        (["make", "uct:simulations=5", "--games", "2", "--repetition", "1"], "repetition"),
        (["make", "uct:simulations=5", "--executor", "nowhere"], "executor 'nowhere': must be"),
        (["make", "--from", "missing.oth"], "missing.oth"),
    ],
)
def test_bad_input_is_one_sentence(
    arguments: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert run(["examples", *arguments, "--game", "othello", "--out", str(out)]) == 2
    *_, error = capsys.readouterr().err.splitlines()  # a notice of compilation may precede the error
    assert error.startswith("error: ")
    assert message in error
    assert not out.exists()


def test_uncompiled_code_makes_the_same_examples() -> None:
    code = """
import hashlib, tempfile
from pathlib import Path
from toy_site import registry
import gameforge as gf
from gameforge_examples.making import Plan, make_examples
searcher = "uct:simulations=4"
player = gf.player("shuttle", searcher=searcher, evaluator="none", oracle="none", registry=registry())
with tempfile.TemporaryDirectory() as out:
    folder = make_examples(Path(out) / "made", player, Plan(start_matches=1, states=1, matches=1), registry=registry())
    print(folder.examples, hashlib.sha256(folder.rows().tobytes()).hexdigest())
"""
    compiled, uncompiled = both_ways(code)
    assert compiled == uncompiled
    assert int(compiled.split()[0]) > 2


def test_a_disk_without_room_for_the_rest_is_reported_and_what_is_finished_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(making, "FLUSH_SECONDS", 0.0)
    plan = Plan(start_matches=2, states=0)
    free = 10**9
    monkeypatch.setattr(shutil, "disk_usage", lambda path: shutil._ntuple_diskusage(10**12, 0, free))
    whole = make_examples(tmp_path / "whole", player(), plan)
    free = sum(path.stat().st_size for path in whole.path.glob("*.npy")) // 3
    with pytest.raises(GameforgeError, match=r"the rest of 2 matches needs \d.* of disk in .*, where \d.* are free"):
        make_examples(tmp_path / "full", player(), plan)
    free = 10**9
    assert make_examples(tmp_path / "full", player(), plan).rows().tobytes() == whole.rows().tobytes()
