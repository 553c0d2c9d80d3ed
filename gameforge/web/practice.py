"""What a page asks for practice: exercises that are due, new endings and puzzles, and answers to a person's moves."""

import asyncio
import secrets
import time
from collections.abc import Iterator
from itertools import islice

import attrs

from gameforge.coaching.exercises import (
    LEAST_PLIES,
    Ending,
    Exercise,
    Goal,
    PuzzleMaker,
    answer,
    draw_ending,
    force_text,
    forces_known,
    solution,
)
from gameforge.coaching.practice import BOXES, Card
from gameforge.errors import GameforgeError
from gameforge.interfaces.games import GameRecord
from gameforge.play.game import Game, Position
from gameforge.play.knowledge import OracleHandle
from gameforge.play.player import Player
from gameforge.records.game_records import player_names
from gameforge.web.folders import folder_records, known_folder
from gameforge.web.requests import Ask, Tab, WithPlayer, progress
from gameforge.web.searches import Stopper
from gameforge.web.site import Site
from gameforge.web.views import JsonObject, Send

_MOST_PUZZLES = 20
"""Most new puzzles of one search."""
_GOALS = attrs.validators.in_(("win", "draw"))


@attrs.frozen(kw_only=True)
class Due:
    """The exercises of a game that are due, and how many there are in each box."""

    game: str

    async def answer(self, tab: Tab, send: Send) -> JsonObject:
        return await asyncio.to_thread(_overview, tab.site, self.game)


def _overview(site: Site, game: str) -> JsonObject:
    rules = site.game(game)  # refuses unknown ones
    cards, now = site.practice.cards(game), int(time.time())
    due = [card for card in cards if card.due <= now]
    return {
        "due": len(due),
        "boxes": [sum(card.box == box for card in cards) for box in range(BOXES + 1)],
        "back": min((card.due for card in cards if card.due > now), default=None),
        "next": next((_card_json(card) for card in due if _is_position(rules, card.exercise.start)), None),
    }


def _is_position(game: Game, text: str) -> bool:
    """Whether the game has this position: the file may come from another version, or have been edited."""
    try:
        game.parse_position(text)
    except GameforgeError:
        return False
    return True


def _card_json(card: Card) -> JsonObject:
    """Return an exercise for the page, without its solution."""
    exercise = card.exercise
    return {
        "start": exercise.start,
        "goal": exercise.goal,
        "plies": len(exercise.line),
        "source": exercise.source,
        "box": card.box,
    }


@attrs.frozen(kw_only=True)
class Endings(Ask):
    """The endings, by their pieces, that the oracles know."""

    def reply(self, player: Player, position: Position, site: Site, send: Send) -> JsonObject:
        game, oracles = position.game, site.oracles(player, self.player, self.game, progress(send))
        return {
            "oracles": [str(oracle.spec) for oracle in oracles],
            "endings": [
                {"own": own, "other": other, "text": f"{force_text(game, own)} against {force_text(game, other)}"}
                for own, other in (forces_known(game, oracles) if oracles else [])
            ],
        }


@attrs.frozen(kw_only=True)
class NewEnding(Ask):
    """An ending that has been drawn at random."""

    own: tuple[str, ...]
    other: tuple[str, ...]
    goal: Goal = attrs.field(default="win", validator=_GOALS)
    shortest: int = LEAST_PLIES
    longest: int | None = None

    def reply(self, player: Player, position: Position, site: Site, send: Send) -> JsonObject:
        wanted = Ending(own=self.own, other=self.other, goal=self.goal, shortest=self.shortest, longest=self.longest)
        oracles = site.oracles(player, self.player, self.game, progress(send))
        found = draw_ending(position.game, self.game, wanted, oracles, secrets.randbits(63))
        return {"exercise": _card_json(Card(exercise=found))}


@attrs.frozen(kw_only=True)
class _Exercised(Ask):
    """A question about the exercise that begins in `start`, after `moves`."""

    goal: Goal = attrs.field(validator=_GOALS)

    def exercise(self, site: Site) -> Exercise:
        """Return the exercise; one that is not kept is an ending."""
        start = self.start or ""
        kept = (card.exercise for card in site.practice.cards(self.game))
        return next(
            (one for one in kept if (one.start, one.goal) == (start, self.goal)),
            Exercise(game=self.game, start=start, goal=self.goal),
        )

    def oracles(self, exercise: Exercise, player: Player, site: Site, send: Send) -> list[OracleHandle]:
        """Return the oracles, which a puzzle does not need."""
        return [] if exercise.line else site.oracles(player, self.player, self.game, progress(send))


@attrs.frozen(kw_only=True)
class Tried(_Exercised):
    """What the person's move leads to: whether it is right, and the answer of the other side."""

    move: str

    def reply(self, player: Player, position: Position, site: Site, send: Send) -> JsonObject:
        exercise = self.exercise(site)
        found = answer(exercise, position, self.move, self.oracles(exercise, player, site, send), player)
        return {
            "good": found.good,
            "solved": found.done,
            "reply": None if found.reply is None else str(found.reply),
            "text": found.text,
        }


@attrs.frozen(kw_only=True)
class Solution(_Exercised):
    """A move that is right."""

    def reply(self, player: Player, position: Position, site: Site, send: Send) -> JsonObject:
        exercise = self.exercise(site)
        return {"move": str(solution(exercise, position, self.oracles(exercise, player, site, send), player))}


@attrs.frozen(kw_only=True)
class Practised(_Exercised):
    """The end of a try, which is kept; answers with what is due now."""

    success: bool
    """Whether the person solved it without a mistake and without help."""
    source: str = attrs.field(default="", validator=attrs.validators.max_len(200))
    """Of an ending: its pieces and verdict; a puzzle is kept already."""

    async def answer(self, tab: Tab, send: Send) -> JsonObject:
        await self.here(tab)  # refuses a start that is no position of the game

        def record() -> JsonObject:
            exercise = self.exercise(tab.site)
            own = exercise if exercise.source else attrs.evolve(exercise, source=self.source)
            card = tab.site.practice.record(own, self.success, int(time.time()))
            return {"box": card.box, "days": 2 ** (card.box - 1), **_overview(tab.site, self.game)}

        return await asyncio.to_thread(record)


@attrs.frozen(kw_only=True)
class FindPuzzles(WithPlayer):
    """A search for puzzles in the games of a folder or of the user's database; new ones are kept at once."""

    path: str | None = None
    """The folder of a match or a run; None: the database."""
    skip: int = attrs.field(default=0, validator=attrs.validators.ge(0))
    """Number of games to leave out: those that have been searched before."""

    async def answer(self, tab: Tab, send: Send) -> JsonObject:
        def search(stopper: Stopper) -> JsonObject:
            site = tab.site
            with self.lent(site, send, stopper) as player:
                oracles = site.oracles(player, self.player, self.game, progress(send, stopper))
                return self._search(PuzzleMaker(player, self.game, oracles), site, stopper, send)

        return await tab.site.searches.analysis(search)

    def _search(self, maker: PuzzleMaker, site: Site, stopper: Stopper, send: Send) -> JsonObject:
        found = searched = 0
        for source, record in islice(self._games(site), self.skip, None):
            number = self.skip + searched + 1

            def position_done(done: int, total: int, number: int = number, found: int = found) -> None:
                if stopper.stopped:
                    raise GameforgeError("the search was stopped")
                send({"preparing": f"{found} found; game {number}", "share": done / total})

            found += site.practice.add(maker.puzzles(record, source, position_done))
            searched += 1
            if found >= _MOST_PUZZLES:
                break
        return {"found": found, "searched": searched, **_overview(site, self.game)}

    def _games(self, site: Site) -> Iterator[tuple[str, GameRecord]]:
        """Yield the games with their names."""
        game = site.game(self.game)
        if self.path is not None:
            for number, record in enumerate(folder_records(known_folder(site, self.path), game), 1):
                yield f"{self.path}, game {number}", record
            return
        with site.named_database(self.game) as database:
            for one in database.find():
                yield _title(one.record, game), one.record


def _title(record: GameRecord, game: Game) -> str:
    """Return the players, the event and the date of a game, as far as they are known."""
    tags = record.tags(game.rules.sides)
    parts = (" - ".join(player_names(record, game.rules.sides)), tags.get("Event", ""), tags.get("Date", ""))
    return ", ".join(part for part in parts if part.strip("? -."))
