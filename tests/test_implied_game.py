"""The game of a command without --game: that of a player, a position or a file."""

from pathlib import Path

import pytest

import gameforge as gf
from gameforge.cli import main as cli
from gameforge.discovery.registry import default_registry
from gameforge.errors import GameforgeError
from gameforge.play.player_plan import PlayerText
from gameforge.play.saved_players import save_player
from gameforge.play.workshop import Workshop

REGISTRY = default_registry()


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    folder = tmp_path / "saved"
    save_player(folder, gf.player("morris", searcher="minimax:depth=1", evaluator="mills"))
    return folder


class TestImpliedGame:
    @pytest.mark.parametrize(
        ("parts", "game"),
        [
            ("alphabeta + material", None),
            ("alphabeta + wpc", "othello"),
            ("alphabeta + material + chinook:pieces=3", "draughts"),
            ("minimax:depth=2 + mills", "morris"),
            ("nonsense + material", None),
        ],
    )
    def test_parts_imply_a_game_if_only_one_has_them(self, parts: str, game: str | None) -> None:
        assert PlayerText.read(parts, REGISTRY).game == game

    def test_a_folder_names_the_game(self, saved: Path) -> None:
        for text in (str(saved), f"minimax:depth=3 + {saved}"):
            assert str(PlayerText.read(text, REGISTRY).game).partition(":")[0] == "morris"

    def test_the_parameters_of_the_rules_are_kept(self, tmp_path: Path) -> None:
        save_player(tmp_path / "p", gf.player("othello:komi=2", searcher="random", evaluator="none"))
        assert "komi=2" in str(PlayerText.read(str(tmp_path / "p"), REGISTRY).game)

    def test_a_file_names_the_game(self, tmp_path: Path) -> None:
        (tmp_path / "p.toml").write_text('game = "othello"\nsearcher = "random"\n')
        assert PlayerText.read(str(tmp_path / "p.toml"), REGISTRY).game == "othello"
        (tmp_path / "q.toml").write_text('searcher = "random"\n')
        assert PlayerText.read(str(tmp_path / "q.toml"), REGISTRY).game is None


class TestPlayersOfOneMatch:
    def test_parts_follow_the_player_that_implies_a_game(self, saved: Path) -> None:
        players = Workshop(REGISTRY).players(["minimax:depth=1 + material", str(saved)])
        assert [player.game.rules.name for player in players] == ["morris", "morris"]

    def test_no_player_implies_a_game(self) -> None:
        with pytest.raises(GameforgeError, match="parts need a game; name it with game="):
            Workshop(REGISTRY).players(["minimax + material", "random"])

    def test_an_unknown_player_is_refused_before_the_first_is_made(
        self, saved: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The first may build a database, which takes minutes."""
        monkeypatch.setattr("gameforge.play.workshop.Workshop.build", None)
        for game in (None, "morris"):
            with pytest.raises(GameforgeError, match="player 'nosuch': 'nosuch' is not a folder, trained player"):
                Workshop(REGISTRY).players([str(saved), "nosuch"], game)


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    code = cli.run(arguments)
    out, err = capsys.readouterr()
    assert code == 0, err
    return str(out)


class TestCommands:
    def test_play(
        self, saved: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setattr("builtins.input", lambda _: "quit")
        shown = run(capsys, "play", str(saved), "--side", "Black", "--save", str(tmp_path / "evening.txt"))
        assert "You play Black against" in shown

    def test_analyze_the_initial_position(self, saved: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert "move" in run(capsys, "analyze", "--player", str(saved))

    def test_perft_of_a_position(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert " 1 " in run(capsys, "perft", "--depth", "1", "--fen", "W:W18:B11")

    def test_match_and_tournament(self, saved: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert " won, " in run(capsys, "match", str(saved), "random", "--games", "2")
        assert "Elo" in run(capsys, "tournament", "random", str(saved), "--games", "2")

    @pytest.mark.parametrize("player", ["strong", "alphabeta:depth=1 + strong"])
    def test_games_that_do_not_have_the_player_are_not_offered(
        self, player: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert cli.run(["analyze", "--player", player]) == 2
        known = "draughts, international, morris, othello, russian"
        assert capsys.readouterr().err == f"error: cannot infer the game; give --game NAME (known: {known})\n"
