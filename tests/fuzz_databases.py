"""Readers of endgame databases, their manifests, journals and caches, and of folders of examples."""

import hashlib
import json
import tempfile
from pathlib import Path

import attrs
import numpy as np
from fuzzing import Reader
from gameforge_draughts_family import endgames as family_database
from gameforge_draughts_family.rules import Italian
from gameforge_egdb_chinook import oracle as chinook_oracle
from gameforge_egdb_chinook.build import Build, BuildProgress
from gameforge_egdb_chinook.manifest import databases
from gameforge_egdb_chinook.target import target
from gameforge_egdb_chinook.units import DraughtsUnits
from gameforge_examples.conversion import Filter, export_examples, filter_examples, import_examples, read_games_into
from gameforge_examples.folder import ExampleFolder, example_statistics, read_examples
from gameforge_morris import endgames as morris_database

import gameforge as gf

_PIECES = 2


def _checksum(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _made(format: str) -> Reader:
    """The files of a finished build, and all that reads them."""

    def make(folder: Path) -> None:
        Build(target(format, _PIECES, None, folder)).run()

    def seal(folder: Path) -> None:
        for path in folder.glob("*.json"):
            manifest = json.loads(path.read_bytes())
            for file in manifest["files"]:
                file["bytes"] = (folder / file["name"]).stat().st_size
                file["sha256"] = _checksum(folder / file["name"])
            path.write_text(json.dumps(manifest))

    def read(folder: Path) -> None:
        for database in databases(folder):
            if database.files:
                units = DraughtsUnits(database.slices)
                for unit in units.levels[0]:
                    database.quiet_values(units, unit)
        oracle = gf.oracle("chinook", path=str(folder))
        for text in ("W:WK10:BK25", "B:W28:BK3", "W:W10:BK25"):
            oracle.get(gf.game("draughts").position(text))

    return Reader(name=f"database, {format}", make=make, read=read, seal=seal, share=0.1)


def _interrupted(format: str) -> Reader:
    """The folder of a build that was killed just before it wrote its files."""

    def make(folder: Path) -> None:
        wanted = target(format, _PIECES, None, folder)
        build = Build(wanted)
        wanted.build_folder.mkdir(parents=True)
        build._solve(wanted.build_folder)

    def read(folder: Path) -> None:
        wanted = target(format, _PIECES, None, folder)
        BuildProgress.read(wanted.build_folder)
        Build(wanted).run()

    return Reader(name=f"interrupted build, {format}", make=make, read=read, share=0.1)


def _make_morris(folder: Path) -> None:
    morris_database.build(3, folder)


def _seal_morris(folder: Path) -> None:
    path = folder / "morris3.json"
    manifest = json.loads(path.read_bytes())
    manifest["file"]["bytes"] = (folder / "morris3.egdb").stat().st_size
    manifest["file"]["sha256"] = _checksum(folder / "morris3.egdb")
    path.write_text(json.dumps(manifest))


def _read_morris(folder: Path) -> None:
    example_counts = morris_database.read(folder).counts
    json.dumps([attrs.asdict(count) for count in example_counts])
    oracle = gf.oracle("endings", path=str(folder))
    for text in ("W:Wa7,g7,g4:Bd7,g1,d1", "B:Wa7,d7,g4:Bb2,d2,e3"):
        oracle.get(gf.game("morris").position(text))


def _make_family(folder: Path) -> None:
    family_database.build(Italian(), _PIECES, folder)


def _seal_family(folder: Path) -> None:
    path = folder / "italian2.json"
    manifest = json.loads(path.read_bytes())
    manifest["file"]["bytes"] = path.with_suffix(".egdb").stat().st_size
    manifest["file"]["sha256"] = _checksum(path.with_suffix(".egdb"))
    path.write_text(json.dumps(manifest))


def _read_family(folder: Path) -> None:
    found = family_database.read(folder, Italian())
    json.dumps([attrs.asdict(count) for count in found.counts])
    oracle = gf.oracle("draughts-endings", path=str(folder))
    for text in ("W:WK1:B27", "B:W20:BK32"):
        oracle.get(gf.game("italian").position(text))


def _make_cache(folder: Path) -> None:
    _read_cache(folder)


def _read_cache(folder: Path) -> None:
    values = np.arange(100, dtype=np.uint8) % 4
    found = chinook_oracle.load_or_build(folder / "values", 2, 100, lambda: values)
    assert (found == chinook_oracle.pack(values)).all()


def _make_examples(folder: Path) -> None:
    games = folder.parent / "some.oth"
    games.write_text("f5d6c3d3c4 40-24\nf5d6c3 24-40\n")
    read_games_into(folder / "examples", gf.game("othello"), [games])


def _seal_examples(folder: Path) -> None:
    path = folder / "examples" / "manifest.json"
    manifest = json.loads(path.read_bytes())
    for batch in manifest["batches"]:
        for shard in batch["shards"]:
            shard["sha256"] = _checksum(path.with_name(shard["file"]))
    path.write_text(json.dumps(manifest))


def _read_examples(folder: Path) -> None:
    path, game = folder / "examples", gf.game("othello")
    read_examples(path, game)
    example_statistics(ExampleFolder.read(path, game))
    filter_examples(path, folder / "filtered", Filter(test=0.4, sides="both"))


def _exchanged(suffix: str) -> Reader:
    """Files of examples for other programs."""

    def make(folder: Path) -> None:
        with tempfile.TemporaryDirectory() as scratch:
            source = Path(scratch)
            (source / "made").mkdir()
            _make_examples(source / "made")
            export_examples(source / "made" / "examples", folder / f"examples{suffix}")

    def read(folder: Path) -> None:
        import_examples(folder / f"examples{suffix}", gf.game("othello"), folder / "imported")

    return Reader(name=f"examples, {suffix}", make=make, read=read)


READERS = [
    *map(_made, ("chinook", "dtw", "mtc")),
    *map(_interrupted, ("chinook", "dtw", "mtc")),
    Reader(name="database of morris", make=_make_morris, read=_read_morris, seal=_seal_morris, share=0.1),
    Reader(name="database of the draughts family", make=_make_family, read=_read_family, seal=_seal_family, share=0.3),
    Reader(name="cached values", make=_make_cache, read=_read_cache),
    Reader(name="examples", make=_make_examples, read=_read_examples, seal=_seal_examples),
    *map(_exchanged, (".npz", ".parquet")),
]
