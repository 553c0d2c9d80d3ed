// What is drawn over the board: arrows for moves, and short texts on cells.

import { svg } from "./dom.js";
import { UNIT } from "./geometry.js";

/** @typedef {import("./board.js").Board} Board */

const HEAD = 30;

/**
 * An arrow along the cells of a move, or a ring if it has one cell.
 * @param {Board} board
 * @param {number[]} path
 * @param {string} kind A class that gives the colour.
 * @param {number} strength From 0 to 1: how thick and how visible it is.
 * @returns {SVGElement[]}
 */
export function arrow(board, path, kind, strength) {
  const points = path.map((cell) => board.geometry.centres[cell]);
  const width = 7 + 11 * strength;
  const look = { class: `arrow ${kind}`, "stroke-width": width, opacity: 0.35 + 0.5 * strength };
  if (!points.length) return [];
  if (points.length === 1) return [svg("circle", { ...look, fill: "none", cx: points[0][0], cy: points[0][1], r: 0.43 * UNIT })];
  const [[x, y], [fromX, fromY]] = [points[points.length - 1], points[points.length - 2]];
  const length = Math.hypot(x - fromX, y - fromY) || 1;
  const [dx, dy] = [(x - fromX) / length, (y - fromY) / length];
  const head = HEAD + width;
  const [baseX, baseY] = [x - dx * head, y - dy * head];
  const shaft = [...points.slice(0, -1), [baseX, baseY]].map((point) => point.join(",")).join(" ");
  const tip = [[x, y], [baseX - (dy * head) / 2, baseY + (dx * head) / 2], [baseX + (dy * head) / 2, baseY - (dx * head) / 2]];
  return [svg("g", { class: look.class, opacity: look.opacity },
    svg("polyline", { points: shaft, fill: "none", "stroke-width": width, "stroke-linejoin": "round", "stroke-linecap": "round" }),
    svg("polygon", { points: tip.map((point) => point.join(",")).join(" "), stroke: "none" }))];
}

/** A short text in the upper right corner of a cell. @param {Board} board @param {number} cell @param {string} text @param {string} kind @returns {SVGElement} */
export function badge(board, cell, text, kind) {
  const [x, y] = board.geometry.centres[cell];
  const width = 18 + 17 * text.length;
  return svg("g", { class: `badge ${kind}` },
    svg("rect", { x: x + 48 - width, y: y - 47, width, height: 36, rx: 10 }),
    svg("text", { x: x + 48 - width / 2, y: y - 20, "text-anchor": "middle" }, text));
}
