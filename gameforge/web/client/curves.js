// The data of charts: smoothing, bands over seeds, tables joined at their x values, and settings that differ.

/**
 * @typedef {object} RunView A run as the server sends it: columns, with null where a session has no such figure.
 * @property {string} state
 * @property {string} game
 * @property {string} detail
 * @property {Record<string, number[]>} axes
 * @property {Record<string, (number | null)[]>} curves
 * @property {string} settings
 * @property {Record<string, string | number | boolean>} parameters
 */

/** @typedef {{path: string, view: RunView, colour: string}} ShownRun */

/**
 * @typedef {object} Series A curve: y over x, and a band around it if it stands for several runs.
 * @property {string} name
 * @property {string} colour
 * @property {number[]} x
 * @property {(number | null)[]} y
 * @property {(number | null)[]} [low]
 * @property {(number | null)[]} [high]
 */

const SEED = "seed";
const COLOURS = ["#3b9670", "#cf7f2c", "#5a8ace", "#c25a8a", "#96963a", "#8c70c8", "#2f9f9f", "#b06e4e"]; // visible on light and dark backgrounds

/** The colour of a series. @param {number} i */
export function colourOf(i) {
  return COLOURS[i % COLOURS.length];
}

/**
 * Exponential moving average, as TensorBoard smooths: each value has `weight` times the weight of the next one.
 * @param {(number | null)[]} values
 * @param {number} weight From 0, no smoothing, to less than 1.
 * @returns {(number | null)[]}
 */
export function smoothed(values, weight) {
  if (!weight) return values;
  let [sum, worth] = [0, 0];
  return values.map((value) => {
    if (value === null) return null;
    sum = sum * weight + value;
    worth = worth * weight + 1;
    return sum / worth;
  });
}

/**
 * The curves of a figure, one for each run that has it.
 * @param {string} figure
 * @param {ShownRun[]} runs
 * @param {string} axis
 * @returns {Series[]}
 */
export function curvesOf(figure, runs, axis) {
  return runs.flatMap(({ path, view, colour }) => {
    const [x, y] = [view.axes[axis], view.curves[figure]];
    if (!x || !y) return [];
    const measured = y.flatMap((value, i) => (value === null ? [] : [i])); // a strength is not measured in each session
    return [{ name: path, colour, x: measured.map((i) => x[i]), y: measured.map((i) => y[i]) }];
  });
}

/**
 * Runs that differ in nothing but their seed, together: groups in the order of their first runs.
 * @param {ShownRun[]} runs
 * @returns {ShownRun[][]}
 */
export function bySettings(runs) {
  /** @type {Map<string, ShownRun[]>} */
  const groups = new Map();
  for (const run of runs) {
    const key = JSON.stringify(Object.entries(run.view.parameters).filter(([name]) => name !== SEED).sort());
    groups.set(key, [...(groups.get(key) ?? []), run]);
  }
  return [...groups.values()];
}

/**
 * The mean curve of several runs, with a band from the lowest to the highest, at the x values that all of them have.
 * @param {Series[]} series
 * @returns {Series}
 */
export function band(series) {
  const [first] = series;
  if (series.length === 1) return first;
  const tables = series.map(({ x, y }) => new Map(x.map((at, i) => [at, y[i]])));
  const x = first.x.filter((at) => tables.every((table) => typeof table.get(at) === "number"));
  const at = x.map((place) => tables.map((table) => Number(table.get(place))));
  return {
    name: `${first.name} and ${series.length - 1} more`, colour: first.colour, x,
    y: at.map((values) => values.reduce((sum, value) => sum + value, 0) / values.length),
    low: at.map((values) => Math.min(...values)), high: at.map((values) => Math.max(...values)),
  };
}

/**
 * One table for all series: their x values in order, and a column for each curve and each edge of a band.
 * @param {Series[]} series
 * @returns {{x: number[], columns: (number | null)[][]}}
 */
export function joined(series) {
  const x = [...new Set(series.flatMap((one) => one.x))].sort((a, b) => a - b);
  const place = new Map(x.map((at, i) => [at, i]));
  const column = (/** @type {number[]} */ at, /** @type {(number | null)[]} */ values) => {
    /** @type {(number | null)[]} */
    const found = new Array(x.length).fill(null);
    at.forEach((one, i) => (found[place.get(one) ?? 0] = values[i]));
    return found;
  };
  return { x, columns: series.flatMap(({ x: at, y, low, high }) => [y, ...(low && high ? [low, high] : [])].map((values) => column(at, values))) };
}

/**
 * The parameters in which runs differ, the seed included: a row for each, with the value of each run; "" where it has none.
 * @param {ShownRun[]} runs
 * @returns {{name: string, values: string[]}[]}
 */
export function differing(runs) {
  const names = [...new Set(runs.flatMap(({ view }) => Object.keys(view.parameters)))];
  const rows = names.map((name) => ({ name, values: runs.map(({ view }) => String(view.parameters[name] ?? "")) }));
  return rows.filter(({ values }) => new Set(values).size > 1);
}

/** The axes that all of these runs have, in the order of the first one. @param {ShownRun[]} runs */
export function commonAxes(runs) {
  const [first, ...others] = runs;
  return first ? Object.keys(first.view.axes).filter((axis) => others.every(({ view }) => axis in view.axes)) : [];
}
