// The report of a study while it runs: its trials so far, tables, and learning curves with bands.

import { colourOf } from "./curves.js";
import { el, fill } from "./dom.js";
import { table } from "./matchview.js";
import { Chart } from "./plot.js";

/** @typedef {{variant: string, figure: string, axes: Record<string, number[]>, mean: number[], low: number[], high: number[]}} StudyCurve */
/** @typedef {{state: string, title: string, ended: number, wanted: number, tables: {name: string, rows: Record<string, string>[]}[], curves: StudyCurve[]}} StudyView */

const GAMES = "training games";

export class StudyReport {
  /** @param {import("./main.js").App} app */
  constructor(app) {
    this.app = app;
    /** The folder that is shown. */
    this.path = "";
    /** @type {AbortController | null} */
    this.following = null;
    this.title = el("h3", {});
    this.tables = el("div");
    this.charts = [GAMES, "seconds"].map((axis) => ({ axis, chart: new Chart(`Strength by ${axis}`) }));
    this.figures = el("div", { class: "charts" }, ...this.charts.map(({ chart }) => chart.element));
    this.element = el("div", { class: "study" }, this.title, this.tables, this.figures);
    this.element.hidden = true;
  }

  /** @param {string} path */
  async follow(path) {
    this.leave();
    this.path = path;
    const following = new AbortController();
    this.following = following;
    const show = (/** @type {StudyView} */ view) => this.following === following && this.show(view);
    const last = await this.app.desk.try(() => this.app.connection.ask("study", { path }, { signal: following.signal, update: show }));
    if (last) show(last);
  }

  leave() {
    this.following?.abort();
    this.following = null;
  }

  resume() {
    if (this.path) this.follow(this.path);
  }

  /** @param {StudyView} view */
  show({ state, title, ended, wanted, tables, curves }) {
    this.element.hidden = false;
    this.title.textContent = `${title}: ${ended} of ${wanted} trials, ${state}`;
    fill(this.tables, ...tables.map(({ name, rows }) => {
      const head = Object.keys(rows[0] ?? {});
      return el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": name }, el("h4", {}, name), table(head, rows.map((row) => head.map((column) => row[column]))));
    }));
    for (const { axis, chart } of this.charts) {
      const series = curves.flatMap(({ variant, axes, mean, low, high }, i) => (axes[axis] ? [{ name: variant, colour: colourOf(i), x: axes[axis], y: mean, low, high }] : []));
      chart.element.hidden = !series.length;
      if (series.length) chart.draw(series, axis);
    }
  }
}
