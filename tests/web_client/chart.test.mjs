import assert from "node:assert/strict";
import { test } from "node:test";

import { ticksOf } from "../../gameforge/web/client/chart.js";

test("ticks are round numbers around the range", () => {
  assert.deepEqual(ticksOf(0.057, 0.943), [0, 0.25, 0.5, 0.75, 1]);
  assert.deepEqual(ticksOf(0, 1), [0, 0.25, 0.5, 0.75, 1]);
  assert.deepEqual(ticksOf(-3, 17), [-5, 0, 5, 10, 15, 20]);
});

test("one value, and none, have ticks, too", () => {
  for (const [low, high] of [[0, 0], [7, 7], [-2, -2], [1e-9, 1e-9], [Infinity, -Infinity]]) {
    const ticks = ticksOf(low, high);
    assert.ok(ticks.length >= 2 && ticks.length <= 8, String(ticks));
    assert.ok(!(high >= low) || (ticks[0] <= low && ticks[ticks.length - 1] >= high), String(ticks));
  }
});
