// What the evaluator of a player thinks of the position: a heat map on the board, and the inputs of its net.

import { worthText } from "./board.js";
import { preparing } from "./desk.js";
import { button, el, fill } from "./dom.js";

/** @typedef {[name: string, value: number, share: number]} Input */
/** @typedef {{text: string, unit: string, decimals: number, cells: [number, number][], inputs: Input[], more: number}} Explained */

export class Opinion {
  /** @param {import("./main.js").App} app @param {() => string} player The player that analyses. */
  constructor(app, player) {
    this.app = app;
    this.player = player;
    this.on = false;
    this.round = 0;
    this.switch = button("Heat map", () => this.toggle(), { "aria-pressed": "false", class: "toggle" });
    this.element = el("div", { class: "opinion" });
  }

  toggle() {
    this.on = !this.on;
    this.switch.setAttribute("aria-pressed", String(this.on));
    this.show();
  }

  /** Explain the position on the board, if this is switched on. */
  async show() {
    const { desk, connection } = this.app;
    const round = ++this.round;
    fill(this.element);
    desk.board?.warm([]);
    if (!this.on || !desk.view || desk.view.outcome) return;
    const update = (/** @type {any} */ view) => round === this.round && fill(this.element, preparing(view));
    /** @type {Explained | undefined} */
    const found = await desk.try(() => connection.ask("explain", { ...desk.where(), player: this.player() }, { update }));
    if (!found || round !== this.round) return;
    desk.board?.warm(found.cells, found.decimals);
    fill(this.element, ...this.describe(found));
  }

  /** @param {Explained} found */
  describe({ text, unit, decimals, inputs, more }) {
    const [first, second] = this.app.desk.game?.sides ?? ["", ""];
    const most = Math.max(1e-9, ...inputs.map(([, , share]) => Math.abs(share)));
    const swatch = (/** @type {string} */ side) => el("span", { class: `swatch ${side}`, "aria-hidden": "true" });
    const head = ["Input", "Value", "Share", ""].map((name) => (name ? el("th", { scope: "col" }, name) : el("td")));
    return [
      el("p", { class: "legend" }, `Without a search: ${text}. In ${unit} for `, swatch("first"), ` ${first} (+) and `, swatch("second"), ` ${second} (−).`),
      inputs.length ? el("div", { class: "scroll inputs", tabindex: "0", role: "region", "aria-label": "Inputs" },
        el("table", {}, el("thead", {}, el("tr", {}, ...head)), el("tbody", {}, ...inputs.map((input) => row(input, most, decimals))))) : null,
      more ? el("p", { class: "legend" }, `and ${more} more`) : null,
    ];
  }
}

/** @param {Input} input @param {number} most @param {number} decimals */
function row([name, value, share], most, decimals) {
  const bar = el("span", { class: `input-bar ${share < 0 ? "second" : "first"}` });
  bar.style.width = `${(100 * Math.abs(share)) / most}%`;
  return el("tr", {}, el("th", { scope: "row" }, name), el("td", {}, String(Number(value.toPrecision(3)))),
    el("td", {}, worthText(share, decimals)), el("td", { class: "bar-cell", "aria-hidden": "true" }, bar));
}
