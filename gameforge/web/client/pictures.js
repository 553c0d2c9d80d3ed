// The board as files: SVG, PNG, and an animated SVG or GIF of a whole game.

import { svg } from "./dom.js";
import { Geometry } from "./geometry.js";
import { gif } from "./gif.js";
import { drawGround, drawPiece } from "./pieces.js";

/** @typedef {import("./types.js").BoardView} BoardView */
/** @typedef {import("./types.js").PositionView} PositionView */

const FRAME = 1.1;
const PIXELS = 1024;
const GIF_PIXELS = 480;

/**
 * A picture of one position, or of several that follow each other.
 * @param {BoardView} board
 * @param {PositionView[]} positions
 * @param {boolean} flipped
 */
export function picture(board, positions, flipped) {
  const geometry = new Geometry(board, flipped);
  const { width, height } = geometry;
  const frames = positions.map((position, i) => frame(board, geometry, position, i, positions.length));
  const root = svg("svg", { xmlns: "http://www.w3.org/2000/svg", viewBox: `0 0 ${width} ${height}`, width, height }, drawGround(board, geometry), ...frames);
  return new XMLSerializer().serializeToString(root);
}

/** @param {BoardView} board @param {Geometry} geometry @param {PositionView} position @param {number} i @param {number} n */
function frame(board, geometry, position, i, n) {
  const stones = position.pieces.map(([cell, side, kind]) => {
    const [x, y] = geometry.centres[cell];
    return svg("g", { transform: `translate(${x} ${y})` }, drawPiece(board, side, kind));
  });
  const group = svg("g", {}, ...stones);
  if (n > 1) {
    group.setAttribute("visibility", "hidden");
    const [from, to] = [i / n, (i + 1) / n].map((time) => time.toFixed(5));
    const first = i === 0;
    group.append(svg("animate", {
      attributeName: "visibility", dur: `${(n * FRAME).toFixed(1)}s`, repeatCount: "indefinite", calcMode: "discrete",
      values: first ? "visible;hidden" : i === n - 1 ? "hidden;visible" : "hidden;visible;hidden",
      keyTimes: first ? `0;${to}` : i === n - 1 ? `0;${from}` : `0;${from};${to}`,
    }));
  }
  return group;
}

/** Turn an SVG picture into a PNG. @param {string} source @returns {Promise<Blob>} */
export async function toPng(source) {
  const { canvas } = await painted(source, PIXELS);
  return new Promise((resolve, reject) => canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("no picture"))), "image/png"));
}

/** Turn SVG pictures of one size into an animated GIF. @param {string[]} sources @returns {Promise<Blob>} */
export async function toGif(sources) {
  const pictures = [];
  for (const source of sources) {
    const canvas = await painted(source, GIF_PIXELS);
    pictures.push(canvas.getImageData(0, 0, canvas.canvas.width, canvas.canvas.height));
  }
  return new Blob([gif(pictures, Math.round(100 * FRAME))], { type: "image/gif" });
}

/** Paint an SVG picture. @param {string} source @param {number} width In pixels. */
async function painted(source, width) {
  const image = new Image();
  image.src = `data:image/svg+xml,${encodeURIComponent(source)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [width, Math.round((image.naturalHeight * width) / image.naturalWidth)];
  const context = canvas.getContext("2d", { willReadFrequently: true });
  if (!context) throw new Error("this browser paints no pictures");
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  return context;
}

/** Let the browser save a file. @param {string} name @param {Blob} content */
export function download(name, content) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
