// The page: the connection, the views, and what the tab remembers.

import { Analyse } from "./analyse.js";
import { Clock } from "./clock.js";
import { Connection, Lost } from "./connection.js";
import { Desk } from "./desk.js";
import { button, byId, el, fill } from "./dom.js";
import { iconButton } from "./icons.js";
import { now, Play } from "./play.js";
import { askPreferences } from "./preferences.js";
import { Practice } from "./practice.js";
import { Runs } from "./runs.js";
import { Sessions } from "./session.js";
import { Tree } from "./tree.js";
import { Watch } from "./watch.js";

/**
 * @typedef {object} View
 * @property {(what: string) => void} enter Show the view, and what the rest of the address names, and take over what it shares with others.
 * @property {() => void} leave
 * @property {() => void} resume Called when a lost connection is back.
 */

export class App {
  constructor() {
    /** @type {import("./types.js").GameName[]} */
    this.games = [];
    this.connection = new Connection(() => new WebSocket(`ws://${location.host}/socket`), (open) => this.connected(open));
    this.desk = new Desk(this.connection);
    this.desk.opened = () => this.nameGame();
    this.sessions = new Sessions();
    this.chooser = el("select", { "aria-label": "Game of this page", change: () => this.chooseGame(this.chooser.value) });
    byId("game").append(this.chooser, iconButton("menu", "Preferences", () => askPreferences(() => this.redraw())));
    this.play = new Play(this);
    this.analyse = new Analyse(this);
    this.practice = new Practice(this);
    this.watch = new Watch(this);
    this.main = byId("main");
    /** Whether the server has a folder of runs. */
    this.hasRuns = false;
    /** @type {[string, string, View][]} */
    this.views = [["play", "Play", this.play], ["analyse", "Analyse", this.analyse], ["practice", "Practice", this.practice], ["watch", "Watch", this.watch], ["runs", "Runs", new Runs(this)]];
    /** @type {View | null} */
    this.view = null;
    this.started = false;
    window.addEventListener("hashchange", () => this.route());
    window.addEventListener("keydown", (event) => this.key(event));
    byId("skip").addEventListener("click", (event) => this.skip(event));
    window.addEventListener("pagehide", () => this.started && this.keep());
  }

  /** @param {boolean} open */
  async connected(open) {
    const offline = byId("offline");
    offline.hidden = open;
    offline.textContent = open ? "" : "The connection to the server is lost. This page reconnects when the server is back; the game is kept.";
    if (!open) return;
    if (this.started) {
      this.view?.resume();
      if (this.view !== this.watch && this.watch.isOwn) this.watch.resume();
    } else await this.start();
  }

  /** Open the game that the page had before it was reloaded or closed, or the one that the server names. */
  async start() {
    await this.sessions.begin();
    const kept = this.sessions.now.game;
    const answer = await this.desk.try(async () => {
      const last = this.sessions.last || null;
      if (!kept) return this.connection.ask("hello", { last });
      return this.connection.ask("hello", { game: kept }).catch(() => this.connection.ask("hello", { last }));
    });
    if (!answer) return;
    this.started = true;
    this.games = answer.games;
    this.hasRuns = answer.runs;
    this.play.settings = { ...this.play.settings, player: answer.player };
    await this.openKept(answer, this.route.bind(this));
  }

  /** Open a game as it was kept; if it was not, at its initial position. @param {any} answer The server's, with the game. @param {() => void} [opened] Called before its position is drawn. */
  async openKept({ game, position }, opened) {
    const kept = this.sessions.now.games[game.name];
    const { play, desk } = this;
    const same = play.settings.game === game.name || !play.settings.game;
    play.stop();
    play.settings = kept?.settings ?? { ...play.settings, game: game.name, player: same ? play.settings.player : "", start: null };
    play.clock = kept?.clock ? Clock.from(kept.clock) : null;
    const tree = kept ? Tree.from(kept.tree) : new Tree();
    if (tree.start === null) tree.root.view = position;
    desk.tree = tree;
    play.name();
    await desk.open(game, tree);
    opened?.();
    if (kept && desk.flipped !== kept.flipped) desk.flip();
    else if (!kept) desk.seat(play.settings.side ?? 0);
    play.name();
    desk.drawStrips();
  }

  /** Draw the board again, after the person has chosen another look. */
  redraw() {
    const { board } = this.desk;
    if (!board) return;
    board.build();
    this.desk.draw(false);
  }

  /** Name the game on the board, in the title and in the list of games. */
  nameGame() {
    const name = this.desk.game?.name ?? "";
    document.title = `${name} - GameForge`;
    const names = this.games.map((game) => game.name);
    fill(this.chooser, ...(names.includes(name) ? names : [...names, name]).map((each) => el("option", { value: each }, each)));
    this.chooser.value = name;
  }

  /** Open another game, as it was left. @param {string} name */
  async chooseGame(name) {
    this.keep();
    const answer = await this.desk.try(() => this.connection.ask("game", { game: name }));
    if (answer) await this.openKept(answer);
    else this.nameGame();
    this.keep();
    this.watch.form.choose(name);
    if (this.view === this.practice) this.practice.enter();
  }

  /** Show the view that the address names. */
  route() {
    const [name, ...what] = decodeURIComponent(location.hash.slice(1)).split("/");
    const [key, , view] = this.views.find(([each]) => each === name) ?? this.views[0];
    fill(byId("views"), ...this.views.map(([each, text]) =>
      button(text, () => (location.hash = each), { "aria-current": each === key ? "page" : null })));
    if (view === this.view && !what.length) return;
    this.view?.leave();
    this.view = view;
    if (view === this.play || view === this.analyse) fill(this.main, this.desk.element);
    view.enter(what.join("/"));
  }

  /** Open a game in the analysis. @param {string} name @param {Tree} tree */
  async analyseGame(name, tree) {
    if (await this.openTree(name, tree)) location.hash = "analyse";
  }

  /** Put a game from a file on the board; return whether the server knows it. @param {string} name @param {Tree} tree */
  async openTree(name, tree) {
    const answer = await this.desk.try(() => this.connection.ask("game", { game: name }));
    if (!answer) return false;
    this.play.stop();
    if (name !== this.play.settings.game) this.play.settings = { ...this.play.settings, game: name, player: "" };
    this.play.clock = null;
    this.desk.tree = tree;
    this.play.name();
    try {
      await this.desk.open(answer.game, tree);
    } catch (error) {
      if (!(error instanceof Lost)) throw error;
    }
    return true;
  }

  /** Play against a player. @param {string} game @param {string} player */
  async playAgainst(game, player) {
    location.hash = "play";
    await this.play.begin({ ...this.play.settings, game, player, start: null });
  }

  /** Let two players play a match. @param {string} game @param {[string, string]} players */
  matchBetween(game, players) {
    location.hash = "watch";
    this.route();
    this.watch.between(game, players);
  }

  /** Keep the game as it is. */
  keep() {
    const { desk, play } = this;
    if (!desk.game) return;
    const kept = { settings: play.settings, tree: desk.tree.stored(), clock: play.clock?.stopped(now()) ?? null, flipped: desk.flipped };
    this.sessions.keep(desk.game.name, kept);
  }

  /** Keys that work everywhere except in fields. @param {KeyboardEvent} event */
  key(event) {
    if (event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement || event.target instanceof HTMLTextAreaElement) return;
    if (event.ctrlKey || event.altKey || event.metaKey || document.querySelector("dialog[open]")) return;
    const acts = new Map([["f", () => this.desk.flip()], ["u", () => this.play.undo()], ["r", () => this.play.redo()], ["h", () => this.play.hint()], ["n", () => this.play.askNew()]]);
    const act = acts.get(event.key);
    if (act && this.view === this.play) act();
    const steps = new Map([["ArrowLeft", () => this.desk.step(-1)], ["ArrowRight", () => this.desk.step(1)], ["Home", () => this.desk.jump(-1)], ["End", () => this.desk.jump(1)]]);
    const step = steps.get(event.key);
    if (!step || (this.view !== this.play && this.view !== this.analyse)) return;
    event.preventDefault();
    step();
  }

  /** Skip to the board, or where there is none to what the view shows. @param {Event} event */
  skip(event) {
    event.preventDefault();
    const board = this.main.querySelector(".board .cell[tabindex='0'], .choice");
    if (board instanceof HTMLElement || board instanceof SVGElement) board.focus();
    else this.main.focus();
  }
}

new App();
