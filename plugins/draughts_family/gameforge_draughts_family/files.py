"""The GameType of each game in files, which the plugin `draughts` reads and writes as PDN."""

GAME_TYPES = {
    "international": "20,W,10,10,N2,0",
    "italian": "22,W,8,8,N2,1",
    "pool": "23,B,8,8,N1,0",
    "spanish": "24,W,8,8,N1,1",
    "russian": "25,W,8,8,A0,0",
    "brazilian": "26,W,8,8,A0,0",
    "turkish": "30,W,8,8,A0,0",
    "frisian": "40,W,10,10,N2,0",
    "breakthrough-draughts": "42,W,10,10,N2,0",
    "antidraughts": "43,W,10,10,N2,0",
    "draughts-variant": "49",
}
"""Game -> the tag GameType: number, first mover, board, how squares are written and where they begin, whether the dark
corner is on the right. Source: PDN 3.0, section "GameType tag". It leaves 42 to 49 to further kinds of draughts, of
which 42, 43 and 49 are ours; 50 is Othello."""
EITHER_FIRST = ("pool",)
"""Games whose number PDN 3.0 shares with kinds of the same game in which White begins and squares have letters."""
