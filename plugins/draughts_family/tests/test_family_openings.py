"""Openings of Russian and Brazilian draughts: the drawing tables of the federations."""

import pytest

import gameforge as gf
from gameforge.arena.openings import match_openings
from gameforge.errors import GameforgeError

SIZES = {
    "russian": {"fmjd": 344, "fmjd-flying": 392, "idf": 150},
    "brazilian": {"fmjd": 336, "fmjd-flying": 389, "idf": 150},
}


@pytest.mark.parametrize("name", SIZES)
def test_every_entry_is_legal_and_the_game_goes_on(name: str) -> None:
    game = gf.game(name)
    assert game.openings is not None
    assert game.openings.names == tuple(SIZES[name])
    for table, size in SIZES[name].items():
        found = game.openings.get(table)
        assert len(found) == size
        assert len({opening.name for opening in found}) == size
        for opening in found:
            state = opening.start
            for move in opening.moves:
                assert move in game.legal(state)
                state = game.play(state, move)
            assert not game.code(state, len(game.legal(state)))


@pytest.mark.parametrize(
    ("name", "fen"),
    [
        ("5-XI cd4 fg5 gh4 dc5 hf6 eg5", "W:W18,21,23,25-32:B1-6,8,9,12,14,16"),
        ("2-XIII cb4 ba5 gh4 ac3 bd4 de5", "W:W18,20,21,23,26-32:B1-8,11,12,15"),
        ("46-VI gh4 fe5 ab4 ed4", "W:W17,20,22,23,25-32:B1-10,12,18"),
        ("1-X ab4 ba5 gh4 fe5 hg3", "B:W17,20,22-27,29-32:B1-8,10,12,13,15"),
    ],
)
def test_lines_lead_to_the_published_positions(name: str, fen: str) -> None:
    game = gf.game("russian")
    assert game.openings is not None
    (line,) = (opening for opening in game.openings.get("fmjd") if opening.name == name)
    state = line.start
    for move in line.moves:
        state = game.play(state, move)
    assert line.start == game.rules.initial()
    assert state == game.parse_position(fen)


@pytest.mark.parametrize(
    ("name", "fen"),
    [
        ("22-X e3-a5 a7-e5", "W:W13,21,22,24-32:B1-4,6-12,15"),
        ("17-XI b2-h6 h6-a5", "W:W12,21-24,26-32:B1-11,13"),
        ("20-VII d2-a5 ---", "W:W13,21-25,27-32:B1-12"),
        ("16-III --- a7-a5", "W:W21-32:B1-4,6-13"),
    ],
)
def test_flying_positions_are_the_published_ones(name: str, fen: str) -> None:
    game = gf.game("brazilian")
    assert game.openings is not None
    (position,) = (opening for opening in game.openings.get("fmjd-flying") if opening.name == name)
    assert position.moves == ()
    assert position.start == game.parse_position(fen)


@pytest.mark.parametrize("code", ["1-IX", "4-XV", "5-IX", "5-XI", "40-XIV", "42-XIV"])
def test_the_brazilian_table_lacks_some_lines(code: str) -> None:
    def codes(name: str) -> set[str]:
        openings = gf.game(name).openings
        assert openings is not None
        return {opening.name.split()[0] for opening in openings.get("fmjd")}

    assert code in codes("russian")
    assert code not in codes("brazilian")


def test_other_games_have_no_tables() -> None:
    assert gf.game("international").openings is None
    assert gf.game("pool").openings is None


def test_matches_take_them() -> None:
    game = gf.game("russian")
    chosen = match_openings(game, "idf", 5, 1)
    assert len({opening.name for opening in chosen}) == 5
    with pytest.raises(GameforgeError, match=r"no such set or file \(did you mean 'fmjd'\?\)"):
        match_openings(game, "fmjdd", 1, 1)
    assert game.openings is not None
    with pytest.raises(GameforgeError, match="no openings '3move'; sets: fmjd, fmjd-flying, idf"):
        game.openings.get("3move")
