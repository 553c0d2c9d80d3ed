// Following trainings: the runs of a folder, their curves live and compared, and their games.

import { colourOf, curves } from "./chart.js";
import { treeOf } from "./filing.js";
import { button, el, fill } from "./dom.js";

/** @typedef {{path: string, kind: string, game: string, state: string, detail: string}} Folder */
/** @typedef {{state: string, game: string, detail: string, curves: Record<string, [number, number][]>, settings: string}} RunView */

export class Runs {
  /** @param {import("./main.js").App} app */
  constructor(app) {
    this.app = app;
    /** The runs that are shown. @type {Map<string, {view: RunView | null, follow: AbortController}>} */
    this.chosen = new Map();
    this.list = el("div", { class: "folders", role: "group", "aria-label": "Runs" });
    this.charts = el("div", { class: "charts" });
    this.about = el("div", { class: "about" });
    this.element = el("div", { class: "follow" },
      el("aside", {}, el("h2", {}, "Runs"), this.list), el("section", { "aria-label": "Curves" }, this.charts, this.about));
  }

  async enter() {
    fill(this.app.main, this.element);
    const answer = await this.app.desk.try(() => this.app.connection.ask("folders"));
    /** @type {Folder[]} */
    const runs = (answer?.folders ?? []).filter((/** @type {Folder} */ { kind }) => kind === "run");
    fill(this.list,
      ...runs.map((run) => this.row(run)),
      ...(answer?.damaged ?? []).map((/** @type {string} */ text) => el("p", { class: "damaged" }, text)),
      runs.length ? null : el("p", { class: "empty" }, answer ? "There are no runs in this folder yet." : "Start gameforge web with --runs FOLDER to follow its trainings."));
    this.draw();
  }

  leave() {
    for (const { follow } of this.chosen.values()) follow.abort();
    this.chosen.clear();
  }

  resume() {
    const paths = [...this.chosen.keys()];
    this.leave();
    for (const path of paths) this.follow(path);
  }

  /** @param {Folder} run */
  row(run) {
    const box = el("input", { type: "checkbox", change: () => (box.checked ? this.follow(run.path) : this.drop(run.path)) });
    return el("label", { class: "folder" }, box, el("span", {}, run.path, el("small", {}, `${run.game}, ${run.state}, ${run.detail}`)));
  }

  /** @param {string} path */
  async follow(path) {
    const follow = new AbortController();
    this.chosen.set(path, { view: null, follow });
    const show = (/** @type {RunView} */ view) => {
      const chosen = this.chosen.get(path);
      if (chosen?.follow !== follow) return;
      chosen.view = view;
      this.draw();
    };
    const last = await this.app.desk.try(() => this.app.connection.ask("run", { path }, { signal: follow.signal, update: show }));
    if (last) show(last);
  }

  /** @param {string} path */
  drop(path) {
    this.chosen.get(path)?.follow.abort();
    this.chosen.delete(path);
    this.draw();
  }

  draw() {
    const runs = [...this.chosen].flatMap(([path, { view }]) => (view ? [{ path, view }] : []));
    const names = [...new Set(runs.flatMap(({ view }) => Object.keys(view.curves)))];
    fill(this.charts, ...names.map((name) => el("figure", {},
      el("figcaption", {}, name),
      curves(name, runs.flatMap(({ path, view }, i) => (view.curves[name] ? [{ name: path, points: view.curves[name], colour: colourOf(i) }] : []))))));
    fill(this.about, ...runs.map(({ path, view }, i) => this.describe(path, view, i)));
  }

  /** @param {string} path @param {RunView} view @param {number} i */
  describe(path, view, i) {
    const dot = el("span", { class: "dot", "aria-hidden": "true" });
    dot.style.background = colourOf(i);
    return el("details", {}, el("summary", {}, dot, `${path}: ${view.state}, ${view.detail}`),
      button("Games", () => this.games(path, view.game)), el("pre", {}, view.settings));
  }

  /** Offer the newest games of a run, to replay them in the analysis. @param {string} path @param {string} game */
  async games(path, game) {
    const answer = await this.app.desk.try(() => this.app.connection.ask("games", { path, game }));
    if (!answer) return;
    const dialog = el("dialog", { class: "list", "aria-label": "Games" }, el("h2", {}, "Games, the newest first"));
    const rows = answer.games.map((/** @type {import("./filing.js").StoredGame} */ stored, /** @type {number} */ i) =>
      button(`${answer.begin + i + 1}. ${stored.event} ${stored.title} ${stored.result}`, () => {
        dialog.close();
        this.app.analyseGame(game, treeOf(stored), stored.players);
      }));
    dialog.append(el("div", { class: "rows" }, ...rows.reverse()), button("Cancel", () => dialog.close()));
    dialog.addEventListener("close", () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
  }
}
