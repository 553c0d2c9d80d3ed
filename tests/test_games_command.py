"""The commands `gameforge games`, and databases as sources of openings, examples and expert games."""

import json
import re
from pathlib import Path

import pytest
from called import completed, gameforge

import gameforge as gf
from gameforge.records.game_records import finished_games

GAMES = """\
[Event "first"]
[Black "Ann"]
[White "Bob"]
[Date "1990.02.01"]
f5d6c3d3c4 40-24

[Event "second"]
[Black "Cid"]
[White "Ann"]
[Date "2001"]
f5f6e6f4 10-54

[Event "third"]
[Black "Bob"]
[White "Cid"]
f5d6c5 *
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "games.oth").write_text(GAMES, encoding="utf-8")
    assert gameforge(["games", "import", "games.oth", "--into", "my.db"]) == (
        0,
        "games.oth: 3 new games\nmy.db has 3 games of othello\n",
    )
    return tmp_path


def printed(*arguments: str) -> str:
    done = completed(["games", *arguments])
    assert (done.returncode, done.stderr) == (0, "")
    return str(done.stdout)


def refused(*arguments: str) -> str:
    code, text = gameforge(["games", *arguments])
    assert code == 2
    [line] = [line for line in text.splitlines() if line.startswith("error: ")]
    return line


def test_import_again(here: Path) -> None:
    (here / "more.oth").write_text('[Black "Dan"]\nf5d6c3d3c4 40-24\n[Black "Eve"]\nf5f4 *\n', encoding="utf-8")
    found = printed("import", "games.oth", "more.oth", "--into", "my.db", "--headers", "new")
    assert found == (
        "games.oth: 0 new games, 3 games imported before\n"
        "more.oth: 1 new game, 1 duplicate, 1 with new headers\n"
        "my.db has 4 games of othello\n"
    )


def test_find(here: Path) -> None:
    assert printed("find", "my.db", "--player", "ann", "--since", "1995") == (
        "       2  Cid - Ann                                 White wins      4 plies  2001  second\n1 game\n"
    )
    assert printed("find", "my.db", "--event", "nothing") == "no games\n"
    assert printed("find", "my.db", "--limit", "2").endswith("2 games; there may be more: --limit 0 lists all\n")
    position = gf.game("othello").position().play("f5").play("d6").fen
    lines = printed("find", "my.db", "--position", position, "--json").splitlines()
    assert [(one["number"], one["ply"], one["moves"][1]) for one in map(json.loads, lines)] == [
        (1, 2, "d6"),
        (3, 2, "d6"),
    ]


def test_tree(here: Path) -> None:
    position = gf.game("othello").position().play("f5")
    table = printed("tree", "my.db", "--", position.fen)
    assert table.splitlines()[0] == "3 games with the position"
    assert table.splitlines()[2].split() == ["d6", "2", "1", "0", "0", "0.0%"]
    found = json.loads(printed("tree", "my.db", "--json", "--", position.fen))
    assert [(one["move"], one["games"]) for one in found["moves"]] == [("d6", 2), ("f6", 1)]


def test_stats(here: Path) -> None:
    text = printed("stats", "my.db")
    assert "my.db: 3 games of othello, " in text
    assert "results: Black 1, draws 0, White 1, unfinished 1" in text
    assert "dates: 1990.02.01 to 2001" in text
    assert json.loads(printed("stats", "my.db", "--json"))["busiest"] == [["Ann", 2], ["Bob", 2], ["Cid", 2]]


def test_a_question_mark_is_no_player(here: Path) -> None:
    (here / "unknown.oth").write_text('[Black "?"]\n[White "Ann"]\nf5f4 *\n[Black "?"]\n[White "?"]\nf5d6 *\n')
    printed("import", "unknown.oth", "--into", "my.db")
    assert json.loads(printed("stats", "my.db", "--json"))["busiest"] == [["Ann", 3], ["Bob", 2], ["Cid", 2]]


def test_an_export_that_fails_leaves_the_file_as_it_was(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (here / "out.oth").write_text("old")

    def fail(*paths: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("gameforge.storage.files.os.replace", fail)
    assert "cannot write out.oth: No space left on device" in refused("export", "my.db", "--out", "out.oth", "--force")
    assert (here / "out.oth").read_text() == "old"
    assert [*here.glob(".*.tmp")] == []


def test_an_export_can_be_imported(here: Path) -> None:
    assert printed("export", "my.db", "--out", "out.oth") == "3 games written to out.oth\n"
    printed("import", "out.oth", "--into", "again.db")
    with gf.games_db(here / "my.db") as one, gf.games_db(here / "again.db") as other:
        assert [found.record for found in one.find()] == [found.record for found in other.find()]


def test_other_formats(here: Path) -> None:
    printed("export", "my.db", "--out", "some.txt", "--player", "bob")
    assert len((here / "some.txt").read_text().splitlines()) == 2
    printed("export", "my.db", "--out", "some.csv", "--result", "black")
    assert (here / "some.csv").read_text().splitlines()[1].startswith("1,Ann,Bob")
    assert "--out a.xyz: games of othello can be written to .oth, .txt" in refused("export", "my.db", "--out", "a.xyz")
    assert "some.csv already exists" in refused("export", "my.db", "--out", "some.csv")


def test_review_and_its_verdicts(here: Path) -> None:
    review = ["review", "my.db", "--by", "minimax:depth=1 + material + none"]
    assert "1 game reviewed by minimax:depth=1 + material + none; 1 of 3 in all" in printed(*review, "--event", "first")
    assert "2 games reviewed by minimax:depth=1 + material + none; 3 of 3 in all" in printed(*review, "--mistake", "0")
    printed("export", "my.db", "--out", "judged.oth", "--verdicts")
    judged = (here / "judged.oth").read_text()
    assert re.search(r" is better \([+-][0-9.]+ discs? instead of [+-][0-9.]+ discs?\)", judged)
    printed("merge", "my.db", "--into", "copy.db")
    printed("export", "copy.db", "--out", "copy.oth", "--verdicts")
    assert (here / "copy.oth").read_text() == judged


def test_merge_and_check(here: Path) -> None:
    (here / "two.oth").write_text(GAMES[: GAMES.index('[Event "third"]')], encoding="utf-8")
    printed("import", "two.oth", "--into", "other.db")
    assert printed("merge", "my.db", "other.db", "--into", "both.db") == (
        "my.db: 3 new games\nother.db: 0 new games, 2 duplicates\nboth.db has 3 games of othello\n"
    )
    assert printed("check", "both.db") == "both.db: 3 games, all sound\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["find", "none.db"], "there is no database none.db; `gameforge games import` makes one"),
        (["tree", "games.oth"], "games.oth is not a database of GameForge"),
        (["tree", "my.db", "W:W22:B11,18"], "my.db has games of othello: "),
        (
            ["import", "games.oth", "--into", "my.db", "--game", "draughts"],
            "my.db has games of othello, not of draughts",
        ),
        (["import", "none.oth", "--into", "my.db"], "there is no file none.oth"),
        (["import", "games.oth", "--into", "new.db", "--game", "morris"], "(read as games of morris, whose files"),
        (["find", "my.db", "--result", "win"], "result 'win': whose?"),
    ],
)
def test_bad_input_is_one_sentence(here: Path, arguments: list[str], message: str) -> None:
    assert message in refused(*arguments)
    assert sorted(path.name for path in here.iterdir()) == ["games.oth", "my.db"]


def test_a_database_names_its_game(here: Path) -> None:
    done = completed(["replay", "my.db", "--number", "2"])
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("Cid - Ann\n")
    assert gameforge(["analyze", "my.db", "--player", "random", "--number", "2"])[0] == 0


def test_check_names_what_is_wrong(here: Path) -> None:
    with gf.games_db(here / "my.db") as db:
        db._store.connection.execute("UPDATE games SET moves = x'ff' WHERE id = 2")
    assert "my.db: game 2 is damaged: its move 1 is not legal; `gameforge games merge my.db" in refused(
        "check", "my.db"
    )
    code, text = gameforge(["games", "merge", "my.db", "--into", "new.db", "--tolerant"])
    assert (code, text.splitlines()[-1]) == (0, "new.db has 2 games of othello")


def test_examples_and_expert_games(here: Path) -> None:
    """Both read by `finished_games`."""
    game = gf.game("othello")
    assert [*finished_games(here / "my.db", game)] == [*finished_games(here / "games.oth", game)]
