"""Files of games: transcripts with tags, and the WTHOR archive."""

import random
import re
import struct
import tempfile
from pathlib import Path

import attrs
import pytest
from gameforge_othello.movegen import NAMES, PASS, START, final_counts, winner_by
from gameforge_othello.notation import position_text
from gameforge_othello.rules import Othello
from hypothesis import given
from hypothesis import strategies as st
from othello_positions import GAME, parse_position, played

from gameforge.errors import GameforgeError
from gameforge.interfaces.games import Annotations, GameRecord, Variation
from gameforge.interfaces.rules import Outcome, State

RULES = Othello()
SHORTEST = "e6f4e3f6g5d6e7f5c5"
"""Black captures all discs with nine moves."""
PASSING = "--OOO----X-O------XX-------XX------XXX-------------------------- X"


def games_of(text: str, path: Path, **options: object) -> list[GameRecord]:
    path.write_text(text, encoding="utf-8")
    return list(RULES.files.read_games(path, **options))  # type: ignore[arg-type]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "games.oth"


class TestTranscriptFiles:
    def test_the_komi_does_not_change_who_won_by_resignation(self, file: Path) -> None:
        rules = Othello(komi=3)
        for result, winner in (("1-0", 0), ("0-1", 1)):
            file.write_text(f"f5d6c3 {result}\n")
            [game] = rules.files.read_games(file)
            assert game.outcome.winner == winner

    def test_a_line_is_a_game(self, file: Path) -> None:
        first, second = games_of(f"# two games\nf5d6c3\n\n{SHORTEST}\n", file)
        assert (first.codes, first.outcome) == (tuple(played("f5d6c3").moves), Outcome.UNFINISHED)
        assert second.outcome == Outcome(0, "no moves left")

    def test_tags_comments_marks_and_results(self, file: Path) -> None:
        (game,) = games_of('[Black "Ann \\"A\\""]\n[White "Bob"]\n{before}f5!{good} d6?! {a}{b} c3 0-1\n', file)
        assert dict(game.annotations.tags) == {"Black": 'Ann "A"', "White": "Bob"}
        assert dict(game.annotations.comments) == {0: "before", 1: "good", 2: "a b"}
        assert dict(game.annotations.marks) == {0: "!", 1: "?!"}
        assert game.outcome == Outcome(1, "")
        assert game.players == ('Ann "A"', "Bob")

    def test_a_game_that_did_not_begin_at_the_start(self, file: Path) -> None:
        (game,) = games_of(f'[Position "{PASSING}"]\na3 *\n', file)
        assert game.start == parse_position(PASSING)
        assert game.codes == (PASS, NAMES.index("a3"))
        assert not game.finished

    @pytest.mark.parametrize("result", ["64-0", "1-0", ""])
    def test_results_that_fit_the_end(self, result: str, file: Path) -> None:
        (game,) = games_of(f"{SHORTEST} {result}", file)
        assert game.outcome.winner == 0

    def test_what_is_written_is_read(self, file: Path) -> None:
        rng = random.Random(1)
        written = []
        for number in range(30):
            state, moves = START if number % 3 else parse_position(PASSING), []
            start = state
            for _ in range(rng.choice([0, 1, 20, 100])):
                legal = GAME.legal(state)
                if not legal:
                    break
                moves.append(rng.choice(legal))
                state = GAME.play(state, moves[-1])
            counts = final_counts(state)
            over = not GAME.legal(state)
            variations: dict[int, tuple[Variation, ...]] = {}
            before = start
            for i, move in enumerate(moves):
                if move != PASS and rng.random() < 0.3:
                    other = Annotations(comments={1: "or (so"}, glyphs={0: (6,)})
                    line = Variation(moves=(rng.choice(GAME.legal(before)),), annotations=other)
                    variations[i] = line, attrs.evolve(line, annotations=Annotations(), after="after")
                before = GAME.play(before, move)
            written.append(
                GameRecord(
                    players=("", "Bob \\ Co"),
                    start=start,
                    moves=tuple(moves),
                    outcome=Outcome(winner_by(*counts, 0), "no moves left") if over else Outcome.UNFINISHED,
                    annotations=Annotations(
                        tags={"Event": f"number {number}", "White": "Bob \\ Co"},
                        comments={i: f"note {i}" for i in range(len(moves) + 1) if rng.random() < 0.2},
                        marks={i: "?!" for i in range(len(moves)) if rng.random() < 0.2},
                        glyphs={i: (1, 18) for i in range(len(moves)) if rng.random() < 0.1},
                        variations=variations,
                    ),
                )
            )
        assert games_of("".join(map(RULES.files.game_text, written)), file) == written

    @pytest.mark.parametrize(
        ("text", "winner", "kept"),
        [
            ('[Result "34-30"]\nf5d6c3\n', 0, "34-30"),
            ("f5d6c3 34-30\n", 0, "34-30"),
            ('[Result "*"]\nf5d6c3 34-30\n', 0, "34-30"),
            ('[Result "1-0"]\nf5d6c3 *\n', 0, None),
            ('[Result "34-30"]\nf5d6c3 30\u201334\n', 1, "34-30"),
            ('[Result "\u00bd-\u00bd"]\nf5d6c3\n', None, None),
            ("f5d6c3 1/2\n", None, None),
        ],
    )
    def test_the_tag_result_counts_without_another(
        self, text: str, winner: int | None, kept: str | None, file: Path
    ) -> None:
        [game] = games_of(text, file)
        assert (game.finished, game.outcome.winner) == (True, winner)
        assert game.annotations.tags.get("Result") == kept
        assert games_of(RULES.files.game_text(game), file) == [game]

    @pytest.mark.parametrize("text", ["f5d6c3 0-0", '[Result "0-0"]\nf5d6c3', '[Result "adjourned"]\nf5d6c3'])
    def test_a_result_without_an_outcome_is_kept(self, text: str, file: Path) -> None:
        [game] = games_of(text, file)
        assert not game.finished
        assert game.annotations.tags["Result"] in ("0-0", "adjourned")
        assert games_of(RULES.files.game_text(game), file) == [game]

    def test_variations_of_trees_stay_in_transcripts(self, file: Path) -> None:
        [tree] = games_of(SGF, file.with_suffix(".sgf"))
        text = RULES.files.game_text(tree)
        assert "f5{good}d6c3!(c4{or})d3" in text
        assert games_of(text, file)[0].annotations.variations == tree.annotations.variations

    def test_a_forfeit_keeps_its_winner(self, file: Path) -> None:
        for winner in (0, 1, None):
            moves = tuple(played("f5d6").moves)
            written = GameRecord(phase="x", start=START, moves=moves, outcome=Outcome(winner, "illegal move"))
            (game,) = games_of(RULES.files.game_text(written), file)
            assert (game.finished, game.outcome.winner) == (True, winner)

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("f5d6\nf5a1", r"games.oth, line 2: move 2: 'a1' is not legal in .*; legal: f4, d6, f6"),
            (SHORTEST + "a1", "line 1: move 10: 'a1' comes after the end of the game; neither side can move"),
            ("f5d6(f6a1)", r"line 1: variation after move 2, move 2: 'a1' is not legal"),
            ("f5d6(f6", "line 1: the variation after move 2 is never closed"),
            ("f5d6$", r"line 1: move 3: '\$' is not a move, comment or result"),
            ("f5d6 1-0 c3", "line 1: 'c3' follows the result; each game must be on its own line"),
            (SHORTEST + " 33-31", "line 1: the result is 33-31, but the game ends 64-0"),
            ("[Black Ann]\nf5", r"line 1: '\[Black Ann\]' is not a tag such as"),
            ('[Position "XO"]\nf5', "line 2: diagram 'XO': it has 2 squares"),
        ],
    )
    def test_bad_games_are_errors_or_skipped(self, text: str, message: str, file: Path) -> None:
        with pytest.raises(GameforgeError, match=message):
            games_of(text, file)
        notices: list[str] = []
        kept = games_of(f'{text}\n\n[Event "kept"]\nf5d6\n', file, tolerant=True, notice=notices.append)
        assert kept[-1].annotations.tags["Event"] == "kept"
        assert len(notices) == 1

    def test_files_that_cannot_be_read(self, file: Path) -> None:
        with pytest.raises(GameforgeError, match=r"cannot read .*games\.oth"):
            list(RULES.files.read_games(file))
        file.write_bytes(b"f5\xff\xfe")
        with pytest.raises(GameforgeError, match=r"is not utf-8 text .* name the encoding of the file, such as cp1252"):
            list(RULES.files.read_games(file))
        file.write_bytes("f5d6".encode("utf-16"))
        assert len([*RULES.files.read_games(file)]) == 1
        with pytest.raises(GameforgeError, match="unknown encoding 'utf-9'"):
            list(RULES.files.read_games(file, encoding="utf-9"))
        file.write_text("f" * (1 << 20))
        with pytest.raises(GameforgeError, match="a line has more than 1048576 characters"):
            list(RULES.files.read_games(file))

    @given(st.text(st.sampled_from('f5d6c3 a1[]"Bk{}!?*-10\n#')))
    def test_any_text_gives_games_or_an_error_with_file_and_line(self, text: str) -> None:
        with tempfile.TemporaryDirectory() as folder:
            refused = ""
            try:
                games_of(text, Path(folder) / "games.oth")
            except GameforgeError as error:
                refused = str(error)
            assert not refused or re.search(r"games\.oth, line [0-9]+", refused)

    def test_the_capabilities_are_offered(self) -> None:
        assert GAME.files == RULES.files
        assert GAME.files.read_boards(Path("x")) is None


def wthor(*games: tuple[str, int], count: int | None = None, size: int = 8) -> bytes:
    """Return a file with these transcripts and Black's discs."""
    header = struct.pack("<4BIHH4B", 20, 6, 7, 12, len(games) if count is None else count, 0, 1987, size, 0, 24, 0)
    body = b""
    for text, score in games:
        squares = [NAMES.index(text[i : i + 2]) for i in range(0, len(text), 2)]
        codes = bytes(10 * (square // 8 + 1) + square % 8 + 1 for square in squares)
        body += struct.pack("<HHHBB60s", 3, 287, 148, score, 36, codes)
    return header + body


class TestWthor:
    def test_games_of_a_file(self, tmp_path: Path) -> None:
        path = tmp_path / "WTH_1987.wtb"
        path.write_bytes(wthor((SHORTEST, 64), ("f5d6c3", 20)))
        first, second = RULES.files.read_games(path)
        assert dict(first.annotations.tags) == {
            "Date": "1987",
            "Tournament": "3",
            "Black": "287",
            "White": "148",
            "Score": "64",
            "Theoretical": "36",
        }
        assert (first.codes, first.outcome) == (tuple(played(SHORTEST).moves), Outcome(0, "no moves left"))
        assert (second.codes, second.outcome) == (tuple(played("f5d6c3").moves), Outcome(1, ""))

    def test_passes_are_inserted(self, tmp_path: Path) -> None:
        rng = random.Random(4)
        texts: list[tuple[list[int], int]] = []
        while len(texts) < 3:
            state: State = START
            moves: list[int] = []
            while legal := GAME.legal(state):
                moves.append(rng.choice(legal))
                state = GAME.play(state, moves[-1])
            if PASS in moves:
                texts.append((moves, final_counts(state)[0]))
        path = tmp_path / "WTH_1987.wtb"
        path.write_bytes(wthor(*[("".join(NAMES[m] for m in moves if m != PASS), score) for moves, score in texts]))
        assert [list(game.codes) for game in RULES.files.read_games(path)] == [moves for moves, _ in texts]

    @pytest.mark.parametrize(
        ("data", "message"),
        [
            (wthor((SHORTEST, 63)), "game 1: Black's stored score is 63, but the game ends 64-0"),
            (wthor(("f5f5", 20)), "game 1, move 2: 'f5' is not legal"),
            (wthor(("f5", 65)), "game 1: the stored score is 65, but there are only 64 discs"),
            (
                wthor(("f5", 20))[:24] + b"\x63" + wthor(("f5", 20))[25:],
                "game 1, move 1: 99 is not a square; must be 11 to 88",
            ),
        ],
    )
    def test_a_bad_game_is_an_error_or_skipped(self, data: bytes, message: str, tmp_path: Path) -> None:
        path = tmp_path / "bad.wtb"
        path.write_bytes(data)
        with pytest.raises(GameforgeError, match=f"bad.wtb, {message}"):
            list(RULES.files.read_games(path))
        notices: list[str] = []
        assert list(RULES.files.read_games(path, tolerant=True, notice=notices.append)) == []
        assert len(notices) == 1

    @pytest.mark.parametrize(
        ("data", "message"),
        [
            (b"", "0 bytes are too few for a WTHOR file, whose header has 16"),
            (wthor(("f5", 20), count=2), "2 games take 152 bytes, but the file has 84"),
            (wthor(("f5", 20), size=10), r"not a WTHOR file of games on 8x8 squares \(size 10, kind 0\)"),
        ],
    )
    def test_files_that_are_not_wthor_files(self, data: bytes, message: str, tmp_path: Path) -> None:
        path = tmp_path / "bad.wtb"
        path.write_bytes(data)
        with pytest.raises(GameforgeError, match=message):
            list(RULES.files.read_games(path))

    @pytest.mark.parametrize(("year", "games", "stopped"), [(1983, 199, 1), (1987, 1386, 4), (2021, 680, 0)])
    def test_every_game_of_the_archive_replays_to_its_stored_score(
        self, year: int, games: int, stopped: int, shared: Path
    ) -> None:
        found = list(RULES.files.read_games(shared / "data" / "games" / "wthor" / f"WTH_{year}.wtb"))
        assert len(found) == games
        assert sum(not game.reason for game in found) == stopped
        sample = found[:: max(1, games // 50)]
        for game in sample:
            state = game.start
            for move in game.codes:
                state = GAME.play(state, move)
            if game.reason:
                assert str(final_counts(state)[0]) == game.annotations.tags["Score"]

    def test_games_of_the_archive_come_back_as_transcripts(self, shared: Path, tmp_path: Path) -> None:
        found = list(RULES.files.read_games(shared / "data" / "games" / "wthor" / "WTH_1983.wtb"))
        again = games_of("".join(map(RULES.files.game_text, found)), tmp_path / "games.oth")
        assert [attrs.evolve(game, outcome=Outcome.UNFINISHED) for game in again] == [
            attrs.evolve(game, outcome=Outcome.UNFINISHED) for game in found
        ]
        assert [game.reason for game in again] == [game.reason for game in found]


def test_a_game_of_several_lines_has_numbers(file: Path) -> None:
    turns = '[Black "A"]\n1. f5 f6\n2. d3 c5 *\n'
    wrapped = '[Black "B"]\n1. f5 f6 2. d3\nc5 3. d6 {a\nlong} c3\n\n   *\n'
    plies = '[Black "C"]\n1. f5\n2. f6\n3. d3\n\n'
    alone = "f5d6c3\nf5f6\n1. f5 d6\n1. f5 d6\n2. c3\nf5d6\n{first} 1. f5 f6\n"
    games = games_of(turns + wrapped + plies + alone, file)
    assert [len(game.codes) for game in games] == [4, 6, 3, 3, 2, 2, 3, 2, 2]
    assert games[1].annotations.comments == {5: "a long"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1. f5 f6 3. d3 c5", "line 1: move 3: its number 3. is wrong; 2. must come here"),
        ("1. f5 f6\n3. d3 c5", "line 1: move 3: its number 3. is wrong; 2. must come here"),
        ("1. f5 f6 d3 2. c5", "line 1: move 4: 3 moves before it have the number 1."),
        ("[Position: x]\nf5", "line 1: '\\[Position: x\\]' is not a tag"),
        ('[Black "A"]\n[White "B"]\n', "line 1: there are tags, but no moves"),
    ],
)
def test_wrong_numbers_and_lost_tags_cost_the_game(text: str, message: str, file: Path) -> None:
    with pytest.raises(GameforgeError, match=message):
        games_of(text, file)
    assert games_of(text, file, tolerant=True, notice=lambda text: None) == []


@pytest.mark.parametrize(
    ("text", "plies"),
    [
        ("---------------------------OX------XO--------------------------- X f5d6c3\n", 3),
        ("---------------------------OX------XO--------------------------- X; F5:+0; D6:-2;\n", 0),
        ("% a remark\n---------------------------0*------*0--------------------------- * % equal\n", 0),
        ("........\n" * 3 + "...OX...\n...XO...\n" + "........\n" * 3 + "Black to move\n1. f5 d6\n", 2),
        (
            "  a b c d e f g h\n"
            + "1 . . . . . . . .\n" * 3
            + "4 . . . O X . . .\n5 . . . X O . . .\n"
            + "8 . . . . . . . . 8\n" * 3,
            0,
        ),
    ],
)
def test_boards_with_moves(text: str, plies: int, file: Path) -> None:
    [game] = games_of(text, file.with_suffix(".pos"))
    assert game.start == START
    assert len(game.codes) == plies


GGF = (
    "1 (;GM[Othello]PC[GGS/os]PB[A]PW[B \\] b]RE[+2.00:r]TY[8]BO[8 ---------------------------O*------*O"
    "--------------------------- *]B[F5//2.4]W[D6/0.00/1]B[C3];)\n"
)
SGF = (
    "(;FF[4]GM[2]SZ[8]PB[A]PW[B]AB[e4][d5]AW[d4][e5]PL[B]RE[W+4];B[f5]C[good];W[d6](;B[c3]TE[1];W[d3])(;B[c4]C[or]))\n"
)


class TestTrees:
    def test_ggf(self, file: Path) -> None:
        first, second = games_of(GGF * 2, file.with_suffix(".ggf"))
        assert first.players == ("A", "B ] b")
        assert first.codes == tuple(played("f5d6c3").moves)
        assert first.outcome == Outcome(0, "")
        assert first.annotations.tags["RE"] == "+2.00:r"
        assert first.annotations.comments == {1: "/2.4", 2: "0.00/1"}
        assert (first.number, second.number) == (1, 2)

    def test_sgf(self, file: Path) -> None:
        [game] = games_of(SGF, file.with_suffix(".sgf"))
        assert game.start == START
        assert game.codes == tuple(played("f5d6c3d3").moves)
        assert game.outcome == Outcome(1, "")
        assert (game.annotations.comments, game.annotations.marks) == ({1: "good"}, {2: "!"})
        [line] = game.annotations.variations[2]
        assert (line.moves, line.annotations.comments) == (tuple(played("f5d6c4").moves[2:]), {1: "or"})

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            (GGF.replace("Othello", "Amazons"), r"game 1, line 1: another game \(GM\[amazons\]"),
            (GGF.replace("BO[8 ", "BO[10 "), "the board has 10x10 squares; only 8x8 is read"),
            (GGF.replace("D6/", "A1/"), "move 2: 'A1' is not legal"),
            (GGF.replace("W[D6", "B[D6"), r"move 2: B\[D6/0.00/1\] is played by the wrong side"),
            (GGF.replace(";)", ""), "the game is never closed"),
            (GGF.replace("TY[8]", "TY[s8a]"), r"another game \(TY\[s8a\]: the side with fewer discs wins\)"),
            (SGF.replace("[d4]", "[e4]"), "two discs stand on e4"),
            (SGF.replace("GM[2]", "GM[1]"), r"another game \(GM\[1\]"),
        ],
    )
    def test_bad_games_are_errors_or_left_out(self, text: str, message: str, file: Path) -> None:
        path = file.with_suffix(".ggf")
        with pytest.raises(GameforgeError, match=message):
            games_of(text, path)
        notices: list[str] = []
        [kept] = games_of(text + GGF, path, tolerant=True, notice=notices.append)
        assert (kept.number, len(kept.codes)) == (2, 3)
        assert len(notices) == 1


@pytest.mark.parametrize(
    ("komi", "result", "rules", "winner"),
    [
        ("-0.500", "+64.500", RULES, 0),
        ("4", "+60.00", RULES, 0),
        ("4", "+60.00", Othello(komi=4), 0),
        ("64", "0", Othello(komi=64), None),
        ("65", "-1.00", RULES, "the result is -1.00 with a komi of 65, which these rules do not have"),
        ("4", "+64.00", RULES, "the result is .64.00, but the game ends 64-0"),
    ],
)
def test_a_komi_of_the_server_changes_the_result(
    komi: str, result: str, rules: Othello, winner: int | str | None, file: Path
) -> None:
    moves = "".join(f"{'BW'[i % 2]}[{SHORTEST[2 * i : 2 * i + 2]}]" for i in range(len(SHORTEST) // 2))
    file.write_text(GGF.partition("B[F5")[0].replace("RE[+2.00:r]", f"RE[{result}]KM[{komi}]") + moves + ";)")
    if isinstance(winner, str):
        with pytest.raises(GameforgeError, match=winner):
            list(rules.files.read_games(file))
    else:
        [game] = rules.files.read_games(file)
        assert (game.outcome.winner, game.annotations.tags["KM"]) == (winner, komi)


def test_a_position_is_set_up_by_fen_as_well(file: Path) -> None:
    board = position_text(START)
    [game] = games_of(f'[SetUp "1"]\n[FEN "{board}"]\nf5d6\n', file)
    assert (game.start, len(game.codes), game.annotations.tags) == (START, 2, {})
    for tags, message in (
        ('[SetUp "1"]', "the tag SetUp announces a position, but there is no tag FEN"),
        (f'[FEN "{board}"]\n[Position "{board[:-1]}O"]', "the tags Position and FEN set up two positions"),
        ('[FEN "8/8/8/3pP3/8/8/8/8 w"]', "8/8/8"),
    ):
        with pytest.raises(GameforgeError, match=message):
            games_of(f"{tags}\nf5d6\n", file)


def test_wthor_names_players_and_tournaments(tmp_path: Path) -> None:
    path = tmp_path / "WTH_1987.wtb"
    path.write_bytes(wthor((SHORTEST, 64)))
    header = wthor()
    (tmp_path / "WTHOR.JOU").write_bytes(header + b"".join(f"Player {i}".encode().ljust(20, b"\0") for i in range(200)))
    (tmp_path / "wthor.trn").write_bytes(header + b"".join(f"Cup {i}".encode().ljust(26, b"\0") for i in range(9)))
    [game] = RULES.files.read_games(path)
    assert game.players == ("287", "Player 148")
    assert game.annotations.tags["Tournament"] == "Cup 3"
    (tmp_path / "other.jou").write_bytes(header)
    with pytest.raises(GameforgeError, match="both name what its numbers mean"):
        list(RULES.files.read_games(path))


def test_final_counts_give_empty_squares_to_the_winner() -> None:
    assert final_counts(played(SHORTEST).state) == (64, 0)
    assert final_counts(START) == (32, 32)
    assert final_counts(parse_position(position_text(START).replace("-", "O", 1))) == (2, 62)


def test_digits_without_end_are_refused_in_time(file: Path) -> None:
    """They might be the first half of a result, which a pattern without bounds looks for at each of them."""
    file.write_text(f"f5 {'9' * 100_000}\n")
    with pytest.raises(GameforgeError, match="is not a move, comment or result"):
        list(GAME.files.read_games(file))
