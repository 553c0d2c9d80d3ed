"""`gameforge egdb info`: what the databases in a folder cover, where they come from, and their checksums."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from gameforge_egdb_chinook import manifest, official
from gameforge_egdb_chinook.build_command import GameOption, check_game
from gameforge_egdb_chinook.coverage import describe
from gameforge_egdb_chinook.databases import Database, databases
from gameforge_egdb_chinook.verify import check_bytes, check_published

_HOLDS = {
    "wld": "win, loss and draw of quiet positions, in Chinook's format",
    "dtw": "plies to the end of the game",
    "mtc": "plies to the next capture or man's move, and the outcome",
}


def info(
    path: Annotated[Path, typer.Argument(help="Folder with databases, or one index or manifest file.")],
    game: GameOption = "draughts",
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object per database.")] = False,
) -> None:
    """Print the coverage, origin and checksums of databases. Ends with an error at the first damaged one."""
    check_game(game)
    for database in databases(path):
        check_bytes(database)
        check_published(database)
        about = _about(database)
        if as_json:
            print(json.dumps(about))
            continue
        print(database.title)
        print(f"  covers   {about['covers']}: {about['positions']:,} positions in {about['slices']:,} slices")
        print(f"  holds    {about['holds']}")
        print(f"  origin   {about['origin']}")
        for file in about["files"]:
            print(f"  {file['name']:8} {file['bytes']:,} bytes, SHA-256 {file['sha256']}")


def _about(database: Database) -> dict[str, Any]:
    if database.manifest is not None:
        files = [{"name": f.name, "bytes": f.bytes, "sha256": f.sha256} for f in database.manifest.files]
        origin = database.manifest.origin
    else:
        paths = [path for file in database.files for path in (file.data_path, file.index_path)]
        files = [{"name": p.name, "bytes": p.stat().st_size, "sha256": manifest.checksum(p)} for p in paths]
        known = official.of_index(str(files[1]["sha256"]))
        origin = known.title if known is not None else "unknown"
    return {
        "database": database.title,
        "metric": database.metric,
        "covers": describe(database.slices),
        "holds": _HOLDS[database.metric],
        "positions": sum(s.size for s in database.slices),
        "slices": len(database.slices),
        "origin": origin,
        "files": files,
    }
