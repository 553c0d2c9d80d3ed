"""The database of games: what is stored, found, counted and judged, and what survives a kill or a full disk."""

import contextlib
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import attrs
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from toy_games import Noughts, Tug

import gameforge as gf
from gameforge.errors import GameforgeError
from gameforge.interfaces.games import Annotations, GameRecord, Variation
from gameforge.interfaces.rules import Outcome
from gameforge.records import adding, index
from gameforge.records.database import GamesDb, games_db
from gameforge.records.game_records import finished_games, load_games
from gameforge.records.index import entries_of, planned
from gameforge.records.store import Store
from gameforge.storage import database

OTHELLO = gf.game("othello")


def random_records(game: gf.Game, count: int, seed: int = 1, plies: int = 70) -> list[GameRecord]:
    """Random games, some of which stop early; numbered as a database numbers them."""
    rng, found = np.random.default_rng(seed), []
    for number in range(1, count + 1):
        last = int(rng.integers(1, plies))
        line: Sequence[int] = ()
        for moves, _ in game.random_game(rng):
            line = tuple(moves)
            if len(moves) == last:
                break
        winner = (None, 0, 1)[number % 3]
        tags = {"Event": f"Cup {number % 2}", "Date": f"19{50 + number % 40}.01.??", "Site": "here"}
        found.append(
            GameRecord(
                number=number,
                players=(f"Ann {number % 5}", f"Bob {number % 3}"),
                start=game.rules.initial(),
                moves=tuple(line),
                outcome=Outcome.UNFINISHED if number % 7 == 0 else Outcome(winner, ""),
                annotations=Annotations(tags=tags),
            )
        )
    return list({record.codes: record for record in found}.values())


def numbered(records: Sequence[GameRecord]) -> list[GameRecord]:
    return [attrs.evolve(record, number=number) for number, record in enumerate(records, 1)]


RECORDS = numbered(random_records(OTHELLO, 300))


def test_games_of_earlier_transactions_are_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also when there are so many that they are kept in arrays."""
    monkeypatch.setattr(adding, "BATCH", 7)
    monkeypatch.setattr(adding, "_MANY", 10)
    some = RECORDS[:40]
    with games_db(tmp_path / "games.db", OTHELLO) as opened:
        added = opened.add([*some, *some, RECORDS[40]])
        assert (added.games, added.duplicates) == (41, 40)
        assert len(opened) == 41


@pytest.fixture
def db(tmp_path: Path) -> Iterator[GamesDb]:
    with games_db(tmp_path / "games.db", OTHELLO) as opened:
        opened.add(RECORDS)
        yield opened


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GamesDb]:
    """A database that no test changes."""
    with games_db(tmp_path_factory.mktemp("shared") / "games.db", OTHELLO) as opened:
        opened.add(RECORDS)
        yield opened


def states_of(game: gf.Game, record: GameRecord) -> list[tuple[int, ...]]:
    states = [record.start]
    for move in record.codes:
        states.append(game.play(states[-1], move))
    return states


class TestStoring:
    def test_games_come_back_as_they_were_added(self, shared: GamesDb) -> None:
        assert [found.record for found in shared.find()] == RECORDS

    def test_everything_about_a_game_comes_back_in_its_order(self, tmp_path: Path) -> None:
        game = gf.game("draughts")
        start = game.parse_position("W:W22:B11,18")
        notes = Annotations(comments={1: "or so"}, marks={0: "?"}, glyphs={0: (2,)})
        line = Variation(moves=(game.legal(start)[0],), annotations=notes, after="as was shown later")
        record = GameRecord(
            number=1,
            phase="match",
            session=2,
            learner=1,
            opening="named",
            opening_plies=1,
            seconds=(0.5, 1.25),
            searches=(3, 4),
            note="Boom",
            players=("Ünal", ""),
            start=start,
            moves=(game.legal(start)[0],),
            outcome=Outcome(1, "crash", True),
            annotations=Annotations(
                tags={"Round": "1", "White": "another name", "Event": "", "Black": "Ünal", "Date": "2001"},
                comments={1: "after", 0: "before"},
                marks={0: "!"},
                glyphs={0: (1, 14)},
                variations={0: (line,)},
            ),
        )
        with games_db(tmp_path / "one.db", game) as db:
            db.add([record])
            back = db.game_number(1)
        assert back == record
        assert back.seconds == record.seconds
        assert list(back.annotations.tags) == list(record.annotations.tags)
        assert list(back.annotations.comments) == [1, 0]

    def test_the_file_names_its_game_with_its_settings(self, tmp_path: Path) -> None:
        game = gf.game("othello", komi=2)
        games_db(tmp_path / "komi.db", game).close()
        with games_db(tmp_path / "komi.db") as db:
            assert db.game.rules == game.rules
        with pytest.raises(GameforgeError, match=r"komi\.db has games of othello:komi=2, not of othello$"):
            games_db(tmp_path / "komi.db", OTHELLO)
        games_db(tmp_path / "draughts.db", "draughts").close()
        with games_db(tmp_path / "draughts.db", "draughts:repetition=2") as db:
            assert db.game.rules.draws.repetition == 2

    def test_rules_with_many_moves_need_two_bytes_a_move(self, tmp_path: Path) -> None:
        game = gf.Game(attrs.evolve(Tug()))
        wide = gf.Game(Wide())
        for rules in (game, wide):
            records = numbered(random_records(rules, 30, plies=12))
            with games_db(tmp_path / f"{rules.rules.name}.db", rules) as db:
                db.add(records)
                assert [found.record for found in db.find()] == records
                assert db.tree().games == len(records)
                assert db.check() == []

    def test_an_illegal_move_is_refused(self, tmp_path: Path) -> None:
        record = attrs.evolve(RECORDS[0], moves=(RECORDS[0].codes[0],) * 2)
        with games_db(tmp_path / "bad.db", OTHELLO) as db:
            with pytest.raises(GameforgeError, match=r"the game Ann 1 - Bob 1: move 2 is not legal by the rules"):
                db.add([record])
            assert len(db) == 0

    def test_files_of_games_are_read(self, tmp_path: Path) -> None:
        file = tmp_path / "games.oth"
        assert OTHELLO.files is not None
        file.write_text("\n".join(map(OTHELLO.files.game_text, RECORDS[:9])), encoding="utf-8")
        read = load_games(file, OTHELLO)
        with games_db(tmp_path / "read.db", "othello") as db:
            assert db.add_file(file).games == 9
            assert [found.record for found in db.find()] == numbered(read)
        assert load_games(tmp_path / "read.db", OTHELLO) == numbered(read)
        boards = [one is not None for one in finished_games(tmp_path / "read.db", OTHELLO)]
        assert boards == [record.finished for record in read]


class TestDuplicates:
    def test_a_game_is_stored_once(self, db: GamesDb) -> None:
        added = db.add([*RECORDS[:4], *RECORDS[2:6]])
        assert (added.games, added.duplicates, added.replaced) == (0, 8, 0)
        assert len(db) == len(RECORDS)

    def test_twice_in_one_call(self, tmp_path: Path) -> None:
        with games_db(tmp_path / "twice.db", OTHELLO) as db:
            assert db.add([*RECORDS[:3], *RECORDS[:3]]).games == 3
            assert db.tree().games == 3

    def test_the_start_belongs_to_the_game(self, tmp_path: Path) -> None:
        state = OTHELLO.play(RECORDS[0].start, RECORDS[0].codes[0])
        records = [attrs.evolve(RECORDS[0], start=start, moves=()) for start in (state, RECORDS[0].start)]
        with games_db(tmp_path / "starts.db", OTHELLO) as db:
            assert db.add(records).games == 2

    @pytest.mark.parametrize(("headers", "wins"), [("old", False), ("new", True), ("fuller", True)])
    def test_whose_headers_win(self, db: GamesDb, headers: str, wins: bool) -> None:
        old = RECORDS[3]
        new = attrs.evolve(
            old, players=("Cid", "Dan"), annotations=Annotations(tags=old.annotations.tags, comments={1: "good"})
        )
        assert db.add([new], headers=headers).replaced == wins
        assert db.game_number(4) == (new if wins else old)
        assert db.check() == []

    def test_fewer_headers_are_not_fuller(self, db: GamesDb) -> None:
        bare = attrs.evolve(RECORDS[3], annotations=Annotations())
        assert db.add([bare], headers="fuller").replaced == 0
        assert db.add([bare], headers="new").replaced == 1

    def test_a_new_result_is_counted(self, db: GamesDb) -> None:
        def wins() -> int:
            return sum(one.wins[0] for one in db.tree().moves)

        before = wins()
        assert RECORDS[0].outcome.winner == 0
        db.add([attrs.evolve(RECORDS[0], outcome=Outcome(1, ""))], headers="new")
        assert wins() == before - 1
        assert db.check() == []

    def test_an_unknown_choice(self, db: GamesDb) -> None:
        with pytest.raises(GameforgeError, match="headers = 'best': must be one of old, new, fuller"):
            db.add([], headers="best")


class TestPositions:
    @pytest.mark.parametrize("popular", [2, index.POPULAR, 10_000])
    def test_every_position_of_every_game(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, popular: int) -> None:
        """Whether the index has a tally of a position or not, and over several segments."""
        monkeypatch.setattr(index, "POPULAR", popular)
        monkeypatch.setattr(index, "FULL", 20)
        monkeypatch.setattr(index, "SMALL", 8)
        records = RECORDS[:50]
        games: dict[tuple[int, ...], dict[int, int]] = {}
        moves: dict[tuple[int, ...], Counter[int | None]] = {}
        for record in records:
            for ply, state in enumerate(states_of(OTHELLO, record)):
                if record.number not in games.setdefault(state, {}):
                    games[state][record.number] = ply
                    move = record.codes[ply] if ply < len(record.codes) else None
                    moves.setdefault(state, Counter())[move] += 1
        with games_db(tmp_path / "positions.db", OTHELLO) as db:
            db.add(records)
            for state in list(games)[::7]:
                found = {one.record.number: one.ply for one in db.find(position=state)}
                assert found == games[state]
                counted = {one.move and one.move.code: one.games for one in db.tree(state).moves}
                assert counted == moves[state]
            assert db.check() == []

    def test_results_are_those_of_the_games(self, shared: GamesDb) -> None:
        for one in shared.tree().moves:
            assert one.move is not None
            games = [record for record in RECORDS if record.codes[0] == one.move.code]
            winners = Counter(record.outcome.winner if record.finished else "" for record in games)
            assert (one.games, one.wins, one.draws) == (len(games), (winners[0], winners[1]), winners[None])
            assert one.score == (winners[0] + winners[None] / 2) / (len(games) - winners[""])

    def test_symmetries(self, shared: GamesDb) -> None:
        record = RECORDS[0]
        state = states_of(OTHELLO, record)[3]
        assert OTHELLO.symmetries is not None
        image = OTHELLO.symmetries.state_image(state, 1)
        direct = {one.record.number for one in shared.find(position=state)}
        turned = {one.record.number for one in shared.find(position=image)}
        both = {one.record.number for one in shared.find(position=image, symmetries=True)}
        assert both >= direct | turned
        assert 1 in both - turned
        tree = shared.tree(image, symmetries=True)
        assert tree.games == len(both)
        there = OTHELLO.symmetries.move_image(state, record.codes[3], 1)
        assert there in [one.move.code for one in tree.moves if one.move is not None]

    def test_a_position_that_recurs_counts_once(self, tmp_path: Path) -> None:
        game = gf.Game(Tug())
        records = numbered(random_records(game, 40, plies=30))
        with games_db(tmp_path / "tug.db", game) as db:
            db.add(records)
            tree = db.tree()
            assert tree.games == len(records) == len([*db.find(position=game.position())])

    def test_a_position_that_no_game_has(self, shared: GamesDb) -> None:
        known = {state for record in RECORDS for state in states_of(OTHELLO, record)}
        states = [(state, OTHELLO.legal(state)) for state in states_of(OTHELLO, RECORDS[0])[:-1]]
        after = (OTHELLO.play(state, move) for state, moves in states for move in moves)
        unknown = next(state for state in after if state not in known)
        assert shared.tree(unknown).games == 0
        assert [*shared.find(position=unknown)] == []

    def test_a_position_of_another_game(self, shared: GamesDb) -> None:
        with pytest.raises(
            GameforgeError, match=r"games\.db has games of othello, but the position is one of draughts"
        ):
            shared.tree(gf.game("draughts").position())
        with pytest.raises(GameforgeError, match=r"games\.db has games of othello: .*W:W22:B11"):
            [*shared.find(position="W:W22:B11,18")]

    def test_games_of_an_interrupted_import_are_indexed(self, tmp_path: Path) -> None:
        with games_db(tmp_path / "cut.db", OTHELLO) as db, pytest.raises(RuntimeError):
            db.add(_interrupted(RECORDS, monitor=200), progress=lambda done: None)
        with games_db(tmp_path / "cut.db") as db:
            assert len(db) == 0  # fewer than a thousand
        with games_db(tmp_path / "cut.db") as db:
            store = Store.open(tmp_path / "cut.db")
            adding.Adder(store).add(RECORDS[:100])
            store.connection.close()
            assert db.tree().games == 100
            assert db.check() == []

    def test_the_plan_of_segments_covers_all_games(self) -> None:
        for games in (0, 1, index.SMALL, index.FULL - 1, index.FULL, 3 * index.FULL + 2 * index.SMALL + 5):
            segments = [*planned(games)]
            assert sum(count for _, count in segments) == games
            assert [first for first, _ in segments] == [
                1 + sum(c for _, c in segments[:i]) for i in range(len(segments))
            ]

    @given(st.lists(st.sampled_from([0, 1, 2, 3, 1 << 40, (1 << 40) + 1, 1 << 63, 2**64 - 1]), max_size=20))
    def test_keys_with_the_same_first_bits_are_sorted_by_the_others(self, keys: list[int]) -> None:
        order = index._sorted(np.array(keys, np.uint64))
        assert order.tolist() == sorted(range(len(keys)), key=keys.__getitem__)

    @given(st.lists(st.tuples(st.integers(0, 2**64 - 1), st.integers(0, 63_999)), max_size=300))
    def test_blocks_keep_keys_and_games(self, entries: list[tuple[int, int]]) -> None:
        entries.sort()
        keys = np.array([key for key, _ in entries], np.uint64)
        bits, found = len(entries) % 5, []
        for number, stored in index._blocks(keys, np.array([game for _, game in entries], np.uint16), bits):
            prints, games = entries_of(stored)
            found += [((number << index._PRINT) + print_, game) for print_, game in zip(prints, games, strict=True)]
        assert found == [(key >> (64 - bits - index._PRINT), game) for key, game in entries]


def _interrupted(records: Sequence[GameRecord], monitor: int) -> Iterator[GameRecord]:
    yield from records[:monitor]
    raise RuntimeError("stopped")


class TestFinding:
    @pytest.mark.parametrize(
        ("query", "chosen"),
        [
            ({"player": "ann 2"}, lambda one: one.players[0] == "Ann 2"),
            ({"player": "BOB"}, lambda one: True),
            ({"player": "50%"}, lambda one: False),
            ({"result": "black"}, lambda one: one.finished and one.outcome.winner == 0),
            ({"result": "draw"}, lambda one: one.finished and one.outcome.winner is None),
            ({"result": "unfinished"}, lambda one: not one.finished),
            ({"player": "Bob 1", "result": "win"}, lambda one: one.players[1] == "Bob 1" and one.outcome.winner == 1),
            ({"player": "Bob 1", "result": "loss"}, lambda one: one.players[1] == "Bob 1" and one.outcome.winner == 0),
            ({"event": "cup 1"}, lambda one: one.annotations.tags["Event"] == "Cup 1"),
            ({"since": "1980"}, lambda one: one.annotations.tags["Date"] >= "1980"),
            ({"until": "1980"}, lambda one: one.annotations.tags["Date"][:4] <= "1980"),
            (
                {"since": "1980", "until": "1980/01/02"},
                lambda one: "1980" <= one.annotations.tags["Date"] <= "1980.01.02",
            ),
            (
                {"since": "1980-01-02", "event": "1"},
                lambda one: one.annotations.tags["Event"] == "Cup 1" and one.annotations.tags["Date"] > "1980.01.02",
            ),
            ({"opening": "d3 c3"}, lambda one: begins(one, "d3", "c3")),
            ({"opening": "1. d3"}, lambda one: begins(one, "d3")),
        ],
    )
    def test_headers(self, shared: GamesDb, query: dict[str, str], chosen: Callable[[GameRecord], bool]) -> None:
        found = [one.record for one in shared.find(**query)]
        assert found == [record for record in RECORDS if chosen(record)]
        assert len(found) < len(RECORDS) or query == {"player": "BOB"}

    def test_all_that_is_given_must_fit(self, shared: GamesDb) -> None:
        state = states_of(OTHELLO, RECORDS[10])[1]
        found = [one.record.number for one in shared.find(position=state, player="Ann 1", limit=3)]
        wanted = [r.number for r in RECORDS if r.players[0] == "Ann 1" and state in states_of(OTHELLO, r)[:2]]
        assert found == wanted[:3]

    @pytest.mark.parametrize("player", ["müller", "MÜLLER", "Müller", "straße", "STRASSE"])
    def test_upper_and_lower_case_are_alike_in_all_alphabets(self, player: str, tmp_path: Path) -> None:
        record = attrs.evolve(RECORDS[0], players=("Jörg Müller", "An der Straße"))
        with games_db(tmp_path / "names.db", OTHELLO) as db:
            db.add([record, *RECORDS[1:3]])
            assert [one.record.number for one in db.find(player=player)] == [1]

    def test_an_opening_by_its_name(self, tmp_path: Path) -> None:
        game = gf.game("draughts")
        assert game.openings is not None
        opening = game.openings.get("3move")[20]
        record = GameRecord(start=opening.start, moves=opening.moves, outcome=Outcome.UNFINISHED)
        named = attrs.evolve(record, moves=record.codes[:1], annotations=Annotations(tags={"Opening": "Old Faithful"}))
        with games_db(tmp_path / "openings.db", game) as db:
            db.add([record, named])
            assert [one.record.number for one in db.find(opening=opening.name)] == [1]
            assert [one.record.number for one in db.find(opening="faithful")] == [2]
            assert not [*db.find(opening="9-14 Old")]
            assert not [*db.find(opening="9-14 22-")]  # half typed
            with pytest.raises(GameforgeError, match=r"opening '9-14 22-99', move 2: '22-99' is not legal"):
                [*db.find(opening="9-14 22-99")]

    def test_a_review_marks_half_a_piece_or_five_percent(self, tmp_path: Path) -> None:
        def mixed(position: gf.Position) -> float:
            return 0.2 * ((position.state[0] * 2654435761 >> 7) % 97) / 97  # moves of the game lose up to 0.07

        player = gf.player(OTHELLO, searcher="minimax:depth=1", evaluator=mixed, name="mixed")
        with games_db(tmp_path / "reviewed.db", OTHELLO) as db:
            db.add([attrs.evolve(RECORDS[0], moves=RECORDS[0].codes[:20], outcome=Outcome.UNFINISHED)])
            [found] = db.find()
            db.review(player)
            assert {one.mark for one in db.verdicts(found.record)["mixed"]} == {""}
            player = gf.player(OTHELLO, searcher="minimax:depth=1", evaluator=mixed, name="strict")
            db.review(player, mistake=0.02)
            assert "?" in {one.mark for one in db.verdicts(found.record)["strict"]}

    def test_games_of_another_game_are_called_so(self, tmp_path: Path) -> None:
        log = tmp_path / "games.jsonl"
        gf.match("random", "random", 2, game="morris", out=tmp_path / "m", progress=False)
        (tmp_path / "m" / "games.jsonl").rename(log)
        with games_db(tmp_path / "games.db", OTHELLO) as db:
            with pytest.raises(GameforgeError, match=r"games\.jsonl, read as games of othello: "):
                db.add_file(log)
            (tmp_path / "mine.pdn").write_text("1. 11-15 22-18 *\n")
            with pytest.raises(GameforgeError, match=r"\(read as games of othello, whose files end in \.oth, "):
                db.add_file(tmp_path / "mine.pdn")

    def test_patterns_of_cells(self, shared: GamesDb) -> None:
        assert OTHELLO.cells is not None
        wanted = {}
        for record in RECORDS:
            for ply, state in enumerate(states_of(OTHELLO, record)):
                planes = OTHELLO.planes([state])[0]
                if planes[0, 0, 0] and planes[1, 0, 1] and not planes[:2, 7, 7].any():
                    wanted[record.number] = ply
                    break
        names = OTHELLO.cells.labels
        places = OTHELLO.cells.places
        corner, beside, far = (names[places.index(place)] for place in ((0, 0), (0, 1), (7, 7)))
        pattern = f"own: {corner}, other: {beside}, empty: {far}"
        assert {one.record.number: one.ply for one in shared.find(pattern=pattern)} == wanted
        assert wanted

    @pytest.mark.parametrize(
        ("query", "message"),
        [
            ({"result": "blakc"}, r"result 'blakc' \(did you mean 'black'\?\): must be one of black, white, draw"),
            ({"result": "win"}, "result 'win': whose"),
            ({"until": "Dec"}, "until 'Dec': must be a date such as 1998"),
            ({"since": "May"}, "since 'May': must be a date such as 1998"),
            ({"until": "1998.13.01"}, "until '1998.13.01': must be a date such as 1998"),
            ({"since": "1998.5"}, "since '1998.5': must be a date such as 1998"),
            ({"pattern": "own a1"}, "'own a1' must be CODE: CELL CELL"),
            ({"pattern": "own: z9"}, "there is no cell 'z9'"),
            ({"pattern": "o: a1"}, "must be CODE: CELL"),
        ],
    )
    def test_what_is_not_allowed(self, shared: GamesDb, query: dict[str, str], message: str) -> None:
        with pytest.raises(GameforgeError, match=message):
            [*shared.find(**query)]


def begins(record: GameRecord, *texts: str) -> bool:
    return [str(move) for move in OTHELLO.moves_of(record)[: len(texts)]] == [*texts]


class TestResuming:
    @pytest.fixture
    def file(self, tmp_path: Path) -> Path:
        assert OTHELLO.files is not None
        path = tmp_path / "games.oth"
        path.write_text("\n".join(map(OTHELLO.files.game_text, RECORDS)), encoding="utf-8")
        return path

    def test_an_import_goes_on_where_it_stopped(
        self, tmp_path: Path, file: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(adding, "BATCH", 50)

        def stop(done: int) -> None:
            if done == 100:
                raise KeyboardInterrupt

        with games_db(tmp_path / "a.db", OTHELLO) as db:
            with pytest.raises(KeyboardInterrupt):
                db.add_file(file, progress=stop)
            assert len(db) == 100
        with games_db(tmp_path / "a.db") as db:
            added = db.add_file(file)
            assert (added.skipped, added.games, added.duplicates) == (100, len(RECORDS) - 100, 0)
            assert db.add_file(file).skipped == len(RECORDS)
            assert db.check() == []
        with games_db(tmp_path / "b.db", OTHELLO) as db:
            db.add_file(file)
        assert _content(tmp_path / "a.db") == _content(tmp_path / "b.db")

    @pytest.mark.parametrize("room", [0, 2, 4])
    def test_a_full_disk_loses_only_the_last_games(
        self, tmp_path: Path, file: Path, monkeypatch: pytest.MonkeyPatch, room: int
    ) -> None:
        monkeypatch.setattr(adding, "BATCH", 50)
        with games_db(tmp_path / "full.db", OTHELLO) as db:
            connection = db._store.connection
            pages = connection.execute("PRAGMA page_count").fetchone()[0]
            connection.execute(f"PRAGMA max_page_count = {pages + room}")
            message = r"full\.db: the disk is full; the [\d,]+ games before are kept; make room and import again"
            with pytest.raises(GameforgeError, match=message):
                db.add_file(file)
            kept = len(db)
            assert kept % 50 == 0 or kept == len(RECORDS)
            connection.execute("PRAGMA max_page_count = 1000000")
            assert db.add_file(file).games == len(RECORDS) - kept
            assert [found.record.codes for found in db.find()] == [record.codes for record in RECORDS]
            assert db.check() == []

    def test_another_connection_may_add_games_meanwhile(self, tmp_path: Path) -> None:
        with games_db(tmp_path / "a.db", OTHELLO) as one, games_db(tmp_path / "a.db") as other:

            def both() -> Iterator[GameRecord]:
                yield from RECORDS[:60]
                other.add(RECORDS[40:80])
                yield from RECORDS[60:]

            one.add(both())
            assert len(one) == len(RECORDS)
            assert one.check() == []
            assert {found.record.codes for found in other.find()} == {record.codes for record in RECORDS}
            assert [found.record.players for found in other.find(position=OTHELLO.position())]


def _content(path: Path) -> dict[str, list[tuple[object, ...]]]:
    connection = sqlite3.connect(path)
    tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
    found = {name: connection.execute(f"SELECT * FROM {name}").fetchall() for name in tables}
    connection.close()
    return found


class TestMerging:
    def test_games_and_reviews_of_both(self, tmp_path: Path) -> None:
        player = gf.player("othello", searcher="minimax:depth=1", evaluator="material", name="judge")
        with games_db(tmp_path / "a.db", OTHELLO) as one, games_db(tmp_path / "b.db", OTHELLO) as other:
            one.add(RECORDS[:20])
            other.add(RECORDS[10:30])
            other.review(player, games=[other.game_number(15)])
            added = one.merge(tmp_path / "b.db")
            assert (added.games, added.duplicates) == (10, 10)
            assert [found.record for found in one.find()] == RECORDS[:30]
            assert one.verdicts(RECORDS[24]) == other.verdicts(other.game_number(15))
            assert one.check() == []

    def test_what_cannot_be_merged(self, db: GamesDb, tmp_path: Path) -> None:
        (tmp_path / "text.db").write_text("nothing")
        games_db(tmp_path / "draughts.db", "draughts").close()
        with pytest.raises(GameforgeError, match=r"text\.db is not a database of games"):
            db.merge(tmp_path / "text.db")
        with pytest.raises(GameforgeError, match=r"draughts\.db has games of draughts, not of othello"):
            db.merge(tmp_path / "draughts.db")
        with pytest.raises(GameforgeError, match="is the database itself"):
            db.merge(db.path)


class TestReviews:
    def test_verdicts_are_stored_beside_the_moves(self, db: GamesDb) -> None:
        player = gf.player("othello", searcher="minimax:depth=1", evaluator="material", name="judge")
        games = [found.record for found in db.find(limit=3)]
        assert db.review(player, games=games) == 3
        analysis = gf.judge(player, games[1])
        stored = db.verdicts(games[1])["judge"]
        assert [one.best for one in stored] == [one.best.code for one in analysis.moves]
        assert [one.before for one in stored] == pytest.approx([one.before for one in analysis.moves])
        assert db.verdicts(RECORDS[5]) == {}

    @pytest.mark.parametrize("damaged", [b"too short", b"", "text", 7, 0.5])
    def test_a_damaged_review_is_refused(self, db: GamesDb, damaged: object) -> None:
        [game] = [found.record for found in db.find(limit=1)]
        db.review(gf.player("othello", searcher="minimax:depth=1", evaluator="material"), games=[game])
        db._store.connection.execute("UPDATE reviews SET verdicts = ?", (damaged,))
        with pytest.raises(GameforgeError, match=rf"the review of game {game.number} is damaged"):
            db.verdicts(game)

    def test_a_review_goes_on_where_it_stopped(self, db: GamesDb) -> None:
        player = gf.player("othello", searcher="minimax:depth=1", evaluator="material", name="judge")
        games = [found.record for found in db.find(limit=4)]

        def stop(done: int, total: int) -> None:
            if done == 2:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            db.review(player, games=games, progress=stop)
        assert db.statistics().reviewed == 2
        assert db.review(player, games=games) == 2
        assert db.statistics().reviewed == 4

    def test_the_tree_has_the_first_mistakes(self, db: GamesDb) -> None:
        player = gf.player("othello", searcher="minimax:depth=1", evaluator="material", name="judge")
        games = [found.record for found in db.find(limit=4)]
        db.review(player, games=games)
        plies: dict[int, list[int]] = {}
        for record in games:
            marks = [one.mark for one in db.verdicts(record)["judge"]]
            first = next((ply for ply, mark in enumerate(marks, 1) if mark), None)
            if first is not None:
                plies.setdefault(record.codes[0], []).append(first)
        wanted = {move: sum(found) / len(found) for move, found in plies.items()}
        assert wanted
        found = {one.move.code: one.first_mistake for one in db.tree().moves if one.move and one.first_mistake}
        assert found == wanted


class TestSources:
    def test_openings_of_a_match(self, shared: GamesDb) -> None:
        lines = shared.openings(2)
        counts = Counter(record.codes[:2] for record in RECORDS if len(record.codes) > 2)
        assert {line.moves for line in lines} == set(counts)
        assert [counts[line.moves] for line in lines] == sorted(counts.values(), reverse=True)
        found = gf.match_openings(OTHELLO, f"{shared.path}:2", 4, 1)
        assert {line.moves for line in found} <= set(counts)
        assert len({line.moves for line in gf.match_openings(OTHELLO, str(shared.path), 50, 1)}) == 50

    def test_lines_of_a_book(self, shared: GamesDb) -> None:
        lines = Counter(line.moves for line in shared.book(3, 10))
        for line in lines:
            starts = [record for record in RECORDS if record.codes[: len(line)] == line]
            assert len(starts) >= 10
            after = Counter(record.codes[len(line)] for record in starts if len(record.codes) > len(line))
            assert len(line) == 3 or any(number < 10 for number in after.values()) or len(starts) > after.total()
        assert sum(lines.values()) == pytest.approx(1000, abs=len(lines))

    def test_too_few_games(self, shared: GamesDb) -> None:
        with pytest.raises(GameforgeError, match="no 1000 games begin with the same move"):
            shared.book(3, 1000)
        with pytest.raises(GameforgeError, match="no game from the initial position is longer than 99 plies"):
            shared.openings(99)


class TestDamage:
    def test_other_files(self, tmp_path: Path) -> None:
        text, other, newer = tmp_path / "text.db", tmp_path / "other.db", tmp_path / "newer.db"
        text.write_text("not a database, but long enough to be taken for a file that has a header" * 20)
        with sqlite3.connect(other) as connection:
            connection.execute("CREATE TABLE games (id INTEGER)")
        games_db(newer, OTHELLO).close()
        with sqlite3.connect(newer) as connection:
            connection.execute("PRAGMA user_version = 9")
        for path, message in (
            (text, "is not a database of GameForge"),
            (other, "is an SQLite database, but not a database of games of GameForge"),
            (newer, "is a database of games of version 9; this version of GameForge reads version 1"),
            (tmp_path / "none.db", "there is no file .*; name a game to make a database"),
            (tmp_path, "is a folder; name a file"),
        ):
            with pytest.raises(GameforgeError, match=message):
                games_db(path)
            if path.is_file():
                with pytest.raises(GameforgeError, match=message):
                    games_db(path, OTHELLO)

    def test_a_locked_file(self, db: GamesDb, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("gameforge.storage.database._PATIENCE", 0.01)
        holder = sqlite3.connect(db.path, isolation_level=None)
        holder.execute("BEGIN EXCLUSIVE")
        with pytest.raises(GameforgeError, match=r"games\.db is being written by .*process.*; try again when"):
            games_db(db.path)
        holder.execute("ROLLBACK")
        holder.close()

    def test_a_file_that_can_only_be_read(self, db: GamesDb, monkeypatch: pytest.MonkeyPatch) -> None:
        db.close()
        real = database._connect
        monkeypatch.setattr(database, "_connect", lambda path, mode: real(path, "ro"))
        with games_db(db.path) as read:
            assert read.tree().games == len(RECORDS)
            with pytest.raises(GameforgeError, match=r"games\.db cannot be written"):
                read.add([attrs.evolve(RECORDS[0], moves=())])

    @pytest.mark.parametrize(
        ("damage", "problem"),
        [
            ("UPDATE games SET moves = substr(moves, 1, 3) WHERE id = 5", "game 5: its moves are not those that were"),
            ("UPDATE games SET moves = x'ff' WHERE id = 7", "game 7 .*is damaged: its move 1 is not legal"),
            ("UPDATE games SET layout = 99 WHERE id = 7", "game 7 of the database is damaged: .* no entry 99"),
            ("UPDATE games SET tags = '[' WHERE id = 7", "game 7 of the database is damaged"),
            ("DELETE FROM games WHERE id = 7", "1 of .* games are missing"),
            ("DELETE FROM blocks WHERE id = (SELECT max(id) FROM blocks)", "the index of positions does not match"),
            ("UPDATE blocks SET entries = substr(entries, 2)", "the index of positions does not match the games"),
            ("UPDATE popular SET moves = substr(moves, 2)", "the index of positions does not match the games"),
        ],
    )
    def test_check_finds_what_is_wrong(self, db: GamesDb, damage: str, problem: str) -> None:
        db._store.connection.execute(damage)
        with pytest.raises(GameforgeError, match=problem):
            raise GameforgeError("; ".join(db.check()))

    def test_what_is_sound_can_be_saved(self, db: GamesDb, tmp_path: Path) -> None:
        db._store.connection.execute("UPDATE games SET moves = x'ff' WHERE id = 7")
        db._store.connection.execute("UPDATE games SET moves = 'text' WHERE id = 9")
        notices: list[str] = []
        with games_db(tmp_path / "new.db", OTHELLO) as new:
            with pytest.raises(GameforgeError, match="game 9 is damaged"):
                new.merge(db.path)
            assert new.merge(db.path, tolerant=True, notice=notices.append).games == len(RECORDS) - 2
            assert new.check() == []
        assert len(notices) == 2

    @pytest.mark.parametrize("seed", range(6))
    def test_a_damaged_file_ends_in_a_sentence(self, db: GamesDb, seed: int) -> None:
        """GameforgeError or an answer, whatever the bytes are."""
        db.close()
        rng = np.random.default_rng(seed)
        data = bytearray(db.path.read_bytes())
        for place in rng.integers(0, len(data), 40):
            data[place] = int(rng.integers(256))
        db.path.write_bytes(data[: len(data) if seed % 2 else len(data) // 2])
        for ask in (
            lambda one: [*one.find(player="Ann")],
            lambda one: one.tree(),
            lambda one: one.tree(states_of(OTHELLO, RECORDS[0])[20], symmetries=True),
            lambda one: one.statistics(),
            lambda one: one.check(),
            lambda one: one.add(RECORDS, headers="fuller"),
        ):
            with contextlib.suppress(GameforgeError), games_db(db.path) as opened:
                ask(opened)


def wide_gen(rules, s, moves):  # type: ignore[no-untyped-def]
    for i in range(300):
        moves[i] = np.uint64(299 - i)
    return 300


def wide_play(rules, s, m, child):  # type: ignore[no-untyped-def]
    child[0] = s[0] * np.uint64(300) + m
    child[1] = np.uint64(1) - s[1]


def wide_outcome(rules, s, n_moves):  # type: ignore[no-untyped-def]
    return 0


@attrs.frozen
class Wide(Noughts):
    """A game with 300 moves in each position, which never ends."""

    name = "wide"

    def functions(self):  # type: ignore[no-untyped-def]
        from gameforge.interfaces.rules import RulesFunctions

        return RulesFunctions(words=2, max_moves=300, gen=wide_gen, play=wide_play, outcome=wide_outcome)

    def initial(self) -> tuple[int, int]:
        return 1, 0

    def side_to_move(self, state: tuple[int, ...]) -> int:
        return state[1]


@pytest.mark.parametrize(
    "statements",
    [
        "ALTER TABLE games RENAME TO own; CREATE VIEW games AS SELECT * FROM own",
        "CREATE TRIGGER evil AFTER INSERT ON games BEGIN DELETE FROM names; END",
        "ALTER TABLE games ADD COLUMN evil GENERATED ALWAYS AS (hex(zeroblob(400000000))) VIRTUAL",
        "CREATE INDEX evil ON games (hex(zeroblob(digest)))",
        "CREATE TABLE further (x)",
    ],
)
def test_tables_of_somebody_else_are_refused(statements: str, tmp_path: Path) -> None:
    """Views, triggers and computed columns are programs, which may never end."""
    path = tmp_path / "g.db"
    games_db(path, OTHELLO).close()
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.executescript(statements)
    with pytest.raises(GameforgeError, match=r"g\.db is damaged: its tables are not those of a database of games"):
        games_db(path, must_exist=True)


def test_a_file_in_a_format_of_the_future_is_refused(tmp_path: Path) -> None:
    """Byte 47 of the header is SQLite's own version of the schema, of which there are four."""
    path = tmp_path / "g.db"
    games_db(path, OTHELLO).close()
    data = bytearray(path.read_bytes())
    data[47] = 5
    path.write_bytes(data)
    with pytest.raises(GameforgeError, match=r"g\.db is damaged: unsupported file format"):
        games_db(path, must_exist=True)


def test_text_that_no_database_holds_is_refused(tmp_path: Path) -> None:
    with games_db(tmp_path / "g.db", OTHELLO) as found, pytest.raises(GameforgeError, match="holds no text with"):
        list(found.find(player="a\ud800"))
