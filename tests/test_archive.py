"""Archives of finished trials: an experiment resumes from them; what is wrong with one is said in a sentence."""

import json
import lzma
from collections.abc import Callable
from pathlib import Path

import pytest
from toy_experiment import PARTS
from toy_site import TOY

import gameforge as gf
from gameforge.cli.main import run
from gameforge.config import Spec
from gameforge.discovery.loading import load
from gameforge.discovery.registry import Registry
from gameforge.errors import GameforgeError
from gameforge.experiments.archive import read_archive, write_archive
from gameforge.experiments.reproduction import EXPERIMENT_FORMAT, reproduce
from gameforge.experiments.schedule import TRIALS, FinishedTrial, Resources

EXPERIMENT = TOY.with_name("toy_experiment.py")


@pytest.fixture(scope="module")
def registry() -> Registry:
    return Registry(load([TOY, EXPERIMENT]))


@pytest.fixture(scope="module")
def spec(tmp_path_factory: pytest.TempPathFactory) -> str:
    source = tmp_path_factory.mktemp("settings") / "toy.toml"
    source.write_text(PARTS)
    return f'drifting:source_file="{source}"'


@pytest.fixture(scope="module")
def whole(spec: str, registry: Registry, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the toy experiment with two of its three seeds."""
    folder = tmp_path_factory.mktemp("whole") / "out"
    reproduce(folder, Spec.parse(spec), registry, seeds=2)
    return folder


@pytest.fixture(scope="module")
def archive(whole: Path) -> Path:
    path = whole.with_name("drifting.jsonl.xz")
    write_archive(path, whole, EXPERIMENT_FORMAT)
    return path


def damaged(archive: Path, change: Callable[[list[str]], list[str]]) -> bytes:
    """The archive after a change of its lines."""
    lines = lzma.decompress(archive.read_bytes()).decode().splitlines()
    return lzma.compress("".join(f"{line}\n" for line in change(lines)).encode())


def test_the_report_comes_from_the_archive(
    whole: Path, archive: Path, spec: str, registry: Registry, tmp_path: Path
) -> None:
    """No trial runs, and a further seed continues from there."""
    ran: list[FinishedTrial] = []
    resources, out = Resources(finished=ran.append), tmp_path / "out"
    reproduce(out, Spec.parse(spec), registry, resources, seeds=2, archive=archive)
    assert ran == []
    for name in ("report.md", "results.json", TRIALS):
        assert (out / name).read_bytes() == (whole / name).read_bytes()
    reproduce(out, Spec.parse(spec), registry, resources, seeds=3, archive=archive)
    assert [trial.key for trial in ran] == [(3, "small"), (3, "large")]
    assert len((out / TRIALS).read_text().splitlines()) == 6


def test_from_python_and_the_command_line(
    archive: Path, spec: str, registry: Registry, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = gf.reproduce(spec, tmp_path / "a", seeds=1, archive=str(archive), registry=registry)
    plugins = [f"--plugin={TOY}", f"--plugin={EXPERIMENT}"]
    where = ["--seeds", "1", "--out", str(tmp_path / "b"), "--from", str(archive)]
    assert run([*plugins, "reproduce", spec, *where]) == 0
    assert report.text.strip() in capsys.readouterr().out


class TestRefusals:
    @pytest.mark.parametrize(
        ("scale", "more", "version", "message"),
        [
            (2.0, "", None, "scale is 1.0 there and 2.0 here"),
            (1.0, ",rounds=5", None, "parameters.rounds is 4 there and 5 here"),
            (1.0, "", "0.0.7", 'gameforge is "0.0.7" there and'),
        ],
    )
    def test_another_experiment_or_version(
        self,
        scale: float,
        more: str,
        version: str | None,
        message: str,
        archive: Path,
        spec: str,
        registry: Registry,
        tmp_path: Path,
    ) -> None:
        given = tmp_path / "given.jsonl.xz"
        own = json.loads(lzma.decompress(archive.read_bytes()).splitlines()[0])["gameforge"]
        given.write_bytes(damaged(archive, lambda lines: [lines[0].replace(own, version or own), *lines[1:]]))
        with pytest.raises(GameforgeError) as error:
            reproduce(tmp_path / "out", Spec.parse(spec + more), registry, scale=scale, archive=given)
        assert str(error.value).startswith(f"{given} holds trials of another experiment: {message}")
        assert not (tmp_path / "out").exists()

    @pytest.mark.parametrize(
        ("content", "message"),
        [
            (lambda archive: b"", "its end is missing"),
            (lambda archive: b"a text that was never compressed", ".*format not supported"),
            (lambda archive: archive.read_bytes()[:-20], "its end is missing"),
            (lambda archive: lzma.compress(b""), "it is empty"),
            (lambda archive: lzma.compress(b"{}\n"), "its first line is not the manifest of an experiment"),
            (
                lambda archive: damaged(archive, lambda lines: [lines[0].replace('"schema": 1', '"schema": 9')]),
                "it has schema 9; this GameForge reads schema 1",
            ),
            (lambda archive: damaged(archive, lambda lines: [*lines, "{}"]), "line 6 is damaged: .*condition"),
            (
                lambda archive: lzma.compress(bytes(1 << 26), preset=0),
                "its text has more than the 67108864 bytes that are read",
            ),
        ],
        ids=["empty", "text", "cut", "nothing in it", "no manifest", "schema", "line", "huge"],
    )
    def test_damage(self, content: Callable[[Path], bytes], message: str, archive: Path, tmp_path: Path) -> None:
        given = tmp_path / "given.jsonl.xz"
        given.write_bytes(content(archive))
        with pytest.raises(GameforgeError, match=f"given.jsonl.xz is not a whole archive of trials.*: ({message})"):
            read_archive(given, EXPERIMENT_FORMAT)

    def test_no_file(self, spec: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        plugins = [f"--plugin={TOY}", f"--plugin={EXPERIMENT}"]
        where = ["--out", str(tmp_path / "out"), "--from", str(tmp_path / "none.jsonl.xz")]
        assert run([*plugins, "reproduce", spec, *where]) == 2
        assert (
            capsys.readouterr().err == f"error: cannot read {tmp_path / 'none.jsonl.xz'}: No such file or directory\n"
        )
        assert not (tmp_path / "out").exists()
