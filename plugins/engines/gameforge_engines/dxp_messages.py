"""Messages of DXP, the DamExchange Protocol for draughts programs: one letter, fields of fixed width, a final NUL."""

import re

import attrs

from gameforge.errors import GameforgeError

PORT = 27531
"""The usual TCP port."""
END = b"\0"
LONGEST = 256
"""Maximum length of a message, in bytes."""
UNKNOWN, LOST, DRAWN, WON = "0", "1", "2", "3"
"""Reasons of GAMEEND, as its sender sees the game."""
WHITE, BLACK = "W", "Z"


@attrs.frozen
class GameRequest:
    """R: the initiator proposes a game."""

    name: str
    follower: str
    """Colour of the follower, WHITE or BLACK."""
    minutes: int
    moves: int
    position: str = ""
    """"" for the initial position, else the side to move and a letter for each square."""

    def encoded(self) -> str:
        place = f"B{self.position}" if self.position else "A"
        return f"R01{self.name[:32]:<32}{self.follower}{self.minutes:03}{self.moves:03}{place}"


@attrs.frozen
class GameAccepted:
    """A: the follower accepts (code 0) or refuses."""

    name: str
    code: str = "0"

    def encoded(self) -> str:
        return f"A{self.name[:32]:<32}{self.code}"


@attrs.frozen
class MoveMade:
    """M: a move by its first and last square and the captured squares."""

    seconds: int
    first: int
    last: int
    captured: tuple[int, ...] = ()

    @property
    def text(self) -> str:
        """The move in the dialect of a game for DXP."""
        return "-".join(map(str, (self.first, self.last, *self.captured)))

    def encoded(self) -> str:
        squares = "".join(f"{square:02}" for square in self.captured)
        return f"M{min(self.seconds, 9999):04}{self.first:02}{self.last:02}{len(self.captured):02}{squares}"


@attrs.frozen
class GameEnd:
    """E: the sender ends the game."""

    reason: str = UNKNOWN
    stop: str = "0"

    def encoded(self) -> str:
        return f"E{self.reason}{self.stop}"


@attrs.frozen
class Chat:
    """C: a text for the person at the other end."""

    text: str

    def encoded(self) -> str:
        return f"C{self.text[:126]}"


@attrs.frozen
class BackRequest:
    """B: a request to take back moves."""

    def encoded(self) -> str:
        return "B001W"


@attrs.frozen
class BackAnswer:
    """K: the answer to a request to take back moves; 1 refuses because the program does not support it."""

    code: str = "1"

    def encoded(self) -> str:
        return f"K{self.code}"


Message = GameRequest | GameAccepted | MoveMade | GameEnd | Chat | BackRequest | BackAnswer


def decoded(text: str) -> Message:
    """Parse a message; GameforgeError if it is not one."""
    kind, rest = text[:1], text[1:]
    try:
        if kind == "R":
            position = rest[42:] if rest[41] == "B" else ""
            return GameRequest(rest[2:34].strip(), rest[34], int(rest[35:38]), int(rest[38:41]), position)
        if kind == "A":
            return GameAccepted(rest[:32].strip(), rest[32:33])
        if kind == "M":
            return MoveMade(int(rest[:4]), int(rest[4:6]), int(rest[6:8]), _squares(rest[10:], int(rest[8:10])))
        if kind == "E":
            return GameEnd(rest[0], rest[1:2] or "0")
        if kind == "C":
            return Chat(rest)
        if kind == "B":
            return BackRequest()
        if kind == "K":
            return BackAnswer(rest[:1])
    except (IndexError, ValueError):
        pass
    raise GameforgeError(f"DXP: {text[:60]!r} is not a message")


def _squares(text: str, count: int) -> tuple[int, ...]:
    if len(text) < 2 * count:
        raise ValueError(text)
    return tuple(int(text[2 * i : 2 * i + 2]) for i in range(count))


def packed(message: Message) -> bytes:
    """Write a message as it is sent."""
    return message.encoded().encode("latin-1", "replace") + END


def move_made(text: str, seconds: float = 0.0) -> MoveMade:
    """Make the message of a move from its squares in the dialect: the first, the last, then the captured pieces."""
    first, last, *captured = map(int, re.findall(r"\d+", text))
    return MoveMade(round(seconds), first, last, tuple(captured))
