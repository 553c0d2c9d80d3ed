"""What comes from outside: paths that no file can have, files that are none, numbers that nothing can use."""

import errno
import io
import os
from collections.abc import Callable
from pathlib import Path

import attrs
import numpy as np
import pytest

import gameforge as gf
from gameforge.cli.main import run
from gameforge.config import kinds, read_toml, split_parts, structure
from gameforge.config.outside import Unusable, read_file, require_path
from gameforge.errors import GameforgeError
from gameforge.play.player import Player
from gameforge.play.saved_players import save_player
from gameforge.storage.files import require_writable
from gameforge.storage.folder import Folder, ManifestFormat
from gameforge.storage.player_files import PLAYER_FORMAT, WEIGHTS
from gameforge.storage.stored import packed_arrays, read_arrays
from gameforge.training.run_report import RunReport

GAME = "othello"
LONG = "x" * 256
FORMAT = ManifestFormat("thing", "thing.json", "gameforge-thing", 1)
NOT_UTF8 = os.fsdecode(b"caf\xe9")


@pytest.fixture(scope="module")
def player() -> Player:
    return gf.player(GAME, searcher="random", evaluator="none")


def fifo(path: Path) -> Path:
    os.mkfifo(path)
    return path


def loop(path: Path) -> Path:
    path.symlink_to(path)
    return path


IMPOSSIBLE = {
    "a name that is too long": (LONG, "a name has 256 bytes; at most 255 are allowed"),
    "a path that is too long": ("x/" * 2100, "the path has 4.* bytes; less than 4096 are allowed"),
    "NUL": ("a\0b", r"'\\x00' cannot be in the name of a file"),
    "half a character": ("a\ud800b", r"'\\ud800' cannot be in the name of a file"),
}
UNWISE = {
    "a newline": ("a\nb", "a new file or folder must have a name of printable characters"),
    "an escape sequence": ("a\x1b[2Jb", "a new file or folder must have a name of printable characters"),
    "a device": ("runs/NUL.txt", "'NUL.txt' means a device on Windows"),
    "a device with a blank": ("runs/aux .db", "'aux .db' means a device on Windows"),
}


@pytest.mark.parametrize("what", [*IMPOSSIBLE, *UNWISE])
def test_a_new_folder_has_a_possible_name(what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    name, reason = {**IMPOSSIBLE, **UNWISE}[what]
    with pytest.raises(GameforgeError, match=reason), Folder(path=Path(name), format=FORMAT).open_or_resume():
        pass
    with pytest.raises(GameforgeError, match=reason):
        require_writable(Path(name))
    assert list(tmp_path.iterdir()) == []


def test_a_circle_of_links_is_no_folder(tmp_path: Path) -> None:
    for path in (loop(tmp_path / "a"), tmp_path / "a" / "b"):
        with pytest.raises(GameforgeError, match="its symbolic links lead in a circle"):
            require_path(path)


def test_a_link_to_nothing_is_no_new_folder(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("missing")
    with (
        pytest.raises(GameforgeError, match="link is a symbolic link to a folder that does not exist"),
        Folder(path=tmp_path / "link", format=FORMAT).open_or_resume(),
    ):
        pass


def test_folders_that_exist_may_have_any_name(tmp_path: Path) -> None:
    for name in ("a\nb", "con", NOT_UTF8):
        (tmp_path / name).mkdir()
        require_path(tmp_path / name / "new", new=True)


@pytest.mark.parametrize("what", IMPOSSIBLE)
def test_settings_have_a_possible_name(what: str) -> None:
    with pytest.raises(GameforgeError):
        read_toml(f"{IMPOSSIBLE[what][0]}.toml")
    with pytest.raises(GameforgeError):
        gf.player(Path(IMPOSSIBLE[what][0]))


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (["match", "random", "random", "--game", GAME, "--out", LONG], "--out 'xxx"),
        (["run", "--game", GAME, "--out", LONG], "--out 'xxx"),
        (["runs", LONG], "FOLDER"),
        (["replay", LONG], "FILE 'xxx"),
        (["match", "random", "random", "--game", GAME, "--games", str(1 << 64)], "--games 18446744073709551616: must"),
        (["play", "--game", GAME, "--seed", str(1 << 64)], "--seed 18446744073709551616: must be from -2^63 + 1 to"),
        (["run", "--game", GAME, "--match-games", str(1 << 64)], "--match-games 18446744073709551616: must"),
        (["match", "random", "random", "--game", GAME, "--openings", "x" * 300], "openings 'xxx"),
        (["match", "random", "random", "--game", GAME, "--openings", "a\ud800"], "openings 'a"),
        (["match", "random", "random", "--game", GAME, "--openings", f"random:{'9' * 5000}"], "must be random:PLIES"),
        (["run", "--game", GAME, "--set", f"oracle.{'9' * 5000}=1"], "oracle"),
        (["run", "--game", GAME, "--executor", "dask://localhost:99999"], "with a port up to 65535"),
        (["games", "import", "x.pdn", "--into", "x.db", "--encoding", "zlib"], "unknown encoding 'zlib'"),
        (["games", "import", "x.pdn", "--into", "x.db", "--encoding", "a\ud800"], "unknown encoding 'a"),
        (["run", "x" * 300], "is not a file, folder or preset"),
        (["web", "--game", GAME, "--no-open", "--host", "a\ud800"], "cannot use port"),
        (["analyze", "--game", GAME, "--mistake", "inf"], "--mistake inf: must be a finite number"),
    ],
)
def test_options_are_usable(line: list[str], reason: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(line) == 2
    assert reason in capsys.readouterr().err


@attrs.frozen
class Counted:
    """Parameters with counts."""

    games: int = attrs.field(validator=kinds.count(1))
    plies: int = attrs.field(default=0, validator=kinds.count_or_off())


@pytest.mark.parametrize("name", ["games", "plies"])
def test_counts_have_63_bits(name: str) -> None:
    assert structure(Counted, {"games": 1, name: (1 << 63) - 1})
    with pytest.raises(GameforgeError, match=f"{name} = 9223372036854775808: must be less than 2\\^63"):
        structure(Counted, {"games": 1, name: 1 << 63})


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
class TestNoFile:
    """Nobody writes to these pipes: a reader that opens one waits for ever."""

    @pytest.mark.parametrize(
        ("make", "reason"),
        [
            (fifo, "it is a named pipe"),
            (lambda path: path.symlink_to("/dev/zero") or path, "it is a device"),
            (loop, "symbolic links"),
        ],
    )
    def test_what_is_no_file_is_not_read(self, make: Callable[[Path], Path], reason: str, tmp_path: Path) -> None:
        path = make(tmp_path / "thing.json")
        with pytest.raises(OSError, match=reason):
            read_file(path)
        with pytest.raises(GameforgeError, match=f"cannot read .*: .*{reason}"):
            read_toml(path)
        with pytest.raises(GameforgeError, match=f"cannot read .*: .*{reason}"):
            FORMAT.read(tmp_path)

    @pytest.mark.parametrize("name", [WEIGHTS, PLAYER_FORMAT.file, "player.toml"])
    def test_players(self, name: str, tmp_path: Path, player: Player) -> None:
        net = gf.player(GAME, searcher="minimax", evaluator="mlp:hidden=2", features="bits", oracle="none")
        save_player(tmp_path, net)
        (tmp_path / name).unlink(missing_ok=True)
        fifo(tmp_path / name)
        with pytest.raises(GameforgeError, match="it is a named pipe"):
            gf.player(tmp_path)

    def test_openings(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        path = str(fifo(tmp_path / "lines.txt"))
        assert run(["match", "random", "random", "--game", GAME, "--openings", path]) == 2
        assert "no such set or file" in capsys.readouterr().err

    @pytest.mark.parametrize("line", ["analyze {}", "replay {}", "games import {} --into db", "games find {}"])
    def test_games(self, line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        """What is there instead is named, where a message would otherwise say that nothing is."""
        pipe = fifo(tmp_path / "games.txt")
        assert run(line.format(pipe).split()) == 2
        assert capsys.readouterr().err == f"error: cannot read {pipe}: it is a named pipe\n"

    def test_a_folder_is_no_database(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert run(["games", "find", str(tmp_path)]) == 2
        assert capsys.readouterr().err == f"error: {tmp_path} is a folder; name a file\n"

    def test_runs(self, tmp_path: Path) -> None:
        pipeline = gf.Pipeline(game=GAME, searcher="minimax:depth=1", evaluator="wpc", learner="none", oracle="none")
        assert pipeline
        folder = tmp_path / "run"
        folder.mkdir()
        (folder / "run.json").write_text('{"format": "gameforge-run", "schema": 1, "state": "interrupted", "seed": 0}')
        (folder / "pipeline.toml").write_text(f'game = "{GAME}"\n')
        fifo(folder / "metrics.jsonl")
        with pytest.raises(GameforgeError, match="it is a named pipe"):
            RunReport.read(folder)


NESTED = {
    "lists": f"x = {'[' * 3000}",
    "tables": f"{'a.' * 99}b.c = 1",
    "tables in tables": f"x = {'{a = ' * 150}1{'}' * 150}",
    "a key that takes minutes": f"{'a.' * 200_000}b = 1",
    "a header that takes minutes": f"[{'a.' * 200_000}b]",
}


@pytest.mark.parametrize("what", NESTED)
def test_toml_is_shallow(what: str, tmp_path: Path) -> None:
    path = tmp_path / "x.toml"
    path.write_text(NESTED[what])
    with pytest.raises(GameforgeError, match=r"is not valid TOML: .*(deep|too many dots)"):
        read_toml(path)


def test_toml_is_small(tmp_path: Path) -> None:
    path = tmp_path / "x.toml"
    path.write_bytes(b"\n" * (1 << 20) + b"x = 1")
    with pytest.raises(GameforgeError, match=r"cannot read .*: it has 1048581 bytes, more than the 1048576"):
        read_toml(path)


def test_manifests_are_shallow(tmp_path: Path) -> None:
    (tmp_path / FORMAT.file).write_text(f'{{"format": "gameforge-thing", "x": {"[" * 150}{"]" * 150}}}')
    with pytest.raises(GameforgeError, match=r"thing\.json is damaged: its values are nested more than 100 deep"):
        FORMAT.read(tmp_path)


@pytest.mark.parametrize("text", [f"a:b={'[' * 3000}", f"a:b={'{c = ' * 3000}"])
def test_components_are_shallow(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Every argument of a command is read as a component, since it may name a program."""
    assert run(["perft", "--depth", "1", "--game", text]) == 2
    error = capsys.readouterr().err
    assert "[...]" in error, "the message loses its middle"
    assert len(error) < 2200


def test_quotes_that_are_not_closed_are_looked_for_once() -> None:
    """If the time grows with the square of the length of the text, this takes minutes."""
    assert split_parts('"' + '\\"' * 50_000) == ['"' + '\\"' * 50_000]
    assert split_parts("it's + it's") == ["it's + it's"]
    assert split_parts("it's + \"a + b\" + 'c") == ["it's + \"a + b\" + 'c"]


def test_paths_of_components_are_possible() -> None:
    for name in (LONG, "a\0b"):
        with pytest.raises(GameforgeError, match=r"path: the path '.*': "):
            structure(Placed, {"path": name})


@attrs.frozen
class Placed:
    """Parameters with a path."""

    path: Path


def test_what_the_system_refuses_ends_in_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", "secret")

    monkeypatch.setattr("gameforge.cli.commands.board.game_for", refuse)
    assert run(["board", "--game", GAME]) == 2
    assert capsys.readouterr().err == "error: cannot use secret: Permission denied\n"


def test_a_player_in_a_folder_that_is_not_utf8_plays_a_match(tmp_path: Path, player: Player) -> None:
    """Its name is written into files of games, which are."""
    folder = tmp_path / f"{NOT_UTF8}\n"
    save_player(folder, player)
    result = gf.match(str(folder), "random", 2, out=tmp_path / "m", openings=0)
    assert result.players[0].endswith(r"caf\udce9\x0a")
    assert gf.load_match(tmp_path / "m").players == result.players
    again = gf.match(str(folder), "random", 4, out=tmp_path / "m", openings=0)
    assert again.games[:2] == result.games


def test_weights_are_in_the_folder_of_their_player(tmp_path: Path) -> None:
    net = gf.player(GAME, searcher="minimax", evaluator="mlp:hidden=2", features="bits", oracle="none")
    save_player(tmp_path / "p", net)
    (tmp_path / "p" / WEIGHTS).rename(tmp_path / "elsewhere.npz")
    (tmp_path / "p" / WEIGHTS).symlink_to(tmp_path / "elsewhere.npz")
    with pytest.raises(GameforgeError, match="is a link that leads out of the folder of the player"):
        gf.player(tmp_path / "p")


def test_a_file_is_not_read_beyond_its_limit(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(bytes(100))
    assert read_file(path, 100) == bytes(100)
    with pytest.raises(Unusable, match="it has 100 bytes, more than the 99 that are read"):
        read_file(path, 99)


def test_arrays_are_measured_before_they_are_inflated(monkeypatch: pytest.MonkeyPatch) -> None:
    packed = io.BytesIO()
    np.savez_compressed(packed, weights=np.zeros(1_000_000, np.float32))
    assert len(read_arrays(packed.getvalue())["weights"]) == 1_000_000
    monkeypatch.setattr("gameforge.storage.stored.MOST_BYTES", 1000)
    with pytest.raises(ValueError, match="its arrays have 4000128 bytes, more than the"):
        read_arrays(packed.getvalue())
    assert read_arrays(packed_arrays({"weights": np.zeros(1_000_000, np.float32)})), "its own are not compressed"
