// The page: the connection, the views, and what the tab remembers.

import { Analyse } from "./analyse.js";
import { Connection } from "./connection.js";
import { Desk } from "./desk.js";
import { button, byId, fill } from "./dom.js";
import { Play } from "./play.js";
import { Runs } from "./runs.js";
import { Tree } from "./tree.js";
import { Watch } from "./watch.js";

/**
 * @typedef {object} View
 * @property {(what: string) => void} enter Show the view, and what the rest of the address names, and take over what it shares with others.
 * @property {() => void} leave
 * @property {() => void} resume Called when a lost connection is back.
 */

const KEPT = "gameforge";

export class App {
  constructor() {
    /** @type {import("./types.js").GameName[]} */
    this.games = [];
    this.connection = new Connection(() => new WebSocket(`ws://${location.host}/socket`), (open) => this.connected(open));
    this.desk = new Desk(this.connection);
    this.play = new Play(this);
    this.analyse = new Analyse(this);
    this.watch = new Watch(this);
    this.main = byId("main");
    /** Whether the server has a folder of runs. */
    this.hasRuns = false;
    /** @type {[string, string, View][]} */
    this.views = [["play", "Play", this.play], ["analyse", "Analyse", this.analyse], ["watch", "Watch", this.watch], ["runs", "Runs", new Runs(this)]];
    /** @type {View | null} */
    this.view = null;
    this.started = false;
    window.addEventListener("hashchange", () => this.route());
    window.addEventListener("keydown", (event) => this.key(event));
  }

  /** @param {boolean} open */
  async connected(open) {
    const offline = byId("offline");
    offline.hidden = open;
    offline.textContent = open ? "" : "The connection to the server is lost. This page reconnects when the server is back; the game is kept.";
    if (!open) return;
    if (this.started) this.view?.resume();
    else await this.start();
  }

  /** Open the game that the tab had before it was reloaded, or the one that the server names. */
  async start() {
    const kept = this.kept();
    const answer = await this.desk.try(async () => {
      if (!kept) return this.connection.ask("hello");
      return this.connection.ask("hello", { game: kept.settings.game }).catch(() => this.connection.ask("hello"));
    });
    if (!answer) return;
    this.started = true;
    this.games = answer.games;
    this.hasRuns = answer.runs;
    const mine = kept && kept.settings.game === answer.game.name ? kept : null;
    this.play.settings = mine?.settings ?? { ...this.play.settings, game: answer.game.name, player: answer.player };
    const tree = mine ? Tree.from(mine.tree) : new Tree();
    if (tree.start === null) tree.root.view = answer.position;
    await this.desk.open(answer.game, tree);
    this.route();
    this.desk.seat(this.play.settings.side ?? 0);
    this.play.name();
    this.desk.drawStrips();
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

  /** Open a game in the analysis. @param {string} name @param {Tree} tree @param {[string, string]} players */
  async analyseGame(name, tree, players) {
    const answer = await this.desk.try(() => this.connection.ask("game", { game: name }));
    if (!answer) return;
    this.play.settings = { ...this.play.settings, game: name };
    await this.desk.open(answer.game, tree);
    this.desk.players.forEach((player, side) => (player.name = players[side]));
    location.hash = "analyse";
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

  /** Keep the game for a reload of this tab. */
  keep() {
    try {
      sessionStorage.setItem(KEPT, JSON.stringify({ settings: this.play.settings, tree: this.desk.tree.stored() }));
    } catch {
      // The browser allows no storage; the game then lasts as long as the page.
    }
  }

  /** @returns {any} */
  kept() {
    try {
      return JSON.parse(sessionStorage.getItem(KEPT) ?? "null");
    } catch {
      return null;
    }
  }

  /** Keys that work everywhere except in fields. @param {KeyboardEvent} event */
  key(event) {
    if (event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement || event.target instanceof HTMLTextAreaElement) return;
    if (event.ctrlKey || event.altKey || event.metaKey || document.querySelector("dialog[open]")) return;
    const acts = new Map([["f", () => this.desk.flip()], ["u", () => this.play.undo()], ["r", () => this.play.redo()], ["h", () => this.play.hint()], ["n", () => this.play.askNew()]]);
    const act = acts.get(event.key);
    if (act && this.view === this.play) act();
  }
}

new App();
