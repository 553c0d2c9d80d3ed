"""What the capabilities of rules must do: notation, positions as text, pictures, openings, files."""

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from gameforge.errors import GameforgeError
from gameforge.interfaces.capabilities import (
    HasDiagram,
    HasGameFiles,
    HasGameText,
    HasNotation,
    HasOpenings,
    HasSetup,
    HasSvg,
)
from gameforge.interfaces.games import StoredGame
from gameforge.interfaces.outcome import outcome_of
from gameforge.testing.contract import Broken, Check, Skipped, expect
from gameforge.testing.sampling import Sample

_GIBBERISH = "\N{SNOWMAN} no text of any game"


def _needed(sample: Sample, capability: type, what: str) -> Any:
    if not isinstance(sample.rules, capability):
        raise Skipped(f"the rules have no {what}")
    return sample.rules


def _refuses(parse: Any, what: str) -> None:
    """A GameforgeError, in one sentence, for a text that means nothing."""
    try:
        parse()
    except GameforgeError as error:
        expect("\n" not in str(error), f"{what} is refused in more than one line")
    else:
        raise Broken(f"{what} is accepted")


def texts_of_positions_are_read_back(sample: Sample) -> int:
    rules = _needed(sample, HasSetup, "notation for positions")
    for state in sample.states:
        text = rules.position_text(state)
        again = rules.parse_position(text)
        same = rules.position_text(again) == text and sample.key(again) == sample.key(state)
        expect(same, f"{text!r} is the text of {sample.text(state)}, but is read as {sample.text(again)}")
        expect(list(sample.legal(again)) == list(sample.legal(state)), f"{text!r} is read with other moves")
    _refuses(lambda: rules.parse_position(_GIBBERISH), f"the position {_GIBBERISH!r}")
    return len(sample.states)


def texts_of_moves_are_read_back(sample: Sample) -> int:
    rules = _needed(sample, HasNotation, "notation for moves")
    for state in sample.running:
        legal: Sequence[int] = sample.legal(state)
        for move in legal:
            text = rules.move_text(state, move, legal)
            again = rules.parse_move(state, text, legal)
            expect(again == move, f"{text!r} is the move {move:#x} in {sample.text(state)}, but is read as {again:#x}")
        _refuses(lambda s=state, m=legal: rules.parse_move(s, _GIBBERISH, m), f"the move {_GIBBERISH!r}")
    return len(sample.running)


def diagrams_are_drawn(sample: Sample) -> int:
    rules = _needed(sample, HasDiagram, "diagram")
    for state in sample.states:
        text = rules.diagram(state)
        expect(isinstance(text, str) and text.strip() != "", f"the diagram of {sample.text(state)} is {text!r}")
    return len(sample.states)


def pictures_are_svg(sample: Sample) -> int:
    rules = _needed(sample, HasSvg, "SVG")
    for state in sample.states:
        root = ElementTree.fromstring(rules.svg(state))
        expect(
            root.tag.rpartition("}")[2] == "svg", f"the picture of {sample.text(state)} is a <{root.tag}>, not <svg>"
        )
    return len(sample.states)


def openings_are_legal(sample: Sample) -> int:
    rules = _needed(sample, HasOpenings, "sets of openings")
    cases = 0
    for name in rules.opening_sets:
        for opening in rules.openings(name):
            state, where = opening.start, f"opening {opening.name!r} of {name}"
            for move in opening.moves:
                legal = sample.code(state) == 0 and move in sample.legal(state)
                expect(legal, f"{where}: the move {move:#x} is not legal in {sample.text(state)}")
                state = sample.after(state, move)
            expect(sample.code(state) == 0, f"{where} ends in a finished game")
            cases += 1
    return cases


def _finished(sample: Sample) -> list[StoredGame]:
    """The random games that came to an end by the rules."""
    found = []
    for line in sample.lines:
        end = line.states[-1]
        outcome = outcome_of(sample.rules, sample.code(end), sample.rules.side_to_move(end))
        if outcome is not None:
            found.append(
                StoredGame(start=line.states[0], moves=line.moves, winner=outcome.winner, reason=outcome.reason)
            )
    return found


def games_are_written(sample: Sample) -> int:
    rules = _needed(sample, HasGameText, "text of games")
    expect(rules.game_suffix.startswith("."), f"game_suffix is {rules.game_suffix!r}, without a dot")
    games = _finished(sample)
    for game in games:
        text = rules.game_text({"Event": "contract"}, game.start, game.moves, game.winner, game.reason)
        expect(isinstance(text, str) and text.strip() != "", "a game is written as an empty text")
    return len(games)


def games_in_files_are_read_back(sample: Sample) -> int:
    rules = _needed(sample, HasGameFiles, "files of games")
    games = _finished(sample)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"games{rules.game_suffix}"
        path.write_text("".join(rules.stored_text(game) for game in games), encoding="utf-8")
        again = list(rules.read_games(path)) if games else []
    expect(len(again) == len(games), f"{len(games)} games were written, {len(again)} read")
    for one, other in zip(games, again, strict=True):
        same = (one.start, one.moves, one.winner) == (other.start, other.moves, other.winner)
        expect(
            same, f"a game is read back with another start, other moves or another winner: {rules.stored_text(one)!r}"
        )
    return len(games)


CHECKS = tuple(
    map(
        Check.of,
        (
            texts_of_positions_are_read_back,
            texts_of_moves_are_read_back,
            diagrams_are_drawn,
            pictures_are_svg,
            openings_are_legal,
            games_are_written,
            games_in_files_are_read_back,
        ),
    )
)
