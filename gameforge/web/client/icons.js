// Icons as SVG, which every computer draws alike, unlike symbols of a font.

import { el, svg } from "./dom.js";

const PATHS = {
  first: "M6 5v14M19 5l-9 7 9 7z",
  back: "M16 5l-9 7 9 7z",
  forward: "M8 5l9 7-9 7z",
  last: "M18 5v14M5 5l9 7-9 7z",
  flip: "M8 19V5M8 5L4.5 9M8 5l3.5 4M16 5v14M16 19l-3.5-4M16 19l3.5-4",
  menu: "M4 7h16M4 12h16M4 17h16",
};

/**
 * A button with an icon.
 * @param {keyof typeof PATHS} name
 * @param {string} label
 * @param {() => void} click
 */
export function iconButton(name, label, click) {
  const path = svg("path", { d: PATHS[name], fill: name === "flip" || name === "menu" ? "none" : "currentColor", stroke: "currentColor" });
  const icon = svg("svg", { viewBox: "0 0 24 24", width: 18, height: 18, "aria-hidden": "true", "stroke-width": 2, "stroke-linejoin": "round", "stroke-linecap": "round" }, path);
  return el("button", { type: "button", class: "icon", "aria-label": label, title: label, click }, icon);
}
