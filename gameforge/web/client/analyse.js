// Analysing: lines that keep deepening, exact knowledge, the graph of the game, variations and comments.

import { gameGraph } from "./chart.js";
import { reworded, wordsOf } from "./clock.js";
import { endingText, preparing } from "./desk.js";
import { button, el, fill } from "./dom.js";
import { Filing } from "./filing.js";
import { iconButton } from "./icons.js";
import { Lines } from "./lines.js";
import { MoveList } from "./movelist.js";
import { Opinion } from "./opinion.js";
import { Preview } from "./preview.js";
import { Review } from "./review.js";
import { Sight } from "./sight.js";

/** @typedef {import("./types.js").AnalysisView} AnalysisView */
/** @typedef {import("./types.js").PositionView} PositionView */
/** @typedef {import("./tree.js").Node} Node */

const MARKS = ["!!", "!", "!?", "?!", "?", "??"];

export class Analyse {
  /** @param {import("./main.js").App} app */
  constructor(app) {
    this.app = app;
    this.desk = app.desk;
    this.on = true;
    this.active = false;
    /** @type {AbortController | null} */
    this.running = null;
    /** @type {AbortController | null} */
    this.judging = null;
    /** The scores of the line that was analysed as a whole. @type {{line: Node[], scores: number[]} | null} */
    this.judged = null;
    this.bar = el("div", { class: "share", "aria-hidden": "true" }, el("span"));
    this.head = el("p", { class: "head" });
    this.verdict = el("span");
    this.count = el("span", { class: "count" });
    /** @type {AnalysisView | null} */
    this.analysis = null;
    this.preview = new Preview(this.desk);
    this.lines = new Lines({
      follow: (moves) => this.follow(moves),
      point: (moves, near) => this.point(moves, near),
      leave: () => this.preview.hide(),
    });
    this.graph = el("div", { class: "graph-box" });
    this.list = new MoveList((node) => this.desk.go(node, node.parent === this.desk.tree.current));
    this.switch = button("", () => this.toggle(), { class: "toggle" });
    this.player = el("input", { type: "text", class: "engine", spellcheck: "false", autocomplete: "off", "aria-label": "Player that analyses", placeholder: "The default player", change: () => this.restart() });
    this.comment = el("input", { type: "text", placeholder: "Comment on this move", "aria-label": "Comment on this move", change: () => this.annotate() });
    /** The move that the field for comments belongs to. @type {Node | null} */
    this.commented = null;
    this.marks = el("div", { class: "marks", role: "group", "aria-label": "Mark of this move" });
    this.opinion = new Opinion(app, () => this.player.value.trim());
    this.sight = new Sight(app, this.lines, this.preview, () => this.player.value.trim(), (tree, game) => this.opened(tree, game));
    this.review = new Review(app, this);
    this.filing = new Filing(app, (tree, game) => this.opened(tree, game));
  }

  enter() {
    const desk = this.desk;
    this.active = true;
    this.commented = null;
    this.takeOver();
    this.app.play.name();
    fill(desk.panel,
      el("div", { class: "engine-row" }, this.switch, this.opinion.switch, this.player),
      this.bar, this.head, this.sight.bar, this.lines.element, this.sight.element, this.opinion.element, this.graph, this.review.element, this.review.learn.element, this.list.element,
      el("div", { class: "note-row" }, this.comment, this.marks),
      el("div", { class: "steps" },
        iconButton("first", "First position", () => desk.go(desk.tree.root)),
        iconButton("back", "Previous position", () => desk.step(-1)),
        iconButton("forward", "Next position", () => desk.step(1)),
        iconButton("last", "Last position", () => desk.go(desk.tree.line().at(-1) ?? desk.tree.root)),
        iconButton("flip", "Flip the board", () => desk.flip())),
      el("div", { class: "tools" }, button("Analyse the game", () => this.judge()), this.review.time, button("Next mistake", () => this.nextMistake()),
        button("Main line", () => this.promote()), button("Delete", () => this.remove())),
      this.filing.element);
    desk.draw(false);
  }

  /** Let the board make moves of the analysis. */
  takeOver() {
    this.desk.mayMove = () => true;
    this.desk.moved = () => {};
    this.desk.shown = (view) => this.shown(view);
  }

  leave() {
    this.active = false;
    this.stop();
    this.sight.leave();
    this.review.learn.end();
    this.judging?.abort();
  }

  resume() {
    this.desk.go(this.desk.tree.current);
  }

  /** @param {PositionView} view */
  shown(view) {
    if (this.review.learn.shown()) return;
    this.app.keep();
    this.list.show(this.desk.tree, endingText(this.desk.game?.sides ?? ["", ""], this.desk.tree.ending));
    const node = this.desk.tree.current;
    if (this.commented !== node) this.comment.value = wordsOf(node.comment); // a comment that is being typed stays
    this.commented = node;
    fill(this.marks, ...MARKS.map((mark) => button(mark, () => this.setMark(mark), { class: "mark-choice", "aria-pressed": String(node.mark === mark) })));
    this.drawGraph();
    this.review.shown();
    this.opinion.show();
    this.preview.hide();
    this.sight.shown(view);
    if (view.outcome) {
      this.stop();
      fill(this.head, view.outcome.text);
      this.lines.clear();
    } else this.start();
  }

  /** Go to the position after moves of a line. Those on the page belong to the position before while one is on its way. @param {string[]} moves */
  follow(moves) {
    if (!this.desk.view) return;
    this.preview.hide();
    for (const move of moves) this.desk.tree.play(move);
    this.desk.go(this.desk.tree.current, moves.length === 1);
  }

  /** Show where moves of a line lead. @param {string[]} moves @param {HTMLElement} near */
  point(moves, near) {
    if (!this.desk.view) return;
    this.desk.hint(moves[0]);
    this.preview.show(moves, near);
  }

  /** Another player analyses from now on. */
  restart() {
    this.start();
    this.sight.ask();
    this.opinion.show();
  }

  toggle() {
    this.on = !this.on;
    if (this.on) this.start();
    else this.stop();
    this.drawSwitch();
  }

  drawSwitch() {
    this.switch.setAttribute("aria-pressed", String(this.on));
    fill(this.switch, this.on ? "Stop" : "Analyse");
  }

  /** Analyse the position on the board until another one is shown. */
  async start() {
    this.stop();
    this.drawSwitch();
    const view = this.desk.view;
    if (!this.on || !this.active || !view || view.outcome) return;
    const running = new AbortController();
    this.running = running;
    fill(this.head, "…");
    this.analysis = null;
    this.lines.clear(); // those of another position cannot be played here
    const request = { ...this.desk.where(), player: this.player.value.trim() };
    const show = (/** @type {any} */ update) => {
      if (this.running !== running) return;
      if (update.preparing !== undefined) fill(this.head, preparing(update));
      else if (update.searching) this.tick(update.searching, update.seconds);
      else this.show(update, view);
    };
    const done = await this.desk.try(() => this.app.connection.ask("analyse", request, { signal: running.signal, update: show }));
    if (done === undefined && this.running === running && !running.signal.aborted && this.head.textContent === "…") fill(this.head);
  }

  stop() {
    this.running?.abort();
    this.running = null;
  }

  /** @param {AnalysisView} analysis @param {PositionView} view */
  show(analysis, view) {
    const [best] = analysis.moves;
    const score = Math.max(-1, Math.min(1, best.score ?? 0));
    const share = (1 + (view.turn ? -score : score)) / 2;
    this.bar.hidden = best.score === null;
    const inner = this.bar.firstElementChild;
    if (inner instanceof HTMLElement) inner.style.width = `${100 * share}%`;
    if (!this.analysis) fill(this.head, this.verdict, this.count);
    this.analysis = analysis;
    fill(this.verdict, el("strong", {}, best.text), ` for ${this.desk.game?.sides[view.turn]}`);
    this.lines.show(analysis.moves);
    this.sight.analysed(analysis.moves);
    this.rate(analysis, view);
  }

  /** Write on the squares what the moves that place a piece are worth, in a game that is won by a count of pieces, unless badges stand there. @param {AnalysisView} analysis @param {PositionView} view */
  rate(analysis, view) {
    const paths = new Map(view.legal.map(({ text, path }) => [text, path]));
    this.desk.board?.rate(this.sight.labelled ? [] : analysis.moves.flatMap(({ move, short }) => {
      const path = paths.get(move) ?? [];
      return short !== null && path.length === 1 ? [[path[0], short]] : [];
    }));
  }

  /** Show how far the search has got. @param {{step: number, move: string, done: number}} searching @param {number} seconds */
  tick(searching, seconds) {
    const analysis = this.analysis;
    if (!analysis) return;
    const [best] = analysis.moves;
    const parts = [
      best.depth ? `depth ${best.depth}` : `step ${searching.step}`,
      `${searching.move} (${searching.done + 1}/${analysis.moves.length})`,
      `${count(analysis.nodes)} nodes`,
      `${count(analysis.nodes / Math.max(0.001, analysis.seconds))}/s`,
      `${Math.floor(seconds)} s`,
    ];
    this.count.textContent = parts.join(", ");
  }

  /** Analyse the line through the current position as a whole. */
  async judge() {
    this.judging?.abort();
    this.stop();
    const judging = new AbortController();
    this.judging = judging;
    const line = this.desk.tree.line();
    if (line.length < 2) return;
    const request = { ...this.desk.where(line[line.length - 1]), player: this.player.value.trim(), limits: this.review.limits };
    const progress = (/** @type {any} */ update) => (update.judged ? this.review.judged(line, update) : fill(this.review.progress, preparing(update)));
    const answer = await this.desk.try(() => this.app.connection.ask("judge", request, { signal: judging.signal, update: progress }));
    fill(this.review.progress);
    if (!answer) return;
    this.judged = { line, scores: answer.scores };
    this.review.show(line, answer);
    answer.moves.forEach((/** @type {any} */ move, /** @type {number} */ i) => {
      const node = line[i + 1];
      if (node.mark && node.mark !== move.mark) return; // the person has judged this move
      node.mark = move.mark;
      if (move.mark && !wordsOf(node.comment)) node.comment = reworded(node.comment, move.remark);
    });
    this.commented = null;
    this.desk.draw(false);
  }

  drawGraph() {
    const judged = this.judged;
    if (!judged?.scores.length || judged.line[0] !== this.desk.tree.root) {
      fill(this.graph);
      return;
    }
    const mistakes = judged.line.flatMap((node, index) => (node.mark.includes("?") ? [{ index, mark: node.mark }] : []));
    const current = judged.line.indexOf(this.desk.tree.current);
    fill(this.graph, gameGraph(judged.scores, mistakes, Math.max(0, current), (index) => this.desk.go(judged.line[index])));
  }

  nextMistake() {
    const line = this.desk.tree.line();
    const from = line.indexOf(this.desk.tree.current);
    const next = [...line.slice(from + 1), ...line.slice(0, from + 1)].find(({ mark }) => mark.includes("?"));
    if (next) this.desk.go(next);
  }

  annotate() {
    const node = this.desk.tree.current;
    node.comment = reworded(node.comment, this.comment.value.trim());
    this.desk.draw(false);
  }

  /** @param {string} mark */
  setMark(mark) {
    const node = this.desk.tree.current;
    if (!node.parent) return;
    node.mark = node.mark === mark ? "" : mark;
    this.desk.draw(false);
  }

  promote() {
    this.desk.tree.promote(this.desk.tree.current);
    this.desk.draw(false);
  }

  remove() {
    this.desk.tree.remove(this.desk.tree.current);
    this.desk.go(this.desk.tree.current);
  }

  /** A game or a position has been loaded. @param {import("./tree.js").Tree} tree @param {import("./filing.js").StoredGame | null} stored */
  async opened(tree, stored) {
    this.judged = null;
    this.review.learn.end();
    const name = stored?.game ?? this.desk.game?.name;
    if (name) await this.app.openTree(name, tree);
  }
}

/** @param {number} n */
function count(n) {
  return n >= 1e6 ? `${(n / 1e6).toFixed(1)} M` : n >= 1e3 ? `${Math.round(n / 1e3)} k` : String(Math.round(n));
}
