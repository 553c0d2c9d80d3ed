"""What users of the Python API expect of its objects: pickles, short reprs, texts, progress bars."""

import pickle
from pathlib import Path
from typing import Any

import pytest

import gameforge as gf
from gameforge.discovery.registry import default_registry
from gameforge.errors import GameforgeError
from gameforge.play.game import Game, Position
from gameforge.testing.toy import Drift, Greedy, Linear, Pile, Remainders, Solved, Theory


def again(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))


def pile_pipeline(**changes: Any) -> gf.Pipeline:
    components: dict[str, Any] = {
        "game": Pile(stones=9),
        "searcher": Greedy(),
        "evaluator": Linear(),
        "features": Remainders(),
        "learner": Drift(),
        "oracle": "none",
    }
    return gf.Pipeline(**components | changes)


class TestPickles:
    def test_a_position_with_its_game(self) -> None:
        position = gf.game("draughts").position()
        for _ in range(300):  # more than Python can pickle as a chain of positions
            if position.outcome is not None:
                break
            position = position.play(position.legal_moves[0])
        other: Position = again(position)
        assert other == position
        assert other.moves_played == position.moves_played
        assert other.outcome == position.outcome

    def test_a_long_game(self) -> None:
        position = Game(Pile(stones=3000)).position()
        for _ in range(2000):
            position = position.after(1)
        assert again(position).moves_played == [1] * 2000

    def test_a_move(self) -> None:
        move = gf.game("draughts").position().legal_moves[2]
        assert again(move) == move
        assert str(again(move)) == str(move)

    def test_a_player(self) -> None:
        for player in (
            gf.player("draughts", searcher="minimax:depth=3", evaluator="mlp:hidden=4", features="netfeaturemap"),
            gf.player(Pile(), searcher=Greedy(), evaluator=Theory(), oracle=Solved()),
            gf.player("othello", searcher="alphabeta:depth=3", evaluator="wpc", oracle="book"),
        ):
            other = again(player)
            assert (other.name, other.spec) == (player.name, player.spec)
            position = player.game.position()
            assert other.analyse(position).move == player.analyse(position).move
            assert other.analyse(position).score == player.analyse(position).score

    def test_a_player_with_another_searcher(self) -> None:
        first = gf.player(Pile(), searcher="minimax:depth=1", evaluator=Theory())
        parts = first.parts.with_searcher(Greedy())
        assert type(again(parts).searcher) is Greedy

    def test_an_oracle(self) -> None:
        oracle = gf.oracle(Solved())
        position = Game(Pile(stones=4)).position()
        assert again(oracle).probe(position) == oracle.probe(position)

    def test_a_match_and_its_games(self) -> None:
        result = gf.match("minimax:depth=2", "random", games=2, game="draughts")
        assert again(result) == result

    def test_a_run(self, tmp_path: Path) -> None:
        run = pile_pipeline().run(tmp_path / "run", seed=1)
        other = again(run)
        assert other.folder == run.folder
        assert (other.player.weights == run.player.weights).all()
        assert other.pipeline.settings == run.pipeline.settings

    def test_the_registry_of_the_installed_plugins_is_found_again(self) -> None:
        assert again(default_registry()) is default_registry()


class TestReprs:
    def test_they_are_short(self, tmp_path: Path) -> None:
        run = pile_pipeline().run(tmp_path / "run", seed=1)
        result = gf.match(run.player, run.untrained, games=2)
        assert repr(run.pipeline) == "<Pipeline game pile, searcher Greedy, evaluator Linear, learner Drift>"
        assert repr(run) == f"<Run {run.folder}: {run.pipeline!r}, finished>"
        assert repr(run.trained) == "<Trained: 4 weights, 0 generations>"
        assert repr(run.player) == "<Player trained of pile>"
        assert repr(run.parts) == "<Parts of pile: Greedy, Linear>"
        assert repr(result).startswith("<MatchResult trained - untrained: +")


class TestPositions:
    def test_the_text_of_the_game(self) -> None:
        game = gf.game("draughts")
        assert game.position(game.position().fen) == game.position()
        assert Game(Pile()).position().fen == "0xc,0x0"

    def test_the_picture(self) -> None:
        picture = gf.game("draughts").position().svg
        assert picture is not None
        assert picture.startswith("<svg")
        assert Game(Pile()).position().svg is None


class TestDescribedPlayers:
    def test_parts_play_the_game_of_the_other_player(self, tmp_path: Path) -> None:
        player = gf.player("othello", searcher="minimax:depth=1", evaluator="wpc", name="one")
        result = gf.match("random", player, games=2)
        assert result.players == ("random", "one")

    def test_a_folder(self, tmp_path: Path) -> None:
        pipeline = gf.Pipeline(game="othello", learner="td:sessions=1,games=2", oracle="none")
        pipeline.run(tmp_path / "run", seed=1)
        result = gf.match("random", str(tmp_path / "run"), games=2)
        assert result.games[0].players == ("random", str(tmp_path / "run"))

    def test_the_parameter_is_named(self) -> None:
        with pytest.raises(GameforgeError, match=r"player 'random': parts need a game; name it with game=\.\.\."):
            gf.match("random", "minimax", games=2)


class TestOracles:
    @pytest.fixture
    def run(self, tmp_path: Path) -> Any:
        pipeline = gf.Pipeline(game="othello", learner="td:sessions=1,games=2", oracle="book")
        return pipeline.run(tmp_path / "run", seed=1)

    def test_none_removes_those_of_a_saved_player(self, run: Any) -> None:
        for source in (run, run.folder, str(run.folder)):
            assert gf.player(source).parts.book is not None
            without = gf.player(source, oracle="none")
            assert without.parts.book is None
            assert without.spec["oracle"] == []

    def test_none_is_a_part(self, run: Any) -> None:
        from gameforge.play.workshop import Workshop

        assert Workshop().player(str(run.folder)).parts.book is not None
        assert Workshop().player(f"{run.folder} + none").parts.book is None
        with pytest.raises(GameforgeError, match="'none' cannot be combined with oracles"):
            Workshop().player(f"{run.folder} + none + book")
        with pytest.raises(GameforgeError, match="'none' cannot be combined with oracles"):
            Workshop().player(f"{run.folder} + book + none")


class TestProgress:
    def test_nothing_is_shown_where_standard_error_is_a_file(
        self, tmp_path: Path, capfd: pytest.CaptureFixture[str]
    ) -> None:
        run = pile_pipeline().run(tmp_path / "run", seed=1)
        gf.match(run.player, run.untrained, games=2)
        assert capfd.readouterr() == ("", "")

    def test_a_terminal_shows_results_unless_the_caller_opts_out(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capfd: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setenv("FORCE_COLOR", "1")
        monkeypatch.setenv("TERM", "xterm")
        monkeypatch.setenv("COLUMNS", "150")
        run = pile_pipeline().run(tmp_path / "run", seed=1)
        shown = capfd.readouterr()
        assert shown.out == ""
        assert "training" in shown.err
        result = gf.match(run.player, run.untrained, games=4)
        text = f"trained: {result.wins} won, {result.draws} drawn, {result.losses} lost"
        assert text in capfd.readouterr().err
        gf.match(run.player, run.untrained, games=4, progress=False)
        pile_pipeline().run(tmp_path / "other", seed=1, progress=False)
        assert capfd.readouterr().err == ""
