"""Plans of players: what a text, a TOML file or a folder says about a player, read once.

A text is the name of a trained player, the folder of a run or saved player, a TOML file, or parts joined by ` + `. One
of the parts may be a trained player or a folder: this player, with another searcher or other oracles. The part `none`
stands for no oracles.

`PlayerText` is a text whose files have been read; it tells which game it implies. For a game it becomes a `PlayerPlan`,
from which a `Workshop` (workshop.py) builds the player without reading anything again.
"""

import itertools
import os.path
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import attrs

from gameforge.config import NONE, Spec, normal, read_toml, split_parts, structure
from gameforge.config.settings import in_file
from gameforge.discovery.registry import Registry
from gameforge.errors import GameforgeError, near
from gameforge.play.game import Game
from gameforge.play.pipeline import EvaluatorChoice, FeaturesChoice, OraclesChoice, RulesChoice, SearcherChoice
from gameforge.play.player import Player
from gameforge.play.saved_players import SavedPlayer, named_game, read_saved

PART_KINDS = ("searcher", "evaluator", "features", "oracle", "book", "player")
"""Kinds of component that can be a part of a player."""


@attrs.frozen(kw_only=True, eq=False)
class PlayerPlan:
    """All that is needed to build a player."""

    game: RulesChoice | None = None
    """The rules to play by; None: those of the saved player."""
    saved: SavedPlayer | None = None
    """The saved or trained player. Searcher and oracles, if given, replace its own; it has its own evaluator."""
    level: int | None = None
    """The level of the saved player, from 1, the weakest; None: its full strength."""
    searcher: SearcherChoice | None = None
    """None: that of the saved player, or else of the game's preset, as for the other components."""
    evaluator: EvaluatorChoice | None = None
    features: FeaturesChoice | None = None
    oracle: OraclesChoice | None = None
    """None: those of the saved player; a new player has none."""
    seed: int = 0
    """For the initial weights of an evaluator that has weights."""
    name: str | None = None
    """The player's name; None: that of the saved player."""
    text: str = ""
    """The text that described the player; "": none did."""
    file: Path | None = None
    """The TOML file that described the player."""

    def __attrs_post_init__(self) -> None:
        if self.text and self.level is not None and self.searcher is not None:
            raise GameforgeError(
                f"player {self.text!r} names a searcher, which would replace that of level {self.level}; omit one"
            )
        if self.saved is not None:
            self.saved.at(self.level)

    @property
    def replaced(self) -> dict[str, Any]:
        """What takes the place of the settings of the saved player."""
        given = {"game": self.game, "searcher": self.searcher, "oracle": self.oracle}
        return {key: choice for key, choice in given.items() if choice is not None}

    @property
    def levels(self) -> int:
        """How many levels can be chosen; 0 if the text names one of them already, or a searcher."""
        if self.saved is None or self.level is not None or self.searcher is not None:
            return 0
        return len(self.saved.playing.levels)

    @property
    def excludes_oracles(self) -> bool:
        """Whether the player was said to have no oracles; otherwise those of the game may give exact values."""
        return isinstance(self.oracle, str | list) and self.oracle in (NONE, [])

    def at_level(self, level: int | None, registry: Registry) -> Self:
        """Return the plan for one of the player's levels, which its name states; None changes nothing."""
        if level is None:
            return self
        if self.saved is None:
            raise without_levels(f"player {self.text!r}", registry)
        require_no_level(self.text, self.level, level)
        return attrs.evolve(self, level=level, name=f"{self.text} (level {level})")

    def with_oracles(self, oracles: Sequence[str]) -> Self:
        """Return the plan with these oracles, unless the text names its own, or a level; no oracles change nothing."""
        if not oracles or self.oracle is not None or self.level is not None or self.file is not None:
            return self
        return attrs.evolve(self, oracle=NONE if list(oracles) == [NONE] else list(oracles))


@attrs.frozen(kw_only=True, eq=False)
class PlayerText:
    """A player's text; a folder or a TOML file that it names has been read."""

    text: str
    game: str | None
    """The game that the text implies, as a component string; None if it fits several games.

    A folder names the game, and so does a TOML file, as a rule. Parts determine it if only one game has all of them.
    """
    games: frozenset[str] | None = None
    """Names of the games that have all parts; None for a folder and for a TOML file."""
    parts: tuple[str, ...] = ()
    """The parts; a folder is one of them. Empty for a TOML file."""
    saved: SavedPlayer | None = None
    """The player in the folder."""
    settings: Mapping[str, Any] | None = None
    """The content of the TOML file."""

    @classmethod
    def read(cls, text: str, registry: Registry) -> "PlayerText":
        """Read a text. Raises GameforgeError for a folder or a file that cannot be read."""
        path = whole_path(text)
        if path is not None and not path.is_dir():
            with in_file(path):
                settings = normal(read_toml(path))
                return cls(text=text, settings=settings, game=named_game(settings))
        if path is not None:
            _require_no_trained(text, registry)
        parts = split_parts(text) if path is None else [text]
        folder = path or next((Path(part) for part in parts if _is_folder(part, registry)), None)
        if folder is not None:
            saved = read_saved(folder)
            return cls(text=text, parts=tuple(parts), saved=saved, game=saved.game)
        games = _games_of(parts, registry)
        return cls(text=text, parts=tuple(parts), games=games, game=min(games) if len(games) == 1 else None)

    def require_known(self, registry: Registry) -> None:
        """Raise GameforgeError if a part is neither a folder nor a component of any game."""
        for part in self.parts:
            name = _component(part)
            known = part == NONE or bool(_kinds(name, None, registry))
            if not known and not (part and os.path.isdir(part)):
                raise _unknown_part(self.text, name, None, registry)

    def plan(self, game: str | Game | None, registry: Registry) -> PlayerPlan:
        """Plan the player.

        game: needed for parts that fit several games, for a TOML file that names no game, and for the name of a player
        that several games have. With parameters, as NAME:KEY=VALUE, it is the rules that the player plays by, whatever
        its folder or file says.

        Raises GameforgeError for an unknown part, for two parts of the same kind, for parts without a game, for an
        evaluator or features beside a player that has its own, and for a player of another game.
        """
        rules = game if isinstance(game, str) and Spec.parse(game).params else None
        if self.game is not None and game is not None and (rules or self.saved or self.settings is not None):
            own, expected = plain_name(self.game), plain_name(game)
            if isinstance(game, str):
                registry.find("rules", expected)
            if own != expected:
                raise GameforgeError(f"player {self.text!r} plays {own}, not {expected}")
        game = self.game if game is None else game
        if self.settings is not None:
            return self._of_file(self.settings, rules, game)
        parts = self._by_kind(None if game is None else plain_name(game), registry)
        plan = PlayerPlan(
            game=game,
            searcher=parts.get("searcher"),
            evaluator=parts.get("evaluator"),
            features=parts.get("features"),
            oracle=parts.get("oracle"),
            name=self.text,
            text=self.text,
        )
        if self.saved is not None:
            return attrs.evolve(plan, saved=self.saved, game=rules)
        if "player" in parts:
            name, level = trained_and_level(parts["player"])
            saved, chosen = read_trained(name, game, registry)
            return attrs.evolve(plan, saved=saved, game=chosen, level=level)
        if game is None:
            raise GameforgeError(f"player {self.text!r}: parts need a game", advice="name it", parameter="game")
        return plan

    def _of_file(self, settings: Mapping[str, Any], rules: str | None, game: str | Game | None) -> PlayerPlan:
        """Plan the player of a pipeline; its seed draws the weights of a net."""
        file = Path(self.text)
        if "game" not in settings and game is None:
            raise GameforgeError(f"player {file}: the file names no game", advice="name it", parameter="game")
        return PlayerPlan(
            game=rules or settings.get("game", game),
            searcher=settings.get("searcher"),
            evaluator=settings.get("evaluator"),
            oracle=settings.get("oracle"),
            seed=settings.get("seed", 0),
            name=str(file),
            text=self.text,
            file=file,
        )

    def _by_kind(self, game: str | None, registry: Registry) -> dict[str, Any]:
        """Return the parts by kind; GameforgeError if they cannot be combined."""
        parts: dict[str, list[str]] = {}
        for part in self.parts:
            folder = self.saved is not None and part == self.text
            parts.setdefault("folder" if folder else self._kind(part, game, registry), []).append(part)
        text = self.text
        if NONE in parts and "oracle" in parts:
            raise GameforgeError(f"player {text!r}: 'none' cannot be combined with oracles")
        bases = [*parts.get("folder", []), *parts.get("player", [])]
        if len(bases) > 1:
            raise GameforgeError(f"player {text!r} has two folders or trained players; at most one is allowed")
        for kind in ("searcher", "evaluator", "features"):
            if len(parts.get(kind, [])) > 1:
                raise GameforgeError(f"player {text!r} has two parts of the kind {kind}; at most one is allowed")
        surplus = [kind for kind in ("evaluator", "features") if bases and kind in parts]
        if surplus:
            whose = f"the player in {bases[0]}" if "folder" in parts else f"the player {bases[0]}"
            raise GameforgeError(f"player {text!r}: {whose} has its own evaluator; omit the part {surplus[0]}")
        oracles = {"oracle": parts.get("oracle") or NONE} if {NONE, "oracle"} & parts.keys() else {}
        return {kind: found[0] for kind, found in parts.items()} | oracles

    def _kind(self, part: str, game: str | None, registry: Registry) -> str:
        """Return the kind of a part: one of PART_KINDS, where a book counts as an oracle, or NONE or folder."""
        if part == NONE:
            return NONE
        name = _component(part)
        kinds = _kinds(name, game, registry) or _kinds(name, None, registry)  # creating it reports the wrong game
        if kinds == ["player"] and os.path.isdir(part):
            _require_no_trained(part, registry)
        if len(kinds) > 1:
            raise GameforgeError(f"player {self.text!r}: {name!r} is ambiguous; it is the name of: {', '.join(kinds)}")
        if kinds:
            return "oracle" if kinds == ["book"] else kinds[0]
        if part and os.path.isdir(part):
            return "folder"
        raise _unknown_part(self.text, name, game, registry)


def whole_path(text: str) -> Path | None:
    """Return the folder or the TOML file if the whole text is one; None: it consists of parts."""
    return Path(text) if os.path.isdir(text) or text.endswith(".toml") else None


def plan_all(given: Sequence[str | Player], game: str | Game | None, registry: Registry) -> list[PlayerPlan | Player]:
    """Plan the players that several texts describe; Players among them stay as they are.

    If no game is named, players that name none, such as those made of parts, play the game of the first one that does.
    """
    for one in given:
        if not isinstance(one, Player | str):
            raise GameforgeError(
                f"player {one!r}: must be a Player or a player's text; gf.player(game, searcher=..., evaluator=...) "
                "makes a Player of objects"
            )
    read = [one if isinstance(one, Player) else PlayerText.read(one, registry) for one in given]
    shared = game if game is not None else next((one.game for one in read if one.game is not None), None)
    return [
        one if isinstance(one, Player) else one.plan(shared if one.game is None else game, registry) for one in read
    ]


def folder_of(text: str, game: str | None, registry: Registry) -> Path:
    """Return the folder of a player that is given by the name of a trained player, or the folder of a run or player.

    game: needed for the name of a player that several games have. Raises GameforgeError if there is no such player, and
    if it plays another game.
    """
    if os.path.isdir(text):
        saved = PlayerText.read(text, registry).plan(game, registry).saved
        assert saved is not None, "the text is a folder"
        return saved.folder
    if not registry.has("player", text):
        names = registry.names("player", game)
        raise GameforgeError(
            f"player {text!r} is neither a folder nor a trained player{near(text, names)}; "
            f"known: {', '.join(names) or 'none'}"
        )
    return registry.player_folder(text, game)


def read_trained(name: str, game: RulesChoice | None, registry: Registry) -> tuple[SavedPlayer, RulesChoice]:
    """Read the player of this name that a plugin brings; return it with the game that it plays.

    game: may be omitted if only one game has a player of this name. Raises GameforgeError for an unknown name, and as
    `read_saved` does.
    """
    if game is None:
        games = [each for each in registry.names("rules") if registry.has("player", name, each)]
        if len(games) > 1:
            raise GameforgeError(f"player {name!r} exists for {', '.join(games)}", advice="name one", parameter="game")
    plain = None if game is None else plain_name(game)
    if isinstance(game, str):
        registry.find("rules", plain_name(game))  # report an unknown game before an unknown player
    component = registry.find("player", name, plain)
    saved = read_saved(registry.player_folder(name, component.game), f"player {name!r}")
    return saved, component.game if game is None else game


def require_no_level(text: str, named: int | None, level: int) -> None:
    """Raise GameforgeError if the text of a player names a level, since another one is chosen as well."""
    if named is not None:
        raise GameforgeError(f"player {text!r} already names a level; level {level} cannot be chosen as well")


def without_levels(player: str, registry: Registry) -> GameforgeError:
    """The error for a level of a player that is neither trained nor saved; it says what has levels."""
    games = [game for game in registry.names("rules") if registry.names("player", game)]
    return GameforgeError(
        f"{player} has no levels, which trained players (those of {', '.join(games) or 'no installed game'}) and saved "
        "ones have; to weaken it, lower the limit of its search"
    )


def plain_name(game: RulesChoice) -> str:
    """Return the name of a game without plugin and parameters."""
    if isinstance(game, Game):
        return game.rules.name
    if isinstance(game, str | Spec | Mapping):
        return Spec.from_settings(normal({"game": game})["game"], "game").use.rpartition("/")[2]
    return game.name


@attrs.frozen(kw_only=True)
class _Parameters:
    """Parameters that can follow the name of a trained player, as in `strong:level=3`."""

    level: int | None = None


def trained_and_level(part: str) -> tuple[str, int | None]:
    """Return the name of a trained player and the level that its text names, as in `strong:level=3`."""
    spec = Spec.parse(part)
    return spec.use, structure(_Parameters, spec.params, f"player {spec.use}").level


def _component(part: str) -> str:
    """Return the name of a component without its parameters."""
    return part.partition(":")[0].strip()


def _kinds(name: str, game: str | None, registry: Registry) -> list[str]:
    """Return the kinds of part of which a component has this name, for a game or (None) for any."""
    return [kind for kind in PART_KINDS if registry.has(kind, name, game)]


def _is_folder(part: str, registry: Registry) -> bool:
    """Return whether a part is a folder; a component of this name takes precedence."""
    return os.path.isdir(part) and not _kinds(_component(part), None, registry)


def _games_of(parts: Sequence[str], registry: Registry) -> frozenset[str]:
    """Return the names of the games that have all of these components."""
    games = {game.rpartition("/")[2] for game in registry.names("rules")}
    for name in (_component(part) for part in parts if part != NONE):
        games &= {game for game in games if _kinds(name, game, registry)}
    return frozenset(games)


def _require_no_trained(text: str, registry: Registry) -> None:
    if registry.has("player", text):
        raise GameforgeError(f"{text!r} is both a folder and a player; write ./{text} for the folder")


def _unknown_part(text: str, name: str, game: str | None, registry: Registry) -> GameforgeError:
    if not text.strip():
        return GameforgeError("player '': the text is empty; give a folder, a TOML file, a trained player or parts")
    suggestion = near(name, itertools.chain(*(registry.names(kind, game) for kind in PART_KINDS)))
    return GameforgeError(
        f"player {text!r}: {name!r} is not a folder, trained player, searcher, evaluator, feature map, oracle "
        f"or book{suggestion}"
    )
