"""Files that other programs and sites write, one of each kind, and how each must be read."""

from pathlib import Path

import pytest

import gameforge as gf
from gameforge.cli.main import run
from gameforge.interfaces.games import GameRecord
from gameforge.play.game import Game
from gameforge.records.game_records import read_games

EXPECTED: dict[str, list[tuple[str, int]]] = {
    "01_padded_moves.pdn": [("international", 12)],
    "02_leading_zeros.pdn": [("international", 8), ("russian", 2)],
    "03_results.pdn": [("draughts", 2), ("international", 2), ("draughts", 1)],
    "04_capital_letters.pdn": [("russian", 6)],
    "05_tags.pdn": [("draughts", 2), ("draughts", 2)],
    "06_site_gametypes.pdn": [("antidraughts", 4), ("breakthrough-draughts", 2), ("frisian", 2)],
    "07_dashes_results.pdn": [("draughts", 4), ("draughts", 2), ("draughts", 2), ("draughts", 2)],
    "08_comment_order.pdn": [("draughts", 3)],
    "09_morris_turns_on_lines.mor": [("morris", 6)],
    "10_othello_turns_on_lines.oth": [("othello", 4)],
    "11_game.ggf": [("othello", 5)],
    "12_game.sgf": [("othello", 5)],
    "13_no_gametype.pdn": [],
    "14_capture_decided_by_reply.pdn": [("draughts", 2), ("draughts", 2)],
    "17_tag_lost_gametype.pdn": [("pool", 4)],
    "18_tag_lost_setup.pdn": [("draughts", 2)],
}
"""File -> the game of each of its records, and its number of moves, for a tolerant reader."""
NOTICES = dict.fromkeys(("05_tags.pdn", "13_no_gametype.pdn", "17_tag_lost_gametype.pdn", "18_tag_lost_setup.pdn"), 1)


def read(path: Path) -> tuple[list[tuple[Game, GameRecord]], list[str]]:
    notices: list[str] = []
    return list(read_games(path, tolerant=True, notice=notices.append)), notices


@pytest.mark.parametrize("name", EXPECTED)
def test_a_foreign_file_is_read_as_what_it_is(name: str, shared: Path) -> None:
    found, notices = read(shared / "data" / "foreign" / name)
    assert [(game.rules.name, len(record.codes)) for game, record in found] == EXPECTED[name]
    assert len(notices) == NOTICES.get(name, 0)


def test_details_of_foreign_files(shared: Path, tmp_path: Path) -> None:
    folder = shared / "data" / "foreign"
    first, second = (record for _, record in read(folder / "14_capture_decided_by_reply.pdn")[0])
    game = gf.game("draughts")
    whole = [game.move_text(record.start, record.codes[0], game.legal(record.start)) for record in (first, second)]
    assert whole == ["6x15x22", "11x18x27"]
    [(_, record)] = read(folder / "18_tag_lost_setup.pdn")[0]
    assert game.position_text(record.start) == "B:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,11"
    [record] = gf.load_games(folder / "13_no_gametype.pdn", "international")
    assert len(record.codes) == 4
    for name, kept in (("03_results", '"0-0"'), ("03_results", '"1+ - 1-"'), ("08_comment_order", "{before} (")):
        target = tmp_path / f"{name}.pdn"
        assert run(["pdn", "convert", "--tolerant", "--force", str(folder / f"{name}.pdn"), str(target)]) == 0
        assert kept in target.read_text()


def test_positions_of_foreign_files(shared: Path) -> None:
    for line in (shared / "data" / "foreign" / "15_fen_counters.txt").read_text().splitlines():
        fen, name = line.split("\t")
        assert gf.game(name).position(fen).legal_moves


def test_a_file_without_game_types_needs_the_game(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "games.pdn"
    file.write_text("1. 32-28 18-23 2. 38-32 12-18 *\n")
    assert run(["pdn", "check", str(file)]) == 1
    assert "its moves are legal in frisian, international; name the game" in capsys.readouterr().err
    assert run(["pdn", "check", "--game", "international", str(file)]) == 0
    assert "1 game, 4 moves, all legal" in capsys.readouterr().out
    assert run(["pdn", "check", "--game", "othello", str(file)]) == 2
    assert "--game othello: not a kind of draughts; those installed are" in capsys.readouterr().err


def test_only_one_kind_of_draughts_is_guessed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "games.pdn"
    file.write_text("1. 35-30 19-23 2. 30-24 20x29 3. 33x24 *\n1. 11-15 23-19 *\n")
    found, notices = read(file)
    assert [game.rules.name for game, _ in found] == ["international", "draughts"]
    assert len(notices) == 1
    assert "there is no tag GameType; its moves are legal in international only" in notices[0]


def test_records_of_one_kind_share_their_game(tmp_path: Path) -> None:
    file = tmp_path / "games.pdn"
    file.write_text('[GameType "20"]\n1. 32-28 *\n\n[GameType "21"]\n1. 11-15 *\n\n[GameType "20"]\n1. 31-27 *\n')
    (first, _), (_, _), (third, _) = read_games(file)
    assert first is third


def test_a_file_of_no_known_kind_needs_a_game(tmp_path: Path) -> None:
    file = tmp_path / "games.xyz"
    file.write_text("f5d6\n")
    with pytest.raises(gf.GameforgeError, match=r"cannot infer the game for .*games\.xyz; name the game \(known: "):
        next(read_games(file))
    [(_, record)] = read_games(file, gf.game("othello"))
    assert len(record.codes) == 2
