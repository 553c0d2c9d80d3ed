"""The evaluator `policy-patterns`: patterns with two heads, the value of a position and a policy over its moves.

    value = tanh( v / 2 ),  v the sum of the weights of the position's entries (patterns.py)
    logit = the sum of other weights, of the entries of the position after the move, as the opponent sees it

So the policy needs no indices of moves: what makes a move likely is what it leaves. The rules play each move, so the
logits of a position take as long as the scores of its successors; but they are fitted to what searches choose.

Weights in one vector, float32: those of the value, then those of the logits, each as in layout.py. All sums have a
fixed order, so scores and logits do not depend on the processor.
"""

import attrs
import numpy as np

from gameforge import GameforgeError
from gameforge.interfaces import EvaluatorFunctions, FeatureFunctions, Rules, WeightVector
from gameforge.kernel import U0, U1, Floats, Score, Scores, Word, Words, assembly, at, bits, inline, simd, specialised
from gameforge_eval_patterns.layout import aligned
from gameforge_eval_patterns.patterns import PatternParameters, log_odds, terms

_ENTRIES = PATTERN, RULES, LENGTH, SCORE, CHILD, PLACES, FACTORS = tuple(np.uint64(i) for i in range(7))
"""Entries of the block `ed`. Places in it: the block of the patterns, the data of the rules. LENGTH: weights of the
value. Places in the workspace: the score, which `evaluate` leaves there; a child's state, in words; the places of terms
and their factors."""
_HALF = np.float64(0.5)


@inline
def play(rules: Words, s: Words, m: Word, child: Words) -> None:
    """Replaced by the game's own function."""
    child[0] = U0


def evaluate(ed: Words, w: Floats, s: Words, x: Floats) -> Score:
    score = simd.tanh(np.float32(_HALF * log_odds(at(ed, ed[PATTERN]), w, s, x)))
    x[ed[SCORE]] = score
    return np.float64(score)


def policy(ed: Words, w: Floats, s: Words, moves: Words, n: Word, x: Floats, logits: Scores) -> None:
    child = at(bits.as_words(x), ed[CHILD])
    for i in range(n):
        play(at(ed, ed[RULES]), s, moves[i], child)
        logits[i] = log_odds(at(ed, ed[PATTERN]), at(w, ed[LENGTH]), child, x)


def _add(ed: Words, s: Words, x: Floats, factor: Score, trace: Floats) -> None:
    """Add `factor` times the gradient of a state's log-odds to the trace."""
    places, factors = bits.as_int32(at(x, ed[PLACES])), at(x, ed[FACTORS])
    n = terms(at(ed, ed[PATTERN]), s, places, factors)
    for i in range(n):
        trace[places[i]] += np.float32(factor * np.float64(factors[i]))


@inline
def _through(ed: Words, x: Floats) -> Score:
    """The derivative of the score, which `evaluate` has left, by the log-odds."""
    score = np.float64(x[ed[SCORE]])
    return _HALF * (1.0 - score * score)


def slope(ed: Words, w: Floats, s: Words, moves: Words, n: Word, x: Floats, slopes: Floats, trace: Floats) -> None:
    _add(ed, s, x, np.float64(slopes[0]) * _through(ed, x), trace)
    child = at(bits.as_words(x), ed[CHILD])
    for i in range(n):
        play(at(ed, ed[RULES]), s, moves[i], child)
        _add(ed, child, x, np.float64(slopes[U1 + i]), at(trace, ed[LENGTH]))


def gradient(ed: Words, w: Floats, s: Words, x: Floats, trace: Floats) -> None:
    _add(ed, s, x, _through(ed, x), trace)


@attrs.frozen(kw_only=True)
class PolicyPatterns(PatternParameters):
    """The component: the same patterns for the value and for the policy."""

    def functions(self, rules: Rules, features: FeatureFunctions | None) -> EvaluatorFunctions:
        """The compiled functions and the layout of the weights; a feature map is not used.

        Raises GameforgeError if the game offers no cells, if its rules do not compile, or if the patterns do not fit on
        its board or into memory.
        """
        layout, of_rules = self.layout(rules, "policy-patterns"), rules.functions()
        if of_rules.calls or not of_rules.compiles("play"):
            raise GameforgeError(
                f"evaluator policy-patterns plays each move to score it; the rules of {rules.name} do not compile"
            )
        blocks = [np.zeros(len(_ENTRIES), np.uint64), layout.data(), assembly.block(of_rules.data)]
        data, (own, *places) = aligned(blocks)
        child = layout.scratch // 2 + 1  # behind the score, in words
        terms_at = 2 * (child + of_rules.words)
        factors = terms_at + layout.most_terms
        data[own : own + len(_ENTRIES)] = [*places, layout.length, layout.scratch, child, terms_at, factors]
        read = layout.cells.cells
        score = specialised(log_odds, "cells", read)
        listed = specialised(_add, "terms", specialised(terms, "cells", read))
        return EvaluatorFunctions(
            evaluate=specialised(evaluate, log_odds.__name__, score),
            policy=specialised(specialised(policy, log_odds.__name__, score), play.__name__, of_rules.play),
            slope=specialised(specialised(slope, _add.__name__, listed), play.__name__, of_rules.play),
            gradient=specialised(gradient, _add.__name__, listed),
            data=data,
            vector=WeightVector(2 * layout.length, layout=f"policy and value, {layout.identity}"),
            scratch=factors + layout.most_terms + layout.scratch,
        )
