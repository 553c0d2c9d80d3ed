"""Making and filtering examples, killed before and after every rename and resumed."""

from collections.abc import Callable
from pathlib import Path

import pytest
from copies import COPIES
from gameforge_examples import making, positions
from gameforge_examples.conversion import Filter, filter_examples, read_games_into
from gameforge_examples.folder import ExampleFolder, example_statistics
from gameforge_examples.making import Plan, make_examples
from gameforge_examples.positions import SelfplayPlan, make_positions
from kills import killed_at_every_rename

import gameforge as gf

pytestmark = COPIES
GAME = gf.game("othello")


def by_matches(out: Path) -> None:
    player = gf.player("othello", searcher="uct:simulations=5,reuse=false", evaluator="none", oracle="none")
    make_examples(out, player, Plan(start_matches=2, states=1, matches=1))


def by_self_play(out: Path) -> None:
    player = gf.player("othello", searcher="alphabeta:depth=1,memory=0", evaluator="wpc", oracle="none")
    make_positions(out, player, SelfplayPlan(games=2))


def from_games(out: Path) -> None:
    file = out.parent / "some.oth"
    file.write_text("f5d6c3d3c4 40-24\nf5d6c3 24-40\n")
    read_games_into(out, GAME, [file])


def filtered(out: Path) -> None:
    source = out.parent / "source"
    if not source.exists():
        from_games(source)
    filter_examples(source, out, Filter(test=0.4, sides="both"))


@pytest.mark.parametrize(
    ("work", "least"),
    [pytest.param(by_matches, 9, marks=pytest.mark.slow), (by_self_play, 7), (from_games, 4), (filtered, 3)],
)
def test_killed_at_every_rename(
    work: Callable[[Path], None], least: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(making, "FLUSH_SECONDS", 0.0)
    monkeypatch.setattr(positions, "GAMES_A_JOB", 1)
    work(tmp_path / "whole")
    expected = ExampleFolder.read(tmp_path / "whole").rows().tobytes()
    killed = 0
    for folder in killed_at_every_rename(work, tmp_path):
        killed += 1
        work(folder)
        assert ExampleFolder.read(folder).rows().tobytes() == expected, folder.name
        assert example_statistics(ExampleFolder.read(folder)).batches[0]["finished"]
        assert not list(folder.glob(".*"))
    assert killed >= 2 * least


def test_a_folder_with_only_a_temporary_file_is_used(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / ".manifest.json.1-1.tmp").touch()
    from_games(tmp_path / "out")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["examples-000000.npy", "manifest.json"]
