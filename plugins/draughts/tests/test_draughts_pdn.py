"""Games as PDN text."""

import random
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from gameforge_draughts.movegen import BLACK, START, WHITE, pieces
from gameforge_draughts.notation import parse_position
from gameforge_draughts.rules import Draughts

from gameforge.interfaces.games import Annotations, GameRecord
from gameforge.interfaces.rules import Outcome, State
from gameforge.play.game import Game

RULES = Draughts()
GAME = Game(RULES)


def moves_of(start: State, texts: str) -> list[int]:
    moves: list[int] = []
    state = start
    for text in texts.split():
        moves.append(RULES.notation.parse_move(state, text, GAME.legal(state)))
        state = GAME.play(state, moves[-1])
    return moves


def text_of(
    tags: dict[str, str], start: State, moves: Sequence[int], winner: int | None, reason: str = "ply cap"
) -> str:
    return RULES.files.game_text(
        GameRecord(start=start, moves=tuple(moves), outcome=Outcome(winner, reason), annotations=Annotations(tags=tags))
    )


def random_game(seed: int, start: State) -> list[int]:
    rng, state = random.Random(seed), start
    moves: list[int] = []
    while (legal := GAME.legal(state)) and len(moves) < 200:
        moves.append(rng.choice(legal))
        state = GAME.play(state, moves[-1])
    return moves


def test_a_game() -> None:
    """The opening known as Old Fourteenth, to its first exchange."""
    moves = moves_of(START, "11-15 23-19 8-11 22-17 4-8 17-13 15-18 24-20 11-15 28-24 8-11 26-23 9-14 31-26")
    tags = {"White": "minimax", "Event": "match 1", "Seed": "7", "Date": "2026.11.20", "Result": "*"}
    assert text_of(tags, START, moves, WHITE, "no legal move") == (
        '[Event "match 1"]\n'
        '[Date "2026.11.20"]\n'
        '[Black "?"]\n'
        '[White "minimax"]\n'
        '[Result "0-1"]\n'
        '[GameType "21,B,8,8,N1,0"]\n'
        '[Seed "7"]\n'
        "\n"
        "1. 11-15 23-19 2. 8-11 22-17 3. 4-8 17-13 4. 15-18 24-20 5. 11-15 28-24 6. 8-11\n"
        "26-23 7. 9-14 31-26 {no legal move} 0-1\n"
    )


def test_a_game_from_a_position_in_which_white_begins() -> None:
    start = parse_position("W:W17,18,22:BK9,K10")
    text = text_of({}, start, moves_of(start, "18-15 10x19"), BLACK, "")
    assert '[SetUp "1"]\n[FEN "W:W17,18,22:BK9,K10"]\n' in text
    assert "\n1... 18-15 2. 10x19 1-0\n" in text


def test_a_game_with_comments_and_marks() -> None:
    moves = tuple(moves_of(START, "11-15 23-19 8-11"))
    said = Annotations(
        comments={0: "Old {Fourteenth}", 1: "to the\ncentre", 3: "still in the books"}, marks={1: "!", 2: "?"}
    )
    game = GameRecord(start=START, moves=moves, outcome=Outcome.UNFINISHED, annotations=said)
    assert RULES.files.game_text(game).splitlines()[3:] == [
        '[Result "*"]',
        '[GameType "21,B,8,8,N1,0"]',
        "",
        "{Old (Fourteenth)} 1. 11-15 {to the centre} 1... 23-19! 2. 8-11? {still in the",
        "books} *",
    ]


@pytest.mark.parametrize(("winner", "result"), [(BLACK, "1-0"), (WHITE, "0-1"), (None, "1/2-1/2")])
def test_the_result_names_the_first_mover_first(winner: int | None, result: str) -> None:
    text = text_of({}, START, [], winner)
    assert f'[Result "{result}"]' in text
    assert text.endswith(f"\n{{ply cap}} {result}\n")


def test_tag_values_are_escaped() -> None:
    text = text_of({"Event": 'the "last"\nof \\ many'}, START, [], None)
    assert text.startswith('[Event "the \\"last\\" of \\\\ many"]\n')


@pytest.mark.parametrize("seed", range(40))
def test_the_moves_of_a_text_are_the_moves_of_the_game(seed: int) -> None:
    start = START if seed % 2 else parse_position("W:W18,21-27,K30:B1-8,K10,K12")
    moves = random_game(seed, start)
    text = text_of({}, start, moves, None)
    header, body = text.split("\n\n")
    assert all(len(line) <= 80 for line in body.splitlines())
    assert ("FEN" in header) == (start != START)
    tokens = re.sub(r"\{.*\}\s1/2-1/2|\d+\.+", "", body, flags=re.DOTALL)
    assert moves_of(start, tokens) == moves


@pytest.mark.parametrize("every", [4, pytest.param(1, marks=pytest.mark.slow)])
def test_master_games_replay_and_their_results_say_that_1_0_is_a_win_of_the_first_mover(
    shared: Path, every: int
) -> None:
    """ACF archive: all 4,000 games are legal, and the side that is two men ahead at the end has nearly always won."""
    ahead: Counter[tuple[str, int]] = Counter()
    games = (shared / "data" / "games" / "acf_4000.pdn").read_text().strip().split("\n\n")
    assert len(games) == 4_000
    for game in games[::every]:
        body = re.sub(r"^\[.*\]$|\d+\.", "", game, flags=re.MULTILINE)
        *texts, result = body.split()
        assert f'[Result "{result}"]' in game
        state = START
        for text in texts:
            legal = GAME.legal(state)
            move = RULES.notation.parse_move(state, text, legal)
            assert RULES.notation.move_text(state, move, legal) == text
            state = GAME.play(state, move)
        lead = sum((1 - 2 * side) * (3 if is_king else 2) for side, is_king in pieces(state).values())
        if result != "1/2-1/2" and abs(lead) >= 4:
            ahead[result, BLACK if lead > 0 else WHITE] += 1
    expected = {
        1: {("1-0", BLACK): 12, ("1-0", WHITE): 2, ("0-1", WHITE): 10, ("0-1", BLACK): 1},
        4: {("1-0", BLACK): 2, ("0-1", WHITE): 4},
    }
    assert ahead == expected[every]
