// The players that fields for players suggest: trained ones with their levels, and those of the runs in the folder.

import { el } from "./dom.js";

/** @typedef {{folders: Folder[], damaged: string[], left_out: number}} Listed */

/** @typedef {{path: string, kind: string, game: string, state: string, detail: string, players?: {name: string, path: string}[]}} Folder */

const REFRESH = 5000;

/** The runs, matches and tournaments in the folder of the server. @param {import("./main.js").App} app @returns {Promise<Listed>} */
export async function folders(app) {
  const none = { folders: [], damaged: [], left_out: 0 };
  return app.hasRuns ? ((await app.desk.try(() => app.connection.ask("folders"))) ?? none) : none;
}

/** Call `refresh` every few seconds while an element is on a page that can be seen; the focus stays in its place. @param {HTMLElement} element @param {() => Promise<void>} refresh */
export function keepFresh(element, refresh) {
  const places = () => /** @type {HTMLElement[]} */ ([...element.querySelectorAll("button, input")]);
  setInterval(async () => {
    if (!element.isConnected || document.hidden) return;
    const focused = places().findIndex((place) => place === document.activeElement);
    await refresh();
    if (focused >= 0) places()[focused]?.focus();
  }, REFRESH);
}

/** What the list does not show: damaged folders, and those beyond its limit. @param {Listed} listed */
export function omissions({ damaged, left_out: more }) {
  return [...damaged, ...(more ? [`${more} more runs or matches are not listed; start gameforge web with --runs and a folder of fewer.`] : [])]
    .map((text) => el("p", { class: "damaged" }, text));
}

/** The names of the players of a game. @param {import("./types.js").GameView} game @param {Folder[]} known */
export function playersOf(game, known) {
  const trained = Object.entries(game.trained).flatMap(([name, levels]) => [name, ...levels.map((_, i) => `${name}:level=${i + 1}`)]);
  const saved = known.filter((folder) => folder.game === game.name).flatMap(({ players }) => players ?? []);
  return [...trained, ...saved.map(({ path }) => path)];
}

/** A list of suggestions for fields that name it. @param {string} id */
export function suggestions(id) {
  return el("datalist", { id });
}
