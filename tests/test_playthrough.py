"""Golden playthroughs: every built-in game has one, and still produces it."""

from pathlib import Path

import pytest
import toy_site
from built_in import BUILT_IN

from gameforge.discovery.registry import default_registry
from gameforge.play.game import games
from gameforge.testing.playthrough import playthrough

ROOT = Path(__file__).resolve().parents[1]
FILES = sorted(ROOT.glob("plugins/*/tests/playthroughs/*.txt"))


def own_games() -> set[str]:
    """The names of the built-in games that need no parameters."""
    registry = default_registry()
    rules = {offer.what.name for offer in registry.plugins.components if offer.plugin in BUILT_IN}
    return rules & set(games(registry))


def test_every_game_has_one() -> None:
    assert own_games() == {path.stem for path in FILES}
    assert own_games()


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_game_has_not_changed(path: Path) -> None:
    """After an intended change, regenerate the file with the command in its first line."""
    text = path.read_text(encoding="utf-8")
    game, seed = text.splitlines()[0].split()[-2:]
    assert game.partition(":")[0] == path.stem
    assert playthrough(game, int(seed)).splitlines() == text.splitlines()


class TestPlaythrough:
    @staticmethod
    def of(game: str, seed: int = 0) -> list[str]:
        return playthrough(game, seed, toy_site.registry()).splitlines()

    def test_a_game_without_capabilities(self) -> None:
        """A game without notation, diagram and picture."""
        lines = self.of("shuttle")
        assert lines[0] == "# python -m gameforge.testing.playthrough shuttle 0"
        assert lines[1:3] == ["name: shuttle", "sides: North, South"]
        assert "position: 0x2,0x2,0x3,0x0,0x0" in lines
        assert lines[-1].startswith("outcome: ")

    def test_it_is_reproducible(self) -> None:
        assert self.of("shuttle", 3) == self.of("shuttle", 3)

    def test_seeds_and_rules_change_it(self) -> None:
        games = [self.of("shuttle", 1), self.of("shuttle", 2), self.of("shuttle:stones=4", 1)]
        assert len({tuple(game[1:]) for game in games}) == 3

    def test_it_ends_with_an_adjudicated_draw(self) -> None:
        ends = {self.of("shuttle:stones=9,repetition=2", seed)[-1] for seed in range(8)}
        assert "outcome: draw, repetition, a loop" in ends
