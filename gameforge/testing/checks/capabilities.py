"""The contract of capabilities of rules: notation, positions as text, drawings, openings and files."""

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import attrs

from gameforge.errors import GameforgeError
from gameforge.interfaces.games import GameRecord
from gameforge.interfaces.outcome import outcome_of
from gameforge.testing.contract import Broken, Check, Skipped, expect
from gameforge.testing.sampling import Sample

_GIBBERISH = "\N{SNOWMAN} not a text of any game"


def _offered(sample: Sample, name: str) -> Any:
    """Return a capability that the rules themselves offer; the core's substitutes are skipped."""
    if getattr(sample.rules, name, None) is None:
        raise Skipped(f"the rules offer no {name}")
    return getattr(sample.game, name)


def _check_rejected(parse: Any, what: str) -> None:
    """Check that a meaningless text raises a GameforgeError with one line."""
    try:
        parse()
    except GameforgeError as error:
        expect("\n" not in str(error), f"{what} is rejected with a message of more than one line")
    else:
        raise Broken(f"{what} is accepted")


def position_texts_are_read_back(sample: Sample) -> int:
    positions = _offered(sample, "positions")
    for state in sample.states:
        text = positions.position_text(state)
        again = positions.parse_position(text)
        same = positions.position_text(again) == text and sample.key(again) == sample.key(state)
        expect(same, f"{text!r} is the text of {sample.text(state)}, but is read as {sample.text(again)}")
        expect(list(sample.legal(again)) == list(sample.legal(state)), f"{text!r} is read with different legal moves")
    _check_rejected(lambda: positions.parse_position(_GIBBERISH), f"the position {_GIBBERISH!r}")
    return len(sample.states)


def move_texts_are_read_back(sample: Sample) -> int:
    notation = _offered(sample, "notation")
    for state in sample.running:
        legal: Sequence[int] = sample.legal(state)
        for move in legal:
            text = notation.move_text(state, move, legal)
            again = notation.parse_move(state, text, legal)
            expect(again == move, f"{text!r} is move {move:#x} in {sample.text(state)}, but is read as {again:#x}")
        _check_rejected(lambda s=state, m=legal: notation.parse_move(s, _GIBBERISH, m), f"the move {_GIBBERISH!r}")
    return len(sample.running)


def diagrams_are_drawn(sample: Sample) -> int:
    drawing = _offered(sample, "drawing")
    for state in sample.states:
        text = drawing.diagram(state)
        expect(isinstance(text, str) and text.strip() != "", f"the diagram of {sample.text(state)} is {text!r}")
    return len(sample.states)


def pictures_are_svg(sample: Sample) -> int:
    drawing = _offered(sample, "drawing")
    if drawing.svg(sample.rules.initial()) is None:
        raise Skipped("the rules draw no SVG pictures")
    for state in sample.states:
        root = ElementTree.fromstring(drawing.svg(state))
        expect(
            root.tag.rpartition("}")[2] == "svg", f"the picture of {sample.text(state)} is a <{root.tag}>, not <svg>"
        )
    return len(sample.states)


def openings_are_legal(sample: Sample) -> int:
    openings = _offered(sample, "openings")
    cases = 0
    for name in openings.names:
        for opening in openings.get(name):
            state, where = opening.start, f"opening {opening.name!r} of {name}"
            for move in opening.moves:
                legal = sample.code(state) == 0 and move in sample.legal(state)
                expect(legal, f"{where}: move {move:#x} is not legal in {sample.text(state)}")
                state = sample.after(state, move)
            expect(sample.code(state) == 0, f"{where} ends in a finished game")
            cases += 1
    return cases


def _finished(sample: Sample) -> list[GameRecord]:
    """The random games of the sample that the rules ended."""
    found = []
    for line in sample.lines:
        end = line.states[-1]
        outcome = outcome_of(sample.rules, sample.code(end), sample.rules.side_to_move(end))
        if outcome is not None:
            found.append(GameRecord(start=line.states[0], moves=line.moves, outcome=outcome))
    return found


def games_are_written(sample: Sample) -> int:
    files = _offered(sample, "files")
    expect(files.suffix.startswith("."), f"files.suffix is {files.suffix!r}: must begin with a dot")
    games = _finished(sample)
    for game in games:
        text = files.game_text(attrs.evolve(game, phase="contract", number=1, players=sample.rules.sides))
        expect(isinstance(text, str) and text.strip() != "", "a game is written as an empty text")
    return len(games)


def games_in_files_are_read_back(sample: Sample) -> int:
    files = _offered(sample, "files")
    games = _finished(sample)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"games{files.suffix}"
        path.write_text("".join(files.game_text(game) for game in games), encoding="utf-8")
        again = list(files.read_games(path)) if games else []
    expect(len(again) == len(games), f"{len(games)} games were written, but {len(again)} were read")
    for one, other in zip(games, again, strict=True):
        same = (one.start, one.moves, one.outcome.winner) == (other.start, other.moves, other.outcome.winner)
        expect(same, f"a game is read back with a different start, moves or winner: {files.game_text(one)!r}")
    return len(games)


CHECKS = tuple(
    map(
        Check.of,
        (
            position_texts_are_read_back,
            move_texts_are_read_back,
            diagrams_are_drawn,
            pictures_are_svg,
            openings_are_legal,
            games_are_written,
            games_in_files_are_read_back,
        ),
    )
)
