"""The reader of PDN, and its error messages."""

import io
import itertools
import re
import tracemalloc
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO, cast

import attrs
import pytest
from draughts_positions import positions
from gameforge_draughts.files import Archive
from gameforge_draughts.movegen import START
from gameforge_draughts.notation import parse_position, path
from gameforge_draughts.pdn import pdn_text, result_text
from gameforge_draughts.pdn_parsing import open_pdn
from hypothesis import assume, given
from hypothesis import strategies as st
from pdn_texts import KIND, RULES, one, read

from gameforge.errors import GameforgeError
from gameforge.interfaces.rules import State
from gameforge.play.game import Game

GAME = Game(RULES)
TWO_WAYS = "B:W6,7,14,15:B2"
"""2x9x18 and 2x11x18 capture different men."""


def texts(start: State, moves: Sequence[int]) -> list[str]:
    found, state = [], start
    for move in moves:
        found.append(RULES.notation.move_text(state, move, GAME.legal(state)))
        state = GAME.play(state, move)
    return found


def test_tags_moves_and_result() -> None:
    game = one('[Event "a \\"b\\" \\\\ c"]\n[White "Сергей"]\n[Result "0-1"]\n\n1. 11-15 23-19 2. 8-11 22-17 0-1\n')
    assert game.annotations.tags == {"Event": 'a "b" \\ c', "White": "Сергей"}
    assert texts(game.start, game.codes) == ["11-15", "23-19", "8-11", "22-17"]
    assert (game.start, result_text(game), game.number) == (START, "0-1", 1)


def test_a_set_up_from_a_fen() -> None:
    game = one('[SetUp "1"]\n[FEN "W:W17,18,22:BK9,K10."]\n1... 18-15 2. 10x19 *')
    assert game.start == parse_position("W:W17,18,22:BK9,K10")
    assert texts(game.start, game.codes) == ["18-15", "10x19"]
    assert result_text(game) == "*"


def test_comments_marks_glyphs_and_variations_are_kept_with_their_moves() -> None:
    game = one(
        "{before} 1. 11-15! {after the\n  first} 23-19(?!) $2 $14 (22-18 15x22 (15x22 25x18 {deep}) 25x18 {end})\n"
        "2. 8-11 ; to the end } of the line\n{more} 1/2-1/2 {last}"
    )
    notes = game.annotations
    assert notes.comments == {0: "before", 1: "after the first", 3: "to the end ) of the line more last"}
    assert notes.marks == {0: "!", 1: "?!"}
    assert notes.glyphs == {1: (2, 14)}
    (variation,) = notes.variations[1]
    after = GAME.play(START, game.codes[0])
    assert texts(after, variation.moves) == ["22-18", "15x22", "25x18"]
    (deeper,) = variation.annotations.variations[1]
    assert texts(GAME.play(after, variation.moves[0]), deeper.moves) == ["15x22", "25x18"]
    assert deeper.annotations.comments == {2: "deep"}
    assert variation.annotations.comments == {3: "end"}


def test_comments_and_variations_keep_their_order() -> None:
    text = "1. 11-15 23-19 {before} (1... 22-18) {between} (1... 22-17) {after} 2. 8-11 *"
    game = one(text)
    assert game.annotations.comments == {2: "before"}
    assert [line.after for line in game.annotations.variations[1]] == ["between", "after"]
    assert text in pdn_text(game, KIND).replace("\n", " ")


@pytest.mark.parametrize(
    "text",
    ["22x15x8", "22x8", "22-8", "22-15-8", "22:15:8", "22X8", "22x 8", "22 x8", "22 : 15 : 08", "22x\n8", "22\n\nx 8"]
    + [f"22{join}8" for join in "\u2010\u2013\u2014\u2212\u00d7\u0445"],
)
def test_every_spelling_of_a_capture(text: str) -> None:
    game = one(f'[FEN "W:W22,32:B11,18,1"]\n{text} *')
    assert path(game.codes[0]) == (22, 15, 8)


@pytest.mark.parametrize("between", [" ", "\n", "\n\n% a line of notes\n", " {a comment} "])
@pytest.mark.parametrize("end", ["1-0", "0-1", "1/2-1/2", "*", "1-0 *", "2-0", "0-2", "1-1"])
def test_results_separate_games(end: str, between: str) -> None:
    games, notices = read(f"1. 11-15 {end}{between}1. 9-13 22-18 {end}")
    assert [len(game.codes) for game in games] == [1, 2]
    expected = {"2-0": "1-0", "0-2": "0-1", "1-1": "1/2-1/2", "1-0 *": "1-0"}.get(end, end)
    assert [result_text(game) for game in games] == [expected] * 2
    assert notices == []


def test_tags_separate_games_that_have_no_result() -> None:
    games, _ = read('[Event "a"]\n11-15 22-18\n[Event "b"]\n[Result "1-0"]\n9-13')
    assert [(game.annotations.tags["Event"], len(game.codes), result_text(game), game.number) for game in games] == [
        ("a", 2, "*", 1),
        ("b", 1, "1-0", 2),
    ]


def test_an_empty_text_has_no_games() -> None:
    assert read("") == read("*") == read("\n% nothing\n* 1-0 *") == ([], [])


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('[GameType "20"]\n1. 32-28 19-23 *', "another game (GameType 20; expected 21)"),
        ('[GameType "25,W,8,8,A0,0"]\n1. c3-d4 ?? what (1-0 *', "another game (GameType 25,W,8,8,A0,0; expected 21)"),
        ("1. 45-40 11-15 *", "looks like another game: '45-40' names a square that is not one of 1 to 32"),
        ("1. 32-28 45-40 *", "looks like another game: '45-40' names a square that is not one of 1 to 32"),
        ("1.a3b4 h6g5 *", "looks like another game: its squares have letters (a3b4)"),
        ("1.32-28 1/2-1/2", "looks like another game: '32-28' is not a legal first move"),
        ('[FEN "W:W31-50:B1-20"]\n*', "looks like another game: its FEN 'W:W31-50:B1-20' has squares above 32"),
    ],
)
def test_games_of_another_kind_are_skipped_with_a_notice(text: str, why: str) -> None:
    games, notices = read(text + '\n[Event "next"]\n11-15 *')
    assert [game.annotations.tags["Event"] for game in games] == ["next"]
    assert games[0].number == 2
    assert notices == [f"games.pdn, game 1: skipped: {why}"]


def test_a_position_without_a_side_to_move_is_skipped() -> None:
    assert read('[FEN "?:W29,13,11:B22,4,2"]\n*') == (
        [],
        ["games.pdn, game 1: skipped: its FEN '?:W29,13,11:B22,4,2' does not state the side to move"],
    )


BAD = {
    "11-15 22-71 *": "line 1, column 7: '22-71' names a square that is not one of 1 to 32",
    "1. 11-15 23-19 2. 8-12 *": "line 1, column 19: '8-12' is not legal in B:W19",
    "1. 11-15\n   23x19x12 *": "line 2, column 4: '23x19x12' is not legal in W:W21",
    '[GameType "21"]\n11-15 33-28 *': "line 2, column 7: '33-28' names a square that is not one of 1 to 32",
    '[GameType "21"]\na3b4 *': "line 2, column 1: 'a3b4' is not a move such as 11-15 or 22x15",
    '[FEN "W:W:B"]\n*': "line 1, column 1: FEN 'W:W:B': there are no pieces on the board",
    "11-15 resigns 1-0": "line 1, column 7: 'resigns' is neither a move nor anything else of PDN",
    "11-15 /FEN W:W1:B2/ *": "line 1, column 7: a position is set up between moves",
    "11-15 (22-18 *": "line 1, column 1: this variation is not closed",
    "11-15 22-18) *": "line 1, column 12: there is no variation to close",
    "(11-15) 9-13 *": "line 1, column 1: a variation must follow the move that it replaces, but there is none",
    "!! 11-15 *": "line 1, column 1: '!!' does not follow a move",
    "11-15 {open\nfor ever": "line 1, column 7: this comment is never closed",
}


KEPT = {
    f'[FEN "{TWO_WAYS}"]\n2x18 *': ("line 2, column 1: '2x18' may mean 2x9x18, 2x11x18 in", 0),
    '[Event "open]\n11-15 *': ("line 1, column 1: '[Event \"open]' is neither", 1),
    '[Time: 1:20]\n[Event "x"]\n11-15 *': ("line 1, column 1: '[Time: 1:20]' is neither", 1),
    "11-15 (9-13 45-40) *": ("line 1, column 13: '45-40' names a square that is not one of 1 to 32", 1),
    "11-15 {a {b} } 22-18 *": ("line 1, column 14: '}' closes no comment", 2),
    "1. 11-15 23-19 3. 8-11 *": ("line 1, column 19: the number 3. is wrong: 8-11 is ply 3 of this game", 3),
}
"""Errors that leave a game readable, and its number of moves for a tolerant reader."""


@pytest.mark.parametrize("text", BAD | KEPT)
def test_errors_name_game_line_and_column(text: str) -> None:
    with pytest.raises(GameforgeError) as error:
        read("9-13 *\n" + text)
    line, rest = {**BAD, **{text: place for text, (place, _) in KEPT.items()}}[text].removeprefix("line ").split(",", 1)
    assert str(error.value).startswith(f"games.pdn, game 2, line {int(line) + 1},{rest}")


def test_an_illegal_move_is_reported_with_the_legal_ones() -> None:
    with pytest.raises(GameforgeError, match=r"legal here: 9-13, 10-14, 11-15, 12-16, 9-14, 10-15, 11-16$"):
        read('[GameType "21"]\n\n12-17 *')


@pytest.mark.parametrize("text", BAD)
def test_tolerant_skips_the_bad_game_and_continues(text: str) -> None:
    games, notices = read(f'9-13 *\n{text}\n[Event "next"]\n11-15 *', tolerant=True)
    assert [(game.number, game.annotations.tags) for game in games] == [(1, {}), (3, {"Event": "next"})]
    assert len(notices) == 1
    assert notices[0].startswith("games.pdn, game 2, line ")


def test_words_glued_to_a_move_are_a_comment() -> None:
    (game,), notices = read("9-13 22-18 2. 13-17Redoverstepped {the limit} 1-0")
    assert len(game.codes) == 3
    assert game.annotations.comments == {3: "Redoverstepped the limit"}
    assert notices == ["games.pdn, game 1, line 1, column 20: 'Redoverstepped' follows a move; it is read as a comment"]
    for text in ("9-13 22-18- *", "9-13 22-18_x *", "9-13 22-18 Redoverstepped *"):
        with pytest.raises(GameforgeError, match="is neither a move nor anything else of PDN"):
            read(text)


FORGOTTEN = '[Event "1"]\n11-15 {forgotten\n22-18 *\n'
NEXT = '[Event "2"]\n9-13 *\n[Event "3"]\n10-14 {good} *\n[Event "4"]\n11-16 *\n'


@pytest.mark.parametrize("rest", [NEXT, NEXT.replace("{good} ", "")])
def test_an_open_comment_costs_its_own_game_alone(rest: str) -> None:
    """This also holds if a later comment closes it; games would otherwise be lost silently."""
    games, notices = read(FORGOTTEN + rest, tolerant=True)
    assert [(game.number, game.annotations.tags["Event"]) for game in games] == [(2, "2"), (3, "3"), (4, "4")]
    assert len(notices) == 1
    assert notices[0].startswith("games.pdn, game 1, line 2, column 7: this comment is ")
    with pytest.raises(GameforgeError, match=r"game 1, line 2, column 7: this comment is "):
        read(FORGOTTEN + rest)
    _, notices = read(f'{FORGOTTEN}{rest}[GameType "21"]\n12-17 *\n', tolerant=True)
    assert notices[1].startswith("games.pdn, game 5, line 11, column 1: '12-17' is not legal")


def test_every_open_comment_is_reported() -> None:
    games, notices = read((FORGOTTEN + NEXT) * 3, tolerant=True)
    assert len(games) == 9
    assert [text.split(",")[2] for text in notices] == [" line 2", " line 11", " line 20"]


def test_a_game_within_a_comment_is_a_comment() -> None:
    (game,), _ = read('[Event "1"]\n11-15 {was\n[Event "x"]\n9-13 *} 22-18 *')
    assert len(game.codes) == 2


def test_an_endless_comment_ends_with_its_game() -> None:
    endless = '[Event "1"]\n11-15 {' + ("x" * 1000 + "\n") * 1100
    for rest in (NEXT, "} 22-18 *\n" + NEXT):
        games, notices = read(endless + rest, tolerant=True)
        assert [game.annotations.tags["Event"] for game in games] == ["2", "3", "4"]
        assert len(notices) == 1
        assert "the comment has 1,048,576 characters or more" in notices[0]
    assert read(endless + "for ever", tolerant=True)[0] == []


def test_a_move_is_ambiguous_only_if_its_readings_capture_different_pieces() -> None:
    around = one('[FEN "B:W18,19,26,27:BK22"]\n22x22 *')
    assert len(path(around.codes[0])) == 5
    with pytest.raises(GameforgeError, match=r"may mean .*write one of them"):
        read(f'[FEN "{TWO_WAYS}"]\n2x18 *')


def meaning(state: State, text: str, legal: list[int]) -> int | None:
    """Return the move that `notation` reads."""
    try:
        return RULES.notation.parse_move(state, text, legal)
    except GameforgeError:
        return None


@given(positions(), st.data())
def test_the_kernel_reads_moves_as_notation_does(state: State, data: st.DataObject) -> None:
    """With the two ends, with the whole path, and with one of its squares left out."""
    legal = GAME.legal(state)
    assume(legal)
    squares = path(data.draw(st.sampled_from(legal)))
    for written in {(squares[0], squares[-1]), squares, (squares[0], *squares[2:-1], squares[-1])}:
        text = "x".join(map(str, written))
        source = f'[GameType "21"]\n[FEN "{RULES.positions.position_text(state)}"]\n{text} *'
        if (expected := meaning(state, text, legal)) is None:
            with pytest.raises(GameforgeError, match="line 3, column 1"):
                read(source)
        else:
            assert one(source).codes == (expected,)


def test_wrong_encodings_are_reported_in_one_sentence(tmp_path: Path) -> None:
    file = tmp_path / "a.pdn"

    def games(encoding: str = "utf-8") -> list[str]:
        return [game.annotations.tags["White"] for game in RULES.files.read_games(file, encoding=encoding)]

    file.write_bytes('[Event "a"]\n[White "Müller"]\n11-15 *'.encode("latin-1"))
    with pytest.raises(GameforgeError, match=r"a\.pdn, game 1, line 2, column 10: byte 0xFC is not utf-8; name the en"):
        games()
    assert games("latin-1") == ["Müller"]
    file.write_bytes('[White "a"]\n11-15 *\nNext\nin Köln\n[White "b"]\n9-13 *'.encode("latin-1"))
    with pytest.raises(GameforgeError, match=r"game 2, line 4, column 5: byte 0xF6 is not utf-8"):
        games()
    assert games("latin-1") == ["a", "b"]
    file.write_text('[White "Müller"]\n11-15 *', encoding="utf-16")
    assert games("utf-16") == ["Müller"]
    file.write_text('[White "Müller"]\r\n11-15 *', encoding="utf-8-sig")
    assert games() == ["Müller"]
    with pytest.raises(GameforgeError, match="unknown encoding 'utf-99'"):
        games("utf-99")
    with pytest.raises(GameforgeError, match="is not utf-16"):
        games("utf-16")
    with pytest.raises(GameforgeError, match=r"cannot read .*: Is a directory"):
        list(RULES.files.read_games(tmp_path))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_byte_order_mark_names_the_encoding(encoding: str, tmp_path: Path) -> None:
    file = tmp_path / "a.pdn"
    file.write_text('[White "Müller"]\r\n11-15 *', encoding=encoding, newline="")
    assert [game.players[1] for game in RULES.files.read_games(file)] == ["Müller"]


@pytest.mark.parametrize("text", ["; my games", "{my games}\n\n{none yet}", ";"])
def test_comments_alone_are_no_game(text: str, tmp_path: Path) -> None:
    file = tmp_path / "a.pdn"
    file.write_text(text)
    assert not [*RULES.files.read_games(file)]
    file.write_text(f'[White "a"]\n11-15 *\n{text}')
    assert len([*RULES.files.read_games(file)]) == 1
    file.write_text(f'{text}\n[White "a"]\n11-15 *')
    assert len([*RULES.files.read_games(file)]) == 1


def test_endless_lines_and_comments_are_refused() -> None:
    with pytest.raises(GameforgeError, match="the line has 1,048,576 characters or more, which PDN"):
        read("11-15 " * 200_000)
    with pytest.raises(GameforgeError, match="the comment has 1,048,576 characters or more"):
        read("11-15 {" + ("x" * 1000 + "\n") * 1100 + "} *")
    with pytest.raises(GameforgeError, match="game 2, line 3, column 1: the line has 1,048,576 characters or more"):
        read("11-15 *\nwords\n" + "words " * 200_000)
    with pytest.raises(GameforgeError, match="game 2, line 102, column 1: 'words' is neither a move nor anything else"):
        read("11-15 *\n" + "words\n" * 101)


class _Endless(io.TextIOBase):
    """The same game repeated, as a file that is never in memory as a whole."""

    def __init__(self, games: int) -> None:
        self._lines = itertools.chain.from_iterable(
            ['[Event "x"]\n', "1. 11-15 23-19 2. 8-11 22-17 {and so on}\n", "3. 4-8 17-13 1/2-1/2\n", "\n"]
            for _ in range(games)
        )

    def readline(self, size: int | None = -1, /) -> str:  # type: ignore[override]
        return next(self._lines, "")


def _read_all(games: int) -> int:
    reader = Archive(KIND, cast(TextIO, _Endless(games)), "x", print)
    return sum(len(game.annotations.tags) for game in reader)


def test_a_file_of_any_size_needs_the_memory_of_one_game() -> None:
    assert _read_all(10) == 10
    peaks = []
    for games in (200, 2000):
        tracemalloc.start()
        assert _read_all(games) == games
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < peaks[0] + 20_000


def test_the_archive_of_master_games_is_legal(shared: Path) -> None:
    """ACF archive: 4,000 games, 0 illegal moves."""
    games = moves = 0
    with open_pdn(shared / "data" / "games" / "acf_4000.pdn") as stream:
        reader = Archive(KIND, stream, "acf", print)
        for game in reader:
            games += 1
            moves += len(game.codes)
    assert (games, moves, reader.skipped, reader.bad) == (4_000, 192_774, 0, 0)


@pytest.mark.parametrize(
    ("name", "games", "skipped", "bad"),
    [
        ("OCA_2.0", 43, 0, 0),
        ("Principles of Strategy", 16, 0, 0),
        ("bridges", 266, 0, 1),  # game 14 has the FEN "W::."
        ("gem", 162, 0, 0),
        ("fen", 1, 2, 0),  # one without a side to move, one of 50 squares
        ("alphanumeric", 0, 1, 0),
        ("gameterminator", 0, 1, 0),  # this and the rest are 10x10
        ("linecomment", 0, 1, 0),
        ("movestrength", 0, 1, 0),
        ("string", 0, 1, 0),
        ("unicode", 0, 1, 0),
        ("variation", 0, 1, 0),
    ],
)
def test_the_corpus_of_the_standard(shared: Path, name: str, games: int, skipped: int, bad: int) -> None:
    with open_pdn(shared / "data" / "games" / "pdn_corpus" / f"{name}.pdn") as stream:
        reader = Archive(KIND, stream, name, lambda notice: None, tolerant=True)
        assert len(list(reader)) == games
    assert (reader.skipped, reader.bad) == (skipped, bad)


def test_a_later_illegal_move_mentions_that_it_may_be_another_game() -> None:
    with pytest.raises(GameforgeError, match=r"\(there is no tag GameType; perhaps it is another game\)$"):
        read("11-15 23-19 15-23 *")


def test_the_result_after_the_moves_counts() -> None:
    [game], notices = read('[Result "1-0"]\n11-15 0-1')
    assert result_text(game) == "0-1"
    assert notices == ["games.pdn, game 1, line 2, column 7: the game ends with 0-1, but its tag Result is '1-0'"]
    assert result_text(one('[Result "1-0"]\n11-15 *')) == "1-0"


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("1 - 0", "1-0"),
        ("0\u20131", "0-1"),
        ("2:0", "1-0"),
        ("1/2", "1/2-1/2"),
        ("1 / 2", "1/2-1/2"),
        ("\u00bd-\u00bd", "1/2-1/2"),
        ("\u00bd", "1/2-1/2"),
        ("0.5-0,5", "1/2-1/2"),
        ("0-0", "0-0"),
        ("?", "*"),
    ],
)
def test_every_spelling_of_a_result(text: str, result: str) -> None:
    assert result_text(one(f'[Result "{text}"]\n11-15 23-19 *')) == result
    assert text == "?" or result_text(one(f"1. 11-15 23-19 2. {text}")) == result


@pytest.mark.parametrize("result", ["0-0", "1+ - 1-", "adjourned"])
def test_a_result_without_an_outcome_is_kept(result: str) -> None:
    game = one(f'[Result "{result}"]\n11-15 *')
    assert not game.finished
    assert f'[Result "{result}"]' in pdn_text(game, KIND)
    assert one(pdn_text(game, KIND)) == game


@pytest.mark.parametrize("result", ["1-1+", "1+ - 1-", "1+1-", "1- 1+"])
def test_a_draw_with_a_plus_is_no_plain_draw(result: str) -> None:
    first, second = read(f'1. 11-15 23-19 {result}\n\n[Event "next"]\n1. 9-14 *\n')[0]
    assert result_text(first) == result
    assert (len(first.codes), len(second.codes)) == (2, 1)


@pytest.mark.parametrize(
    ("end", "columns"),
    [
        ("1-0F", {"F": 19}),
        ("1-0 F", {"F": 20}),
        ("0-1 on time", {"on": 20, "time": 23}),
        ("1-0 (time)", {"time": 20}),
        ("1-0 (12 minutes) late", {"12 minutes": 20, "late": 33}),
    ],
)
def test_words_after_a_result_are_a_comment_of_its_game(end: str, columns: dict[str, int]) -> None:
    [first, second], notices = read(f'1. 11-15 23-19 {end}\n\n[Event "next"]\n1. 9-14 *\n')
    assert (result_text(first), first.annotations.comments) == (end[:3], {2: " ".join(columns)})
    assert (second.number, len(second.codes)) == (2, 1)
    assert notices == [
        f"games.pdn, game 1, line 1, column {column}: {word!r} follows the result; it is read as a comment"
        for word, column in columns.items()
    ]


@pytest.mark.parametrize("words", ["(time)", "White was late\nand resigned in Leeds, 12-5-1999", "Game 2: Ann - Bob"])
def test_lines_of_words_between_games_are_a_comment(words: str) -> None:
    plain = " ".join(words.split())
    for after in ("1. 9-13 *", '[Event "next"]\n1. 9-13 *'):
        (first, second), notices = read(f"1. 11-15 23-19 1-0\n{words}\n\n{after}")
        assert (first.annotations.comments, len(second.codes)) == ({2: plain}, 1)
        assert notices == [
            f"games.pdn, game 1, line 2, column 1: {plain!r} follows the result; it is read as a comment"
        ]
    [game], [notice] = read(f'{words}\n[Event "first"]\n11-15 *')
    assert (game.annotations.comments, game.annotations.tags) == ({0: plain}, {"Event": "first"})
    assert notice.endswith(f"{plain!r} precedes the moves; it is read as a comment")


@pytest.mark.parametrize("text", ["Dear reader,\nthere are no games here", "Title\n1-0", "GameType 23\n1. 11-15 *"])
def test_words_alone_are_no_game(text: str) -> None:
    with pytest.raises(GameforgeError, match=r"game 1, line 1, column 1: .* is neither a move nor anything else"):
        read(text)
    assert read(text, tolerant=True)[0] == []


def test_moves_that_a_semicolon_hides_are_reported() -> None:
    game = one("1. 11-15 ; 23-19 is best\n23-19; of course\n*")
    assert game.annotations.comments == {1: "23-19 is best", 2: "of course"}
    [game], notices = read("1. 11-15; 23-19; 2. 8-11 *\n")
    assert game.annotations.comments == {1: "23-19; 2. 8-11 *"}
    assert notices == [
        "games.pdn, game 1, line 1, column 9: '23-19; 2. 8-11 *' follows a move; it is read as a comment"
    ]


def test_words_in_parentheses_are_no_variation() -> None:
    [game], notices = read("1. 11-15 23-19 (a natural reply) 2. 8-11 (2. 9-13) *")
    assert game.annotations.comments == {2: "a natural reply"}
    assert list(game.annotations.variations) == [2]
    assert notices == [
        "games.pdn, game 1, line 1, column 16: 'a natural reply' follows a move; it is read as a comment"
    ]


@pytest.mark.parametrize(
    ("text", "lengths", "glyphs"),
    [
        ("1. 11-15* 23-19 2. 8-11* 22-17 1-0", [4], {0: (7,), 2: (7,)}),
        ("1. 11-15 23-19*\n2. 8-11 (2. 9-13* 22-18) *", [3], {1: (7,)}),
        ("1. 11-15* {the only one} 23-19 *", [2], {0: (7,)}),
        ("1. 11-15!* 23-19 (*) 2. 8-11 (2. 9-13(*)) *", [3], {0: (7,), 1: (7,)}),
        ("1. 11-15 23-19*\n1. 9-13 22-18*", [2, 2], {}),
        ('11-15 23-19*\n[Event "next"]\n9-13*', [2, 1], {}),
        ("11-15 23-19*\n9-13 22-18* 1-0", [2, 2], {}),
    ],
)
def test_a_star_at_a_move_ends_the_game_only_if_no_other_move_of_it_follows(
    text: str, lengths: list[int], glyphs: dict[int, tuple[int, ...]]
) -> None:
    games, notices = read(text)
    assert [len(game.codes) for game in games] == lengths
    assert games[0].annotations.glyphs == glyphs
    assert notices == []


def test_a_result_after_a_star_counts() -> None:
    first, second = read("1. 11-15 23-19 * 1-0\n1. 9-13 * *")[0]
    assert (result_text(first), result_text(second)) == ("1-0", "*")


def test_a_second_result_is_reported() -> None:
    games, notices = read('1. 11-15 23-19 1-0 0-1\n\n[Event "next"]\n1. 9-14 1-0 1-0\n')
    assert [result_text(game) for game in games] == ["1-0", "1-0"]
    assert notices == ["games.pdn, game 1, line 1, column 20: a second result, 0-1, follows 1-0; it is lost"]


def test_points_that_look_like_a_move_are_the_result() -> None:
    game = one('[Result "4-6"]\n1. 11-15 23-19 4-6\n')
    assert len(game.codes) == 2
    assert result_text(game) == "4-6"
    assert one(pdn_text(game, KIND)) == game


@pytest.mark.parametrize("points", ["10-0", "0-12", "0 : 10"])
def test_points_that_cannot_be_a_move_are_a_result(points: str) -> None:
    game = one(f"1. 11-15 23-19 {points}\n")
    assert len(game.codes) == 2
    assert result_text(game) == points.replace(" : ", "-")
    assert one(pdn_text(game, KIND)) == game


@pytest.mark.parametrize(
    ("tag", "name", "value"),
    [
        ('[White-Elo "1800"]', "White-Elo", "1800"),
        ('[Турнир "Лига"]', "Турнир", "Лига"),
        ('[Event "the "big" match"]', "Event", 'the "big" match'),
        ('[Bianco "ROSSI Anna"]', "White", "ROSSI Anna"),
    ],
)
def test_unusual_tags_are_kept(tag: str, name: str, value: str) -> None:
    for plain in ("11-15 *", "1. 11-15 23-19 *"):  # the second may take the fast path
        game = one(f'{tag}\n[Round "1"]\n\n{plain}\n')
        assert game.annotations.tags == {name: value, "Round": "1"}
        assert one(pdn_text(game, KIND)) == game


@pytest.mark.parametrize("kind", ["", "?"])
def test_an_empty_game_type_says_nothing(kind: str) -> None:
    assert len(one(f'[GameType "{kind}"]\n11-15 *').codes) == 1


def test_files_that_were_joined_by_others_are_read() -> None:
    """Byte order marks stand where a file began, and DOS ended one with Ctrl-Z."""
    games, notices = read('\ufeff[Event "a"]\n11-15 *\n\x1a\n\ufeff[Event "b"]\n9-13 *\n\x1a')
    assert [game.annotations.tags["Event"] for game in games] == ["a", "b"]
    assert notices == []


@pytest.mark.parametrize("text", KEPT)
def test_a_tolerant_reader_keeps_what_can_be_read(text: str) -> None:
    [game], notices = read(text, tolerant=True)
    place, moves = KEPT[text]
    assert len(game.codes) == moves
    assert len(notices) == 1
    assert notices[0].startswith(f"games.pdn, game 1, {place}")


@pytest.mark.parametrize(
    "lost", ['[GameType: "23"]', '[Game.Type "23"]', "[FEN:W:W21:B1]", '[Fen W:W21:B1"]', '[SetUp "1"]']
)
def test_a_game_is_not_read_without_a_tag_that_settles_it(lost: str) -> None:
    games, notices = read(f'[Event "one"]\n{lost}\n[White "A"]\n\n11-15 *\n[Event "two"]\n9-13 *', tolerant=True)
    assert [(game.number, game.annotations.tags) for game in games] == [(2, {"Event": "two"})]
    assert len(notices) == 1


def test_a_line_that_is_no_tag_ends_no_game() -> None:
    text = '[Event "one"]\nplayed in Leeds\n[White "A"]\n11-15 *\n[Event "two"]\n9-13 *'
    games, notices = read(text, tolerant=True)
    assert [game.annotations.tags for game in games] == [{"Event": "two"}]
    assert len(notices) == 1


@pytest.mark.parametrize("junk", ["(a remark)", "played 11-15 first", "! $1", '11-15 [Time "0:05"]'])
def test_a_game_that_is_torn_apart_is_not_counted_in_part(junk: str) -> None:
    text = f'[GameType "21"]\n[FEN "W:W21,22:B1,2"]\n{junk}\n[Event "q"]\n[White "A"]\n11-15 22-18 *\n'
    games, notices = read(text + '[Event "next"]\n9-13 *', tolerant=True)
    assert [game.annotations.tags["Event"] for game in games] == ["next"]
    assert notices


def test_a_number_that_begins_again_is_another_game() -> None:
    text = "1. 11-15 23-19 2. 8-11 22-17 1. 4-8 17-13 *\n1. 9-13 *"
    with pytest.raises(GameforgeError, match=r"the number 1\. begins another game, but neither tags nor a result"):
        read(text)
    games, _ = read(text, tolerant=True)
    assert [game.number for game in games] == [2]


@pytest.mark.parametrize(
    "text",
    [
        "1. 11-15 23-19 2. 8-11 *",
        "7. 11-15 23-19 8. 8-11 *",
        "1... 11-15 2. 23-19 8-11 *",
        "1. 11-15 2. 23-19 3. 8-11 *",
        "1.\n11-15 1... 23-19 2. ... 8-11 *",
    ],
)
def test_numbers_of_moves_count_pairs_or_plies(text: str) -> None:
    assert len(one(text).codes) == 3


def test_a_game_without_moves_is_a_game() -> None:
    """It ends where its first tag comes again."""
    games, _ = read('[Event "a"]\n[White "x"]\n\n[Event "b"]\n11-15 *')
    assert [game.annotations.tags for game in games] == [{"Event": "a", "White": "x"}, {"Event": "b"}]


@pytest.mark.parametrize(("reply", "whole"), [("7-3", (2, 9, 18)), ("6-1", (2, 11, 18))])
def test_an_ambiguous_capture_is_decided_by_what_follows(reply: str, whole: tuple[int, ...]) -> None:
    game = one(f'[FEN "{TWO_WAYS}"]\n1. 2x18 {reply} *')
    assert path(game.codes[0]) == whole
    assert len(game.codes) == 2


_PIECES = [
    "1.",
    "11-15",
    "9-13",
    "22-18",
    "23-19",
    "15x22",
    "25x18",
    "22x15x8",
    "a3b4",
    "45-40",
    "1111-15",
    "11-15*",
    "(a word)",
    "\nwords of the\neditor\n",
    "10-0",
    "{c}",
    "{",
    "}",
    "(",
    ")",
    "!",
    "(?)",
    "$1",
    "$999",
    "*",
    "1-0",
    "1/2-1/2",
    ";",
    "%",
    "[",
    "]",
    '"',
    "é",
    '[Event"x"]',
    '[GameType"21"]',
    '[GameType"20"]',
    '[FEN"W:W22:BK9"]',
    "[FEN",
]


@given(st.lists(st.sampled_from([*_PIECES, "\n", "\n% c\n", "\\", "9" * 5000]), max_size=40).map(" ".join))
def test_any_text_is_read_or_reported_in_sentences(text: str) -> None:
    games, notices = read(text, tolerant=True)
    assert all(re.match(r"games\.pdn, game \d+(: skipped: |, line \d+, column \d+: )", notice) for notice in notices)
    again, silence = read("\n".join(pdn_text(game, KIND) for game in games))
    assert again == [attrs.evolve(game, number=i) for i, game in enumerate(games, 1)]
    assert silence == []


def test_variations_cannot_be_nested_without_limit() -> None:
    with pytest.raises(GameforgeError, match="line 1, column 707: variations are nested more than 100 deep"):
        read("11-15 " + "(11-16 " * 5000)
