// The curves of several runs: what they are drawn against and how, and a chart for each figure.

import { band, bySettings, commonAxes, curvesOf } from "./curves.js";
import { el, fill } from "./dom.js";
import { Chart, PLAIN } from "./plot.js";

/** @typedef {import("./curves.js").ShownRun} ShownRun */

const KEPT = "gameforge charts";
const NAMES = new Map([["seconds", "seconds of training"]]);

export class Charts {
  constructor() {
    /** @type {ShownRun[]} */
    this.runs = [];
    /** The charts by their figures. @type {Map<string, Chart>} */
    this.charts = new Map();
    this.look = { ...PLAIN, axis: "", bands: false, ...kept() };
    this.axis = el("select", { "aria-label": "Draw against", change: () => this.change({ axis: this.axis.value }) });
    this.smooth = el("input", { type: "range", min: 0, max: 0.98, step: 0.02, "aria-label": "Smoothing", input: () => this.change({ smooth: this.smooth.valueAsNumber }) });
    this.smooth.valueAsNumber = this.look.smooth;
    this.tools = el("div", { class: "chart-tools", role: "group", "aria-label": "Curves" },
      el("label", {}, "Against ", this.axis), el("label", {}, "Smoothing ", this.smooth),
      this.box("Logarithmic x", "logX"), this.box("Logarithmic y", "logY"), this.box("Bands over seeds", "bands"),
      el("span", { class: "zooming" }, "Drag to zoom, double-click for the whole."));
    this.tools.hidden = true;
    this.figures = el("div", { class: "charts" });
    this.element = el("div", {}, this.tools, this.figures);
  }

  /** @param {string} text @param {"logX" | "logY" | "bands"} key */
  box(text, key) {
    const box = el("input", { type: "checkbox", checked: this.look[key], change: () => this.change({ [key]: box.checked }) });
    return el("label", {}, box, ` ${text}`);
  }

  /** @param {Partial<typeof this.look>} changes */
  change(changes) {
    Object.assign(this.look, changes);
    try {
      localStorage.setItem(KEPT, JSON.stringify(this.look));
    } catch {
      // The browser allows no storage; the choice then lasts as long as the page.
    }
    this.show(this.runs);
  }

  /** @param {ShownRun[]} runs */
  show(runs) {
    this.runs = runs;
    const axes = commonAxes(runs);
    const axis = axes.includes(this.look.axis) ? this.look.axis : axes[0] ?? "";
    if (axes.join() !== [...this.axis.options].map(({ value }) => value).join()) fill(this.axis, ...axes.map((name) => el("option", { value: name }, NAMES.get(name) ?? name)));
    this.axis.value = axis;
    this.tools.hidden = !runs.length;
    const figures = [...new Set(runs.flatMap(({ view }) => Object.keys(view.curves)))];
    for (const [figure, chart] of this.charts) {
      if (figures.includes(figure)) continue;
      chart.close();
      this.charts.delete(figure);
    }
    for (const figure of figures) if (!this.charts.has(figure)) this.charts.set(figure, new Chart(figure));
    const elements = figures.flatMap((figure) => this.charts.get(figure)?.element ?? []);
    if (elements.some((one, i) => this.figures.children[i] !== one) || elements.length !== this.figures.children.length) fill(this.figures, ...elements);
    for (const figure of figures) this.charts.get(figure)?.draw(this.series(figure, axis), NAMES.get(axis) ?? axis, this.look);
  }

  /** @param {string} figure @param {string} axis */
  series(figure, axis) {
    if (!this.look.bands) return curvesOf(figure, this.runs, axis);
    return bySettings(this.runs).flatMap((group) => {
      const series = curvesOf(figure, group, axis);
      return series.length ? [band(series)] : [];
    });
  }
}

/** What was chosen last. @returns {object} */
function kept() {
  try {
    return JSON.parse(localStorage.getItem(KEPT) ?? "{}");
  } catch {
    return {};
  }
}
