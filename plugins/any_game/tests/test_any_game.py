"""A game that offers nothing but its rules is trained, played against and analysed."""

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gameforge_any_game.components import AsPlayed, Bits, DatabaseBook, Played, features

import gameforge as gf
from gameforge.discovery.registry import default_registry
from gameforge.errors import GameforgeError
from gameforge.interfaces.capabilities import Defaults
from gameforge.interfaces.games import GameRecord, Opening
from gameforge.interfaces.oracle import BookLines
from gameforge.interfaces.rules import Outcome
from gameforge.records.trace_files import game_files
from gameforge.testing import check
from gameforge.testing.toy import Pile
from gameforge.testing.uncompiled import uncompiled


class Bare(Pile):
    """Rules without any capability."""

    name = "bare"
    cells: Any = None


class TestBits:
    def test_contract(self) -> None:
        check("features", Bits(), game=Bare()).require()
        check("features", "bits", game="othello").require()

    def test_each_bit_is_an_input(self) -> None:
        functions = Bits().functions(Bare())
        assert (functions.inputs, len(functions.names)) == (128, 128)
        inputs = np.zeros(128, np.float32)
        state = np.array([0b101, 1 << 63], np.uint64)
        assert functions.data is not None
        uncompiled("gameforge_any_game.components").features(functions.data, state, inputs)
        assert np.flatnonzero(inputs).tolist() == [0, 2, 127]
        assert functions.features is features


class TestDefaults:
    def test_a_game_without_its_own(self) -> None:
        registry = default_registry()
        assert registry.defaults(Bare()) == Defaults(player="uct:simulations=10000", preset="any-game")
        assert registry.defaults(Pile()).preset == "any-game-cells"

    def test_a_game_keeps_its_own(self) -> None:
        class Named(Bare):
            defaults = Defaults(player="random")

        assert default_registry().defaults(Named()) == Defaults(player="random", preset="any-game")

    @pytest.mark.parametrize("name", ["draughts", "othello", "morris"])
    def test_the_built_in_games_keep_theirs(self, name: str) -> None:
        game = gf.game(name)
        assert default_registry().defaults(game.rules) == game.defaults

    @pytest.mark.parametrize("kind", ["searcher", "evaluator", "learner"])
    def test_a_pipeline_that_names_a_component_gets_the_others(self, kind: str) -> None:
        whole = gf.Pipeline(game=Bare(), oracle="none")
        part = gf.Pipeline(game=Bare(), **{kind: whole.settings[kind]})
        assert part.settings == {**whole.settings, "seed": 0}  # the seed belongs to the preset as a whole

    def test_a_player_gets_no_untrained_net(self) -> None:
        assert gf.player(Bare(), searcher="minimax:depth=2").parts.evaluator is None


@pytest.mark.parametrize(("rules", "evaluator"), [(Bare(stones=20), "mlp"), (Pile(stones=20), "patterns")])
def test_a_game_is_trained(rules: Pile, evaluator: str, tmp_path: Path) -> None:
    pipeline = gf.Pipeline(game=rules)
    assert pipeline.settings["evaluator"]["use"] == evaluator
    given = {kind: pipeline.settings[kind] for kind in ("searcher", "evaluator", "learner")}
    given["learner"] |= {"generations": 1, "games": 100, "gate": {"games": 100}}
    run = gf.Pipeline(game=rules, **given).run(tmp_path / "run", seed=1)
    assert run.trained is not None
    assert run.trained.summary["games"] == 100
    assert run.player.analyse(gf.game(rules).position()).move.code in (1, 2, 3)


def test_a_net_on_bits_is_trained_by_td(tmp_path: Path) -> None:
    rules, learner = Bare(stones=9), "td:sessions=3,games=200"
    pipeline = gf.Pipeline(
        game=rules, searcher="minimax:depth=1", evaluator="mlp:hidden=20,direct=true", features="bits", learner=learner
    )
    run = pipeline.run(tmp_path / "run")
    assert gf.match(run.player, run.untrained, games=8).score >= 0.5


class TestAsPlayed:
    """Othello has symmetries: all four first moves are images of f5."""

    OTHELLO = gf.game("othello")

    def moves(self, text: str) -> tuple[int, ...]:
        position, found = self.OTHELLO.position(), []
        for move in text.split():
            position = position.play(move)
            assert position.last_move is not None
            found.append(position.last_move)
        return tuple(found)

    def drawn(self, tmp_path: Path, games: str, *lines: str) -> Counter[tuple[int, ...]]:
        file = tmp_path / "games.txt"
        file.write_text(games)

        class Lines:
            def opening_lines(_, rules: Any) -> BookLines:
                start = rules.initial()
                return BookLines(lines=tuple(Opening(line, start, self.moves(line)) for line in lines))

        found = Played(Lines(), (file,)).opening_lines(self.OTHELLO.rules)
        assert found.by_lines
        return Counter(line.moves for line in found.lines)

    def test_a_game_counts_for_the_longest_line_that_it_follows(self, tmp_path: Path) -> None:
        games = "f5d6c3d3c4\nf5d6c3d3c4\nf5f6e6\nf5d6c5f4\n"
        short, long, other, unplayed = "f5 d6", "f5 d6 c3 d3", "f5 f6", "f5 f4"
        found = self.drawn(tmp_path, games, short, long, other, unplayed)
        assert found == {self.moves(short): 1, self.moves(long): 2, self.moves(other): 1}

    def test_games_count_in_all_orientations_of_the_start(self, tmp_path: Path) -> None:
        assert self.drawn(tmp_path, "f5f6e6\n", "c4 c3", "f5 d6") == {self.moves("c4 c3"): 1}

    def test_games_that_follow_no_line_are_an_error(self, tmp_path: Path) -> None:
        with pytest.raises(GameforgeError, match="none of the games begins with a line of the book"):
            self.drawn(tmp_path, "f5f4e3\n", "f5 d6")

    def test_a_player_follows_the_book(self, tmp_path: Path) -> None:
        """Of the lines of the named book, only that of the one recorded game is left."""
        file = tmp_path / "games.txt"
        file.write_text("f5d6c3d3c4\n")
        settings = {"use": "as-played", "games": [str(file)]}
        player = gf.player(self.OTHELLO, searcher="random", evaluator="none", oracle=[settings])
        position = self.OTHELLO.position().play("f5").play("d6")
        assert {str(player.choose(position)) for _ in range(20)} == {"c3"}

    def test_files_are_required(self) -> None:
        with pytest.raises(GameforgeError, match="must name one or more files of games"):
            AsPlayed(games=())

    def test_games_of_a_game_without_a_format_of_its_own(self, tmp_path: Path) -> None:
        """Lines of moves, as matches of such games write them, and a database."""
        game = gf.Game(Pile())
        lines = [(3, 2, 1), (3, 2, 2), (1, 3, 3)]
        records = [GameRecord(start=game.rules.initial(), moves=line, outcome=Outcome.UNFINISHED) for line in lines]
        trace, db = tmp_path / "games.trace", tmp_path / "pile.db"
        with gf.games_db(db, game) as database:
            database.add(records)
        trace.write_text("".join(map(game_files(game).game_text, records)))
        book = DatabaseBook(db=db, plies=2, games=1)
        found = Played(book, (trace, db)).opening_lines(game.rules)
        assert Counter(line.moves for line in found.lines) == {(3, 2): 4, (1, 3): 2}


class TestDatabaseBook:
    @pytest.fixture
    def db(self, tmp_path: Path) -> Path:
        """Three games of Pile: 3 2, 3 1 and 1."""
        game = gf.Game(Pile())
        lines = [(3, 2, 1), (3, 1, 1), (3, 1, 2), (1, 3, 3)]
        records = [GameRecord(start=game.rules.initial(), moves=line, outcome=Outcome.UNFINISHED) for line in lines]
        with gf.games_db(tmp_path / "pile.db", game) as database:
            database.add(records)
        return tmp_path / "pile.db"

    def test_contract(self, db: Path) -> None:
        check("book", DatabaseBook(db=db), game=Pile()).require()

    def test_a_line_is_as_frequent_as_its_games(self, db: Path) -> None:
        def shares(**settings: int) -> dict[tuple[int, ...], int]:
            return Counter(line.moves for line in DatabaseBook(db=db, **settings).opening_lines(Pile()).lines)

        assert shares() == {(3,): 333, (3, 1): 666}
        assert shares(games=3) == {(3,): 1000}
        assert shares(games=1, plies=1) == {(3,): 750, (1,): 250}

    def test_a_missing_database_is_not_made(self, tmp_path: Path) -> None:
        with pytest.raises(GameforgeError, match=r"there is no database .*none\.db"):
            DatabaseBook(db=tmp_path / "none.db").opening_lines(Pile())
        assert not (tmp_path / "none.db").exists()

    @pytest.mark.parametrize("name", ["draughts", "othello", "morris"])
    def test_the_book_of_every_game_takes_a_database(self, name: str, tmp_path: Path) -> None:
        game = gf.game(name)
        line = (game.legal(game.rules.initial())[0],)
        with gf.games_db(tmp_path / "games.db", game) as database:
            database.add([GameRecord(start=game.rules.initial(), moves=line, outcome=Outcome.UNFINISHED)])
            after = game.play(game.rules.initial(), line[0])
            two = [(*line, move) for move in game.legal(after)[:2]]
            database.add([GameRecord(start=game.rules.initial(), moves=one, outcome=Outcome.UNFINISHED) for one in two])
        settings = {"use": "book", "db": str(tmp_path / "games.db")}
        player = gf.player(game, searcher="random", evaluator="none", oracle=[settings])
        assert {player.choose(game.position()).code for _ in range(20)} == {line[0]}
