"""Records of games: write them as text or as rows of tables, check them by the rules, and read finished ones."""

import functools
import itertools
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import attrs

from gameforge.config import Spec
from gameforge.config.outside import require_file
from gameforge.config.settings import Json
from gameforge.discovery.registry import Registry, default_registry
from gameforge.errors import GameforgeError
from gameforge.interfaces.capabilities import MixedFiles
from gameforge.interfaces.games import Annotations, GameBoards, GameRecord
from gameforge.interfaces.rules import ADJUDICATED_REASON, DISPUTED_REASON, FORFEIT_REASONS, Outcome, State
from gameforge.play.game import Game, Position, complete_games
from gameforge.records.tables import is_games_db
from gameforge.records.trace_files import TraceFiles, game_files, plain_text
from gameforge.storage.stored import log_entries, read_as


def games_name(game: Game) -> str:
    """Return the name of the file with the games of a run or match."""
    return f"games{game_files(game).suffix}"


def game_writer(game: Game) -> Callable[[GameRecord], str]:
    """Return the function that writes the records of this game as text, to which a newline is to be added.

    Call this once, not for every game: a training writes thousands of games per second.
    """
    files = game_files(game)
    return functools.partial(plain_text, game) if isinstance(files, TraceFiles) else files.game_text


def player_names(record: GameRecord, sides: tuple[str, str]) -> list[str]:
    """Return the names of the players, from the tags if the record has none; `?` stands for an unknown one."""
    tags = record.tags(sides)
    return [name or tags.get(side, "?") for name, side in zip(record.players, sides, strict=True)]


def record_of(position: Position, players: tuple[str, str], event: str, date: str) -> GameRecord:
    """Return the game that led to a position, finished or not; `players` names the first and the second side."""
    tags = {"Event": event, "Date": date, **dict(zip(position.game.rules.sides, players, strict=True))}
    return GameRecord(
        players=players,
        start=position.start.state,
        moves=tuple(position.moves_played),
        outcome=position.outcome or Outcome.UNFINISHED,
        annotations=Annotations(tags=tags),
        game=position.game,
    )


def read_record(stored: object, game: Game | None) -> GameRecord:
    """Read a game of a match, as its folder keeps it; game: the game that was played, if it is known."""
    return attrs.evolve(read_as(GameRecord, stored), game=game)


_GAME: dict[str, Callable[[GameRecord], Json]] = {
    "game": lambda record: record.number,
    "first": lambda record: record.players[0],
    "second": lambda record: record.players[1],
    "opening": lambda record: record.opening,
    "opening_plies": lambda record: record.opening_plies,
    "plies": lambda record: len(record.codes),
    "winner": lambda record: record.outcome.winner,
    "reason": lambda record: record.reason,
    "first_seconds": lambda record: record.seconds[0],
    "second_seconds": lambda record: record.seconds[1],
    "first_processor": lambda record: record.processor[0],
    "second_processor": lambda record: record.processor[1],
    "first_searches": lambda record: record.searches[0],
    "second_searches": lambda record: record.searches[1],
}
GAME_COLUMNS = tuple(_GAME)
"""Columns of `game_rows`."""
MOVE_COLUMNS = ("game", "ply", "side", "player", "opening", "position", "move")
"""Columns of `move_rows`."""


def game_rows(records: Iterable[GameRecord]) -> Iterator[dict[str, Json]]:
    """Yield a row for each game: its players, opening, winner (0, 1 or None for a draw), reason and search times."""
    for record in records:
        yield {column: value(record) for column, value in _GAME.items()}


def move_rows(game: Game, records: Iterable[GameRecord]) -> Iterator[dict[str, Json]]:
    """Yield a row for each move: its game and ply, from 1, the side that moves, and move and position as text."""
    for record in records:
        state = record.start
        for ply, move in enumerate(record.codes, 1):
            side = game.side_to_move(state)
            position, text = game.position_text(state), game.move_text(state, move, game.legal(state))
            is_opening = ply <= record.opening_plies
            values = record.number, ply, side, record.players[side], is_opening, position, text
            yield dict(zip(MOVE_COLUMNS, values, strict=True))
            state = game.play(state, move)


_POSSIBLE_WINNERS = {ADJUDICATED_REASON: (0, 1, None), DISPUTED_REASON: (0, 1, None)}
"""Winners of games that end although they are running by the rules."""


def check_record(game: Game, record: GameRecord) -> None:
    """Replay a finished game from its start, which must be a state of the game.

    Raises GameforgeError if a move is not legal, if the game was over before its last move, or if it did not end
    as the record says. Only a player that is to move can have forfeited.
    """
    start, words = record.start, game.functions.words
    if len(start) != words or not all(0 <= word < 1 << 64 for word in start):
        raise GameforgeError(f"start {start!r} is not a state of {game.rules.name}, {words} words of 64 bits")
    here = Position(game, start)
    for number, move in enumerate(record.codes, 1):
        if here.facts.decided:
            raise GameforgeError(f"the game was over before move {number}")
        if move not in here.facts.moves:
            raise GameforgeError(f"move {number} (code {move}) is not legal in {here.fen}")
        here = here.after(move)
    found = _outcome_by_rules(game, record, here.facts.code)
    if record.outcome != found:
        by_rules = "is not finished" if found is None else f"ended in {_outcome_text(game, found)}"
        raise GameforgeError(f"by the rules the game {by_rules}, not in {_outcome_text(game, record.outcome)}")


TOGETHER = 256
"""Number of games that are checked with one call of `contradictions`; even, so that pairs stay together."""


def _outcome_by_rules(game: Game, record: GameRecord, code: int) -> Outcome | None:
    """Return how a game ended whose last state has this code; if it is running, as its record may say it ended."""
    to_move = (game.side_to_move(record.start) + len(record.codes)) % 2
    found = Outcome.of(game.rules, code, to_move)
    if record.outcome.reason in FORFEIT_REASONS and found is None:
        return Outcome(1 - to_move, record.outcome.reason)
    if found is None and record.outcome.winner in _POSSIBLE_WINNERS.get(record.outcome.reason, ()):
        return record.outcome
    return found


def contradictions(game: Game, records: Sequence[GameRecord]) -> Iterator[tuple[int, GameforgeError]]:
    """Yield the index of each game that contradicts the rules, and what `check_record` says of it.

    A kernel replays the games, a hundred times as fast as `check_record` does.
    """
    import numpy as np

    from gameforge.kernel.assembly import check, game_workspace
    from gameforge.kernel.compile.launch import entry
    from gameforge.kernel.recorded import replay_games

    starts, moves = np.zeros((len(records), game.functions.words), np.uint64), []
    readable = []
    for i, record in enumerate(records):
        try:
            starts[i] = np.array(record.start, np.uint64)
            moves.append(np.array(record.codes, np.uint64))
            readable.append(True)
        except (OverflowError, ValueError):  # they are not words, or not as many as a state has
            starts[i] = game.rules.initial()
            moves.append(np.zeros(0, np.uint64))
            readable.append(False)
    ends = np.cumsum([len(one) for one in moves], dtype=np.int64)
    codes, wrong = np.zeros(len(records), np.int64), np.zeros(len(records), np.int64)
    workspace = game_workspace(game.compiled, game.rules.draws)
    together = np.concatenate([*moves, np.zeros(0, np.uint64)])
    entry(replay_games)(workspace, starts.reshape(-1), together, ends, codes, wrong)
    check(game.compiled)
    for i, record in enumerate(records):
        if readable[i] and wrong[i] < 0 and record.outcome == _outcome_by_rules(game, record, int(codes[i])):
            continue
        try:
            check_record(game, record)
        except GameforgeError as error:
            yield i, error


def _outcome_text(game: Game, outcome: Outcome) -> str:
    if outcome.winner is None:
        return f"a draw ({outcome.reason})"
    side = game.rules.sides[outcome.winner] if outcome.winner in (0, 1) else f"side {outcome.winner}"
    return f"a win of {side} ({outcome.reason})"


def reads_file(game: Game, path: Path) -> bool:
    """Return whether the name of a file has a suffix of the formats that the game reads."""
    files = game_files(game)
    return path.suffix.lower() in (files.suffixes if isinstance(files, MixedFiles) else (files.suffix,))


def game_of_file(path: Path, registry: Registry) -> Game:
    """Return the only installed game whose own format has this suffix; GameforgeError if there are none or several.

    Of several games, those that must be named do not count (Defaults.named_only). A database names its game.
    """
    if is_games_db(path):
        from gameforge.records.store import Store

        store = Store.open(path, registry=registry)
        store.close()
        return store.game
    known = complete_games(registry)
    games = [game for game in known.values() if game.files is not None and reads_file(game, path)]
    if len(games) > 1:
        games = [game for game in games if not (game.defaults and game.defaults.named_only)]
    if len(games) != 1:
        raise GameforgeError(f"cannot infer the game for {path}; name the game (known: {', '.join(known) or 'none'})")
    return games[0]


def read_games(
    path: Path,
    game: Game | None = None,
    *,
    tolerant: bool = False,
    encoding: str = "utf-8",
    notice: Callable[[str], None] = print,
    registry: Registry | None = None,
) -> Iterator[tuple[Game, GameRecord]]:
    """Yield the games of a file, whatever its format, each with its rules; only one is in memory at a time.

    game: yield games of these rules only. None: the suffix of the file decides which plugin reads it, and games of all
    rules are read that the format can name; those of one kind have the same Game object. A database has one game, whose
    rules it names. tolerant: report games that cannot be read to `notice`, and skip them. registry: the installed
    plugins. Raises GameforgeError if the file cannot be read, or if one of its games contradicts the rules.
    """
    read = read_records(path, game, tolerant=tolerant, encoding=encoding, notice=notice, registry=registry)
    for rules, record in read:
        yield rules, record if record.game is rules else attrs.evolve(record, game=rules)


def read_records(
    path: Path,
    game: Game | None = None,
    *,
    tolerant: bool = False,
    encoding: str = "utf-8",
    notice: Callable[[str], None] = print,
    registry: Registry | None = None,
) -> Iterator[tuple[Game, GameRecord]]:
    """Yield the games of a file as `read_games` does, but the records need not know their game."""
    if path.is_dir():
        names = ", ".join(sorted(file.name for file in path.glob("games.*")))
        raise GameforgeError(f"{path} is a folder; name a file of games" + (f" in it: {names}" if names else ""))
    require_file(path)
    if is_games_db(path):
        from gameforge.records.store import stored_games

        yield from stored_games(path, game, registry, notice if tolerant else None)
        return
    mixed = game is None
    if game is None:
        game = game_of_file(path, registry or default_registry())
    if path.suffix == ".jsonl":
        entries = log_entries(path, functools.partial(read_as, GameRecord))
        while records := [record for _, record in itertools.islice(entries, TOGETHER)]:
            wrong = dict(contradictions(game, records))
            for i, record in enumerate(records):
                if i in wrong:
                    raise GameforgeError(f"{path}, read as games of {game.rules.name}: {wrong[i]}")
                yield game, record
        return
    files = game_files(game)
    if mixed and isinstance(files, MixedFiles):
        known: dict[int, Game] = {}
        for rules, record in files.read_mixed(path, tolerant=tolerant, encoding=encoding, notice=notice):
            found = known.get(id(rules)) or known.setdefault(id(rules), Game(rules))
            yield found, record
        return
    try:
        for record in files.read_games(path, tolerant=tolerant, encoding=encoding, notice=notice):
            yield game, record
    except GameforgeError as error:
        if reads_file(game, path):
            raise
        suffixes = ", ".join(files.suffixes if isinstance(files, MixedFiles) else (files.suffix,))
        meant = f"read as games of {game.rules.name}, whose files end in {suffixes}"
        raise GameforgeError(f"{error} ({meant})") from error


def load_games(
    path: str | Path, game: Game | str | None = None, *, tolerant: bool = False, encoding: str = "utf-8"
) -> list[GameRecord]:
    """Read the games of a file: one in a format of the game, the games.jsonl of a match, or a database of games.

    game: the rules, or their name; None: what the file says, or the game to which its suffix belongs. tolerant: skip
    games that cannot be read, with a warning. Raises GameforgeError if the file cannot be read, if its game is unknown,
    or if one of its games contradicts the rules.
    """
    rules = Game(default_registry().create("rules", Spec.parse(game))) if isinstance(game, str) else game
    read = read_games(
        Path(path),
        rules,
        tolerant=tolerant,
        encoding=encoding,
        notice=lambda text: warnings.warn(text, stacklevel=3),
    )
    return [record for _, record in read]


def finished_games(path: Path, game: Game) -> Iterator[GameBoards | None]:
    """Read the games of a file or database in order; yields None for a game without a result.

    Raises GameforgeError if the file cannot be read.
    """
    if is_games_db(path):
        for _, record in read_games(path, game):
            yield _boards(record, game) if record.finished else None
        return
    files = game_files(game)
    boards = None if reads_file(game, path) else files.read_boards(path)
    if boards is not None:
        yield from boards
        return
    for record in files.read_games(path, notice=lambda text: None):
        yield _boards(record, game) if record.finished else None


def _boards(record: GameRecord, game: Game) -> GameBoards:
    boards: tuple[list[State], list[State]] = ([], [])
    state = record.start
    side = game.side_to_move(state)
    for move in record.codes:
        state = game.play(state, move)
        boards[side].append(state)
        side = 1 - side
    return GameBoards(boards=(tuple(boards[0]), tuple(boards[1])), winner=record.outcome.winner)
