// What a person likes: sound, moves in advance, and how the board and its pieces look. Kept in the browser.

import { button, el } from "./dom.js";

const KEPT = "gameforge-preferences";

/** Colours of the ground and drawings of the pieces; "own" is the colour of the game, "rings" its drawing. */
const GROUNDS = { own: "", wood: "#8f5f3c", slate: "#5a6e80" };
const PIECES = ["rings", "smooth", "flat"];

/** @type {[name: "ground" | "pieces", label: string, options: [value: string, text: string][]][]} */
const CHOICES = [
  ["ground", "Board", [["own", "The game's own colours"], ["wood", "Wood"], ["slate", "Slate"]]],
  ["pieces", "Pieces", [["rings", "With rings"], ["smooth", "Smooth"], ["flat", "Flat"]]],
];

/** @type {[name: "sound" | "premove", text: string][]} */
const SWITCHES = [["sound", "Sounds of moves"], ["premove", "Moves in advance, while the opponent thinks"]];

export const preferences = { sound: false, premove: false, ground: "own", pieces: "rings" };

/** Take over what was kept, as far as it is known. */
function restore() {
  try {
    const kept = JSON.parse(localStorage.getItem(KEPT) ?? "{}");
    for (const [name] of SWITCHES) preferences[name] = kept[name] === true;
    if (kept.ground in GROUNDS) preferences.ground = kept.ground;
    if (PIECES.includes(kept.pieces)) preferences.pieces = kept.pieces;
  } catch {
    // The browser allows no storage, or holds nonsense; the defaults remain.
  }
}
if (typeof localStorage !== "undefined") restore();

/** The board in the chosen colours. @template {{ground: string}} T @param {T} board @returns {T} */
export function dressed(board) {
  const ground = GROUNDS[/** @type {keyof typeof GROUNDS} */ (preferences.ground)];
  return ground ? { ...board, ground } : board;
}

/** Let the person choose. @param {() => void} changed Called after each choice. */
export function askPreferences(changed) {
  const set = (/** @type {Partial<typeof preferences>} */ chosen) => {
    Object.assign(preferences, chosen);
    try {
      localStorage.setItem(KEPT, JSON.stringify(preferences));
    } catch {
      // They then last as long as the page.
    }
    changed();
  };
  const dialog = el("dialog", { class: "preferences", "aria-label": "Preferences" }, el("h2", {}, "Preferences"));
  for (const [name, label, options] of CHOICES) {
    const input = el("select", { id: `prefer-${name}`, change: () => set({ [name]: input.value }) }, ...options.map(([value, text]) => el("option", { value }, text)));
    input.value = preferences[name];
    dialog.append(el("div", { class: "field" }, el("label", { for: input.id }, label), input));
  }
  for (const [name, text] of SWITCHES) {
    const input = el("input", { type: "checkbox", change: () => set({ [name]: input.checked }) });
    input.checked = preferences[name];
    dialog.append(el("label", { class: "switch" }, input, text));
  }
  dialog.append(el("div", { class: "buttons" }, button("Close", () => dialog.close(), { class: "primary" })));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
