"""PDN files of the family: written and read back, chosen by their GameType, and errors."""

import io
import json
import random
from pathlib import Path

import attrs
import pytest
from gameforge_draughts.english_pdn import EnglishPdn
from gameforge_draughts.files import Archive
from gameforge_draughts.rules import Draughts
from gameforge_draughts_family.rules import GAME_TYPES

import gameforge as gf
from gameforge.cli.main import run
from gameforge.errors import GameforgeError
from gameforge.interfaces.games import Annotations, GameRecord
from gameforge.interfaces.rules import Outcome

MIXED = """\
[White "Ann"]
[Black "Bob"]
[Result "2-0"]
[GameType "20,W,10,10,N2,0"]
1. 32-28 19-23 2. 28x19 14x23 {even} 2-0

[GameType "21"]
[Result "1-0"]
1. 11-15 23-19 1-0

[GameType "25,W,8,8,A0,0"]
1. c3-d4 {a2} d6-c5 (1... f6-g5) 2. b2-c3 f6-g5! 0-1

[GameType "26"]
1. 22-18 12-16 1/2-1/2

[GameType "41,W,10,8,A0,0"]
1. c3-d4 *

1. 9-14 22-17 *
"""


def random_game(name: str, rng: random.Random) -> GameRecord:
    game = gf.game(name)
    state, moves = game.rules.initial(), []
    for _ in range(40):
        legal = game.legal(state)
        if not legal:
            break
        moves.append(rng.choice(legal))
        state = game.play(state, moves[-1])
    return GameRecord(
        number=1,
        players=("Ann", "Bob"),
        start=game.rules.initial(),
        moves=tuple(moves),
        outcome=Outcome(0, ""),
        annotations=Annotations(comments={3: "so far"}, marks={1: "!"}),
    )


@pytest.mark.parametrize("name", GAME_TYPES)
def test_games_are_read_back(name: str, tmp_path: Path) -> None:
    files = gf.game(name).files
    rng = random.Random(name)
    games = [random_game(name, rng) for _ in range(6)]
    file = tmp_path / "games.pdn"
    file.write_text("\n".join(files.game_text(game) for game in games))
    assert f'[GameType "{GAME_TYPES[name]}"]' in file.read_text()
    for i, (game, again) in enumerate(zip(games, files.read_games(file), strict=True), start=1):
        plain = attrs.evolve(again.annotations, tags={})
        assert attrs.evolve(again, annotations=plain) == attrs.evolve(game, number=i)


def test_positions_that_were_set_up_are_read_back(tmp_path: Path) -> None:
    game = gf.game("russian")
    position = game.position("B:Wa1,Kc3:Bb8,Kh2")
    [move] = [move.code for move in position.legal_moves if str(move) == "h2-g1"]
    record = GameRecord(start=position.state, moves=(move,), outcome=Outcome(None, ""))
    text = game.files.game_text(record)
    assert '[FEN "B:WKc3,a1:Bb8,Kh2"]' in text
    assert "1... h2-g1 1/2-1/2" in text


def test_the_game_type_chooses_the_rules(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "mixed.pdn"
    file.write_text(MIXED)
    assert run(["pdn", "check", str(file)]) == 0
    printed = capsys.readouterr()
    assert printed.out == f"{file}: 5 games, 14 moves, all legal; 1 skipped\n"
    assert "game 5: skipped: another game (GameType 41,W,10,8,A0,0; expected 21)" in printed.err
    assert run(["pdn", "stats", "--json", str(file)]) == 0
    numbers = json.loads(capsys.readouterr().out)
    assert (numbers["white"], numbers["black"], numbers["drawn"], numbers["unknown"]) == (1, 2, 1, 1)
    assert run(["pdn", "stats", str(file)]) == 0
    assert "draughts 2, international 1, russian 1, brazilian 1" in capsys.readouterr().out


def test_an_archive_is_rewritten_with_the_types_of_its_games(tmp_path: Path) -> None:
    file, target, again = tmp_path / "mixed.pdn", tmp_path / "new.pdn", tmp_path / "again.pdn"
    file.write_text(MIXED)
    assert run(["pdn", "convert", str(file), str(target)]) == 0
    assert run(["pdn", "convert", str(target), str(again)]) == 0
    assert target.read_text() == again.read_text()
    assert "1. c3-d4 {a2} 1... d6-c5 (1... f6-g5) 2. b2-c3 f6-g5! 0-1\n" in target.read_text()
    assert "1. 32-28 19-23 2. 28x19 14x23 {even} 1-0\n" in target.read_text()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('[GameType "25"]\n[FEN "W:W31,32:B45"]\n1. 31-26 *', "its GameType 25 and its FEN disagree: .* no square 45"),
        ('[GameType "20"]\n[FEN "W:Wb3:Bb8"]\n1. b3-c4 *', "its GameType 20 and its FEN disagree: .* no square b3"),
        ('[GameType "20"]\n1. 32-27 19-23 2. 32-28 *', "line 2, column 19: '32-28' is not legal"),
        ('[GameType "25"]\n1. c3-d4 h9-h8 *', "line 2, column 10: 'h9-h8' is not legal in"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(text: str, reason: str) -> None:
    kinds = [gf.game(name).rules.pdn for name in ("international", "russian")]  # type: ignore[attr-defined]
    archive = Archive(EnglishPdn(Draughts()), io.StringIO(text), "x.pdn", print, others=kinds)
    with pytest.raises(GameforgeError, match=reason):
        list(archive)


def test_pool_checkers_are_read_with_either_first_mover() -> None:
    """PDN 3.0 gives number 23 to kinds in which White begins and squares have letters, too."""
    text = """
[GameType "23,W,8,8,A0,0"]
1. c3-d4 f6-e5 2. d4xf6 g7xe5 *

[GameType "23"]
1. 11-15 22-18 2. 15x22 25x18 *

[GameType "23,W,8,8,N2,0"]
[Event "the first mover, White, wins"]
1. 22-18 11-15 1-0
"""
    kind = gf.game("pool").rules.pdn
    white, black, won = Archive(kind, io.StringIO(text), "pool.pdn", pytest.fail)
    assert [gf.game("pool").position_text(game.start)[0] for game in (white, black)] == ["W", "B"]
    assert [len(game.codes) for game in (white, black)] == [4, 4]
    [again] = Archive(kind, io.StringIO(gf.game("pool").files.game_text(white)), "again.pdn", pytest.fail)
    assert (again.start, again.codes) == (white.start, white.codes)
    assert kind.sides[won.outcome.winner or 0] == "White"
    assert gf.game("pool").files.game_text(won).endswith("0-1\n")


NATIONAL = """\
[GameType "29,W,8,8,A0,0"]
[Event "Czech"]
1. c3-d4 d6-c5 2. b2-c3 f6-g5 1-0

[GameType "31,B,8,8,N2,0"]
[Event "Thai, with eight men a side"]
1. 8-11 25-21 2. 7-10 1-0

[GameType "31,W,8,8,N2,0"]
[Event "Thai, and White begins"]
1. 25-21 8-11 1-0

[GameType "28,W,8,8,N1,1"]
[Event "Portuguese, which has the rules of Spanish draughts"]
1. 11-15 22-18 *
"""
CZECH = "draughts-variant:board=8x8,men_capture=forwards,promotion=stop,majority=free,by_king=true"


def test_games_of_national_kinds_have_the_settings_of_their_kind(tmp_path: Path) -> None:
    file, again = tmp_path / "national.pdn", tmp_path / "again.pdn"
    file.write_text(NATIONAL)
    read = list(gf.game("draughts").files.read_mixed(file, notice=pytest.fail))
    czech, thai, white, portuguese = (rules for rules, _ in read)
    assert (czech.by_king, czech.kings, thai.by_king, thai.kings) == (True, "flying", False, "halting")
    assert thai is white
    assert portuguese.name == "spanish"
    starts = [gf.Game(rules).position_text(record.start) for rules, record in read[1:3]]
    assert starts == [f"{side}:W25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8" for side in "BW"]
    assert [thai.sides[record.outcome.winner] for _, record in read[1:3]] == ["Black", "White"]
    again.write_text("\n".join(rules.files.game_text(record) for rules, record in read))
    assert [line[:13] for line in again.read_text().splitlines() if "GameType" in line] == [
        f'[GameType "{number}' for number in (29, 31, 31, 24)
    ]
    reread = list(gf.game("draughts").files.read_mixed(again, notice=pytest.fail))
    assert [(rules, record.start, record.codes) for rules, record in reread] == [
        (rules, record.start, record.codes) for rules, record in read
    ]
    assert [record.outcome for _, record in reread] == [record.outcome for _, record in read]


@pytest.mark.parametrize(
    ("name", "game_type"),
    [
        (CZECH, "29,W,8,8,N2,0"),
        (f"{CZECH},notation=algebraic,endings=russian", "29,W,8,8,A0,0"),
        (f"{CZECH},first=black", "49"),
        (CZECH.replace("by_king=true", "kings=halting"), "31,W,8,8,N2,0"),
    ],
)
def test_a_variant_is_written_with_the_number_of_its_kind(name: str, game_type: str, tmp_path: Path) -> None:
    """Thai games begin with eight men a side, so the variant's own initial position needs a FEN."""
    files, file = gf.game(name).files, tmp_path / "games.pdn"
    game = random_game(name, random.Random(1))
    file.write_text(files.game_text(game))
    assert f'[GameType "{game_type}"]' in file.read_text()
    assert ("[FEN" in file.read_text()) == game_type.startswith("31")
    read = list(files.read_games(file))
    if game_type != "49":
        read += [record for _, record in gf.game("draughts").files.read_mixed(file)]
    assert {(record.codes, record.start[:3]) for record in read} == {(game.codes, game.start[:3])}


def test_a_database_keeps_the_settings_of_a_national_kind(tmp_path: Path) -> None:
    file, database = tmp_path / "national.pdn", tmp_path / "games.db"
    file.write_text(NATIONAL)
    assert run(["games", "import", str(file), "--into", str(database), "--game", f"{CZECH},notation=algebraic"]) == 0
    with gf.games_db(database) as db:
        assert [len(db.game.moves_of(found.record)) for found in db.find()] == [4]


def test_the_start_colour_changes_no_other_game() -> None:
    """PDN 3.0: it is just an indication."""
    text = '[GameType "25,B,8,8,A0,0"]\n1. c3-d4 f6-e5 *\n'
    [game] = Archive(gf.game("russian").rules.pdn, io.StringIO(text), "russian.pdn", pytest.fail)
    assert game.start == gf.game("russian").rules.initial()


@pytest.mark.parametrize("number", ["44", "49", "50", "51", "100"])
def test_numbers_of_no_known_kind_are_skipped(number: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """50 is Othello. We write 49 for draughts with settings of one's own, which the number does not tell."""
    file = tmp_path / "other.pdn"
    file.write_text(f'[GameType "{number}"]\n1. 32-28 *\n')
    assert run(["pdn", "check", str(file)]) == 0
    assert f"skipped: another game (GameType {number}" in capsys.readouterr().err


def test_games_of_other_kinds_are_skipped(tmp_path: Path) -> None:
    file = tmp_path / "mixed.pdn"
    file.write_text(MIXED)
    notices: list[str] = []
    found = list(gf.game("russian").files.read_games(file, notice=notices.append))
    assert [len(game.codes) for game in found] == [4]
    assert len(notices) == 5


def test_an_ambiguous_capture_is_written_with_its_whole_path(tmp_path: Path) -> None:
    game = gf.game("pool")
    position = game.position("W:W6,K30:B8,9,K11,14,26,K28,K29")
    for move in position.legal_moves:
        record = GameRecord(start=position.state, moves=(move.code,), outcome=Outcome(None, ""))
        file = tmp_path / "game.pdn"
        file.write_text(game.files.game_text(record))
        [again] = game.files.read_games(file)
        assert again.codes == (move.code,)
