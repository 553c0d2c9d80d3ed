// What oracles, such as databases of endings, know about every legal move: a table, and a text on each square.

import { preparing } from "./desk.js";
import { button, el, fill } from "./dom.js";

/** @typedef {import("./types.js").PositionView} PositionView */
/** @typedef {{move: string, value: "win" | "draw" | "loss" | null, distance: number | null, lead: number | null, text: string, oracle: string}} KnownMove Moves come best first. */

const LETTERS = { win: "W", draw: "=", loss: "L" };

export class Verdicts {
  /** @param {import("./main.js").App} app @param {import("./lines.js").Acts} acts @param {() => string} player @param {() => void} changed */
  constructor(app, acts, player, changed) {
    this.app = app;
    this.acts = acts;
    this.player = player;
    this.changed = changed;
    /** @type {KnownMove[]} */
    this.moves = [];
    /** @type {AbortController | null} */
    this.asking = null;
    this.element = el("div", { class: "verdicts" });
  }

  /** Ask for the verdicts on a position, or show none. @param {PositionView} view @param {boolean} on */
  async show(view, on) {
    this.asking?.abort();
    this.moves = [];
    fill(this.element);
    if (!on) return;
    const asking = new AbortController();
    this.asking = asking;
    const request = { ...this.app.desk.where(), player: this.player() };
    const update = (/** @type {any} */ what) => this.asking === asking && fill(this.element, preparing(what));
    const found = await this.app.desk.try(() => this.app.connection.ask("verdicts", request, { signal: asking.signal, update }));
    if (this.asking !== asking || !found || this.app.desk.view !== view) return;
    this.moves = found.moves;
    fill(this.element, ...this.table(found.oracles));
    this.changed();
  }

  /** @param {string[]} oracles */
  table(oracles) {
    const known = this.moves.filter(({ value }) => value);
    if (!known.length) {
      return [el("p", { class: "legend" }, oracles.length
        ? `${oracles.join(" and ")} know none of these moves.`
        : "No database is open for this game. Name one with the player that analyses, after a plus sign, such as + chinook.")];
    }
    const by = [...new Set(known.map(({ oracle }) => oracle))];
    const several = by.length > 1;
    const rows = this.moves.map(({ move, value, text, oracle }) => el("tr", {},
      el("td", {}, this.button(move)), el("td", { class: `verdict ${value ?? "unknown"}` }, text), several && el("td", { class: "oracle" }, value ? oracle : "")));
    const head = ["Move", several ? "Verdict" : `Verdict of ${by[0]}`, ...(several ? ["By"] : [])];
    return [el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Verdicts" }, el("table", {},
      el("thead", {}, el("tr", {}, ...head.map((name) => el("th", { scope: "col" }, name)))), el("tbody", {}, ...rows)))];
  }

  /** @param {string} move */
  button(move) {
    const point = () => this.acts.point([move], made);
    const made = button(move, () => this.acts.follow([move]), {
      class: "line-move", pointerenter: point, focus: point, pointerleave: () => this.acts.leave(), blur: () => this.acts.leave(),
    });
    return made;
  }

  /**
   * The texts on the cells: on each piece, or on each cell of a game without pieces that move, the best of its moves;
   * once a piece is picked, the verdict on each cell to which it can go.
   * @param {PositionView} view
   * @param {number[]} picked
   * @returns {{cell: number, text: string, kind: string}[]}
   */
  drawn(view, picked) {
    /** @type {Map<number, KnownMove>} */
    const best = new Map();
    for (const known of this.moves) {
      const path = view.legal.find(({ text }) => text === known.move)?.path ?? [];
      if (!known.value || !path.length || picked.some((cell, i) => path[i] !== cell)) continue;
      const cell = picked.length ? path[path.length - 1] : path[0];
      if (!best.has(cell)) best.set(cell, known);
    }
    return [...best].map(([cell, { value, distance, lead }]) => {
      const kind = /** @type {"win" | "draw" | "loss"} */ (value);
      const plies = `${LETTERS[kind]}${kind === "draw" ? "" : (distance ?? "")}`;
      return { cell, text: lead === null ? plies : `${lead > 0 ? "+" : ""}${lead}`, kind };
    });
  }
}
