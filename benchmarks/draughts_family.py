"""The draughts family: perft with bulk counting at the last ply, and random playouts.

    python benchmarks/draughts_family.py

All numbers are per second of processor time on one pinned core. The counts are checked before they are timed.
"""

from machine import pin
from rates import rate

import gameforge as gf
from gameforge.play.perft import perft, playouts

RUNS, GAMES = 3, 20_000
CASES = {
    "international": (8, 6_483_961, 80),
    "russian": (9, 4_570_586, 80),
    "brazilian": (9, 4_431_766, 80),
    "italian": (10, 17_761_384, 100),
    "frisian": (8, 2_825_779, 40),
    "pool": (9, 4_570_534, None),
    "spanish": (10, 17_743_464, None),
    "turkish": (7, 10_782_308, None),
    "canadian": (7, 4_369_366, None),
}
"""Game -> depth, leaves, wanted millions of leaves per second."""


def main() -> None:
    print(pin())
    for name, (depth, leaves, wanted) in CASES.items():
        start = gf.game(name).position()
        assert perft(start, depth) == leaves, name
        millions = rate(lambda start=start, depth=depth: perft(start, depth), RUNS) / 1e6  # type: ignore[misc]
        games = rate(lambda start=start: (playouts(start, GAMES, seed=1), GAMES)[1], RUNS)  # type: ignore[misc]
        goal = f" (wanted: {wanted})" if wanted else ""
        print(f"{name:14} perft {depth}: {millions:6.1f} million leaves/s{goal}, playouts: {games:,.0f} games/s")


if __name__ == "__main__":
    main()
