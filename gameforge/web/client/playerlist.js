// The players that fields for players suggest: trained ones with their levels, and those of the runs in the folder.

import { el } from "./dom.js";

/** @typedef {{path: string, kind: string, game: string, state: string, detail: string, players?: {name: string, path: string}[]}} Folder */

/** The runs, matches and tournaments in the folder of the server. @param {import("./main.js").App} app @returns {Promise<{folders: Folder[], damaged: string[]}>} */
export async function folders(app) {
  const none = { folders: [], damaged: [] };
  return app.hasRuns ? ((await app.desk.try(() => app.connection.ask("folders"))) ?? none) : none;
}

/** The names of the players of a game. @param {import("./types.js").GameView} game @param {Folder[]} known */
export function playersOf(game, known) {
  const trained = Object.entries(game.trained).flatMap(([name, levels]) => [name, ...Array.from({ length: levels }, (_, i) => `${name}:level=${i + 1}`)]);
  const saved = known.filter((folder) => folder.game === game.name).flatMap(({ players }) => players ?? []);
  return [...trained, ...saved.map(({ path }) => path)];
}

/** A list of suggestions for fields that name it. @param {string} id */
export function suggestions(id) {
  return el("datalist", { id });
}
