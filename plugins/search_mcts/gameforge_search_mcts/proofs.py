"""Values that follow from the certain values of moves: a won move wins, and a position is lost if all moves lose.

MCTS-Solver [Winands2008]. A proof holds under the rules of draws by the history of the game, because only one line of
moves leads to a node.
"""

from gameforge.kernel import U0, U1, Word, Words, inline
from gameforge_search_mcts import tree

WON_BY_MOVER = U1 + U1
"""The RESULT of an edge whose move wins."""


@inline
def is_won(memory: Words, edge: Word) -> bool:
    """Whether the move along an edge wins for certain."""
    link = memory[edge + tree.LINK]
    return link & tree.KNOWN != U0 and link & tree.RESULT == WON_BY_MOVER


@inline
def prove(memory: Words, edge: Word) -> bool:
    """Make the value of the node that an edge leads to certain, if those of its moves show it; returns whether they do.

    The distance is that of the shortest win, or of the longest defence; a proof need not know the shortest.
    """
    node = memory[edge + tree.LINK]
    best, far, by_rules, complete = U0, U0, True, True
    for i in range(tree.count(memory, node)):
        link = memory[node + tree.NODE + i * tree.EDGE + tree.LINK]
        if link & tree.KNOWN == U0:
            complete = False
            continue
        if link & tree.RESULT == WON_BY_MOVER:
            tree.conclude(memory, edge, U0, tree.distance_of(link) + U1, link & tree.BY_RULES != U0)
            return True
        by_rules &= link & tree.BY_RULES != U0
        best, far = max(best, link & tree.RESULT), max(far, tree.distance_of(link))
    if complete:
        tree.conclude(memory, edge, WON_BY_MOVER - best, far + U1, by_rules)
    return complete


@inline
def root_is_decided(memory: Words) -> bool:
    """Whether a move of the root wins for certain, or the values of all its moves are certain."""
    node = memory[tree.ROOT + tree.LINK]
    complete = True
    for i in range(tree.count(memory, node)):
        edge = node + tree.NODE + i * tree.EDGE
        if is_won(memory, edge):
            return True
        complete &= memory[edge + tree.LINK] & tree.KNOWN != U0
    return complete
