import assert from "node:assert/strict";
import { test } from "node:test";

import { band, bySettings, commonAxes, curvesOf, differing, joined, smoothed } from "../../gameforge/web/client/curves.js";

const run = (path, parameters, axes, curves) => ({ path, colour: "#000", view: { state: "finished", game: "toy", detail: "", settings: "", parameters, axes, curves } });
const runs = [
  run("a", { "learner.lambda": 0, seed: 1 }, { games: [10, 20, 30], seconds: [1, 2, 3] }, { score: [0.1, 0.2, 0.3], elo: [null, 5, null] }),
  run("b", { "learner.lambda": 0, seed: 2 }, { games: [10, 20] }, { score: [0.3, 0.6] }),
  run("c", { "learner.lambda": 0.5, seed: 1 }, { games: [10] }, { score: [1] }),
];

test("smoothing keeps constants, gaps, and everything at weight 0", () => {
  assert.deepEqual(smoothed([1, null, 3], 0), [1, null, 3]);
  assert.deepEqual(smoothed([2, 2, null, 2], 0.9), [2, 2, null, 2]);
  const [first, second] = smoothed([0, 1], 0.5);
  assert.equal(first, 0);
  assert.ok(Math.abs(second - 2 / 3) < 1e-12);
});

test("a figure that is not measured in each session has a point where it is", () => {
  assert.deepEqual(curvesOf("elo", runs, "seconds"), [{ name: "a", colour: "#000", x: [2], y: [5] }]);
});

test("runs that differ in their seed alone make one band, at the places that all have", () => {
  const groups = bySettings(runs);
  assert.deepEqual(groups.map((group) => group.map(({ path }) => path)), [["a", "b"], ["c"]]);
  const { name, x, y, low, high } = band(curvesOf("score", groups[0], "games"));
  assert.equal(name, "a and 1 more");
  assert.deepEqual(x, [10, 20]);
  assert.deepEqual(y.map((value) => Number(value.toFixed(6))), [0.2, 0.4]);
  assert.deepEqual([low, high], [[0.1, 0.2], [0.3, 0.6]]);
});

test("joined tables have every x once, and gaps where a curve has none", () => {
  const { x, columns } = joined(curvesOf("score", runs, "games"));
  assert.deepEqual(x, [10, 20, 30]);
  assert.deepEqual(columns, [[0.1, 0.2, 0.3], [0.3, 0.6, null], [1, null, null]]);
});

test("only settings that differ are listed, and only axes that all have", () => {
  assert.deepEqual(differing(runs), [{ name: "learner.lambda", values: ["0", "0", "0.5"] }, { name: "seed", values: ["1", "2", "1"] }]);
  assert.deepEqual(commonAxes(runs), ["games"]);
  assert.deepEqual(commonAxes([]), []);
});
