"""Results as data: tables of columns, HTML for notebooks, and readers of what folders and files hold."""

import pickle
from pathlib import Path

import attrs
import numpy as np
import pytest
from toy_site import registry

import gameforge as gf
from gameforge.arena.elo import score_interval
from gameforge.arena.tournament import standings
from gameforge.play.display import SHOWN, columns, html_table
from gameforge.training.run_report import panels


def test_columns_have_the_types_of_their_values() -> None:
    rows = [
        {"whole": 1, "real": 0.5, "gap": 3, "text": "a", "truth": True},
        {"whole": 2, "real": 1, "truth": False, "late": None},
    ]
    found = columns(rows)
    assert list(found) == ["whole", "real", "gap", "text", "truth", "late"]
    assert [column.dtype.kind for column in found.values()] == ["i", "f", "f", "O", "b", "O"]
    assert {len(column) for column in found.values()} == {2}
    assert np.isnan(found["gap"][1])
    assert found["text"].tolist() == ["a", None]
    assert columns([]) == {}


@pytest.mark.parametrize("values", [[1 << 70, 2], [10**400, None], [10**400, 0.5]])
def test_integers_of_any_size_stay_as_they_are(values: list[object]) -> None:
    """A damaged file may have them."""
    assert columns([{"large": value} for value in values])["large"].tolist() == values


def test_html_shows_texts_as_they_are_and_the_first_rows() -> None:
    text = html_table([{"<b>": f"<{i}>"} for i in range(SHOWN + 1)], "a & b")
    assert "<p>a &amp; b</p>" in text
    assert '<th style="text-align: left">&lt;b&gt;</th>' in text
    assert "&lt;0&gt;" in text
    assert f"&lt;{SHOWN}&gt;" not in text
    assert f"{SHOWN} of {SHOWN + 1} rows" in text


def test_html_sets_numbers_right_and_texts_left() -> None:
    text = html_table([{"move": None, "score": None}, {"move": "b1", "score": 0.5}], "")
    assert '<th style="text-align: left">move</th><th style="text-align: right">score</th>' in text
    assert '<td style="text-align: left">b1</td><td style="text-align: right">0.5</td>' in text


@pytest.fixture(scope="module")
def match(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, gf.MatchResult]:
    out = tmp_path_factory.mktemp("match") / "match"
    return out, gf.match("minimax:depth=1", "random", 4, game="draughts", out=out, sprt="0,10")


def test_a_match(match: tuple[Path, gf.MatchResult]) -> None:
    out, result = match
    table = result.table()
    assert table["game"].tolist() == [1, 2, 3, 4]
    assert table["plies"].tolist() == [len(game.codes) for game in result.games]
    assert "<table>" in result._repr_html_()
    assert gf.load_match(out) == gf.load_match(str(out)) == result
    with pytest.raises(gf.GameforgeError, match="holds no match"):
        gf.load_match(out.parent)


def test_a_tournament(match: tuple[Path, gf.MatchResult]) -> None:
    result = standings(["minimax:depth=1", "random"], [match[1]])
    table = result.table()
    assert tuple(table["player"]) == result.players
    assert table["points"].sum() == 4
    assert np.isnan(table[f"against {result.players[0]}"][0])


def test_games_of_files_and_their_moves(match: tuple[Path, gf.MatchResult]) -> None:
    out, result = match
    game = gf.game("draughts")
    assert gf.load_games(out / "games.jsonl", game) == list(result.games)
    read = gf.load_games(str(out / "games.pdn"), "draughts")
    assert [record.codes for record in read] == [record.codes for record in result.games]
    for record in (result.games[0], gf.load_match(out).games[0], read[0], gf.load_games(out / "games.jsonl", game)[0]):
        moves = record.moves
        assert tuple(move.code for move in moves) == record.codes
        assert (len(moves), moves[-1], moves[1:3]) == (len(record.codes), [*moves][-1], tuple(moves)[1:3])
        end = game.position()
        for move in moves:
            end = end.play(move)
        assert (end.fen, end.outcome) == (moves[-1].position.play(moves[-1]).fen, result.games[0].outcome)
        assert record.moves == result.games[0].moves != result.games[1].moves
        assert pickle.loads(pickle.dumps(record)).moves == moves
    with pytest.raises(gf.GameforgeError, match=r"does not know its game; Game\.moves_of"):
        attrs.evolve(record, game=None).moves  # noqa: B018
    [unnamed, *_] = gf.load_games(out / "games.pdn")
    assert (unnamed, unnamed.moves) == (read[0], moves)
    with pytest.raises(gf.GameforgeError, match="nothing"):
        gf.load_games(out / "nothing.pdn", game)
    with pytest.raises(gf.GameforgeError, match=r"is a folder; name a file of games in it: games\.jsonl, games\.pdn$"):
        gf.load_games(out, game)


def test_games_that_contradict_the_rules_are_refused(match: tuple[Path, gf.MatchResult], tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    first = (match[0] / "games.jsonl").read_text().splitlines()[0]
    file.write_text(first.replace(f'"moves": [{match[1].games[0].codes[0]}', '"moves": [1') + "\n")
    with pytest.raises(gf.GameforgeError):
        gf.load_games(file, "draughts")


def test_analyses() -> None:
    player = gf.player("draughts", searcher="minimax:depth=2", evaluator="material")
    position = player.game.position()
    found = player.analyse(position)
    assert found.table()["move"].tolist() == [str(found.move)]
    counted = gf.player("draughts", searcher="uct:simulations=30").analyse(position)
    assert counted.table()["visits"].tolist() == [one.visits for one in counted.statistics]
    game = gf.match(player, "random", 2).games[0]
    judged = gf.judge(player, attrs.evolve(game, moves=game.codes[:6]))
    assert judged.table()["ply"].tolist() == [1, 2, 3, 4, 5, 6]
    assert judged.table()["loss"].tolist() == [one.loss for one in judged.moves]
    assert "6 moves" in judged._repr_html_()


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> gf.Run:
    pipeline = gf.Pipeline(
        game="shuttle",
        searcher="greedy",
        evaluator="linear",
        features="lanes",
        learner="drift:rounds=3",
        oracle="none",
        registry=registry(),
    )
    return pipeline.run(tmp_path_factory.mktemp("runs") / "run", seed=1)


def test_a_run_that_is_read(run: gf.Run) -> None:
    report = gf.RunReport.read(str(run.folder))
    assert report.state == "finished"
    assert report.table()["session"].tolist() == list(range(1, report.sessions + 1))
    assert str(run.folder) in report._repr_html_()
    assert str(attrs.evolve(report, metrics=report.metrics[:1])).endswith("finished, 1 session, 1 game")


def test_a_run_in_memory_is_data_too(run: gf.Run) -> None:
    report = gf.RunReport.read(run.folder)
    assert run.metrics == report.metrics
    table = run.table()
    assert {name: column.tolist() for name, column in table.items()} == {
        name: column.tolist() for name, column in report.table().items()
    }
    assert "<table>" in run._repr_html_()


def test_learning_curves_of_a_run(run: gf.Run) -> None:
    pytest.importorskip("matplotlib")
    report = gf.RunReport.read(run.folder)
    for figure in (run.plot(), report.plot()):
        assert [axes.get_ylabel() for axes in figure.axes] == panels([report]) == ["drift"]
        curve = np.asarray(figure.axes[0].lines[0].get_ydata())
        assert curve.tolist() == run.table()["drift"].tolist()
    with pytest.raises(gf.GameforgeError, match="the learner reported no figures, so there is nothing to draw"):
        attrs.evolve(report, metrics=[{"session": 1, "games": 2}]).plot()
    with pytest.raises(gf.GameforgeError, match="has not finished a session yet, so there is nothing to draw"):
        attrs.evolve(report, metrics=[]).plot()


def test_the_score_of_a_match_over_its_games(match: tuple[Path, gf.MatchResult]) -> None:
    pytest.importorskip("matplotlib")
    result = match[1]
    [axes] = result.plot().axes
    games, scores = (np.asarray(data).tolist() for data in axes.lines[1].get_data())
    assert games == [2, 4]
    assert scores[-1] == result.score
    band = np.asarray(axes.collections[0].get_paths()[0].vertices).tolist()
    assert {*score_interval(result.independent_pairs)} <= {y for x, y in band if x == 4}
    with pytest.raises(gf.GameforgeError, match="no pair of games yet"):
        attrs.evolve(result, games=()).plot()


def test_plots_need_matplotlib(
    run: gf.Run, match: tuple[Path, gf.MatchResult], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    for plot in (run.plot, match[1].plot):
        with pytest.raises(gf.GameforgeError, match="a plot needs matplotlib, which is not installed: pip install"):
            plot()


def test_the_names_of_the_games() -> None:
    assert {"draughts", "othello", "morris"} <= {*gf.games()}
