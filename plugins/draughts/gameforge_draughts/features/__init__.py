"""Feature maps of draughts: the inputs of the nets of NeuroDraughts and LS-Draughts.

Sources: [Lynch1997], Appendix A; [Neto2009], table 1; [Samuel1959], Appendix C, for the terms that those two only name.

Viewpoint of all maps: the side that has just moved (Samuel's passive side) is "own" and sees the board as Black does,
moving up; the side to move (active) is "opponent". For White the board is turned by 180 degrees (square s becomes
33 - s) and the colours are exchanged.

| no. | feature           | bits | value                                                                 |
|-----|-------------------|------|-----------------------------------------------------------------------|
| F1  | PieceAdvantage    | 4    | own minus opponent's material, man 2, king 3                          |
| F2  | PieceDisadvantage | 4    | opponent's minus own material                                         |
| F3  | PieceThreat       | 3    | own pieces that the opponent could capture now                        |
| F4  | PieceTake         | 3    | opponent's pieces that the own side could capture if it were its move |
| F5  | Advancement       | 3    | own men on rows 5 and 6 minus own men on rows 3 and 4                 |
| F6  | DoubleDiagonal    | 4    | own pieces on the diagonals that end in the double corners            |
| F7  | BackRowBridge     | 1    | own men on 1 and 3, and the opponent has no king                      |
| F8  | CentreControl     | 3    | own men on centre squares                                             |
| F9  | XCentreControl    | 3    | centre squares that an opponent's piece holds or can step to          |
| F10 | TotalMobility     | 4    | empty squares that the opponent can step to                           |
| F11 | Exposure          | 3    | own pieces between two empty squares on a diagonal                    |
| F12 | KingCentreControl | 3    | own kings on centre squares                                           |
| F13 | DiagonalMoment    | 3    | own pieces by their distance from the double diagonals (3, 2, 1, 0)   |
| F14 | Threat            | 3    | squares that the opponent can step to and then capture from           |
| F15 | Taken             | 3    | squares that an own piece could step to and then capture from         |

NeuroDraughts has F1 to F12 (38 inputs; the paper's 37 is a slip), LS-Draughts all 15 (47 inputs). Each value is clipped
to [0, 2^bits - 1] and written as bits, least significant first, with 1 for on and 0 for off. A negative value thus has
all bits off, and one that is too large has all bits on (the code of these programs overflowed in several ways).
DiagonalMoment, 24 at the start, is first divided by 4, rounding half up. The exact definitions are in `terms`.
"""

from gameforge_draughts.features.maps import BinaryMap, DirectMap
from gameforge_draughts.features.netfeaturemap import NetFeatureMap

__all__ = ["BinaryMap", "DirectMap", "NetFeatureMap"]
