// Learn from your mistakes: the position before each marked move of a side, in which the person finds a better one.

import { pathOf } from "./sight.js";
import { say } from "./desk.js";
import { button, el, fill } from "./dom.js";

/** @typedef {import("./review.js").Moment} Moment */
/** @typedef {import("./tree.js").Node} Node */
/** @typedef {{good: boolean, loss: string, best: string, line: string[]}} Attempt */

export class Learn {
  /** @param {import("./main.js").App} app @param {import("./analyse.js").Analyse} analyse @param {import("./review.js").Review} review */
  constructor(app, analyse, review) {
    this.app = app;
    this.desk = app.desk;
    this.analyse = analyse;
    this.review = review;
    this.element = el("div", { class: "learn", role: "group", "aria-label": "Learn from your mistakes" });
    /** @type {Moment[]} */
    this.moments = [];
    this.at = 0;
    /** What the person may do now. @type {"off" | "asked" | "waiting" | "answered"} */
    this.state = "off";
    this.solved = 0;
    this.text = "";
    /** The move that was tried, if it was not in the tree before. @type {Node | null} */
    this.added = null;
  }

  /** The moment that is asked about. */
  get moment() {
    return this.moments[this.at];
  }

  /** @param {Moment[]} moments Those of one side, at least one. */
  begin(moments) {
    this.analyse.stop();
    this.analyse.sight.leave();
    this.moments = moments;
    [this.at, this.solved] = [0, 0];
    this.desk.panel.classList.add("learning");
    this.desk.mayMove = () => this.state === "asked" && this.desk.tree.current === this.moment.before;
    this.desk.moved = (move) => this.tried(move);
    this.desk.seat(moments[0].side);
    this.ask();
  }

  /** Show the position before the mistake. */
  ask() {
    const { node, judged } = this.moment;
    this.forget();
    this.state = "asked";
    this.text = `${node.move}${judged.mark} was played here${judged.loss ? `: ${judged.loss}` : ""}. Find a better move.`;
    say(this.text);
    this.desk.go(this.moment.before);
  }

  /** Whether the person is learning: the position then comes without analysis. */
  shown() {
    if (this.state === "off") return false;
    const asked = this.state === "asked";
    fill(this.element,
      el("h2", {}, `Mistake ${this.at + 1} of ${this.moments.length}`), el("p", { role: "status" }, this.text),
      el("div", { class: "tools" },
        asked && button("Hint", () => this.hint()),
        asked && button("Show the move", () => this.reveal()),
        this.state !== "waiting" && button(this.at + 1 < this.moments.length ? "Next" : "Finish", () => this.next(), this.state === "answered" ? { class: "primary" } : {}),
        button("End", () => this.end())));
    return true;
  }

  /** The person has made a move, which the board shows next. @param {string} move */
  async tried(move) {
    const { moment } = this;
    const known = moment.before.children.some((child) => child.move === move);
    this.state = "waiting";
    this.text = `${move}: let me see…`;
    const request = { ...this.desk.where(moment.before), move, player: this.analyse.player.value.trim(), limits: this.review.limits };
    /** @type {Attempt | undefined} */
    const found = await this.desk.try(() => this.app.connection.ask("attempt", request));
    if (this.state !== "waiting" || this.moment !== moment) return;
    if (!known) this.added = moment.before.children.find((child) => child.move === move) ?? null;
    if (found && move !== moment.node.move && (found.good || move === moment.judged.best)) {
      this.state = "answered";
      this.solved += 1;
      this.text = `${move} is right.${move === found.best ? "" : ` The best move is ${found.best}.`}`;
      this.desk.draw(false);
    } else {
      this.forget();
      this.state = "asked";
      this.text = found ? `${move} is not it${found.loss ? `: ${found.loss}` : ""}. Try again.` : `${move} could not be judged. Try again.`;
      this.desk.go(moment.before);
    }
    say(this.text);
  }

  /** Mark the piece that moves, or the cell on which one is placed. */
  hint() {
    const { view } = this.desk;
    const path = view ? pathOf(view, this.moment.judged.best) : [];
    if (path.length) this.desk.board?.hint({ text: "", path: path.slice(0, 1), takes: [] });
    say(path.length ? `Hint: ${this.desk.game?.board?.names[path[0]]}` : "There is no hint for this move.");
  }

  reveal() {
    const { before, judged } = this.moment;
    const known = before.children.some((child) => child.move === judged.best);
    this.desk.tree.current = before;
    const node = this.desk.tree.play(judged.best);
    if (!known) this.added = node;
    this.state = "answered";
    this.text = `The best move is ${judged.best}: ${judged.line.join(" ")}`;
    say(this.text);
    this.desk.go(node, true);
  }

  next() {
    if (this.at + 1 >= this.moments.length) {
      this.end();
      return;
    }
    this.at += 1;
    this.ask();
  }

  /** Remove the move that was tried from the tree. */
  forget() {
    if (this.added) this.desk.tree.remove(this.added);
    this.added = null;
  }

  /** Go back to the analysis. */
  end() {
    if (this.state === "off") return;
    const text = `You found ${this.solved} of ${this.moments.length}.`;
    this.forget();
    this.state = "off";
    this.desk.panel.classList.remove("learning");
    fill(this.element, el("p", { class: "legend" }, text));
    say(text);
    if (!this.analyse.active) return;
    this.analyse.takeOver();
    this.desk.go(this.moment.node);
  }
}
