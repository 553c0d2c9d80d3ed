"""What a build records of the units that it has solved: in its journal, in the manifest and in its log."""

from typing import Any

import attrs

from gameforge.retrograde.indexer import Unit


def _is_span(instance: object, attribute: "attrs.Attribute[Any]", value: tuple[int, int] | None) -> None:
    if value is not None and not 0 <= value[0] <= value[1]:
        raise ValueError(f"'{attribute.name}' must be two places in a file, in order: {value}")


@attrs.frozen(kw_only=True)
class SolvedSlice:
    """A slice of a finished unit. The fields are those of the manifest (FORMAT.md), and where its codes are kept."""

    name: str
    first: int
    positions: int
    win: int
    loss: int
    draw: int
    longest_win: int | None = None
    longest_loss: int | None = None
    example: str | None = None
    default: int | None = None
    """Default value of Chinook's format; None for distances."""
    size: int | None = None
    """Number of bytes of its codes; None if it has none."""
    codes: tuple[int, int] | None = attrs.field(default=None, validator=_is_span)
    """First and end byte of its codes."""

    def record(self) -> dict[str, Any]:
        """Return its record in the manifest, which the place of its data completes."""
        return attrs.asdict(self, filter=attrs.filters.exclude("default", "size", "codes"))


@attrs.frozen(kw_only=True)
class SolvedUnit:
    """A finished unit, as the journal keeps it."""

    unit: Unit
    sha256: str
    """Checksum of its values, distances and codes."""
    slices: tuple[SolvedSlice, ...]


def log_line(solved: SolvedSlice, seconds: float) -> str:
    """Describe a solved slice in one line; seconds: the time that it took."""
    line = (
        f"BASE{solved.name} {solved.positions:,} positions: {solved.win:,} won, {solved.loss:,} lost, "
        f"{solved.draw:,} drawn"
    )
    if solved.longest_win is not None:
        line += f", longest win {solved.longest_win} plies"
    return f"{line}, {seconds:.2f} s"
