"""Games in the plain form of large files are read as by the reader of tokens, whatever is wrong with them."""

import io
from collections.abc import Callable

import pytest
from gameforge_draughts import files
from gameforge_draughts.files import Archive
from gameforge_draughts.pdn_parsing import Kind, tokens
from gameforge_draughts.plain_games import TOGETHER, whole_game
from pdn_texts import KIND, read

from gameforge import GameforgeError

HEADER = '[Event "Cup"]\n[Black "Ann"]\n[White "Bob"]\n'
MOVES = "1. 11-15 23-19 2. 8-11 22-17\n3. 4-8 25-22 4.\n9-13"
GAME = f'{HEADER}[Result "1-0"]\n{MOVES} 1-0\n'
SPOILED: dict[str, Callable[[str], str]] = {
    "nothing": lambda text: text,
    "last move": lambda text: text.replace("\n9-13", "\n9-14 29-1"),
    "first move": lambda text: text.replace("11-15", "11-14"),
    "square": lambda text: text.replace("11-15", "10-45"),
    "no move": lambda text: text.replace("11-15", "1-1"),
    "blank in a move": lambda text: text.replace("23-19", "23- 19"),
    "blank before a dash": lambda text: text.replace("23-19", "23\n-19"),
    "leading zero": lambda text: text.replace("8-11", "08-11"),
    "two dashes": lambda text: text.replace("23-19", "23--19"),
    "three squares": lambda text: text.replace("23-19", "23-19-16"),
    "large square": lambda text: text.replace("23-19", "279-19").replace("25-22", "25-278"),
    "two dots": lambda text: text.replace("2. ", "2.. "),
    "two numbers": lambda text: text.replace("2. ", "2. 2. "),
    "number alone": lambda text: text.replace("2. ", "2 "),
    "number as a square": lambda text: text.replace("8-11", "8.-11"),
    "more space": lambda text: text.replace("23-19 2. ", "23-19  2. \n\n"),
    "result between": lambda text: text.replace("22-17\n", "22-17 1-0 "),
    "number": lambda text: text.replace("3. ", "5. "),
    "numbers from the second mover": lambda text: text.replace("4.\n9", "\n4. 9").replace("1. 11", "7. 11"),
    "plies": lambda text: text.replace(MOVES, "1. 11-15 2. 23-19 3. 8-11"),
    "result": lambda text: text.replace(" 1-0\n", " 0-1\n"),
    "no result": lambda text: text.replace(" 1-0\n", "\n\n"),
    "separator": lambda text: text.replace(" 1-0\n", " *\n"),
    "position": lambda text: text.replace("[Result", '[FEN "B:W18:B1"]\n[Result'),
    "tag in small letters": lambda text: text.replace("Result", "result"),
    "same tag": lambda text: text.replace("Black", "Event"),
    "other game": lambda text: text.replace("Cup", 'Cup"]\n[GameType "99'),
    "own game": lambda text: text.replace("Cup", 'Cup"]\n[GameType "21'),
    "torn": lambda text: text.replace('"Ann"]', '"Ann]'),
    "reason": lambda text: text.replace(" 1-0\n", " {no  moves left} 1-0\n"),
    "empty comment": lambda text: text.replace(" 1-0\n", "\n{} 1-0\n"),
    "comment": lambda text: text + "{well played}\n",
    "comment below": lambda text: text + "\n\n{well played}\n",
    "second separator": lambda text: text + "*\n",
    "tag between": lambda text: text.replace("3. 4-8", '[Round "3"]\n3. 4-8'),
}


def outcome(text: str, tolerant: bool) -> object:
    try:
        return read(text, tolerant=tolerant)
    except GameforgeError as error:
        return str(error)


@pytest.mark.parametrize("tolerant", [False, True], ids=["strict", "tolerant"])
@pytest.mark.parametrize("spoil", SPOILED.values(), ids=SPOILED)
def test_whole_games_are_read_as_their_tokens(
    spoil: Callable[[str], str], tolerant: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "\n".join([GAME, spoil(GAME), GAME, *[GAME] * (TOGETHER * (spoil(GAME) == GAME))])
    found = outcome(text, tolerant)
    monkeypatch.setattr(files, "whole_game", lambda line, more: ("", []))
    assert outcome(text, tolerant) == found


def test_games_in_the_plain_form_are_read_whole() -> None:
    kinds = [kind for kind, *_ in tokens(io.StringIO(f"{GAME}\n{SPOILED['reason'](GAME)}"), whole_game)]
    assert kinds == [Kind.GAME, Kind.GAME]
    games = [*Archive(KIND, io.StringIO(f"{GAME}\n{GAME}"), "x", print)]
    assert [(game.number, len(game.codes), game.players) for game in games] == [(n, 7, ("Ann", "Bob")) for n in (1, 2)]


def test_places_of_errors_count_the_lines_of_the_whole_games_before() -> None:
    with pytest.raises(GameforgeError, match="game 2, line 12, column 9: '23-20' is not legal"):
        read(f"{GAME}{GAME.replace('23-19', '23-20').replace('1. 11', '1.11')}")
