import assert from "node:assert/strict";
import { test } from "node:test";

import { Geometry } from "../../gameforge/web/client/geometry.js";

/** @param {(row: number, column: number) => boolean} isCell */
function darkCells(isCell) {
  const places = [];
  for (let row = 0; row < 8; row++) for (let column = 0; column < 8; column++) if (isCell(row, column)) places.push([row, column]);
  const geometry = new Geometry(/** @type {any} */ ({ places, shape: "square", upwards: false }), false);
  return places.filter((_, cell) => geometry.isDark(cell)).map(([row, column]) => `${row} ${column}`);
}

test("the lower left corner is dark where all squares are cells", () => {
  const dark = darkCells(() => true);
  assert.equal(dark.length, 32);
  assert.ok(dark.includes("7 0"));
});

test("cells of one colour are dark, whichever corner they leave out", () => {
  assert.equal(darkCells((row, column) => (row + column) % 2 === 1).length, 32);
  assert.equal(darkCells((row, column) => (row + column) % 2 === 0).length, 32);
});
