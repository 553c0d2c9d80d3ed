// Playing: the person against a player, with clocks, undo, hints, resigning and offers of a draw.

import { Clock, clockCommand, clockOf, timeText } from "./clock.js";
import { complain, endingText, preparing, say } from "./desk.js";
import { button, el, fill } from "./dom.js";
import { iconButton } from "./icons.js";
import { MoveList } from "./movelist.js";
import { askNewGame } from "./newgame.js";
import { Premove } from "./premove.js";
import { Teacher } from "./teacher.js";
import { Tree } from "./tree.js";

/** @typedef {import("./newgame.js").Settings} Settings */
/** @typedef {import("./types.js").PositionView} PositionView */

const TICK = 100;

export class Play {
  /** @param {import("./main.js").App} app */
  constructor(app) {
    this.app = app;
    this.desk = app.desk;
    /** @type {Settings} */
    this.settings = { game: "", player: "", seconds: null, side: 0, clock: null, start: null };
    /** @type {AbortController | null} */
    this.thinking = null;
    /** @type {Clock | null} */
    this.clock = null;
    this.list = new MoveList((node) => this.jump(node));
    this.message = el("p", { class: "message" });
    this.tools = el("div", { class: "tools" });
    this.teacher = new Teacher(this);
    this.premove = new Premove(app.desk, () => (this.result ? null : this.settings.side));
    setInterval(() => this.tick(), TICK);
  }

  /** How the game on the board, if it is played here, ended without a rule of the game: resigned, drawn by agreement, lost on time. */
  get result() {
    const { heading, ending } = this.desk.tree;
    return heading ? "" : endingText(this.desk.game?.sides ?? ["", ""], ending);
  }

  /** Take over the desk. */
  enter() {
    const desk = this.desk;
    desk.mayMove = (view) => !this.result && (this.settings.side === null || view.turn === this.settings.side);
    desk.moved = () => {};
    desk.ahead = (cell) => this.premove.pick(cell);
    desk.shown = (view) => this.shown(view);
    fill(desk.panel,
      this.list.element,
      el("div", { class: "steps" },
        iconButton("first", "First position", () => this.jump(desk.tree.root)),
        iconButton("back", "Take back", () => this.undo()),
        iconButton("forward", "Redo", () => this.redo()),
        iconButton("last", "Last position", () => this.jump(desk.tree.line().at(-1) ?? desk.tree.root)),
        iconButton("flip", "Flip the board", () => desk.flip())),
      this.message, this.tools);
    this.name();
    desk.draw(false);
  }

  leave() {
    this.premove.forget();
    this.desk.ahead = () => false;
    this.desk.shown = () => {}; // a game that is opened elsewhere waits until it is played
    this.stop();
    this.clock?.stop(now());
  }

  /** Begin a game and return true; go on with the present one if the server refuses the opponent or the initial position. @param {Settings} settings @returns {Promise<boolean>} */
  async begin(settings) {
    const { stage } = this.desk;
    const tree = new Tree(settings.start);
    stage.setAttribute("aria-busy", "true");
    const answer = await this.desk.try(() => this.app.connection.ask("game", { game: settings.game }));
    const accepted = answer && (await this.desk.accepts(settings.game, tree)) && (await this.invites(settings));
    stage.removeAttribute("aria-busy");
    if (!accepted) return false;
    this.stop();
    this.settings = settings;
    this.clock = settings.clock && new Clock(...settings.clock);
    this.desk.game = answer.game;
    this.desk.tree = tree;
    this.name();
    await this.desk.open(answer.game, tree);
    this.desk.seat(settings.side ?? 0);
    this.app.keep();
    return true;
  }

  /** Whether the opponent can play this game, with these limits. @param {Settings} settings */
  async invites({ game, player, seconds, side, clock }) {
    if (side === null) return true;
    const limits = clock ? { time: clock[0] } : seconds === null ? {} : { time: seconds };
    return (await this.desk.try(() => this.app.connection.ask("invite", { game, player, limits }))) !== undefined;
  }

  /** Name the players, those of a game from a file or the person and the opponent, and write their times beside the names. */
  name() {
    this.time();
    const named = this.desk.tree.heading?.players;
    if (named) {
      this.desk.players.forEach((player, side) => (player.name = named[side]));
      return;
    }
    const opponent = this.settings.player || "GameForge";
    [0, 1].forEach((side) => {
      const own = this.settings.side === null || this.settings.side === side;
      this.desk.players[side].name = this.settings.side === null ? "" : own ? "You" : opponent;
    });
  }

  /** @param {PositionView} view */
  shown(view) {
    const { tree } = this.desk;
    const tip = !tree.current.children.length;
    if (tip && !tree.heading) tree.promote(tree.current); // after a move was taken back, the game goes on here
    this.stop();
    if (this.clock && !this.result) {
      if (view.outcome) this.clock.stop(now());
      else if (tip && tree.current.parent) this.press(this.clock, tree.current, view.turn);
    }
    this.list.show(tree);
    this.app.keep();
    const theirs = this.settings.side !== null && view.turn !== this.settings.side;
    if (theirs && tip && !view.outcome && !this.result) this.teacher.check(() => this.think(view.turn));
    this.describe(view);
    const planned = tip && !this.result ? this.premove.take(view) : null;
    if (planned) this.desk.play(planned);
  }

  /** Let the clock of the side to move run, and note the other's time beside its move. @param {Clock} clock @param {import("./tree.js").Node} node @param {number} side */
  press(clock, node, side) {
    clock.press(side, now());
    if (!clockOf(node.comment)) node.comment = `${clockCommand(clock.at(1 - side, now()))} ${node.comment}`.trim();
  }

  /** Say whose turn it is, or how the game ended. @param {PositionView} view */
  describe(view) {
    const sides = this.desk.game?.sides ?? ["", ""];
    const forced = view.legal.length > 0 && view.legal.every(({ takes }) => takes.length > 0);
    const turn = this.settings.side === null ? `${sides[view.turn]} to move` : view.turn === this.settings.side ? "Your turn" : "";
    const text = this.result || view.outcome?.text || turn + (turn && forced ? ": you must capture" : "");
    const over = Boolean(this.result || view.outcome);
    this.message.classList.toggle("over", over);
    fill(this.message, text);
    say([view.last && `${sides[1 - view.turn]} played ${view.last.text}`, text].filter(Boolean).join(". "));
    const playing = this.settings.side !== null && !over;
    const own = playing && !this.desk.tree.heading; // a game from a file keeps its result
    fill(this.tools,
      playing && button("Hint", () => this.hint()),
      playing && this.teacher.switch,
      own && button("Offer a draw", () => this.offerDraw()),
      own && button("Resign", () => this.end(1 - (this.settings.side ?? 0), "resignation")),
      button("New game", () => this.askNew(), { class: "primary" }));
  }

  askNew() {
    const about = async (/** @type {string} */ game) => (await this.desk.try(() => this.app.connection.ask("game", { game })))?.game;
    const draw = (/** @type {string} */ game, /** @type {string} */ set) => this.desk.try(() => this.app.connection.ask("ballot", { game, set }));
    askNewGame(this.app.games, this.settings, about, draw, (settings) => this.begin(settings));
  }

  /** Let the opponent move. @param {number} side The side to move, which is the opponent's. */
  async think(side) {
    const thinking = new AbortController();
    this.thinking = thinking;
    this.desk.players[side].thinking = true;
    this.desk.drawStrips();
    const node = this.desk.tree.current;
    const seconds = this.clock ? this.clock.budget(side, now()) : this.settings.seconds;
    const request = { ...this.desk.where(), player: this.settings.player, limits: seconds === null ? {} : { time: seconds } };
    const answer = await this.desk.try(() => this.app.connection.ask("think", request, { signal: thinking.signal, update: (update) => fill(this.message, preparing(update)) }));
    if (this.thinking !== thinking) return;
    this.stop();
    this.desk.drawStrips();
    if (!answer && this.app.connection.isOpen) this.offerRetry();
    if (answer && this.desk.tree.current === node) await this.desk.go(this.desk.tree.play(answer.move), true);
  }

  /** The opponent could not move, for the reason that the page shows. */
  offerRetry() {
    fill(this.message, "The opponent cannot move. ", button("Try again", () => this.resume()));
  }

  /** End the opponent's search. */
  stop() {
    this.thinking?.abort();
    this.thinking = null;
    for (const player of this.desk.players) player.thinking = false;
  }

  /** Ask again for what was under way when the connection was lost. */
  resume() {
    this.desk.go(this.desk.tree.current);
  }

  /** @param {import("./tree.js").Node} node */
  jump(node) {
    this.desk.go(node, node.parent === this.desk.tree.current);
  }

  /** Take back moves until it is the person's turn again. */
  undo() {
    let node = this.desk.tree.current.parent;
    while (node && node.parent && this.settings.side !== null && node.view && node.view.turn !== this.settings.side) node = node.parent;
    if (!node) return;
    if (!this.desk.tree.heading) this.desk.tree.ending = null;
    this.desk.go(node);
  }

  redo() {
    const side = this.settings.side;
    let node = this.desk.tree.current.children[0];
    while (node && side !== null && node.view?.turn !== side && node.children.length) node = node.children[0];
    if (node) this.desk.go(node, node.parent === this.desk.tree.current);
  }

  async hint() {
    const request = { ...this.desk.where(), player: this.settings.player };
    const answer = await this.desk.try(() => this.app.connection.ask("hint", request));
    if (!answer) return;
    this.desk.hint(answer.move);
    fill(this.message, `${answer.move} (${answer.score}): ${answer.line.join(" ")}`);
    say(`Hint: ${answer.move}`);
  }

  async offerDraw() {
    const side = this.settings.side ?? 0;
    const request = { ...this.desk.where(), player: this.settings.player, side: 1 - side };
    const answer = await this.desk.try(() => this.app.connection.ask("offer", request));
    if (answer?.accepted) this.end(null, "by agreement");
    else if (answer) complain(`The opponent declines: ${answer.why}`);
  }

  /** End the game without a rule of the game. @param {number | null} winner @param {string} reason */
  end(winner, reason) {
    this.desk.tree.ending = { finished: true, winner, reason };
    this.stop();
    this.clock?.stop(now());
    this.time();
    this.desk.draw(false);
  }

  /** Write the times beside the names. */
  time() {
    const clock = this.clock;
    this.desk.players.forEach((player, side) => (player.clock = clock ? timeText(clock.at(side, now())) : ""));
  }

  tick() {
    const clock = this.clock;
    this.time();
    if (!clock || clock.running === null) return;
    this.desk.drawStrips();
    const flagged = clock.flagged(now());
    if (flagged !== null && !this.result) this.end(1 - flagged, "time");
  }
}

/** The time of the page, in seconds. */
export function now() {
  return performance.now() / 1000;
}
