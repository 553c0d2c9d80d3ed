// The GIF encoder against a decoder of its LZW code, which reads codes as the format defines them.

import assert from "node:assert/strict";
import test from "node:test";

import { compressed, gif } from "../../gameforge/web/client/gif.js";

function decompressed(bytes) {
  let [held, bits, size, place] = [0, 0, 9, 0];
  const read = () => {
    while (bits < size) [held, bits] = [held | (bytes[place++] << bits), bits + 8];
    const code = held & ((1 << size) - 1);
    [held, bits] = [held >>> size, bits - size];
    return code;
  };
  const found = [];
  let [table, before] = [[], null];
  for (let code = read(); code !== 257; code = read()) {
    if (code === 256) {
      table = [...Array.from({ length: 256 }, (_, i) => [i]), null, null];
      [size, before] = [9, null];
      continue;
    }
    const entry = table[code] ?? [...before, before[0]];
    found.push(...entry);
    if (before && table.length < 4096) table.push([...before, entry[0]]);
    if (table.length === 1 << size && size < 12) size += 1;
    before = entry;
  }
  assert.equal(place, bytes.length);
  return found;
}

test("what is compressed can be read again", () => {
  let seed = 1;
  const random = () => (seed = (seed * 48271) % 2147483647);
  for (const most of [1, 2, 7, 256]) {
    for (const length of [1, 2, 300, 20000]) {
      const indices = Array.from({ length }, () => random() % most);
      assert.deepEqual(decompressed(compressed(indices)), indices);
    }
  }
});

test("a file has its size, its palette, and a picture for each position, the later ones only where they differ", () => {
  const picture = (place) => {
    const data = new Uint8ClampedArray(4 * 12).fill(255);
    if (place >= 0) data.set([255, 0, 0], 4 * place);
    return { data, width: 4, height: 3 };
  };
  const bytes = gif([picture(-1), picture(5), picture(5)], 110);
  assert.equal(String.fromCharCode(...bytes.slice(0, 6)), "GIF89a");
  assert.deepEqual([...bytes.slice(6, 10)], [4, 0, 3, 0]);
  const boxes = [...bytes.keys()].filter((i) => bytes[i] === 0x2c && bytes[i - 8] === 0x21 && bytes[i - 7] === 0xf9);
  assert.deepEqual(boxes.map((i) => [1, 3, 5, 7].map((at) => bytes[i + at])), [[0, 0, 4, 3], [1, 1, 1, 1], [0, 0, 1, 1]]);
  assert.equal(bytes.at(-1), 0x3b);
});
