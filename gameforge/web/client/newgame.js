// The dialog for a new game: the game, the opponent, its time, the colour, the clock and the initial position.

import { button, el } from "./dom.js";

/** @typedef {import("./types.js").GameName} GameName */

/**
 * @typedef {object} Settings
 * @property {string} game
 * @property {string} player "" is the default player of the game.
 * @property {number | null} seconds Time of a move; null: the player's own limits.
 * @property {number | null} side The person's side; null: both.
 * @property {[number, number] | null} clock Seconds and increment.
 * @property {string | null} start
 */

/** @type {[string, [number, number] | null][]} */
const CLOCKS = [["No clock", null], ["1 min", [60, 0]], ["3 min + 2 s", [180, 2]], ["5 min + 3 s", [300, 3]], ["10 min", [600, 0]], ["15 min + 10 s", [900, 10]]];
const TIMES = [["Its own limits", ""], ["0.1 s", "0.1"], ["0.5 s", "0.5"], ["1 s", "1"], ["3 s", "3"], ["10 s", "10"]];

/** The opponents that a game offers, from the weakest level on, with their labels. @param {import("./types.js").GameView["trained"]} trained @returns {[player: string, label: string][]} */
function opponents(trained) {
  return Object.entries(trained).flatMap(([name, levels]) => [...levels.map((_, i) => /** @type {[string, string]} */ ([`${name}:level=${i + 1}`, `${name}, level ${i + 1}${rating(levels.slice(1, i + 1))}`])), [name, name]]);
}

/** What was measured of a level, over the first one. @param {([elo: number, error: number] | null)[]} steps The Elo of all levels up to it over the one below each. */
export function rating(steps) {
  if (!steps.length || steps.includes(null)) return "";
  const sum = steps.reduce((all, step) => all + (step?.[0] ?? 0), 0);
  const error = Math.sqrt(steps.reduce((all, step) => all + (step?.[1] ?? 0) ** 2, 0));
  return `: Elo ${sum < 0 ? "−" : "+"}${Math.abs(Math.round(sum))} ± ${Math.round(error)} over level 1`;
}

/**
 * Ask for the settings of a new game, until one has begun with them.
 * @param {GameName[]} games
 * @param {Settings} settings Those of the last game.
 * @param {(game: string) => Promise<import("./types.js").GameView | undefined>} about What the server knows of a game.
 * @param {(game: string, set: string) => Promise<{name: string, start: string} | undefined>} draw Draws an opening from a set of a game.
 * @param {(settings: Settings) => Promise<boolean>} begin Begins it, and returns whether it has begun.
 */
export function askNewGame(games, settings, about, draw, begin) {
  const game = select("Game", games.map(({ name }) => [name, name]), settings.game);
  const player = field("Opponent", settings.player, "The default player");
  const level = select("Level", [["Full strength", ""]], "");
  const offer = async () => {
    const found = await about(game.input.value);
    found?.sides.forEach((name, i) => (side.input.options[i].textContent = `${name}, ${i ? "second" : "first"}`));
    const levels = opponents(found?.trained ?? {});
    level.input.replaceChildren(el("option", { value: "" }, levels.length ? "As above" : "No levels for this game"),
      ...levels.map(([value, label]) => el("option", { value }, label)));
    level.input.disabled = !levels.length;
    const sets = found?.openings ?? [];
    if (ballot.input.value) start.input.value = ""; // it was a position of the game before
    ballot.input.replaceChildren(el("option", { value: "" }, sets.length ? "None" : "No openings for this game"), ...sets.map((set) => el("option", { value: set }, `A random one of ${set}`)));
    ballot.input.disabled = !sets.length;
    if (levels.some(([value]) => value === player.input.value)) level.input.value = player.input.value;
  };
  level.input.addEventListener("change", () => (player.input.value = level.input.value));
  game.input.addEventListener("change", offer);
  const seconds = select("Time per move", TIMES, settings.seconds === null ? "" : String(settings.seconds));
  const side = select("You play", [["First", "0"], ["Second", "1"], ["A random side", "random"], ["Both sides", "both"]], settings.side === null ? "both" : String(settings.side));
  const ballot = select("Ballot", [["None", ""]], "");
  ballot.input.addEventListener("change", async () => {
    const set = ballot.input.value;
    const drawn = set ? await draw(game.input.value, set) : undefined;
    if (ballot.input.value !== set) return;
    start.input.value = drawn?.start ?? "";
    start.input.title = drawn?.name ?? "";
  });
  offer();
  const clock = select("Clock", CLOCKS.map(([name], i) => [name, String(i)]), String(Math.max(0, CLOCKS.findIndex(([, value]) => String(value) === String(settings.clock)))));
  const start = field("Position", "", "The initial position");
  const dialog = el("dialog", { "aria-label": "New game" });
  const chosen = () => ({
    game: game.input.value,
    player: player.input.value.trim(),
    seconds: seconds.input.value ? Number(seconds.input.value) : null,
    side: side.input.value === "both" ? null : side.input.value === "random" ? Math.floor(2 * Math.random()) : Number(side.input.value),
    clock: CLOCKS[Number(clock.input.value)][1],
    start: start.input.value.trim() || null,
  });
  const play = el("button", { class: "primary" }, "Play");
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    play.disabled = true;
    const begun = await begin(chosen());
    play.disabled = false;
    if (begun) dialog.close();
  };
  const form = el("form", { method: "dialog", submit }, el("h2", {}, "New game"), ...[game, side, player, level, seconds, clock, ballot, start].map(({ row }) => row),
    el("div", { class: "buttons" }, button("Cancel", () => dialog.close()), play));
  dialog.append(form);
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

/** @param {string} name @param {string[][]} options @param {string} value */
function select(name, options, value) {
  const input = el("select", { id: idOf(name) }, ...options.map(([text, key]) => el("option", { value: key }, text)));
  input.value = value;
  return { input, row: row(name, input) };
}

/** @param {string} name @param {string} value @param {string} placeholder */
function field(name, value, placeholder) {
  const input = el("input", { id: idOf(name), type: "text", value, placeholder, autocomplete: "off", spellcheck: "false" });
  return { input, row: row(name, input) };
}

/** @param {string} name @param {HTMLElement} input */
function row(name, input) {
  return el("div", { class: "field" }, el("label", { for: idOf(name) }, name), input);
}

/** @param {string} name */
function idOf(name) {
  return `new-${name.toLowerCase().replaceAll(" ", "-")}`;
}
