"""Published figures: [Neto2009], sections 5 and 6 (for the results of [Neto2007]) and 7 (matches, loops)."""

from collections.abc import Mapping

NEURODRAUGHTS, ORIGINAL, EXTENDED = "NeuroDraughts", "original", "extended"
"""The players: 12 fixed features; the best choice of 15; the same with an endgame database."""
PLAYERS = (NEURODRAUGHTS, ORIGINAL, EXTENDED)
CONTROL = "control"
"""Not in the paper: the best of as many nets as the original's, all with the 12 fixed features."""

LOOP_GAMES = 2000
LOOPS: Mapping[str, int] = {NEURODRAUGHTS: 1045, ORIGINAL: 759, EXTENDED: 172}
"""Loop draws in LOOP_GAMES training games ([Neto2009], figure 5)."""
AT_MOST = 0.25
"""Largest share of NeuroDraughts' loops at which the extended player confirms the result; the paper has 16.46 %."""

PAIRINGS = ((ORIGINAL, NEURODRAUGHTS), (EXTENDED, NEURODRAUGHTS), (EXTENDED, ORIGINAL))
CONTROLLED = (ORIGINAL, CONTROL)
"""The pairing that shows whether the choice of features helps, and not the choice among many nets."""
MATCHES: Mapping[tuple[str, str], tuple[int, int, int, int]] = {
    PAIRINGS[0]: (5, 8, 1, 2),
    PAIRINGS[1]: (6, 8, 0, 3),
    PAIRINGS[2]: (3, 10, 1, 7),
}
"""Won, drawn and lost by the first, and how many of the draws were loops."""

GENERATIONS: Mapping[int, tuple[int, int, int]] = {9: (1, 6, 0), 25: (2, 5, 0)}
"""2007: won, drawn and lost against NeuroDraughts by the best individual of a generation, in 7 games."""
LOOPS_2007: Mapping[int, int] = {9: 3, 25: 2}
"""Number of these draws that were loops in won endings."""
