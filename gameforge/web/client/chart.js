// Charts as SVG: lines over a number of points, of which some can be marked and clicked.

import { svg } from "./dom.js";

/**
 * @typedef {object} Series
 * @property {string} name
 * @property {[number, number][]} points
 * @property {string} [colour]
 */

const WIDTH = 600;
const CURVES = 420; // about as many pixels, so that the numbers can be read

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

const COLOURS = ["#3b9670", "#cf7f2c", "#5a8ace", "#c25a8a", "#96963a", "#8c70c8", "#2f9f9f", "#b06e4e"]; // visible on light and dark backgrounds

/**
 * Curves with axes.
 * @param {string} title
 * @param {Series[]} series
 */
export function curves(title, series) {
  const [height, left, bottom] = [170, 44, 20];
  const all = series.flatMap(({ points }) => points).filter(([, b]) => Number.isFinite(b));
  const xs = all.map(([a]) => a);
  const ys = all.map(([, b]) => b);
  const [x0, x1] = [Math.min(...xs), Math.max(...xs)];
  const ticks = ticksOf(Math.min(...ys), Math.max(...ys));
  const [y0, y1] = [ticks[0], ticks[ticks.length - 1]];
  const x = (/** @type {number} */ a) => left + ((a - x0) / (x1 - x0 || 1)) * (CURVES - left - 8);
  const y = (/** @type {number} */ b) => height - bottom - ((b - y0) / (y1 - y0 || 1)) * (height - bottom - 10);
  return svg("svg", { class: "curves", viewBox: `0 0 ${CURVES} ${height}`, role: "img", "aria-label": title },
    ...(all.length ? ticks.flatMap((tick) => [
      svg("line", { class: "grid", x1: left, x2: CURVES - 8, y1: y(tick), y2: y(tick) }),
      svg("text", { class: "tick", x: left - 6, y: y(tick) + 4, "text-anchor": "end" }, short(tick)),
    ]) : []),
    ...(all.length ? [...new Set([x0, x1])].map((end, i) => svg("text", { class: "tick", x: x(end), y: height - 6, "text-anchor": i ? "end" : "start" }, short(end))) : []),
    ...series.filter(({ points }) => points.length === 1).map(({ points: [[a, b]], colour }, i) => svg("circle", { fill: colour ?? colourOf(i), cx: x(a), cy: y(b), r: 4 })),
    ...series.map(({ points, colour }, i) => svg("polyline", {
      class: "curve", stroke: colour ?? colourOf(i),
      points: points.filter(([, b]) => Number.isFinite(b)).map(([a, b]) => `${x(a).toFixed(1)},${y(b).toFixed(1)}`).join(" "),
    })));
}

/** The colour of a series. @param {number} i */
export function colourOf(i) {
  return COLOURS[i % COLOURS.length];
}

/** Round numbers, at equal distances, around a range: about five. @param {number} low @param {number} high @returns {number[]} */
export function ticksOf(low, high) {
  if (!(high >= low)) return [0, 1];
  const rough = (high - low || Math.abs(high) || 1) / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 2.5, 5].find((each) => each * power >= rough * (1 - 1e-9)) ?? 10) * power;
  const [first, last] = [Math.floor(low / step + 1e-9), Math.max(Math.ceil(high / step - 1e-9), Math.floor(low / step + 1e-9) + 1)];
  return Array.from({ length: last - first + 1 }, (_, i) => Number(((first + i) * step).toPrecision(12)));
}

/** @param {number} value */
function short(value) {
  const size = Math.abs(value);
  return size >= 1e5 ? value.toExponential(0) : size >= 1000 ? String(Math.round(value)) : String(Number(value.toPrecision(3)));
}
