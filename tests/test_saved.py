"""Players on disk: they are read back as they were, or refused with their path."""

import hashlib
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from toy_site import registry, shuttle

import gameforge as gf
from gameforge.errors import GameforgeError
from gameforge.play.player import Player
from gameforge.play.saved_players import save_player
from gameforge.play.workshop import Workshop
from gameforge.storage.files import write_atomically


def toy(**parts: Any) -> Player:
    chosen = {"searcher": "greedy", "evaluator": "linear", "features": "lanes"} | parts
    return gf.player("shuttle", registry=registry(), seed=3, **chosen)


def load(folder: Path) -> Player:
    return Workshop(registry()).load(folder)


WEIGHTS = np.zeros(3, np.float32)


def npz(**arrays: Any) -> bytes:
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()


def npy(array: Any) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array)
    return buffer.getvalue()


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """The folder of a saved player."""
    save_player(tmp_path / "player", toy())
    return tmp_path / "player"


def edit(folder: Path, **changes: Any) -> None:
    """Change keys of the manifest; None removes one."""
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text()) | changes
    path.write_text(json.dumps({key: value for key, value in manifest.items() if value is not None}))


class TestRoundTrip:
    def test_a_net(self, saved: Path) -> None:
        player = load(saved)
        np.testing.assert_array_equal(player.weights, toy().weights)
        assert (player.name, player.spec) == ("player", toy().spec)
        assert player.analyse(shuttle().position()) == toy().analyse(shuttle().position())

    @pytest.mark.parametrize(
        "parts",
        [
            {"evaluator": "material:king=1.4"},
            {"evaluator": "none"},
            {"evaluator": "mlp:hidden=3,direct=true", "features": "directmap"},
            {"oracle": ["chinook:pieces=2", "chinook:pieces=3"], "searcher": "minimax:depth=2"},
        ],
        ids=str,
    )
    def test_any_parts(self, parts: dict[str, Any], tmp_path: Path) -> None:
        player = gf.player("draughts:repetition=0", name="one", **({"searcher": "minimax:depth=1"} | parts))
        save_player(tmp_path, player)
        again = gf.player(tmp_path)
        assert (again.name, again.spec, again.game.rules) == ("one", player.spec, player.game.rules)
        assert (again.weights is None) == (player.weights is None)
        position = player.game.position()
        assert again.analyse(position) == player.analyse(position)

    def test_an_older_one_is_replaced(self, saved: Path) -> None:
        save_player(saved, toy(evaluator="linear:scale=3.0"), "weights-2.npz")
        assert sorted(path.name for path in saved.iterdir()) == ["manifest.json", "weights-2.npz"]
        assert load(saved).spec["evaluator"]["scale"] == 3

    def test_old_weights_are_removed(self, saved: Path) -> None:
        save_player(saved, toy(evaluator="none", features=None))
        assert [path.name for path in saved.iterdir()] == ["manifest.json"]
        assert load(saved).weights is None

    def test_the_folder_of_a_run(self, saved: Path) -> None:
        assert load(saved.parent).spec == load(saved).spec

    def test_no_pickle(self, saved: Path) -> None:
        with np.load(saved / "weights.npz", allow_pickle=False) as arrays:
            assert arrays["weights"].dtype == np.float32


class TestRefusals:
    def test_no_manifest(self, saved: Path) -> None:
        (saved / "manifest.json").unlink()
        with pytest.raises(GameforgeError, match=rf"{saved} holds no player: there is no manifest.json"):
            load(saved)
        with pytest.raises(GameforgeError, match="holds no player"):
            load(saved / "nowhere")

    def test_an_unfinished_run(self, saved: Path) -> None:
        run = saved.with_name("unfinished")
        run.mkdir()
        (run / "run.json").write_text("{}")
        with pytest.raises(GameforgeError, match=f"the run in {run} has no player yet, because it has not finished"):
            load(run)

    @pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe", b'{"format": "gameforge-pla'])
    def test_a_torn_manifest(self, content: bytes, saved: Path) -> None:
        (saved / "manifest.json").write_bytes(content)
        with pytest.raises(GameforgeError, match=r"manifest.json is damaged: "):
            load(saved)

    @pytest.mark.parametrize("content", ["[]", "3", '{"name": "somebody"}', '{"format": "gameforge-run"}'])
    def test_foreign_json(self, content: str, saved: Path) -> None:
        (saved / "manifest.json").write_text(content)
        with pytest.raises(GameforgeError, match=r"manifest.json is not the manifest of a player"):
            load(saved)

    @pytest.mark.parametrize("schema", [0, 2, "1"])
    def test_another_schema(self, schema: Any, saved: Path) -> None:
        edit(saved, schema=schema)
        with pytest.raises(GameforgeError, match=rf"has schema {schema!r}; this GameForge reads schema 1"):
            load(saved)

    @pytest.mark.parametrize("key", ["name", "pipeline"])
    def test_a_manifest_that_lacks_something(self, key: str, saved: Path) -> None:
        edit(saved, **{key: None})
        with pytest.raises(GameforgeError, match=rf"manifest.json is damaged: {key} is missing: must be a"):
            load(saved)

    def test_torn_weights(self, saved: Path) -> None:
        weights = saved / "weights.npz"
        weights.write_bytes(weights.read_bytes()[:-1])
        with pytest.raises(
            GameforgeError, match=r"weights.npz is not the file that manifest.json describes: it is incomplete or"
        ):
            load(saved)

    def test_one_altered_byte(self, saved: Path) -> None:
        weights = saved / "weights.npz"
        data = bytearray(weights.read_bytes())
        data[len(data) // 2] ^= 1
        weights.write_bytes(data)
        with pytest.raises(GameforgeError, match="incomplete or altered"):
            load(saved)

    def test_missing_weights(self, saved: Path) -> None:
        (saved / "weights.npz").unlink()
        with pytest.raises(GameforgeError, match=r"cannot read .*weights.npz: No such file"):
            load(saved)

    def test_weights_of_another_net(self, saved: Path) -> None:
        save_player(saved.parent / "other", gf.player("draughts", oracle="none"))
        edit(saved, **json.loads((saved.parent / "other" / "manifest.json").read_text()) | {"pipeline": toy().spec})
        (saved / "weights.npz").write_bytes((saved.parent / "other" / "weights.npz").read_bytes())
        with pytest.raises(GameforgeError, match=r"player: player player: got 1177 weights, but its evaluator has 3"):
            load(saved)

    def test_a_net_without_weights(self, saved: Path) -> None:
        """Such a player must never search: it would read beyond the end."""
        edit(saved, weights=None)
        with pytest.raises(GameforgeError, match="0 weights, but its evaluator has 3"):
            load(saved)

    @pytest.mark.parametrize(
        ("content", "reason"),
        [
            (b"no archive", "it is not an .npz file"),
            (npy(WEIGHTS), "it is not an .npz file"),
            (npz(weights=WEIGHTS)[:-30], "BadZipFile: "),
            (npz(weights=WEIGHTS).replace(b"'descr'", b"'desc\xff'"), ": "),
            (npz(other=WEIGHTS), "it has no array 'weights'"),
            (npz(weights=np.array([1, None, "x"], object)), "ValueError: Object arrays cannot be loaded"),
            (npz(weights=WEIGHTS.astype(complex)), "expected numbers, got values of type complex128"),
            (npz(weights=WEIGHTS.astype("U4")), "expected numbers, got values of type <U4"),
            (npz(weights=WEIGHTS.reshape(3, 1)), r"expected one dimension, got the shape \(3, 1\)"),
            (npz(weights=np.float32(1)), r"expected one dimension, got the shape \(\)"),
            *(
                (npz(weights=np.array([0, value, 0])), "there are values that are not finite")
                for value in (np.nan, np.inf, 1e300)
            ),
        ],
        ids=str,
    )
    def test_weights_whose_checksum_is_right(self, content: bytes, reason: str, saved: Path) -> None:
        (saved / "weights.npz").write_bytes(content)
        edit(saved, sha256=hashlib.sha256(content).hexdigest())
        with pytest.raises(GameforgeError, match=rf"weights.npz is damaged: .*{reason}"):
            load(saved)

    @pytest.mark.parametrize(
        ("changes", "reason"),
        [
            ({"name": 3}, "name = 3: must be a string"),
            ({"pipeline": []}, r"pipeline = \[\]: must be a table"),
            ({"pipeline": {}}, "its pipeline has no key 'game'"),
            ({"pipeline": {"game": "shuttle", "use": 3}}, "pipeline: no such key 'use'"),
            ({"pipeline": toy().spec | {"searcher": [1]}}, r"searcher = \[1\]: must be a component"),
            ({"pipeline": toy().spec | {"game": 7}}, "game = 7: must be a component"),
            ({"weights": 5}, "weights = 5: must be a string"),
            ({"sha256": ["x"]}, "sha256 = "),
            *(
                ({"weights": name}, r"weights = .*: must be the name of a file in this folder")
                for name in (
                    "../weights.npz",
                    "/etc/passwd",
                    "..",
                    "a\\b",
                    "a\0b",
                    "a\x1b[31m",
                    "\udcff",
                    "",
                    "ä" * 128,
                )
            ),
        ],
        ids=str,
    )
    def test_a_manifest_of_other_types(self, changes: Any, reason: str, saved: Path) -> None:
        edit(saved, **changes)
        with pytest.raises(GameforgeError, match=rf"manifest.json is damaged: {reason}"):
            load(saved)

    def test_a_manifest_too_deep_to_read(self, saved: Path) -> None:
        (saved / "manifest.json").write_text("[" * 100_000)
        with pytest.raises(GameforgeError, match=r"manifest.json is damaged: its values are nested too deeply"):
            load(saved)

    def test_parts_that_are_not_installed(self, saved: Path) -> None:
        edit(saved, pipeline=toy().spec | {"searcher": {"use": "gredy"}})
        with pytest.raises(GameforgeError, match=r"unknown searcher 'gredy' \(did you mean 'greedy'\?\)") as caught:
            load(saved)
        assert str(caught.value).startswith(f"{saved}: ")

    def test_a_pipeline_without_searcher(self, saved: Path) -> None:
        edit(saved, pipeline={"game": toy().spec["game"]})
        with pytest.raises(GameforgeError, match=r": the pipeline has no searcher.*\)$") as caught:
            load(saved)
        assert str(caught.value).startswith(f"{saved}: ")

    def test_parts_beside_a_folder(self, saved: Path) -> None:
        """A searcher replaces the player's own; the net is kept, so another evaluator is refused."""
        other = gf.player(saved, searcher="greedy", registry=registry())
        assert other.spec["searcher"] == {"use": "greedy"}
        assert np.array_equal(other.weights, load(saved).weights)
        with pytest.raises(GameforgeError, match="evaluator and features cannot be given as well"):
            gf.player(saved, evaluator="linear", registry=registry())

    def test_a_game_is_no_folder_even_where_there_is_one_of_that_name(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "draughts").mkdir()
        monkeypatch.chdir(tmp_path)
        assert gf.player("draughts", evaluator="material").game.rules.name == "draughts"
        with pytest.raises(GameforgeError, match="holds no player"):
            gf.player("./draughts")


class TestAtomicWrites:
    def test_replaces(self, tmp_path: Path) -> None:
        for data in (b"old", b"new"):
            write_atomically(tmp_path / "file", data)
        assert (tmp_path / "file").read_bytes() == b"new"
        assert len(list(tmp_path.iterdir())) == 1

    @pytest.mark.parametrize("error", [KeyboardInterrupt, OSError(28, "No space left on device")])
    def test_leaves_the_old_file_and_nothing_else(
        self, error: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        write_atomically(tmp_path / "file", b"old")

        def fail(*paths: Any) -> None:
            raise error

        monkeypatch.setattr("gameforge.storage.files.os.replace", fail)
        with pytest.raises((KeyboardInterrupt, GameforgeError), match=r"|cannot write .*file: No space left on device"):
            write_atomically(tmp_path / "file", b"new")
        assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"old"]

    def test_a_folder_that_cannot_be_made(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("")
        with pytest.raises(GameforgeError, match=r"cannot create the folder .*: Not a directory"):
            save_player(tmp_path / "file" / "player", toy())
