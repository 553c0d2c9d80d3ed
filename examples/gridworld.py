"""GridWorld: the TD rule and the net of NeuroDraughts, unmodified, on the puzzle with which its author tested them.

A 5x5 grid with a goal. The agent values the neighbouring squares with its net and enters the one with the highest
value; the squares that it enters are trained like draughts boards. This file only defines the states and the moves.

python gridworld.py --seeds 20 --goal 0,0 --coding squares --side final
"""

import argparse
import statistics
from typing import Any

import attrs
import numpy as np
from gameforge_eval_mlp.mlp import Mlp
from gameforge_learn_td.settings import RuleSettings
from gameforge_learn_td.td_rule import TDParameters, final_reward, first_board, next_board

from gameforge.interfaces import FeatureFunctions
from gameforge.kernel import assembly, at, below, inline, kernel, static_score

SIZE, MOST_MOVES, MOST_STARTS, BLOCK = 5, 10, 1500, 150
ROWS = [(1, 0, 0), (1, -0.2, 0), (1, 0, -0.1), (1, -0.2, -0.1), (1, -0.2, -0.2), (1, -1, 0)]
"""Rewards of success, of failure (10 moves without the goal), of entering a square at the border (the thesis, 4.4)."""
THESIS = ["1050", "900", "1500, 1 failed", "1500, 1 failed", "1500, 18 failed", "1050"]
INPUTS = {"squares": SIZE * SIZE, "rows+columns": 2 * SIZE, "coordinates": 2}
SIDES = {"target": 0, "final": 1}
"""The reward at the border is added to the target of that step, or is a separate TDFinal within the game."""
_0 = np.uint64(0)


def features(fd: Any, s: Any, x: Any) -> None:
    """Write one input for each square; or one for each row and each column; or row and column from -1 to 1."""
    inputs, row, column = np.int64(fd[0]), np.int64(s[0]) // SIZE, np.int64(s[0]) % SIZE
    if inputs == 2:
        x[0], x[1] = np.float32(row) / np.float32(2) - np.float32(1), np.float32(column) / np.float32(2) - np.float32(1)
        return
    for i in range(inputs):
        x[i] = np.float32(0)
    if inputs == 2 * SIZE:
        x[row] = x[SIZE + column] = np.float32(1)
    else:
        x[np.int64(s[0])] = np.float32(1)


@inline
def distance(a: Any, b: Any) -> Any:
    return abs(a // SIZE - b // SIZE) + abs(a % SIZE - b % SIZE)


@inline
def best_neighbour(evaluator: Any, cell: Any, s: Any) -> Any:
    best, chosen = -2.0, cell
    for direction in range(4):
        row = cell // SIZE + (direction == 0) - (direction == 1)
        column = cell % SIZE + (direction == 2) - (direction == 3)
        if 0 <= row < SIZE and 0 <= column < SIZE:
            s[0] = np.uint64(row * SIZE + column)
            value = static_score(evaluator, at(s, _0))
            if value > best:
                best, chosen = value, row * SIZE + column
    return chosen


@inline
def wander(evaluator: Any, td: Any, goal: Any, rewards: Any, side: Any, cell: Any, s: Any, learning: bool) -> Any:
    """Number of moves from a square to the goal; more than allowed if the agent fails."""
    for moves in range(1, MOST_MOVES + 1):
        cell = best_neighbour(evaluator, cell, s)
        s[0] = np.uint64(cell)
        if learning:
            row, column = cell // SIZE, cell % SIZE
            border = cell != goal and (row % (SIZE - 1) == 0 or column % (SIZE - 1) == 0)
            reward = rewards[2] if border else 0.0
            if moves == 1:
                first_board(evaluator, td, at(s, _0))
            else:
                if side == 0:  # gamma * P - (old - r) = r + gamma * P - old, so the rule itself needs no r
                    td.prediction[0] -= reward
                next_board(evaluator, td, at(s, _0))
            if side == 1 and reward != 0:
                final_reward(evaluator, td, reward)
        if cell == goal:
            if learning:
                final_reward(evaluator, td, rewards[0])
            return moves
    if learning:
        final_reward(evaluator, td, rewards[1])
    return MOST_MOVES + 1


@kernel
def learn(evaluator: Any, td: Any, goal: int, rewards: Any, side: int, growing: bool, rng: Any, s: Any) -> Any:
    """(random starts until all squares are learned, or the most allowed; squares that are not learned then).

    A square is learned if the net's path from it is a shortest one, which is checked after each block of starts.
    growing: starts are one square further from the goal with each block.
    """
    starts, failed = 0, SIZE * SIZE
    while starts < MOST_STARTS and failed > 0:
        reach = 1 + starts // BLOCK if growing else 2 * SIZE
        for _ in range(BLOCK):
            cell = goal
            while cell == goal or distance(cell, goal) > reach:
                cell = np.int64(below(rng, np.uint64(SIZE * SIZE)))
            wander(evaluator, td, goal, rewards, side, cell, s, True)
        starts += BLOCK
        failed = 0
        for cell in range(SIZE * SIZE):
            if cell != goal:
                failed += wander(evaluator, td, goal, rewards, side, cell, s, False) > distance(cell, goal)
    return starts, failed


@attrs.frozen(kw_only=True)
class World:
    """Settings that the thesis leaves open."""

    goal: tuple[int, int] = (2, 2)
    coding: str = "rows+columns"
    side: str = "target"
    growing: bool = True
    hidden: int = 12

    def train(self, rewards: tuple[float, float, float], seed: int) -> tuple[int, int]:
        """(random starts, squares not learned) of one net."""
        inputs = INPUTS[self.coding]
        data = np.array([inputs], np.uint64)
        seen = FeatureFunctions(inputs=inputs, viewpoint="to move", features=features, data=data)
        component = Mlp(hidden=self.hidden)
        rules: Any = None  # the net does not use the rules
        net = component.functions(rules, seen)
        evaluator = assembly.compiled_evaluator(net, component.initial_weights(net, np.random.default_rng(seed)))
        td = TDParameters.of(RuleSettings(lambda_=0.1, gamma=0.9), net)
        goal = SIZE * self.goal[0] + self.goal[1]
        own = np.array([seed], np.uint64), np.zeros(1, np.uint64)
        return learn(evaluator, td, goal, np.array(rewards, np.float64), SIDES[self.side], self.growing, *own)  # type: ignore[no-any-return]


def table(world: World, seeds: int) -> str:
    """The thesis' table and ours, in Markdown."""
    lines = ["| success | failure | side | thesis | all learned | median starts | median failed |", "|---" * 7 + "|"]
    for rewards, thesis in zip(ROWS, THESIS, strict=True):
        results = [world.train(rewards, seed) for seed in range(seeds)]
        learned = sum(failed == 0 for _, failed in results)
        starts, failed = (statistics.median(column) for column in zip(*results, strict=True))
        cells = [*(f"{reward:+g}" if reward else "0" for reward in rewards), thesis, f"{learned} of {seeds}"]
        lines.append(f"| {' | '.join(cells)} | {starts:g} | {failed:g} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description="NeuroDraughts' GridWorld with the learner's own TD rule.")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--goal", default="2,2", help="row,column from 0 to 4")
    parser.add_argument("--coding", choices=INPUTS, default="rows+columns")
    parser.add_argument("--side", choices=SIDES, default="target", help="what the reward at the border is")
    parser.add_argument("--anywhere", action="store_true", help="start anywhere from the first on")
    options = parser.parse_args()
    row, column = map(int, options.goal.split(","))
    world = World(goal=(row, column), coding=options.coding, side=options.side, growing=not options.anywhere)
    print(table(world, options.seeds))


if __name__ == "__main__":
    main()
