// Animated GIF [GIF89a]: pictures of one size, of 256 colours in all. Each holds only the rectangle in which it differs
// from the one before.

/** @typedef {{data: Uint8ClampedArray, width: number, height: number}} Picture RGBA, row by row. */

const COLOURS = 256;
const MOST_CODES = 4096;
const END_BLOCK = 0;

/**
 * Write pictures of one size as a GIF that repeats for ever.
 * @param {Picture[]} pictures
 * @param {number} hundredths How long each is shown.
 * @returns {Uint8Array<ArrayBuffer>}
 */
export function gif(pictures, hundredths) {
  const { width, height } = pictures[0];
  const palette = paletteOf([pictures[0], pictures[pictures.length >> 1], pictures[pictures.length - 1]]);
  const nearest = nearestIn(palette);
  const bytes = [...text("GIF89a"), ...word(width), ...word(height), 0xf7, 0, 0]; // a palette of 2^8 colours for all
  for (let i = 0; i < COLOURS; i++) bytes.push(...(palette[i] ?? [0, 0, 0]));
  bytes.push(0x21, 0xff, 11, ...text("NETSCAPE2.0"), 3, 1, ...word(0), END_BLOCK);
  /** @type {Uint8Array | null} */
  let before = null;
  for (const { data } of pictures) {
    const now = new Uint8Array(width * height);
    for (let i = 0; i < now.length; i++) now[i] = nearest((data[4 * i] << 16) | (data[4 * i + 1] << 8) | data[4 * i + 2]);
    const { left, top, right, bottom } = difference(before, now, width, height);
    const part = [];
    for (let y = top; y < bottom; y++) for (let x = left; x < right; x++) part.push(now[y * width + x]);
    bytes.push(0x21, 0xf9, 4, 4, ...word(hundredths), 0, END_BLOCK); // the picture stays under the next one
    bytes.push(0x2c, ...word(left), ...word(top), ...word(right - left), ...word(bottom - top), 0, 8);
    const packed = compressed(part);
    for (let i = 0; i < packed.length; i += 255) {
      const block = packed.slice(i, i + 255);
      bytes.push(block.length, ...block);
    }
    bytes.push(END_BLOCK);
    before = now;
  }
  bytes.push(0x3b);
  return Uint8Array.from(bytes);
}

/**
 * The LZW code of indices of colours, with codes of 9 to 12 bits.
 * @param {number[]} indices
 */
export function compressed(indices) {
  const [clear, end] = [COLOURS, COLOURS + 1];
  /** @type {number[]} */
  const bytes = [];
  let [held, bits, size] = [0, 0, 9];
  const write = (/** @type {number} */ code) => {
    held |= code << bits;
    for (bits += size; bits >= 8; bits -= 8, held >>>= 8) bytes.push(held & 0xff);
  };
  /** Codes of a known code followed by an index. @type {Map<number, number>} */
  let known = new Map();
  let next = end + 1;
  write(clear);
  let code = indices[0];
  for (const index of indices.slice(1)) {
    const longer = known.get((code << 8) | index);
    if (longer !== undefined) {
      code = longer;
      continue;
    }
    write(code);
    if (next === MOST_CODES) {
      write(clear);
      [known, next, size] = [new Map(), end + 1, 9];
    } else {
      if (next === 1 << size) size += 1;
      known.set((code << 8) | index, next++);
    }
    code = index;
  }
  write(code);
  write(end);
  if (bits) bytes.push(held & 0xff);
  return bytes;
}

/** The commonest colours of pictures, with 5 bits for each part, as the mean of what has these bits. @param {Picture[]} pictures @returns {number[][]} */
function paletteOf(pictures) {
  /** @type {Map<number, [n: number, r: number, g: number, b: number]>} */
  const sums = new Map();
  for (const { data } of pictures) {
    for (let i = 0; i < data.length; i += 4) {
      const key = ((data[i] >> 3) << 10) | ((data[i + 1] >> 3) << 5) | (data[i + 2] >> 3);
      const sum = sums.get(key) ?? [0, 0, 0, 0];
      if (!sum[0]) sums.set(key, sum);
      sum[0] += 1;
      for (const part of [0, 1, 2]) sum[part + 1] += data[i + part];
    }
  }
  const common = [...sums.values()].sort((a, b) => b[0] - a[0]).slice(0, COLOURS);
  return common.map(([n, ...parts]) => parts.map((sum) => Math.round(sum / n)));
}

/** A function that finds the place of the nearest colour in a palette. @param {number[][]} palette @returns {(colour: number) => number} */
function nearestIn(palette) {
  /** @type {Map<number, number>} */
  const found = new Map();
  return (colour) => {
    const place = found.get(colour);
    if (place !== undefined) return place;
    const [r, g, b] = [colour >> 16, (colour >> 8) & 0xff, colour & 0xff];
    const far = palette.map((each) => (each[0] - r) ** 2 + (each[1] - g) ** 2 + (each[2] - b) ** 2);
    const best = far.indexOf(Math.min(...far));
    found.set(colour, best);
    return best;
  };
}

/** The rectangle in which two pictures differ; a single pixel if they are the same. @param {Uint8Array | null} before @param {Uint8Array} now @param {number} width @param {number} height */
function difference(before, now, width, height) {
  if (!before) return { left: 0, top: 0, right: width, bottom: height };
  let [left, top, right, bottom] = [width, height, 0, 0];
  for (let i = 0; i < now.length; i++) {
    if (now[i] === before[i]) continue;
    const [x, y] = [i % width, Math.floor(i / width)];
    [left, top, right, bottom] = [Math.min(left, x), Math.min(top, y), Math.max(right, x + 1), Math.max(bottom, y + 1)];
  }
  return right ? { left, top, right, bottom } : { left: 0, top: 0, right: 1, bottom: 1 };
}

/** @param {string} letters */
function text(letters) {
  return [...letters].map((letter) => letter.charCodeAt(0));
}

/** A number of two bytes, the lower one first. @param {number} n */
function word(n) {
  return [n & 0xff, n >> 8];
}
