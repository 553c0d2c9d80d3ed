// Following trainings: the runs of a folder, their curves live and compared, and their games.

import { colourOf, curves } from "./chart.js";
import { treeOf } from "./filing.js";
import { button, el, fill } from "./dom.js";
import { folders, keepFresh, omissions } from "./playerlist.js";

/** @typedef {import("./playerlist.js").Folder} Folder */
/** @typedef {{state: string, game: string, detail: string, curves: Record<string, [number, number][]>, settings: string}} RunView */

export class Runs {
  /** @param {import("./main.js").App} app */
  constructor(app) {
    this.app = app;
    /** The runs in the folder. @type {Folder[]} */
    this.known = [];
    /** The runs that are shown. @type {Map<string, {view: RunView | null, follow: AbortController, about: HTMLElement | null, title: HTMLElement, dot: HTMLElement}>} */
    this.chosen = new Map();
    this.list = el("div", { class: "folders", role: "group", "aria-label": "Runs" });
    this.charts = el("div", { class: "charts" });
    this.about = el("div", { class: "about" });
    this.element = el("div", { class: "follow" },
      el("aside", {}, el("h2", {}, "Runs"), this.list), el("section", { "aria-label": "Curves" }, this.about, this.charts));
    keepFresh(this.list, () => this.refresh());
  }

  async enter() {
    fill(this.app.main, this.element);
    await this.refresh();
    if (!this.element.isConnected) return;
    this.resume();
    this.draw();
  }

  async refresh() {
    const answer = await folders(this.app);
    if (!this.element.isConnected || !this.app.connection.isOpen) return;
    const runs = answer.folders.filter(({ kind }) => kind === "run");
    this.known = runs;
    for (const path of this.chosen.keys()) if (!runs.some((run) => run.path === path)) this.chosen.delete(path);
    fill(this.list,
      ...runs.map((run) => this.row(run)),
      ...omissions(answer),
      runs.length ? null : el("p", { class: "empty" }, this.app.hasRuns ? "There are no runs in this folder yet." : "Start gameforge web with --runs FOLDER to follow its trainings."));
  }

  /** Stop following; the same runs are shown when the view is entered again. */
  leave() {
    for (const { follow } of this.chosen.values()) follow.abort();
  }

  resume() {
    this.leave();
    for (const path of this.chosen.keys()) this.follow(path);
  }

  /** @param {Folder} run */
  row(run) {
    const box = el("input", { type: "checkbox", checked: this.chosen.has(run.path), change: () => (box.checked ? this.follow(run.path) : this.drop(run.path)) });
    return el("label", { class: "folder" }, box, el("span", {}, run.path, el("small", {}, `${run.game}, ${run.state}, ${run.detail}`)));
  }

  /** @param {string} path */
  async follow(path) {
    const follow = new AbortController();
    this.chosen.set(path, { view: null, follow, about: null, title: el("span"), dot: el("span", { class: "dot", "aria-hidden": "true" }) });
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
    const shown = [...this.chosen.values()];
    runs.forEach(({ path, view }, i) => this.describe(path, view, i));
    const abouts = shown.flatMap(({ about }) => (about ? [about] : []));
    if (abouts.some((about, i) => this.about.children[i] !== about) || this.about.children.length !== abouts.length) fill(this.about, ...abouts);
  }

  /** Describe a run; when it has news, only its title and its colour change. @param {string} path @param {RunView} view @param {number} i */
  describe(path, view, i) {
    const run = this.chosen.get(path);
    if (!run) return;
    run.title.textContent = `${path}: ${view.state}, ${view.detail}`;
    run.dot.style.background = colourOf(i);
    if (run.about) return;
    run.about = el("div", { class: "about-run" }, el("h3", {}, run.dot, run.title),
      this.players(path, view.game),
      el("details", {}, el("summary", {}, "Settings"), el("pre", {}, view.settings)));
  }

  /** Its games, and its players: to play against, or to let them meet. @param {string} path @param {string} game */
  players(path, game) {
    const players = this.known.find((run) => run.path === path)?.players ?? [];
    const games = button("Games", () => this.games(path, game));
    if (!players.length) return el("div", { class: "tools" }, games);
    const others = [...players, ...this.known.filter((run) => run.path !== path && run.game === game).flatMap((run) => (run.players ?? []).map((one) => ({ ...one, name: `${run.path}: ${one.name}` })))];
    const choice = (/** @type {string} */ name, /** @type {{name: string, path: string}[]} */ options, /** @type {number} */ at) => {
      const select = el("select", { "aria-label": name }, ...options.map((one) => el("option", { value: one.path }, one.name)));
      select.selectedIndex = Math.min(at, options.length - 1);
      return select;
    };
    const first = choice("Player of the run", players, 0);
    const second = choice("Opponent in the match", others, 1);
    return el("div", { class: "tools" }, games, first,
      button("Play against it", () => this.app.playAgainst(game, first.value)),
      button("Match against", () => this.app.matchBetween(game, [first.value, second.value])), second);
  }

  /** Offer games of a run, to replay them in the analysis. @param {string} path @param {string} game @param {number} [before] The number of the first game that is too new. */
  async games(path, game, before) {
    const answer = await this.app.desk.try(() => this.app.connection.ask("games", { path, game, ...(before !== undefined && { before }) }));
    if (!answer) return;
    const dialog = el("dialog", { class: "list", "aria-label": "Games" }, el("h2", {}, "Games, the newest first"));
    const rows = answer.games.map((/** @type {import("./filing.js").StoredGame} */ stored, /** @type {number} */ i) =>
      button(`${answer.begin + i + 1}. ${stored.event} ${stored.title} ${stored.result}`, () => {
        dialog.close();
        this.app.analyseGame(game, treeOf(stored));
      }));
    const earlier = button("Earlier games", () => {
      dialog.close();
      this.games(path, game, answer.begin);
    });
    dialog.append(el("div", { class: "rows" }, ...rows.reverse()),
      el("div", { class: "buttons" }, answer.begin ? earlier : "", button("Cancel", () => dialog.close())));
    dialog.addEventListener("close", () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
  }
}
