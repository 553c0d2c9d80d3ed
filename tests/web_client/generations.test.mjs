import assert from "node:assert/strict";
import { test } from "node:test";

import { changed, inOrder } from "../../gameforge/web/client/generations.js";

test("the change of a piece is its worth less the worth before", () => {
  assert.deepEqual(changed([[3, 2], [5, -1]], [[3, 0.5]]), [[3, 1.5], [5, -1]]);
});

test("generations stand in the order of the training, the trained player last", () => {
  const named = (/** @type {string[]} */ names) => names.map((name) => ({ name, path: name }));
  assert.deepEqual(inOrder(named(["player", "generations/10", "generations/2"])).map(({ name }) => name), ["generations/2", "generations/10", "player"]);
});
