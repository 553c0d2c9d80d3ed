import assert from "node:assert/strict";
import { test } from "node:test";

import { click, targets } from "../../gameforge/web/client/choosing.js";

const move = (text, path, takes = []) => ({ text, path, takes });
const texts = ({ moves }) => moves.map(({ text }) => text);

test("a step is two clicks", () => {
  const legal = [move("a-b", [0, 1]), move("a-c", [0, 2]), move("d-c", [3, 2])];
  assert.deepEqual([...targets(legal, [])], [0, 3]);
  const picked = click(legal, [], [], 0);
  assert.deepEqual(picked, { picked: [0], moves: [] });
  assert.deepEqual([...targets(legal, picked.picked)], [1, 2]);
  assert.deepEqual(texts(click(legal, [], [0], 2)), ["a-c"]);
});

test("another piece is picked instead, and the same one is put back", () => {
  const legal = [move("a-b", [0, 1]), move("d-c", [3, 2])];
  assert.deepEqual(click(legal, [], [0], 3).picked, [3]);
  assert.deepEqual(click(legal, [], [0], 0), { picked: [], moves: [] });
  assert.deepEqual(click(legal, [], [0], 9), { picked: [], moves: [] });
});

test("a stone is placed with one click, anywhere in its group", () => {
  const legal = [move("1", [4]), move("2", [8])];
  assert.deepEqual(texts(click(legal, [[4, 5, 6], [7, 8]], [], 6)), ["1"]);
  assert.deepEqual(texts(click(legal, [], [], 6)), []);
});

test("a capture goes on by its squares until one move is left", () => {
  const legal = [move("0x2x4x6", [0, 2, 4, 6], [1, 3, 5]), move("0x2x4x8", [0, 2, 4, 8], [1, 3, 7])];
  assert.deepEqual(click(legal, [], [0], 2).picked, [0, 2]);
  assert.deepEqual(click(legal, [], [0, 2], 4).picked, [0, 2, 4]);
  assert.deepEqual(texts(click(legal, [], [0, 2, 4], 8)), ["0x2x4x8"]);
  assert.deepEqual(texts(click(legal, [], [0], 6)), ["0x2x4x6"], "straight to the last square");
});

test("routes with the same ends are offered", () => {
  const legal = [move("0x2x6", [0, 2, 6], [1, 5]), move("0x4x6", [0, 4, 6], [3, 5])];
  assert.deepEqual(texts(click(legal, [], [0], 6)), ["0x2x6", "0x4x6"]);
  assert.deepEqual(texts(click(legal, [], [0], 4)), ["0x4x6"]);
});

test("a man that closes a mill asks for the man to remove", () => {
  const legal = [move("bxd", [1, 3], [3]), move("bxe", [1, 4], [4]), move("c", [2])];
  const placed = click(legal, [], [], 1);
  assert.deepEqual(placed.picked, [1]);
  assert.deepEqual([...targets(legal, [1])], [3, 4]);
  assert.deepEqual(texts(click(legal, [], [1], 4)), ["bxe"]);
  assert.deepEqual(texts(click([legal[0], legal[2]], [], [], 1)), ["bxd"], "the only man is removed without a click");
});

test("moves with the same path are offered", () => {
  const legal = [move("e8=Q", [0, 1]), move("e8=N", [0, 1])];
  assert.deepEqual(texts(click(legal, [], [0], 1)), ["e8=Q", "e8=N"]);
});
