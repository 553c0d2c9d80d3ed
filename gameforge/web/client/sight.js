// What the analysis shows beside its lines, and the switches for it: arrows of the best moves, the threat of the other
// side, the verdicts of oracles on every move, and openings.

import { button, el, fill } from "./dom.js";
import { arrow, badge } from "./overlay.js";
import { Explorer } from "./explorer.js";
import { Verdicts } from "./verdicts.js";

/** @typedef {import("./types.js").AnalysedMove} AnalysedMove */
/** @typedef {import("./types.js").PositionView} PositionView */
/** @typedef {{move: string, path: number[], start: string, line: string[], score: string}} Threat */

const KEPT = "gameforge-sight";
const COUNTS = ["1", "2", "3", "5", "8", "all"];

export class Sight {
  /** @param {import("./main.js").App} app @param {import("./lines.js").Lines} lines @param {import("./preview.js").Preview} preview @param {() => string} player The player that analyses. @param {(tree: import("./tree.js").Tree, game: import("./filing.js").StoredGame) => void} opened Called with a game of the database that the person opens. */
  constructor(app, lines, preview, player, opened) {
    this.app = app;
    this.desk = app.desk;
    this.lines = lines;
    this.preview = preview;
    this.player = player;
    this.settings = { lines: "3", arrows: true, threat: false, verdicts: false, policy: false, openings: false, ...kept() };
    /** The position to which all of this belongs. @type {PositionView | null} */
    this.view = null;
    /** @type {AnalysedMove[]} */
    this.moves = [];
    /** @type {Threat | null} */
    this.threat = null;
    this.round = 0;
    this.verdicts = new Verdicts(app, lines.acts, player, () => this.draw());
    this.explorer = new Explorer(app, lines.acts, opened);
    this.count = el("select", { "aria-label": "Number of lines", change: () => this.set({ lines: this.count.value }) },
      ...COUNTS.map((value) => el("option", { value }, value === "1" ? "1 line" : `${value} lines`)));
    this.count.value = COUNTS.includes(this.settings.lines) ? this.settings.lines : "3";
    this.switches = {
      arrows: this.toggle("arrows", "Arrows", "Draw the best moves on the board"),
      threat: this.toggle("threat", "Threat", "What would the other side do if you passed?"),
      verdicts: this.toggle("verdicts", "Verdicts", "What do the databases say about every move?"),
      policy: this.toggle("policy", "Policy", "How likely does the policy of the net find each move, without a search?"),
      openings: this.toggle("openings", "Openings", "How do opening lines and the games of the database go on?"),
    };
    this.bar = el("div", { class: "sight-row" }, this.count, ...Object.values(this.switches));
    this.threatLine = el("p", { class: "threat-line" });
    this.element = el("div", { class: "sight" }, this.threatLine, this.verdicts.element, this.explorer.element);
    this.switches.policy.hidden = true; // until a player with a policy analyses
    this.apply();
  }

  /** @param {"arrows" | "threat" | "verdicts" | "policy" | "openings"} name @param {string} text @param {string} title */
  toggle(name, text, title) {
    return button(text, () => this.set({ [name]: !this.settings[name] }), { class: "toggle", title });
  }

  /** @param {object} changed */
  set(changed) {
    Object.assign(this.settings, changed);
    try {
      localStorage.setItem(KEPT, JSON.stringify(this.settings));
    } catch {
      // The browser allows no storage; the settings then last as long as the page.
    }
    this.apply();
    this.lines.show(this.lines.moves);
    this.ask();
    this.draw();
  }

  apply() {
    this.lines.most = this.settings.lines === "all" ? Infinity : Number(this.count.value);
    for (const name of /** @type {const} */ (["arrows", "threat", "verdicts", "policy", "openings"])) {
      this.switches[name].setAttribute("aria-pressed", String(Boolean(this.settings[name])));
    }
  }

  /** Another position is on the board. @param {PositionView} view */
  shown(view) {
    this.view = view;
    this.moves = [];
    this.threat = null;
    if (this.desk.board) this.desk.board.annotate = (board) => this.drawn(board);
    this.ask();
    this.draw();
  }

  /** The view is left. */
  leave() {
    this.view = null;
    this.round += 1;
    this.preview.hide();
    this.draw();
    if (this.desk.board) this.desk.board.annotate = null;
  }

  /** The analysis has got deeper. @param {AnalysedMove[]} moves */
  analysed(moves) {
    this.moves = moves;
    this.switches.policy.hidden = moves[0].policy === null;
    this.draw();
  }

  /** Whether badges stand on the cells. */
  get labelled() {
    return this.settings.verdicts || (this.settings.policy && !this.switches.policy.hidden);
  }

  draw() {
    this.desk.board?.drawOverlay();
  }

  /** Ask for what is switched on and not known yet. */
  ask() {
    const view = this.view;
    if (!view) return;
    this.verdicts.show(view, this.settings.verdicts && !view.outcome);
    this.explorer.show(this.settings.openings && !view.outcome);
    fill(this.threatLine);
    this.threat = null;
    if (this.settings.threat && !view.outcome) this.askThreat(++this.round);
  }

  /** @param {number} round */
  async askThreat(round) {
    const request = { ...this.desk.where(), player: this.player() };
    /** @type {Threat | undefined} */
    const found = await this.app.connection.ask("threat", request).catch((error) => {
      if (round === this.round) fill(this.threatLine, `No threat is shown: ${error.message}.`);
    });
    if (!found || round !== this.round || !this.view) return;
    this.threat = found;
    const steps = found.line.map((move, i) => {
      const moves = found.line.slice(0, i + 1);
      const show = () => this.preview.show(moves, made, found.start);
      const made = el("span", { class: "threat-move", pointerenter: show, pointerleave: () => this.preview.hide() }, move);
      return made;
    });
    fill(this.threatLine, el("strong", {}, `Threat: ${found.score}`), ...steps);
    this.draw();
  }

  /** @param {import("./board.js").Board} board @returns {SVGElement[]} */
  drawn(board) {
    const view = this.view;
    if (!view || board.position !== view) return [];
    const badges = [...this.verdicts.drawn(view, board.picked), ...(this.settings.policy && !this.settings.verdicts ? shares(view, this.moves, board.picked) : [])];
    const parts = badges.map(({ cell, text, kind }) => badge(board, cell, text, kind));
    if (this.settings.arrows && !board.picked.length) {
      const best = this.moves.slice(0, Math.min(this.lines.most, 5));
      const strength = (/** @type {number} */ i) => Math.max(0, 1 - 4 * Math.abs(bounded(best[0].score) - bounded(best[i].score)) - 0.18 * i);
      parts.unshift(...best.flatMap(({ move }, i) => arrow(board, pathOf(view, move), i ? "further" : "best", strength(i))).reverse());
    }
    if (this.threat && this.settings.threat) parts.unshift(...arrow(board, this.threat.path, "threat", 0.7));
    return parts;
  }
}

/** @param {PositionView} view @param {string} move */
export function pathOf(view, move) {
  return view.legal.find(({ text }) => text === move)?.path ?? [];
}

/**
 * The policy on the cells: on each piece, or on each cell of a game without pieces that move, the sum over its moves; once
 * a piece is picked, that of each cell to which it can go. Moves of less than half a percent are left out.
 * @param {PositionView} view @param {AnalysedMove[]} moves @param {number[]} picked
 */
function shares(view, moves, picked) {
  /** @type {Map<number, number>} */
  const sums = new Map();
  for (const { move, policy } of moves) {
    const path = pathOf(view, move);
    if (policy === null || !path.length || picked.some((cell, i) => path[i] !== cell)) continue;
    const cell = picked.length ? path[path.length - 1] : path[0];
    sums.set(cell, (sums.get(cell) ?? 0) + policy);
  }
  return [...sums].filter(([, share]) => share >= 0.005).map(([cell, share]) => ({ cell, text: `${Math.round(100 * share)}%`, kind: "policy" }));
}

/** @param {number | null} score */
function bounded(score) {
  return Math.max(-1, Math.min(1, score ?? 0));
}

/** @returns {any} */
function kept() {
  try {
    return JSON.parse(localStorage.getItem(KEPT) ?? "{}");
  } catch {
    return {};
  }
}
