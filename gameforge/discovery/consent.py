"""Consent to programs: which of them components may start.

A component that starts programs (`Component.runs_programs`) is created only if somebody agreed to its texts. What a
person names, on the command line or in Python, is agreed to. What comes from a file is not: a player, a run, a match or
a pipeline of somebody else must not start a program unasked. So consent is given where people name components, and
demanded where components are created, whatever file, folder or component named them on the way.
"""

import hashlib
import json
import os.path
import shlex
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import attrs

from gameforge.config import Spec, split_parts, unstructure
from gameforge.config.outside import open_file
from gameforge.config.settings import flat
from gameforge.errors import GameforgeError
from gameforge.interfaces.hooks import Component

_PAGE = "gameforge web does not start it, because it was not named when the server was started"


@attrs.frozen
class Program:
    """What a component may start: the component, with those of its parameters that are texts.

    Numbers name no programs, so the same program with another time limit needs no other consent.
    """

    target: str
    spec: Spec

    @classmethod
    def of(cls, component: Component, made: object) -> "Program":
        """Return what this component starts with its parameters."""
        params = dict(flat(unstructure(made))) if attrs.has(type(made)) else {}
        texts = {key: value for key, value in params.items() if value and not isinstance(value, bool | int | float)}
        return cls(component.target, Spec(component.name, texts))

    @property
    def digest(self) -> str:
        """The same for the same component and texts."""
        return hashlib.sha256(json.dumps([self.target, self.spec.settings()], sort_keys=True).encode()).hexdigest()

    @property
    def lasting_digest(self) -> str:
        """As `digest`, but also of the content of each file that the texts name: it changes with the program.

        A text may name the directory in which others are found, such as the working directory of the program.
        """
        found = hashlib.sha256(self.digest.encode())
        texts = [str(value) for value in self.spec.params.values()]
        directories = [Path(), *(Path(text) for text in texts if os.path.isdir(text))]
        for word in (word for text in texts for word in _words(text)):
            named = shutil.which(word)
            for path in dict.fromkeys(directory / (word if named is None else named) for directory in directories):
                if os.path.isfile(path):
                    with open_file(path) as file:
                        content = hashlib.file_digest(file, "sha256").digest()
                    found.update(f"\0{path.resolve()}\0".encode(errors="replace") + content)
        return found.hexdigest()


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError:
        return [text]


Ask = Callable[[Program, str], bool]
"""ask(program, origin): whether a person agrees that a program is started; origin: the file that names it, or ""."""


@attrs.frozen(kw_only=True, eq=False)
class Consent:
    """The programs that components may start; views of one registry share what was agreed to."""

    agreed: set[str] = attrs.field(factory=set)
    """Digests of programs."""
    everything: bool = False
    """Whether all programs may be started."""
    ask: Ask | None = None
    """Asks a person; None: nobody can be asked."""
    closed: bool = False
    """Whether nothing more can be agreed to, as for requests of a web page."""
    how: str = "allow_engines=True"
    """What a person writes to agree in advance, for messages."""
    origin: str = ""
    """The file that names the programs; "": unknown."""

    def require(self, program: Program) -> None:
        """Raise GameforgeError unless the program may be started; a person may be asked first."""
        if self.everything or program.digest in self.agreed:
            return
        if self.ask is not None and self.ask(program, self.origin):
            self.agreed.add(program.digest)
            return
        named = f"{self.origin or 'a file'} names the program {program.spec}"
        if self.closed:
            raise GameforgeError(f"{named}; {_PAGE}")
        raise GameforgeError(
            f"{named}, and a program that a file names is not started unasked; if you trust it, allow it with "
            f"{self.how}"
        )


def specs_in(given: Any) -> Iterator[Spec]:
    """Yield every component that a text, settings or lists of them name, those in parameters included."""
    match given:
        case Spec():
            yield given
            yield from specs_in(list(given.params.values()))
        case str():
            for part in split_parts(given):
                try:
                    yield from specs_in(Spec.parse(part))
                except GameforgeError:  # a path, or another text that names no component
                    continue
        case Mapping():
            use = given.get("use")
            if isinstance(use, str):
                yield Spec(use, {key: value for key, value in given.items() if key != "use"})
            yield from specs_in(list(given.values()))
        case list() | tuple():
            for one in given:
                yield from specs_in(one)
