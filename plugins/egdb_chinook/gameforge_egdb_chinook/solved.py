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
    longest_win: int | None
    longest_loss: int | None
    example: str | None
    default: int | None = None
    """Default value of Chinook's format; None for distances."""
    size: int | None
    """Number of bytes of its codes; None if it has none."""
    codes: tuple[int, int] | None = attrs.field(validator=_is_span)
    """First and end byte of its codes."""

    def record(self) -> dict[str, Any]:
        return attrs.asdict(self, filter=lambda field, value: field.name != "default" or value is not None)


@attrs.frozen(kw_only=True)
class SolvedUnit:
    """A finished unit, as the journal keeps it."""

    unit: Unit
    sha256: str
    """Checksum of its values, distances and codes."""
    slices: tuple[SolvedSlice, ...]


def log_line(record: dict[str, Any], seconds: float) -> str:
    """Describe a solved slice, given as its record, in one line."""
    line = (
        f"BASE{record['name']} {record['positions']:,} positions: {record['win']:,} won, {record['loss']:,} lost, "
        f"{record['draw']:,} drawn"
    )
    if record["longest_win"] is not None:
        line += f", longest win {record['longest_win']} plies"
    return f"{line}, {seconds:.2f} s"
