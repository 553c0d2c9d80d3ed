"""`gameforge plot` draws the species below the curves."""

import struct
from pathlib import Path

import ga_runs
import pytest

from gameforge.cli.commands.runs import write_curves
from gameforge.training.run_report import RunReport, panels

EVOLVE = "evolve:population=6,generations=2,games=2,boards=5,scheme=crowding"


def height(path: Path) -> int:
    return int(struct.unpack(">II", path.read_bytes()[16:24])[1])


def test_a_run_with_species_has_a_picture_of_them(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    for name, learner in (("plain", EVOLVE), ("species", EVOLVE + ",species=3")):
        ga_runs.pipeline(learner=learner).run(tmp_path / name, yardstick=None)
        run = RunReport.read(tmp_path / name)
        assert {"fitness", "mean fitness", "diversity", "children"} <= {*panels([run])}
        write_curves([run], ga_runs.registry(), tmp_path / f"{name}.png")
    plain, species = (height(tmp_path / f"{name}.png") for name in ("plain", "species"))
    assert species == plain + 600
    write_curves(
        [RunReport.read(tmp_path / name) for name in ("plain", "species")], ga_runs.registry(), tmp_path / "both.png"
    )
    assert height(tmp_path / "both.png") == plain
