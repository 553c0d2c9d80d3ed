"""Archives of finished trials, from which another machine resumes an experiment or repeats its report.

An archive `NAME.jsonl.xz` is a text that xz compressed. Its first line is the manifest of the experiment's folder, and
each further line a trial as in trials.jsonl. It holds figures and no players: a match that is missing needs players, so
their trainings are repeated with it.
"""

import json
import lzma
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import attrs

from gameforge.config.outside import MOST_SETTINGS, read_file
from gameforge.config.settings import Json
from gameforge.errors import GameforgeError
from gameforge.experiments.schedule import TRIALS, FinishedTrial, Key, needed_before
from gameforge.interfaces.experiment import HasTrials
from gameforge.storage.files import write_atomically
from gameforge.storage.folder import ManifestFormat, brief, differences
from gameforge.storage.stored import parse_json, read_as, read_log, whole_lines

ENDING = ".jsonl.xz"


@attrs.frozen
class Archive:
    """The finished trials of an experiment, and what they are trials of."""

    path: Path
    """The file, for messages."""
    manifest: Mapping[str, Json]
    """The manifest of the folder that they come from."""
    trials: Sequence[FinishedTrial]
    """In the order in which they finished."""

    def require_same(self, identity: Mapping[str, Json]) -> None:
        """Raise GameforgeError, with the first difference, if the trials are those of another experiment or version."""
        stored = {key: self.manifest.get(key) for key in identity}
        for key, (old, new) in differences([stored, json.loads(json.dumps(identity))]).items():
            raise GameforgeError(
                f"{self.path} holds trials of another experiment: {key} is {brief(old)} there and {brief(new)} here; "
                "give the same experiment, parameters and scale, or leave the archive out"
            )

    def usable(self, trials: HasTrials, wanted: Sequence[Key], kept: Iterable[Key]) -> list[FinishedTrial]:
        """Return those of the wanted trials that a folder lacks, apart from those whose players it still needs.

        kept: the trials that the folder has.
        """
        needed, kept = needed_before(trials), set(kept)
        found = {trial.key: trial for trial in self.trials if trial.key in set(wanted) - kept}
        waiting = [key for key in wanted if key not in kept and key not in found]
        while waiting:
            seed, condition = waiting.pop()
            again = [(seed, name) for name in needed[condition] if found.pop((seed, name), None)]
            waiting += again
        return [*found.values()]


def read_archive(path: Path, format: ManifestFormat) -> Archive:
    """Read an archive; GameforgeError if it cannot be read, is damaged, or is not one."""
    try:
        lines = whole_lines(_decompressed(read_file(path, MOST_SETTINGS)))
        if not lines:
            raise ValueError("it is empty")
        manifest = parse_json(lines[0])
        if not isinstance(manifest, dict) or manifest.get("format") != format.format:
            raise ValueError(f"its first line is not the manifest of {format.a_what}")
        if manifest.get("schema") != format.schema:
            raise ValueError(f"it has schema {manifest.get('schema')!r}; this GameForge reads schema {format.schema}")
        trials = [_trial(line, number) for number, line in enumerate(lines[1:], 2)]
    except OSError as error:
        raise GameforgeError(f"cannot read {path}: {error.strerror or error}") from error
    except ValueError as error:
        raise GameforgeError(f"{path} is not a whole archive of trials ({ENDING}): {error}") from error
    return Archive(path, manifest, trials)


def write_archive(path: Path, folder: Path, format: ManifestFormat) -> None:
    """Write the finished trials of a folder into an archive; GameforgeError if the folder holds no experiment."""
    trials = read_log(folder / TRIALS, lambda stored: read_as(FinishedTrial, stored))
    lines = [format.read(folder), *(attrs.asdict(trial) for trial in trials)]
    text = "".join(f"{json.dumps(line)}\n" for line in lines)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME))


def _decompressed(data: bytes) -> bytes:
    """Decompress a whole xz file; ValueError for anything else, also for one that would fill the memory."""
    decompressor = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=MOST_SETTINGS * 2)
    try:
        content = decompressor.decompress(data, MOST_SETTINGS)
    except (lzma.LZMAError, EOFError) as error:
        raise ValueError(str(error) or "it is damaged") from error
    if len(content) >= MOST_SETTINGS:
        raise ValueError(f"its text has more than the {MOST_SETTINGS} bytes that are read")
    if not decompressor.eof:
        raise ValueError("its end is missing")
    return content


def _trial(line: bytes, number: int) -> FinishedTrial:
    try:
        return read_as(FinishedTrial, parse_json(line))
    except (ValueError, TypeError) as error:
        raise ValueError(f"line {number} is damaged: {error}") from error
