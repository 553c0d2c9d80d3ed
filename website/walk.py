"""The walk of a player's text through the core, as a list: `NUMBA_DISABLE_JIT=1 python website/walk.py`.

Whoever wants to know how `gameforge match "alphabeta:depth=2" random` finds its players follows the text from the
function of the command on, from call to call, until both players exist. This counts that way while it happens. A
function belongs to it if one of its arguments is the text, a part of it, or settings, a plan or a component string
that contain one. Objects that were made of the text end it, and sentences that quote it do not count.

A reader enters a module, follows a call into another one, and returns. Each pair of functions in two modules counts as
one return, however often the one calls the other. The calls that lead to the last player need no return. Nothing is
compiled for players that play no game, hence the variable.
"""

import sys
from collections.abc import Mapping
from pathlib import Path
from types import CodeType, FrameType, SimpleNamespace

import attrs

import gameforge
from gameforge.cli.command_group import State
from gameforge.cli.commands.match import match
from gameforge.config import Spec
from gameforge.discovery.registry import default_registry
from gameforge.play.player import Player
from gameforge.play.player_plan import PlayerPlan, PlayerText

CORE = Path(gameforge.__file__).parent
GAME = "morris"
"""A game whose preset does not name the first player's searcher, so that its settings are not taken for the text."""
FIRST, SECOND = "alphabeta:depth=2", "random"
PARTS = frozenset({FIRST, "alphabeta"})
PARAMETER = "depth", 2

Place = tuple[str, str]
"""Module and function."""


class _Seated(BaseException):
    """Both players exist."""


@attrs.define
class Walk:
    """The calls that the text takes."""

    entered: dict[str, None] = attrs.field(factory=dict)
    """The modules, in the order in which the text enters them."""
    returns: dict[tuple[Place, Place], None] = attrs.field(factory=dict)
    """From the function of one module to the one in another that called it."""
    _calls: list[Place | None] = attrs.field(factory=list)
    """The calls that have not returned, by place; None for those without the text."""
    _players: int = 0

    def __call__(self, frame: FrameType, event: str, _: object) -> None:
        """Follow a call or a return, as `sys.setprofile` reports them."""
        if event == "call":
            begins = frame.f_code is match.__code__
            here = _place(frame.f_code) if _has_text(frame) and (begins or self.entered) else None
            self._calls.append(here)
            if here is not None:
                self.entered.setdefault(here[0])
        elif event == "return" and self._calls:
            here = self._calls.pop()
            self._players += frame.f_code is Player.__init__.__code__
            if self._players == 2:
                raise _Seated
            caller = next((place for place in reversed(self._calls) if place is not None), None)
            if here is not None and caller is not None and caller[0] != here[0]:
                self.returns.setdefault((here, caller))


def _place(code: CodeType) -> Place:
    """Return module and function; what is defined inside a function belongs to it."""
    module = Path(code.co_filename).relative_to(CORE).with_suffix("")
    return ".".join(("gameforge", *module.parts)), code.co_qualname.partition(".<locals>")[0]


def _has_text(frame: FrameType) -> bool:
    code = frame.f_code
    if not code.co_filename.startswith(f"{CORE}/"):
        return False
    count = code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & 4) + bool(code.co_flags & 8)
    return any(_is_text(frame.f_locals.get(name)) for name in code.co_varnames[:count])


def _is_text(value: object) -> bool:
    """Return whether a value is the text of the first player, or contains it."""
    match value:
        case str():
            return value in PARTS
        case list() | tuple():
            return any(map(_is_text, value))
        case Mapping():
            return PARAMETER in value.items() or any(map(_is_text, value.values()))
        case Spec():
            return _is_text(value.use) or _is_text(value.params)
        case PlayerText() | PlayerPlan():
            return _is_text(value.text)
    return False


def walk() -> Walk:
    """Let the command seat its players, and return the walk of the first one's text."""
    found = Walk()
    before = sys.getprofile()
    sys.setprofile(found)
    try:
        match(SimpleNamespace(obj=State(default_registry())), FIRST, SECOND, GAME)  # type: ignore[arg-type]
    except _Seated:
        pass
    finally:
        sys.setprofile(before)
    return found


if __name__ == "__main__":
    found = walk()
    print(f"{len(found.entered)} modules:", *found.entered, sep="\n  ")
    print(f"{len(found.returns)} returns:")
    for (_, callee), (_, caller) in found.returns:
        print(f"  {callee} -> {caller}")
