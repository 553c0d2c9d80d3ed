"""Players as text: a trained player's name, the folder of a run or saved player, a TOML file, or parts joined by ` + `.

One of the parts may be a trained player or a folder: this player, with another searcher or other oracles. The part
`none` stands for no oracles. Reading a text builds nothing, and tells which game its player implies.
"""

import itertools
import os.path
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs

from gameforge.config import read_toml, spec_from_settings, split_parts
from gameforge.config.toml import in_file
from gameforge.discovery.registry import Registry
from gameforge.errors import GameforgeError, near
from gameforge.play.pipeline_settings import NONE, normal
from gameforge.play.saved_players import stored_settings


@attrs.frozen(kw_only=True)
class PlayerText:
    """The parts of a player's text. At most one of file, folder and trained player is given."""

    text: str
    file: Path | None = None
    """A TOML file; then there are no other parts."""
    folder: Path | None = None
    """The folder of a run or of a saved player."""
    trained: str | None = None
    """The name of a trained player, optionally with a level."""
    searcher: str | None = None
    """A component string, as those of the other components."""
    evaluator: str | None = None
    features: str | None = None
    oracles: tuple[str, ...] | None = None
    """Oracles and books, in their order; empty for the part `none`; None if the text says nothing about them."""

    @property
    def oracle(self) -> str | list[str] | None:
        """The oracles as a choice for a pipeline; None if the text says nothing about them."""
        return None if self.oracles is None else list(self.oracles) or NONE


def parse_player_text(text: str, game: str | None, registry: Registry) -> PlayerText:
    """Sort the parts of a text by kind.

    game: plain name of the game, for components that several games have. Raises GameforgeError for an unknown or
    ambiguous part, for two parts of the same kind, and for an evaluator or features beside a player that has its own.
    """
    if os.path.isdir(text):
        require_no_trained(text, registry)
        return PlayerText(text=text, folder=Path(text))
    if text.endswith(".toml"):
        return PlayerText(text=text, file=Path(text))
    parts: dict[str, list[str]] = {}
    for part in split_parts(text):
        parts.setdefault(_kind(part, text, game, registry), []).append(part)
    return _checked(text, parts)


def _kind(part: str, text: str, game: str | None, registry: Registry) -> str:
    """Return the kind of a part: one of PART_KINDS, where a book counts as an oracle, or NONE or folder."""
    if part == NONE:
        return NONE
    name = _component(part)
    kinds = [kind for kind in PART_KINDS if registry.has(kind, name, game)]
    kinds = kinds or [kind for kind in PART_KINDS if registry.has(kind, name)]  # creating it reports the wrong game
    if kinds == ["player"] and os.path.isdir(part):
        require_no_trained(part, registry)
    if len(kinds) > 1:
        raise GameforgeError(f"player {text!r}: {name!r} is ambiguous; it is the name of: {', '.join(kinds)}")
    if kinds:
        return "oracle" if kinds == ["book"] else kinds[0]
    if part and os.path.isdir(part):
        return "folder"
    raise _unknown_part(text, name, game, registry)


def _checked(text: str, parts: dict[str, list[str]]) -> PlayerText:
    """Make the PlayerText of parts by kind; GameforgeError if they cannot be combined."""
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
    only = {kind: found[0] for kind, found in parts.items()}
    return PlayerText(
        text=text,
        folder=Path(only["folder"]) if "folder" in only else None,
        trained=only.get("player"),
        searcher=only.get("searcher"),
        evaluator=only.get("evaluator"),
        features=only.get("features"),
        oracles=tuple(parts.get("oracle", ())) if {NONE, "oracle"} & parts.keys() else None,
    )


def require_no_trained(text: str, registry: Registry) -> None:
    """Raise GameforgeError if a folder has the name of a trained player."""
    if registry.has("player", text):
        raise GameforgeError(f"{text!r} is both a folder and a player; write ./{text} for the folder")


def require_known_parts(text: str, registry: Registry) -> None:
    """Raise GameforgeError if a part of a player is neither a folder nor a component of any game."""
    for part in [] if os.path.isdir(text) else split_parts(text):
        known = part == NONE or part.endswith(".toml") or (part and os.path.isdir(part))
        name = _component(part)
        if not known and not any(registry.has(kind, name) for kind in PART_KINDS):
            raise _unknown_part(text, name, None, registry)


def _unknown_part(text: str, name: str, game: str | None, registry: Registry) -> GameforgeError:
    if not text.strip():
        return GameforgeError("player '': the text is empty; give a folder, a TOML file, a trained player or parts")
    suggestion = near(name, itertools.chain(*(registry.names(kind, game) for kind in PART_KINDS)))
    return GameforgeError(
        f"player {text!r}: {name!r} is not a folder, trained player, searcher, evaluator, feature map, oracle "
        f"or book{suggestion}"
    )


def _component(part: str) -> str:
    """Return the name of a component without its parameters."""
    return part.partition(":")[0].strip()


PART_KINDS = ("searcher", "evaluator", "features", "oracle", "book", "player")
"""Kinds of component that can be a part of a player."""


def implied_game(text: str, registry: Registry) -> str | None:
    """Return the game of the player that a text describes, as a component string; None if it fits several games.

    A folder names the game, and so does a TOML file, as a rule. Parts determine it if only one game has all of them.
    Raises GameforgeError for a folder or a file that cannot be read.
    """
    if os.path.isdir(text):
        return _game_in(stored_settings(Path(text)))
    if text.endswith(".toml"):
        with in_file(text):
            return _game_in(normal(read_toml(Path(text))))
    games = {game.rpartition("/")[2] for game in registry.names("rules")}
    for part in split_parts(text):
        name = part.partition(":")[0].strip()
        fitting = {game for game in games if any(registry.has(kind, name, game) for kind in PART_KINDS)}
        if not fitting and os.path.isdir(part):
            return _game_in(stored_settings(Path(part)))
        games &= games if part == NONE else fitting
    return games.pop() if len(games) == 1 else None


def _game_in(settings: Mapping[str, Any]) -> str | None:
    found = settings.get("game", NONE)
    return None if found == NONE else str(spec_from_settings(found, "game"))
