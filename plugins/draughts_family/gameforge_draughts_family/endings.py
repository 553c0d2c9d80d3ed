"""Limits for endings with few pieces, by federation.

A limit counts moves since the last capture or promotion, while both sides have a king. The first ending of a table that
fits applies.
"""

import attrs


@attrs.frozen
class Ending:
    """A material balance in which the game is drawn after some moves."""

    least: int
    """Minimum number of pieces on the board."""
    most: int
    """Maximum number of pieces on the board."""
    moves: int
    """Number of moves of each side after which the game is drawn."""
    lone_king: bool = False
    """Whether one side must have a single king and nothing else."""
    kings: int = 1
    """Minimum number of kings of the side with more of them."""

    def words(self) -> tuple[int, ...]:
        """Return the ending as settings for the kernel, with the limit in plies."""
        return self.least, self.most, int(self.lone_king), self.kings, 2 * self.moves


ENDINGS: dict[str, tuple[Ending, ...]] = {
    "international": (Ending(2, 3, 5, lone_king=True), Ending(4, 4, 16, lone_king=True)),
    "russian": (Ending(4, 13, 15, lone_king=True, kings=3), Ending(2, 3, 5), Ending(4, 5, 30), Ending(6, 7, 60)),
    "brazilian": (Ending(2, 3, 5, lone_king=True), Ending(4, 4, 16, lone_king=True)),
    "frisian": (Ending(2, 2, 2, lone_king=True), Ending(3, 3, 7, lone_king=True, kings=2)),
    "pool": (Ending(2, 2, 1, lone_king=True), Ending(4, 4, 13, lone_king=True, kings=3)),
    "spanish": (Ending(2, 2, 1, lone_king=True), Ending(4, 4, 12, lone_king=True, kings=3)),
    "turkish": (Ending(2, 2, 1, lone_king=True),),
}
"""Federation -> its endings."""
NO_ENDINGS: tuple[Ending, ...] = ()
