// What a training changed: the heat maps of a run's generations on one position, one after the other.

import { Board } from "./board.js";
import { button, el } from "./dom.js";

/** @typedef {import("./opinion.js").Explained} Explained */
/** @typedef {{name: string, path: string}} Generation */

const WORTH = "worth";
const BEFORE = "before";
const FIRST = "first";

/**
 * The worth of each piece in one generation, less that in another.
 * @param {[number, number][]} cells
 * @param {[number, number][]} others
 * @returns {[number, number][]}
 */
export function changed(cells, others) {
  const before = new Map(others);
  return cells.map(([cell, worth]) => [cell, worth - (before.get(cell) ?? 0)]);
}

/**
 * Generations of a run in the order of the training: the trained player comes last.
 * @param {Generation[]} players
 */
export function inOrder(players) {
  const collator = new Intl.Collator("en", { numeric: true });
  const [last, ...earlier] = players;
  return [...earlier.sort((a, b) => collator.compare(a.name, b.name)), last];
}

export class Generations {
  /** @param {import("./main.js").App} app @param {string} path @param {Generation[]} players */
  constructor(app, path, players) {
    this.app = app;
    this.players = inOrder(players);
    /** What each generation thinks, once it has been asked. @type {Map<string, Promise<Explained | undefined>>} */
    this.asked = new Map();
    /** @type {Board | null} */
    this.board = null;
    /** @type {object} */
    this.where = {};
    this.round = 0;
    this.slider = el("input", { type: "range", min: 0, max: this.players.length - 1, "aria-label": "Generation", input: () => this.show() });
    this.slider.valueAsNumber = this.players.length - 1;
    this.mode = el("select", { "aria-label": "Show", change: () => this.show() },
      ...[[WORTH, "worth of the pieces"], [BEFORE, "change from the generation before"], [FIRST, "change from the first"]].map(([value, text]) => el("option", { value }, text)));
    this.text = el("p", { class: "legend", role: "status" });
    this.place = el("div");
    this.element = el("dialog", { class: "set-up", "aria-label": "Heat maps" }, el("h2", {}, path), this.place,
      el("div", { class: "tools" }, this.slider, this.mode), this.text,
      el("div", { class: "buttons" }, button("Close", () => this.element.close())));
    this.element.addEventListener("close", () => this.element.remove());
  }

  /** Show the position of the analysis if it is of this game, else the initial one. @param {string} name */
  async open(name) {
    const { desk } = this.app;
    const here = desk.game?.name === name && desk.view && !desk.view.outcome ? { game: desk.game, position: desk.view } : await desk.try(() => this.app.connection.ask("game", { game: name }));
    if (!here) return;
    this.where = here.position === desk.view ? desk.where() : { game: name };
    if (here.game.board) {
      this.board = new Board(here.game, () => {});
      this.board.root.removeAttribute("id");
      this.place.append(this.board.root);
      this.board.show({ ...here.position, legal: [], last: null }, false);
    }
    document.body.append(this.element);
    this.element.showModal();
    await this.show();
  }

  /** @param {number} i @returns {Promise<Explained | undefined>} */
  ask(i) {
    const { path } = this.players[i];
    const known = this.asked.get(path) ?? this.app.desk.try(() => this.app.connection.ask("explain", { ...this.where, player: path }));
    this.asked.set(path, known);
    return known;
  }

  async show() {
    const round = ++this.round;
    const i = this.slider.valueAsNumber;
    const other = this.mode.value === WORTH ? null : this.mode.value === FIRST ? 0 : Math.max(0, i - 1);
    const name = this.players[i].name;
    this.slider.setAttribute("aria-valuetext", name);
    const [now, before] = await Promise.all([this.ask(i), other === null ? null : this.ask(other)]);
    if (round !== this.round || !now) return;
    this.board?.warm(before ? changed(now.cells, before.cells) : now.cells, now.decimals);
    const than = before && other !== null ? `, beside ${this.players[other].name} (${before.text})` : "";
    this.text.textContent = `${name}: without a search ${now.text}${than}. In ${now.unit}, blue for the first player, orange for the second.`;
  }
}
