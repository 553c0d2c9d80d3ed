// The review of a game: the accuracy of each side, the phases below the graph, and the list of moments.

import { button, el, fill } from "./dom.js";
import { Learn } from "./learn.js";

/** @typedef {import("./tree.js").Node} Node */
/** @typedef {{mark: string, remark: string, loss: string, lesson: boolean, best: string, line: string[]}} JudgedMove */
/** @typedef {{scores: number[], moves: JudgedMove[], phases: (string | null)[], accuracy: (number | null)[][]}} Judgement */
/** @typedef {{index: number, before: Node, node: Node, judged: JudgedMove, side: number}} Moment A marked move. */

const TIMES = [["", "its own limits"], ["0.1", "0.1 s a move"], ["0.3", "0.3 s a move"], ["1", "1 s a move"], ["3", "3 s a move"]];
const PHASES = ["opening", "middle game", "ending"];

export class Review {
  /** @param {import("./main.js").App} app @param {import("./analyse.js").Analyse} analyse */
  constructor(app, analyse) {
    this.desk = app.desk;
    this.analyse = analyse;
    this.time = el("select", { class: "review-time", "aria-label": "Time for each move of the game" }, ...TIMES.map(([value, text]) => el("option", { value }, text)));
    this.progress = el("p", { class: "review-progress" });
    this.result = el("div", { class: "review-result" });
    this.element = el("div", { class: "review" }, this.progress, this.result);
    this.learn = new Learn(app, analyse, this);
    /** The line that was judged. @type {Node[]} */
    this.line = [];
    /** @type {Moment[]} */
    this.moments = [];
  }

  /** The limits of the searches that judge. @returns {Record<string, number>} */
  get limits() {
    return this.time.value ? { time: Number(this.time.value) } : {};
  }

  /** A move of a line has been judged; the others follow. @param {Node[]} line @param {{judged: number, mark: string, score: number | null}} update */
  judged(line, update) {
    const { analyse } = this;
    if (update.judged === 1) analyse.judged = { line, scores: update.score === null ? [] : [0] };
    if (update.score !== null) analyse.judged?.scores.push(update.score);
    if (!update.mark) return;
    line[update.judged].mark ||= update.mark;
    analyse.list.show(this.desk.tree);
    analyse.drawGraph();
  }

  /** Show the review of a line, which begins with the root. @param {Node[]} line @param {Judgement} judgement */
  show(line, { moves, phases, accuracy }) {
    this.line = line;
    const first = line[0].view?.turn ?? 0;
    const side = (/** @type {number} */ i) => (first + i) % 2;
    this.moments = moves.flatMap((judged, i) => (judged.mark ? [{ index: i, before: line[i], node: line[i + 1], judged, side: side(i) }] : []));
    fill(this.result, strip(phases), this.table(accuracy, phases), this.list(first), this.lessons());
    this.shown();
  }

  /** Another position is shown: the review belongs to its own game only, and to no other position of its list. */
  shown() {
    this.element.hidden = this.line.length > 0 && this.line[0] !== this.desk.tree.root;
    for (const [i, each] of [...this.result.querySelectorAll(".moment")].entries()) {
      if (this.moments[i]?.node === this.desk.tree.current) each.setAttribute("aria-current", "true");
      else each.removeAttribute("aria-current");
    }
  }

  /** @param {(number | null)[][]} accuracy @param {(string | null)[]} phases */
  table(accuracy, phases) {
    const columns = [0, ...PHASES.flatMap((name, i) => (phases.includes(name) ? [i + 1] : []))];
    const sides = this.desk.game?.sides ?? ["", ""];
    const cell = (/** @type {number | null} */ value) => el("td", {}, value === null ? "–" : `${Math.round(value)} %`);
    const marked = (/** @type {number} */ side, /** @type {string} */ mark) => String(this.moments.filter((one) => one.side === side && one.judged.mark === mark).length);
    const marks = [...new Set(this.moments.map(({ judged }) => judged.mark))].sort();
    const head = ["Accuracy", ...columns.map((i) => (i ? PHASES[i - 1] : "game")), ...marks];
    return el("table", { class: "accuracy" },
      el("thead", {}, el("tr", {}, ...head.map((text) => el("th", { scope: "col" }, text)))),
      el("tbody", {}, ...sides.map((name, side) => el("tr", {}, el("th", { scope: "row" }, name),
        ...columns.map((i) => cell(accuracy[side][i])), ...marks.map((mark) => el("td", {}, marked(side, mark)))))));
  }

  /** @param {number} first The side that moved first. */
  list(first) {
    const items = this.moments.map(({ index, node, judged }) => {
      const ply = index + first;
      const number = `${Math.floor(ply / 2) + 1}${ply % 2 ? "…" : "."}`;
      const why = [judged.loss, `better ${judged.best}`].filter(Boolean).join("; ");
      return el("button", { type: "button", class: "moment", title: judged.remark, click: () => this.desk.go(node) },
        el("span", { class: "moment-move" }, `${number} ${node.move}${judged.mark}`), el("small", {}, why));
    });
    return el("div", { class: "moments", role: "group", "aria-label": "Moments" }, ...(items.length ? items : [el("p", { class: "legend" }, "No move is marked.")]));
  }

  /** Buttons to learn from the mistakes of each side that has some; what loses too little to be one is left out. */
  lessons() {
    const sides = this.desk.game?.sides ?? ["", ""];
    return el("div", { class: "tools" }, ...sides.map((name, side) => {
      const own = this.moments.filter((one) => one.side === side && one.judged.lesson);
      return own.length > 0 && button(`Learn from the mistakes of ${name}`, () => this.learn.begin(own));
    }));
  }
}

/** The phases of a game as a strip below its graph. @param {(string | null)[]} phases */
function strip(phases) {
  const parts = PHASES.flatMap((name) => {
    const plies = phases.filter((each) => each === name).length;
    if (!plies) return [];
    const part = el("span", { title: `${name}: ${plies} plies` }, name);
    part.style.flexGrow = String(plies);
    return [part];
  });
  return el("div", { class: "phases", "aria-hidden": "true" }, ...parts);
}
