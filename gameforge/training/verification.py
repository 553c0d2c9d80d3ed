"""What can be verified of files and folders, without training or playing anything again.

Manifests, logs and weights must be as they were written, by their checksums, and every game must follow the rules. A
checksum without a key proves no more than that: whoever alters a file can alter its checksum as well. What only the
same training proves is shown by training again: the sessions of a run up to a chosen or a drawn one here, all of a
player's training by `gameforge player verify`.
"""

import contextlib
import itertools
import json
import random
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import attrs

from gameforge.arena.match_folder import MATCH_FORMAT, read_match
from gameforge.config import Spec, normal
from gameforge.config.outside import MOST_SETTINGS, read_file
from gameforge.discovery.registry import Registry
from gameforge.errors import GameforgeError, UnknownComponent
from gameforge.interfaces.hooks import hookimpl
from gameforge.interfaces.learner import Progress
from gameforge.interfaces.oracle import Announce, silent
from gameforge.play.game import Game
from gameforge.play.pipeline import Pipeline
from gameforge.records.database import games_db
from gameforge.records.game_records import TOGETHER, contradictions, games_name
from gameforge.records.tables import is_games_db
from gameforge.records.trace_files import game_files
from gameforge.storage.folder import ManifestFormat
from gameforge.storage.player_files import PLAYER_FORMAT, read_player
from gameforge.storage.stored import digest_of, parse_json
from gameforge.training import run_folder
from gameforge.training.provenance import PROVENANCE_FORMAT, require_own_provenance
from gameforge.training.run_report import RunReport
from gameforge.training.train import train


@attrs.frozen(kw_only=True)
class Verified:
    """What was found out about one manifest or database, and the files that belong to it."""

    path: Path
    """The manifest or database."""
    named: Path
    """What a person calls it: the folder of the manifest, or the database."""
    found: str
    """What holds, as a text; if something does not hold, what is wrong."""
    holds: bool = True
    checked: bool = True
    """Whether it could be checked; that needs the plugin of its game."""


Check = Callable[[Path, Registry], str]
"""Returns what holds of a manifest and of what it describes, as a text; raises GameforgeError if something does not."""


def verified(
    path: Path, registry: Registry, checks: Mapping[str, Check], *, announce: Announce = silent
) -> Iterator[Verified]:
    """Yield what can be said of a file, or of each manifest and database in a folder, in the order of their paths.

    checks: those of manifests that this module does not know, by their formats. Plugins check files of their own by
    the hook `gameforge_verify`. Raises GameforgeError if there is nothing to verify.
    """
    known = {**_CHECKS, **checks}
    anything = False
    for file in [path] if path.is_file() else sorted(path.rglob("*")):
        try:
            found = _found(file, registry, known, announce) if file.is_file() else None
        except UnknownComponent as missing:
            named = file.parent if file.suffix == ".json" else file
            found = Verified(path=file, named=named, found=str(missing), holds=False, checked=False)
        except GameforgeError as error:
            found = Verified(path=file, named=file, found=" ".join(str(error).split()), holds=False)
        if found is not None:
            anything = True
            yield found
    if not anything:
        raise GameforgeError(f"{path} holds nothing that GameForge has written")


def _found(file: Path, registry: Registry, checks: Mapping[str, Check], announce: Announce) -> Verified | None:
    """Return what holds of a file, and None if GameForge has not written it, or describes it in another one."""
    kind = _format_of(file) if file.suffix == ".json" else None
    if kind == PROVENANCE_FORMAT.format and PLAYER_FORMAT.path(file.parent).exists():
        return None  # a provenance is verified with its player
    if kind is not None and kind in checks:
        return Verified(path=file, named=file.parent, found=checks[kind](file, registry))
    if is_games_db(file):
        return Verified(path=file, named=file, found=_games(file, registry, announce))
    text = registry.plugins.manager.hook.gameforge_verify(path=file, registry=registry, announce=announce)
    if kind is not None:
        return Verified(path=file, named=file.parent, found=text or _manifest(file))
    return None if text is None else Verified(path=file, named=file, found=text)


class _Enough(Exception):
    """Ends a training."""


def drawn_session(folder: Path, seed: int) -> int:
    """Draw a session of a run, each with the same probability; 0 if none has finished.

    The seed and the number of sessions determine it. A run keeps no state from which a session in its middle could be
    trained alone, so `first_sessions_repeated` trains it again with all sessions before it.
    """
    recorded = len(run_folder.read_metrics(folder))
    return random.Random(seed).randint(1, recorded) if recorded else 0


def runs_to_repeat(path: Path, seed: int, manifests: Sequence[str]) -> Iterator[Path]:
    """Yield the folders of the runs in a folder, but only one, which is drawn, of those in a folder with a manifest.

    manifests: the names of these manifests, which are those of studies and experiments. The seed and the names of the
    runs determine which run is drawn.
    """
    runs = sorted(file.parent for file in path.rglob(run_folder.RUN_FORMAT.file))
    works = sorted({file.parent for name in manifests for file in path.rglob(name)})
    for work in works:
        own = [run for run in runs if run.is_relative_to(work)]
        runs = [run for run in runs if run not in own]
        if own:
            yield random.Random(seed).choice(own)
    yield from runs


def first_sessions_repeated(
    folder: Path, sessions: int, registry: Registry, *, workers: int = 1, announce: Announce = silent
) -> Verified:
    """Train the first sessions of a run again, and compare their games and figures with those that it recorded.

    Figures of speed and those of a yardstick, which does not play again, are not compared. Raises GameforgeError if the
    run is damaged.
    """
    manifest, recorded = run_folder.RUN_FORMAT.path(folder), run_folder.read_metrics(folder)
    sessions = min(sessions, len(recorded))
    if not sessions:
        return Verified(path=manifest, named=folder, found="no session to train again")
    pipeline = Pipeline.from_settings(normal(run_folder.pipeline_settings(folder)), registry)

    repeated: list[run_folder.Metrics] = []

    class Sessions:
        """Takes the figures of these sessions, and ends the training after them."""

        @staticmethod
        @hookimpl
        def gameforge_checkpoint(progress: Progress) -> None:
            repeated.append(run_folder.row_of(progress))
            if progress.session >= sessions:
                raise _Enough

    with tempfile.TemporaryDirectory() as name:
        again = Path(name) / "run"
        with contextlib.suppress(_Enough):
            train(pipeline, again, workers=workers, yardstick=None, announce=announce, subscribers=[Sessions()])
        for row, same in zip(recorded, repeated, strict=False):
            for key in sorted(row.keys() & same.keys()):
                if not run_folder.is_speed(key) and row[key] != same[key]:
                    found = f"session {row['session']} has {key} {row[key]}; trained again, it has {same[key]}"
                    return Verified(path=manifest, named=folder, found=f"{folder}: {found}", holds=False)
        games = games_name(pipeline.game)
        if (again / games).exists() and not _begins_with(folder / games, again / games):
            found = f"{games} does not begin with the games of the same training"
            return Verified(path=manifest, named=folder, found=f"{folder}: {found}", holds=False)
    return Verified(
        path=manifest,
        named=folder,
        found=f"the first {sessions} of {len(recorded)} sessions, trained again, are the same",
    )


def _begins_with(whole: Path, beginning: Path) -> bool:
    length = beginning.stat().st_size
    return whole.is_file() and digest_of(whole, length).digest() == digest_of(beginning).digest()


def _format_of(path: Path) -> str | None:
    """Return the format of a manifest; None if the file is none."""
    try:
        content = parse_json(read_file(path, MOST_SETTINGS))
    except (OSError, ValueError):
        damaged = {one.file: one.format for one in (run_folder.RUN_FORMAT, MATCH_FORMAT, PLAYER_FORMAT)}
        return damaged.get(path.name)
    named = content.get("format") if isinstance(content, dict) else None
    return named if isinstance(named, str) and named.startswith("gameforge-") and "schema" in content else None


def _run(path: Path, registry: Registry) -> str:
    run_folder.require_unaltered(path.parent)
    report = RunReport.read(path.parent)
    game = Game(registry.create("rules", Spec.from_settings(report.settings.get("game"), "game")))
    games = path.with_name(games_name(game))
    found = f"run, {report.state}, {report.sessions} sessions"
    if not games.exists():
        return found
    return f"{found}, {_count(game, games)} games by the rules"


def _count(game: Game, path: Path) -> int:
    """Replay the games of a file; GameforgeError if one contradicts the rules."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return sum(1 for _ in game_files(game).read_games(path, notice=lambda text: None))


def _match(path: Path, registry: Registry) -> str:
    MATCH_FORMAT.require_unaltered(path.parent)
    manifest, result = MATCH_FORMAT.read(path.parent), read_match(path.parent)
    players = manifest.get("players")
    try:
        settings = players[0]["parts"]["game"]  # type: ignore[index]
    except (KeyError, TypeError, IndexError):
        raise GameforgeError(f"{path} is damaged: its first player names no game") from None
    game = Game(registry.create("rules", Spec.from_settings(settings, "game")))
    games = iter(result.games)
    while records := list(itertools.islice(games, TOGETHER)):
        for i, error in contradictions(game, records):
            raise GameforgeError(f"{path.parent}, game {records[i].number}: {error}") from error
    stored = manifest.get("result")
    if stored and stored != parse_json(json.dumps(result.numbers)):
        raise GameforgeError(f"{path} is damaged: its result is not that of its games")
    return f"match, {'finished' if stored else 'unfinished'}, {len(result.games)} games by the rules"


def _player(path: Path, registry: Registry) -> str:
    PLAYER_FORMAT.require_unaltered(path.parent)
    player = read_player(path.parent)
    found = f"player, {0 if player.weights is None else len(player.weights)} weights"
    if not PROVENANCE_FORMAT.path(path.parent).exists():
        return found
    require_own_provenance(path.parent)
    return f"{found}, of the pipeline in its provenance"


def _games(path: Path, registry: Registry, announce: Announce) -> str:
    """Do what `gameforge games check` does."""
    with games_db(path, must_exist=True, registry=registry) as db:
        problems = db.check(lambda done, total: announce(f"checking {path.name}", done, total))
        if problems:
            more = f", and {len(problems) - 1:,} more" if len(problems) > 1 else ""
            raise GameforgeError(f"{path}: {problems[0]}{more}; `gameforge games check` lists them")
        return f"database, {len(db):,} games by the rules, in an index that fits them"


def _manifest(path: Path) -> str:
    content = parse_json(path.read_bytes())
    named = str(content["format"])
    what = named.removeprefix("gameforge-")
    ManifestFormat(what, path.name, named, content["schema"]).require_unaltered(path.parent)
    return f"{what}, its manifest alone"


_CHECKS: dict[str, Check] = {
    run_folder.RUN_FORMAT.format: _run,
    MATCH_FORMAT.format: _match,
    PLAYER_FORMAT.format: _player,
}
