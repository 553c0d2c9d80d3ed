// The course of a game as a graph, with its mistakes, on which one can click.

import { svg } from "./dom.js";

const WIDTH = 600;

/**
 * The value of each position of a game for the first mover, from -1 to 1, with the mistakes marked.
 * @param {number[]} scores
 * @param {{index: number, mark: string}[]} mistakes
 * @param {number} current
 * @param {(index: number) => void} jump
 */
export function gameGraph(scores, mistakes, current, jump) {
  const height = 150;
  const x = (/** @type {number} */ i) => (scores.length < 2 ? 0 : (i / (scores.length - 1)) * WIDTH);
  const y = (/** @type {number} */ score) => height / 2 - (Math.max(-1, Math.min(1, score)) * (height - 12)) / 2;
  const points = scores.map((score, i) => `${x(i).toFixed(1)},${y(score).toFixed(1)}`);
  const graph = svg("svg", {
    class: "graph", viewBox: `0 0 ${WIDTH} ${height}`, role: "img", preserveAspectRatio: "none",
    "aria-label": `The course of the game: ${mistakes.length} marked moves`,
    click: (/** @type {MouseEvent} */ event) => {
      const box = graph.getBoundingClientRect();
      jump(Math.round(((event.clientX - box.left) / box.width) * (scores.length - 1)));
    },
  },
  svg("polygon", { class: "area", points: `0,${height / 2} ${points.join(" ")} ${WIDTH},${height / 2}` }),
  svg("line", { class: "axis", x1: 0, x2: WIDTH, y1: height / 2, y2: height / 2 }),
  svg("polyline", { class: "line", points: points.join(" ") }),
  svg("line", { class: "now", x1: x(current), x2: x(current), y1: 0, y2: height }),
  ...mistakes.map(({ index, mark }) => svg("ellipse", { class: mark.length > 1 ? "blunder" : "mistake", cx: x(index), cy: y(scores[index]), rx: 5, ry: 5 })));
  return graph;
}
