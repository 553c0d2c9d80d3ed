// The drawing of the ground, the cells and the pieces. Everything has its colours in attributes, so that a board can be
// saved as an SVG file of its own.

import { svg } from "./dom.js";
import { UNIT, isLight, mix } from "./geometry.js";
import { dressed, preferences } from "./preferences.js";

/** @typedef {import("./types.js").BoardView} BoardView */
/** @typedef {import("./types.js").Stroke} Stroke */
/** @typedef {import("./geometry.js").Geometry} Geometry */

const RADIUS = { square: 0.39, hole: 0.42, point: 0.33 };
const CROWN = "M-19 13 L-23 -11 L-9 -1 L0 -17 L9 -1 L23 -11 L19 13 Z";

/** The ground with its cells and lines, and the names of the cells. @param {BoardView} board @param {Geometry} geometry */
export function drawGround(board, geometry) {
  board = dressed(board);
  const { width, height } = geometry;
  const light = mix(board.ground, "#fbf3df", board.chequered ? 0.86 : 0);
  /** @type {SVGElement[]} */
  const parts = [svg("rect", { width, height, rx: board.shape === "square" ? 4 : 14, fill: light })];
  const line = mix(board.ground, "#000000", 0.38);
  for (const [a, b] of board.lines) {
    const [[x1, y1], [x2, y2]] = [geometry.centres[a], geometry.centres[b]];
    parts.push(svg("line", { x1, y1, x2, y2, stroke: line, "stroke-width": 4, "stroke-linecap": "round" }));
  }
  geometry.centres.forEach(([cx, cy], cell) => parts.push(drawCell(board, geometry, cell, cx, cy, line)));
  return svg("g", { "aria-hidden": "true" }, ...parts, ...drawNames(board, geometry));
}

/** @param {BoardView} board @param {Geometry} geometry @param {number} cell @param {number} cx @param {number} cy @param {string} line */
function drawCell(board, geometry, cell, cx, cy, line) {
  if (board.shape === "point") return svg("circle", { cx, cy, r: 9, fill: line });
  if (board.shape === "hole") {
    return svg("circle", { cx, cy, r: RADIUS.hole * UNIT, fill: mix(board.ground, "#000000", 0.45) });
  }
  const dark = !board.chequered || geometry.isDark(cell);
  return svg("rect", {
    x: cx - UNIT / 2, y: cy - UNIT / 2, width: UNIT, height: UNIT,
    fill: dark ? board.ground : "none",
    stroke: board.chequered ? "none" : line,
    "stroke-width": 2.5,
  });
}

/** Names in the cells, or letters and numbers at the edges if the names are such. @param {BoardView} board @param {Geometry} geometry */
function drawNames(board, geometry) {
  const edges = board.names.every((name) => /^[a-z][0-9]+$/.test(name));
  const colour = mix(board.ground, isLight(board.ground) ? "#000000" : "#ffffff", 0.5);
  if (!edges) {
    return geometry.centres.map(([x, y], cell) => name(board.names[cell], x - 46, y - 33, colour, "start"));
  }
  if (board.shape === "hole") return [];
  const bottom = Math.max(...geometry.centres.map(([, y]) => y));
  const left = Math.min(...geometry.centres.map(([x]) => x));
  /** @type {Map<string, number>} */
  const letters = new Map();
  /** @type {Map<string, number>} */
  const numbers = new Map();
  board.names.forEach((text, cell) => {
    letters.set(text[0], geometry.centres[cell][0]);
    numbers.set(text.slice(1), geometry.centres[cell][1]);
  });
  if (board.shape === "point") {
    return [
      ...[...letters].map(([text, x]) => name(text, x, bottom + 66, colour, "middle")),
      ...[...numbers].map(([text, y]) => name(text, left - 56, y + 8, colour, "middle")),
    ];
  }
  /** On a light square, the ground is what can be read. @param {number} x @param {number} y */
  const colourAt = (x, y) => {
    const cell = geometry.centres.findIndex(([a, b]) => a === x && b === y);
    return board.chequered && (cell < 0 || !geometry.isDark(cell)) ? board.ground : colour;
  };
  return [
    ...[...letters].map(([text, x]) => name(text, x + 43, bottom + 43, colourAt(x, bottom), "end")),
    ...[...numbers].map(([text, y]) => name(text, left - 43, y - 26, colourAt(left, y), "start")),
  ];
}

/** @param {string} text @param {number} x @param {number} y @param {string} fill @param {string} anchor */
function name(text, x, y, fill, anchor) {
  const font = { "font-size": 17, "font-weight": 600, "font-family": "system-ui, sans-serif" };
  return svg("text", { x, y, fill, "text-anchor": anchor, ...font }, text);
}

/** The colour of what a side owns, or of what belongs to nobody. @param {BoardView} board @param {number} side */
const colourOf = (board, side) => board.colours[side] ?? "#8a8a80";

/** A line, a wall or an arrow. @param {BoardView} board @param {Geometry} geometry @param {Stroke} stroke */
export function drawStroke(board, geometry, [look, from, to, side]) {
  const [[x1, y1], [x2, y2]] = [geometry.centres[from], geometry.centres[to]];
  const angle = (Math.atan2(y2 - y1, x2 - x1) * 180) / Math.PI;
  const length = Math.hypot(x2 - x1, y2 - y1);
  const style = { stroke: colourOf(board, side), "stroke-width": 10, "stroke-linecap": "round", "stroke-linejoin": "round", fill: "none" };
  const half = length / 2 - 6;
  const path = {
    line: `M${-length / 2} 0 H${length / 2}`,
    wall: `M0 ${-half} V${half}`,
    arrow: `M${-half} 0 H${half} M${half - 18} -16 L${half} 0 L${half - 18} 16`,
  }[look];
  return svg("path", { d: path, transform: `translate(${(x1 + x2) / 2} ${(y1 + y2) / 2}) rotate(${angle})`, "data-stroke": look, ...style });
}

/** A piece around the point (0, 0). @param {BoardView} board @param {number} side @param {string} kind */
export function drawPiece(board, side, kind) {
  const radius = RADIUS[board.shape] * UNIT;
  const fill = colourOf(board, side);
  const edge = mix(fill, "#000000", isLight(fill) ? 0.32 : 0.6);
  const groove = mix(fill, isLight(fill) ? "#000000" : "#ffffff", 0.2);
  const parts = [];
  const look = preferences.pieces;
  if (board.shape !== "hole" && look !== "flat") parts.push(svg("circle", { cy: 4, r: radius, fill: "#000000", opacity: 0.28 }));
  parts.push(svg("circle", { r: radius, fill, stroke: edge, "stroke-width": look === "flat" ? 4 : 2 }));
  if (look === "rings") parts.push(svg("circle", { r: radius * 0.72, fill: "none", stroke: groove, "stroke-width": 2.5 }));
  if (look === "smooth") parts.push(svg("ellipse", { cx: -radius * 0.25, cy: -radius * 0.35, rx: radius * 0.5, ry: radius * 0.38, fill: "#ffffff", opacity: isLight(fill) ? 0.55 : 0.18 }));
  const ink = isLight(fill) ? mix(fill, "#5a3d12", 0.8) : mix(fill, "#f2d58a", 0.9);
  if (kind === "king") parts.push(svg("path", { d: CROWN, fill: ink, stroke: ink, "stroke-width": 4, "stroke-linejoin": "round" }));
  else if (kind) {
    const font = { "font-size": 40, "font-weight": 700, "font-family": "system-ui, sans-serif" };
    parts.push(svg("text", { y: 14, fill: ink, "text-anchor": "middle", ...font }, kind[0].toUpperCase()));
  }
  return svg("g", {}, ...parts);
}
