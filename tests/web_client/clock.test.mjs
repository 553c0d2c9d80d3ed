import assert from "node:assert/strict";
import { test } from "node:test";

import { Clock, timeText } from "../../gameforge/web/client/clock.js";

test("only the side to move loses time, and gets its increment after its move", () => {
  const clock = new Clock(60, 2);
  clock.press(0, 100);
  assert.equal(clock.at(0, 105), 55);
  assert.equal(clock.at(1, 105), 60);
  clock.press(1, 110);
  assert.equal(clock.at(0, 200), 52);
  assert.equal(clock.at(1, 111), 59);
  clock.press(1, 112);
  assert.equal(clock.at(1, 112), 58, "pressing again changes nothing");
});

test("a side without time has lost", () => {
  const clock = new Clock(10, 0);
  clock.press(1, 0);
  assert.equal(clock.flagged(9.9), null);
  assert.equal(clock.flagged(10.1), 1);
  clock.stop(10.2);
  assert.equal(clock.at(1, 50), 0);
});

test("a player never plans more than it has", () => {
  const clock = new Clock(60, 1);
  assert.ok(clock.budget(0, 0) < 3);
  clock.left[0] = 0.3;
  assert.ok(clock.budget(0, 0) <= 0.1 + 1e-9);
});

test("times are written as minutes and seconds", () => {
  assert.equal(timeText(605), "10:05");
  assert.equal(timeText(59.9), "0:59");
  assert.equal(timeText(9.87), "0:09.8");
  assert.equal(timeText(0), "0:00.0");
});
