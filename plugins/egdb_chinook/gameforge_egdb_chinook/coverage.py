"""What a set of Chinook's files covers, and whether the set is complete.

Coverage is stated in whole materials: LS-Draughts, for example, uses all positions with up to 6 pieces, 4 against 3
and 4 against 4. If the files hold any material with 4 pieces against 3, they must hold all materials with 4 against
3 and with 3 against 4, or at least all of those without men: a king never becomes a man, so positions with kings only
need no others.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from gameforge.errors import GameforgeError
from gameforge_egdb_chinook.chinook_files import DataFile, Record
from gameforge_egdb_chinook.codes import LITERAL, coded_positions
from gameforge_egdb_chinook.slices import MAX_PIECES, Material, Slice, materials, slices_of

Division = tuple[int, int]
"""Number of pieces of Black and of White."""


def _division(material: Material) -> Division:
    bk, wk, bm, wm = material
    return bk + bm, wk + wm


def _required(present: Iterable[Material]) -> set[Material]:
    """These materials and those that must accompany them."""
    found = set(present)
    divisions = {_division(m) for m in found}
    divisions |= {(white, black) for black, white in divisions}
    required = set()
    for material in materials(max((sum(m) for m in found), default=0)):
        division = _division(material)
        if division in divisions:
            with_men = any(m[2] + m[3] for m in found if _division(m) in (division, division[::-1]))
            if with_men or material[2] + material[3] == 0:
                required.add(material)
    return required


def covered_slices(files: Sequence[DataFile], pieces: int | None = None) -> tuple[Slice, ...]:
    """The slices that the files hold, with up to `pieces` pieces, in solving order.

    Raises GameforgeError if a slice is missing or cannot exist, or if the files cover fewer pieces.
    """
    owners = {record.name: file.index_path for file in files for record in file.records}
    if not owners:
        raise GameforgeError(f"{files[0].index_path}: holds no slices")
    present = {(int(n[0]), int(n[1]), int(n[2]), int(n[3])) for n in owners}
    _check_names(present, owners)
    every = slices_of(_required(present))
    for s in every:
        if s.name not in owners:
            raise GameforgeError(f"{files[-1].index_path}: the slice BASE{s.name} is missing")
    known = {s.name for s in every}
    for file in files:
        for record in file.records:
            # DB6 lists slices that have no positions, such as 0150.00: five men do not fit on the first row.
            if record.name not in known and (record.positions or not set(record.name[5:]) <= set("0123456")):
                raise GameforgeError(f"{file.index_path}: there is no slice BASE{record.name}")
    most = max(s.pieces for s in every)
    if pieces is not None and pieces > most:
        raise GameforgeError(f"{files[-1].index_path} covers up to {most} pieces, not {pieces}")
    return slices_of(m for m in _required(present) if pieces is None or sum(m) <= pieces)


def _check_names(present: Iterable[Material], owners: Mapping[str, Path]) -> None:
    for material in present:
        black, white = _division(material)
        if not black or not white or black + white > MAX_PIECES:
            name = next(n for n in owners if n.startswith("".join(map(str, material))))
            raise GameforgeError(
                f"{owners[name]}: the slice BASE{name} has {black} pieces against {white}; "
                f"each side must have at least one, both together at most {MAX_PIECES}"
            )


def describe(covered: Sequence[Slice]) -> str:
    """Describe the coverage in words: `positions with up to 6 pieces, 4 against 3, 4 against 4`."""
    with_men: dict[Division, bool] = {}
    for s in covered:
        black, white = _division(s.material)
        division = max(black, white), min(black, white)
        with_men[division] = with_men.get(division, False) or s.black_men + s.white_men > 0
    full = 1
    while full < MAX_PIECES and all(
        with_men.get((full + 1 - less, less), False) for less in range(1, (full + 1) // 2 + 1)
    ):
        full += 1
    words = [f"up to {full} pieces"] if full > 1 else []
    words += [
        f"{more} {'' if men else 'kings '}against {less}"
        for (more, less), men in sorted(with_men.items(), key=lambda item: (sum(item[0]), item[0]))
        if more + less > full
    ]
    return "positions with " + ", ".join(words)


def check_codes(file: DataFile, record: Record, size: int, table: object) -> None:
    """Raise GameforgeError if the codes of a slice do not encode `size` positions."""
    if not record.positions:
        return
    coded = -(-size // LITERAL) * LITERAL
    if record.coded != coded:
        raise GameforgeError(
            f"{file.index_path}: the slice BASE{record.name} ends at position {record.coded}, it must end at {coded}"
        )
    ends = [*record.positions[1:], coded]
    for (first, start, stop), end in zip(record.parts, ends, strict=True):
        reached = first + int(coded_positions(table, file.data.ctypes.data, start, stop))
        if reached != end:
            raise GameforgeError(
                f"{file.data_path}: the codes of the slice BASE{record.name} in block {start // 1024} end at "
                f"position {reached}, by {file.index_path.name} they end at {end}: one of the two files was altered"
            )
