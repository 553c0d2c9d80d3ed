// The moves that an analysis has found: the best with their whole lines, the others as small buttons that open their line
// (why not this move?). The elements stay when the analysis goes deeper, so that the focus and the pointer stay on them.

import { el } from "./dom.js";

/** @typedef {import("./types.js").AnalysedMove} AnalysedMove */

/**
 * @typedef {object} Row
 * @property {HTMLElement} element
 * @property {HTMLElement} value
 * @property {HTMLElement} steps
 * @property {HTMLElement} depth
 * @property {HTMLElement} policy
 * @property {HTMLButtonElement[]} buttons One for each move of the line.
 */

/**
 * @typedef {object} Acts
 * @property {(moves: string[]) => void} follow Called with the moves of a line up to the one that was clicked.
 * @property {(moves: string[], near: HTMLElement) => void} point Called likewise when the pointer or the focus is on it.
 * @property {() => void} leave Called when they have left it.
 */

export class Lines {
  /** @param {Acts} acts */
  constructor(acts) {
    this.acts = acts;
    /** Number of lines that are always shown. */
    this.most = 3;
    /** @type {AnalysedMove[]} */
    this.moves = [];
    /** Moves whose lines were opened. @type {Set<string>} */
    this.opened = new Set();
    this.best = el("div", { class: "best-lines" });
    this.others = el("div", { class: "others" });
    this.element = el("div", { class: "lines" }, this.best, this.others);
    /** @type {Row[]} */
    this.rows = [];
    /** @type {HTMLButtonElement[]} */
    this.small = [];
  }

  /** @param {AnalysedMove[]} moves Best first. */
  show(moves) {
    this.moves = moves;
    const shown = this.shown();
    fit(this.rows, shown.length, (i) => this.row(i), (row) => row.element.remove());
    shown.forEach((move, i) => this.write(this.rows[i], move));
    const others = moves.filter((move) => !shown.includes(move));
    fit(this.small, others.length, () => this.other(), (one) => one.remove());
    others.forEach((move, i) => writeOther(this.small[i], move));
  }

  /** Forget the opened lines: the moves of another position are shown next. */
  clear() {
    this.opened.clear();
    this.show([]);
  }

  /** The moves whose lines are shown. */
  shown() {
    return this.moves.filter((move, i) => i < this.most || this.opened.has(move.move));
  }

  /** @param {number} i @returns {Row} */
  row(i) {
    const [value, steps, depth] = [el("span", { class: "value" }), el("span", { class: "moves-of-line" }), el("small", { class: "line-depth" })];
    const policy = el("small", { class: "line-policy", title: "How likely the policy of the net finds the move, without a search" });
    const element = el("div", { class: "line", "data-line": i }, value, policy, steps, depth);
    this.best.append(element);
    return { element, value, steps, depth, policy, buttons: [] };
  }

  /** @param {Row} row @param {AnalysedMove} move */
  write(row, move) {
    put(row.value, move.known ?? move.text);
    row.value.classList.toggle("known", Boolean(move.known));
    put(row.policy, percent(move.policy));
    put(row.depth, move.depth ? String(move.depth) : "");
    row.depth.title = move.depth ? `${move.depth} plies deep` : "";
    fit(row.buttons, move.line.length, (i) => this.step(row, i), (one) => one.remove());
    move.line.forEach((each, i) => put(row.buttons[i], each));
  }

  /** A move of a line. @param {Row} row @param {number} i */
  step(row, i) {
    const moves = () => row.buttons.slice(0, i + 1).map((one) => one.textContent ?? "");
    const made = el("button", { type: "button", class: "line-move" });
    const point = () => this.acts.point(moves(), made);
    made.addEventListener("click", () => this.acts.follow(moves()));
    for (const event of ["pointerenter", "focus"]) made.addEventListener(event, point);
    for (const event of ["pointerleave", "blur"]) made.addEventListener(event, () => this.acts.leave());
    row.steps.append(made);
    return made;
  }

  /** A move whose line is opened by a click. */
  other() {
    const move = () => made.dataset.move ?? "";
    const open = () => {
      this.opened.add(move());
      this.acts.leave();
      this.show(this.moves);
    };
    const made = el("button", {
      type: "button", class: "other", click: open,
      pointerenter: () => this.acts.point([move()], made), focus: () => this.acts.point([move()], made),
      pointerleave: () => this.acts.leave(), blur: () => this.acts.leave(),
    }, el("span", { class: "moves-of-line" }), el("span", { class: "value" }), el("small", { class: "line-policy" }));
    this.others.append(made);
    return made;
  }
}

/** A probability; "" if there is none. @param {number | null} policy */
function percent(policy) {
  return policy === null ? "" : `${policy < 0.0995 ? (100 * policy).toFixed(1) : Math.round(100 * policy)} %`;
}

/** @param {HTMLButtonElement} button @param {AnalysedMove} move */
function writeOther(button, move) {
  const [name, value, policy] = button.children;
  button.dataset.move = move.move;
  button.title = `Why not ${move.move}?`;
  put(name, move.move);
  put(value, move.known ?? move.text);
  put(policy, percent(move.policy));
  value.classList.toggle("known", Boolean(move.known));
}

/** Give a list this many entries. @template T @param {T[]} list @param {number} n @param {(i: number) => T} make @param {(one: T) => void} remove */
function fit(list, n, make, remove) {
  while (list.length > n) remove(/** @type {T} */ (list.pop()));
  while (list.length < n) list.push(make(list.length));
}

/** @param {Element} element @param {string} text */
function put(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
