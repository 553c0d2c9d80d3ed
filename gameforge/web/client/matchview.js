// The figures of matches and tournaments: tables, the sequential test, the course of the score.

import { colourOf } from "./curves.js";
import { el, svg } from "./dom.js";

/**
 * @typedef {object} MatchFigures
 * @property {any} result
 * @property {string} elo
 * @property {[number, number] | null} bounds Of the log-likelihood ratio, if there is a sequential test.
 * @property {string} text
 * @property {string[]} crashes
 * @property {string[]} warnings
 * @property {[number, number][]} course
 */

/** @typedef {{name: string, elo: number, error: number, points: number, games: number, cells: string[]}} Row */

/** @typedef {{rows: Row[], games: number, distinct: number, warnings: string[]}} Standings */

/** The table of a match with its error bars. @param {MatchFigures} view */
export function matchTable({ result, elo, text }) {
  const [first, second] = result.players;
  const rows = [
    [first, result.wins, result.draws, result.losses, percent(result.score)],
    [second, result.losses, result.draws, result.wins, percent(result.score === null ? null : 1 - result.score)],
  ];
  return el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Score" },
    table(["Player", "Won", "Drawn", "Lost", "Score"], rows),
    el("p", { class: "figures" }, !result.games ? text : [elo, count(result), times(result)].filter(Boolean).join(" · ")));
}

/** @param {any} result */
function times(result) {
  const [first, second] = result.seconds_per_move.map((/** @type {number | null} */ s) => (s === null ? "–" : s < 1e-4 ? "under 0.1 ms" : `${Number((1000 * s).toPrecision(2))} ms`));
  return `${first} and ${second} per move`;
}

/** The number of games and of distinct ones. @param {{games: number, distinct: number}} played */
function count({ games, distinct }) {
  return `${games} games, ${distinct} distinct`;
}

/** The crosstable of a tournament. @param {Standings} standings */
export function crosstable(standings) {
  const { rows } = standings;
  const head = ["", "Player", "Elo", "±", "Points", "Games", ...rows.map((_, i) => String(i + 1))];
  const body = rows.map((row, i) => [i + 1, row.name, signed(row.elo), row.error.toFixed(0), row.points, row.games, ...row.cells.map((cell, j) => (i === j ? "■" : cell))]);
  return el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Crosstable" }, table(head, body, 1),
    el("p", { class: "figures" }, count(standings)));
}

/** A table. @param {string[]} head @param {(string | number)[][]} body @param {number} [text] The column of names. */
export function table(head, body, text = 0) {
  const cell = (/** @type {"th" | "td"} */ tag) => (/** @type {string | number} */ value, /** @type {number} */ i) =>
    el(tag, { class: i === text ? "name" : null, scope: tag === "th" ? "col" : null }, String(value));
  return el("table", { class: "cross" },
    el("thead", {}, el("tr", {}, ...head.map(cell("th")))),
    el("tbody", {}, ...body.map((row) => el("tr", {}, ...row.map(cell("td"))))));
}

/** The log-likelihood ratio between its bounds. @param {MatchFigures} view */
export function sprtBar({ result, bounds }) {
  if (!bounds || !result.sprt) return null;
  const { llr, accepted, elo0, elo1, model } = result.sprt;
  const [low, high] = bounds;
  const [width, height] = [400, 34];
  const x = (/** @type {number} */ value) => ((Math.max(low, Math.min(high, value)) - low) / (high - low)) * width;
  const verdict = accepted ? `${accepted} accepted` : "nothing accepted yet";
  const text = `SPRT ${elo0}, ${elo1} (${model} Elo): LLR ${llr.toFixed(2)} (${low.toFixed(2)}, ${high.toFixed(2)}), ${verdict}`;
  return el("div", { class: "sprt" }, el("p", { class: "figures" }, text),
    svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": text, class: "sprt-bar" },
      svg("rect", { class: "sprt-ground", x: 0, y: 12, width, height: 10, rx: 5 }),
      svg("rect", { class: `sprt-share ${llr < 0 ? "low" : "high"}`, x: Math.min(x(0), x(llr)), y: 12, width: Math.abs(x(llr) - x(0)), height: 10 }),
      svg("line", { class: "sprt-zero", x1: x(0), x2: x(0), y1: 6, y2: 28 })),
    el("div", { class: "sprt-ends" }, el("span", {}, `H0: ${elo0}`), el("span", {}, `H1: ${elo1}`)));
}

/** The curve of the course of a match. @param {MatchFigures} view @returns {import("./curves.js").Series} */
export function course(view) {
  return { name: "score", colour: colourOf(0), x: view.course.map(([games]) => games), y: view.course.map(([, score]) => score) };
}

/** @param {number | null} share */
function percent(share) {
  return share === null ? "" : `${(100 * share).toFixed(1)} %`;
}

/** @param {number} elo */
function signed(elo) {
  return `${elo < 0 ? "−" : "+"}${Math.abs(elo).toFixed(0)}`;
}
