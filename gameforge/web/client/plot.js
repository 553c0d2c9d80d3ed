// Charts with a cursor, a legend with values, and zoom, painted by uPlot, which is loaded with the first chart.

import { joined, smoothed } from "./curves.js";
import { el, fill } from "./dom.js";

/** @typedef {import("./curves.js").Series} Series */

/**
 * @typedef {object} Look How curves are drawn.
 * @property {number} smooth Weight of the moving average.
 * @property {boolean} logX
 * @property {boolean} logY
 */

/** @type {Look} */
export const PLAIN = { smooth: 0, logX: false, logY: false };
const HEIGHT = 190;
const FOLDER = "/client/vendor/uplot";

/** @type {Promise<any> | null} */
let library = null;

/** Load uPlot, once. @returns {Promise<any>} */
function uPlot() {
  library ??= new Promise((loaded, failed) => {
    const script = el("script", { src: `${FOLDER}/uPlot.iife.min.js`, load: () => loaded(/** @type {any} */ (window).uPlot), error: () => failed(new Error("the charts could not be loaded")) });
    document.head.append(el("link", { rel: "stylesheet", href: `${FOLDER}/uPlot.min.css` }), script);
  });
  return library;
}

/** A chart with a title; it is painted again whenever its data change. */
export class Chart {
  /** @param {string} title */
  constructor(title) {
    this.title = title;
    this.place = el("div", { class: "plot", role: "img" });
    this.element = el("figure", {}, el("figcaption", {}, title), this.place);
    /** @type {any} */
    this.plot = null;
    /** What the painted chart depends on besides its data. */
    this.shape = "";
    this.round = 0;
    /** Whether a person has chosen a part of it, which new data leave as it is. */
    this.zoomed = false;
    this.watcher = new ResizeObserver(() => this.plot?.setSize({ width: this.place.clientWidth, height: HEIGHT }));
    this.watcher.observe(this.place);
  }

  /**
   * @param {Series[]} series
   * @param {string} axis What x counts.
   * @param {Look} [look]
   */
  async draw(series, axis, look = PLAIN) {
    const round = ++this.round;
    this.place.setAttribute("aria-label", described(this.title, series, axis));
    const shown = series.map((one) => ({ ...one, y: smoothed(one.y, look.smooth) }));
    const { x, columns } = joined(shown);
    const positive = (/** @type {(number | null)[]} */ values) => values.every((value) => value === null || value > 0);
    const [logX, logY] = [look.logX && positive(x), look.logY && columns.every(positive)];
    const shape = JSON.stringify([axis, logX, logY, x.length > 60, shown.map(({ name, colour, low }) => [name, colour, Boolean(low)])]);
    const UPlot = await uPlot();
    if (round !== this.round) return;
    const data = [x, ...columns];
    if (this.plot && shape === this.shape) return this.plot.setData(data, !this.zoomed);
    this.shape = shape;
    this.zoomed = false;
    this.plot?.destroy();
    fill(this.place);
    this.plot = new UPlot(this.options(shown, axis, logX, logY, x.length), data, this.place);
  }

  /** @param {Series[]} series @param {string} axis @param {boolean} logX @param {boolean} logY @param {number} points */
  options(series, axis, logX, logY, points) {
    const style = getComputedStyle(document.documentElement);
    const [soft, line] = [style.getPropertyValue("--soft"), style.getPropertyValue("--line")];
    const axes = { stroke: soft, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 } };
    /** @type {any[]} */
    const columns = [{ label: axis, value: (/** @type {any} */ _, /** @type {number | null} */ v) => short(v) }];
    /** @type {any[]} */
    const bands = [];
    for (const { name, colour, low } of series) {
      columns.push({ label: name, stroke: colour, width: 2, spanGaps: true, points: { show: points <= 60, size: 5, fill: colour }, value: (/** @type {any} */ _, /** @type {number | null} */ v) => short(v) });
      if (!low) continue;
      const edge = { stroke: "transparent", width: 0, points: { show: false }, spanGaps: true, value: (/** @type {any} */ _, /** @type {number | null} */ v) => short(v) };
      bands.push({ series: [columns.length + 1, columns.length], fill: `${colour}33` });
      columns.push({ ...edge, label: "lowest" }, { ...edge, label: "highest" });
    }
    return {
      width: this.place.clientWidth || 300, height: HEIGHT, series: columns, bands,
      scales: { x: { time: false, ...(logX && { distr: 3 }) }, y: logY ? { distr: 3 } : {} },
      axes: [{ ...axes, size: 34, values: texts }, { ...axes, size: 52, values: texts }],
      cursor: { sync: { key: "charts" }, drag: { x: true, y: false }, bind: { dblclick: (/** @type {any} */ _, /** @type {any} */ __, /** @type {(event: Event) => void} */ whole) => (/** @type {Event} */ event) => ((this.zoomed = false), whole(event)) } },
      hooks: { setSelect: [(/** @type {any} */ plot) => (this.zoomed ||= plot.select.width > 0)] },
    };
  }

  close() {
    this.watcher.disconnect();
    this.plot?.destroy();
    this.plot = null;
  }
}

/** The labels of an axis. @param {any} _ @param {(number | null)[]} splits */
function texts(_, splits) {
  return splits.map((value) => (value === null ? "" : short(value)));
}

/** The chart in words: its curves with their last values. @param {string} title @param {Series[]} series @param {string} axis */
function described(title, series, axis) {
  const ends = series.map(({ name, y }) => `${name} ${short(y.findLast((value) => value !== null) ?? null)}`);
  return `${title} by ${axis}; at the end ${ends.join(", ") || "nothing"}`;
}

/** A number with three or more digits. @param {number | null} value */
export function short(value) {
  if (value === null || value === undefined) return "–";
  const size = Math.abs(value);
  if (size >= 1e6) return `${Number((value / 1e6).toPrecision(3))}M`;
  if (size >= 1e4) return `${Number((value / 1e3).toPrecision(3))}k`;
  return String(size >= 1000 ? Math.round(value) : Number(value.toPrecision(3)));
}
