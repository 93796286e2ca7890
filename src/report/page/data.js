/* The data of the page and their units. */

const report = JSON.parse(document.getElementById('data').textContent);

/* The members of the summary that the page uses, with their types; '*' is any other name. */
const wallTypes = {shear: 'number', stress: ['number'], heat_flux: 'number', mass_flux: 'number'};
const quantityTypes = {
  walls: {'*': wallTypes},
  bodies: {'*': {force: ['number'], torque: ['number'], heat: 'number'}},
  ports: {'*': {'*': 'number'}},
  port_flow: {'*': 'number'},
  '*': 'number'
};
const summaryTypes = {
  quality: {verdict: 'string', sentence: 'string', level: 'string', error_estimate: 'number'},
  notes: [{level: 'string', text: 'string'}],
  quantities: quantityTypes,
  quantities_si: quantityTypes,
  errors: quantityTypes,
  oscillation: {frequency: 'number', periods: 'number', change: 'number', '*': {amplitude: 'number', phase: 'number'}},
  moving_walls: {'*': {'*': 'number'}},
  moving_bodies: {'*': {'*': 'number'}},
  phase_s: {'*': 'number'},
  provenance: {'*': 'string'},
  case: {space: {cells: ['number'], '*': 'any'}, '*': 'any'},
  ...Object.fromEntries(['outcome', 'version', 'backend'].map(name => [name, 'string'])),
  ...Object.fromEntries(['time', 'steps', 'cells', 'nodes', 'threads', 'seed', 'wall_s', 'updates_per_s',
    'memory_bytes', 'averaged_rows'].map(name => [name, 'number']))
};

/* The parts of a value that have these types, because the file may come from another program.  A number may be
   null. */
function fit(value, types) {
  if (types === 'any' || typeof value === types || (value === null && types === 'number')) return value;
  if (typeof types === 'string' || typeof value !== 'object' || !value ||
      Array.isArray(value) !== Array.isArray(types))
    return undefined;
  if (Array.isArray(types)) return value.map(one => fit(one, types[0])).filter(one => one !== undefined);
  const members = Object.keys(value).filter(name => Object.hasOwn(types, name) || types['*']);
  return Object.fromEntries(members.map(name =>
    [name, fit(value[name], Object.hasOwn(types, name) ? types[name] : types['*'])]));
}

const run = fit(report.summary, summaryTypes) ?? {};
/* The verdict of the run; versions before 0.2 and killed runs have none. */
const quality = run.quality?.verdict ? {sentence: '', ...run.quality} :
  {verdict: 'not steady', sentence: 'The summary of the run has no verdict'};

/* base64 of float64, lowest byte first */
function decode(text) {
  const letters = atob(text), bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++) bytes[i] = letters.charCodeAt(i);
  if (new Uint8Array(Uint16Array.of(1).buffer)[0]) return new Float64Array(bytes.buffer);
  const view = new DataView(bytes.buffer);
  return Float64Array.from({length: bytes.length / 8}, (unused, i) => view.getFloat64(8 * i, true));
}

/* ---------------------------------------------------------------- units */

const si = report.si;
const units = {
  si: si !== null,
  listeners: []
};

function switchUnits(toSi) {
  units.si = toSi;
  for (const listener of units.listeners) listener();
}

/* A rule converts a number of the files for display: {unit, factor, offset}. */
const plain = unit => ({unit: prettyUnit(unit), factor: 1, offset: 0});
const apply = (rule, value) =>
  (rule.factor === 1 && rule.offset === 0 ? value : rule.offset + rule.factor * value);

function ruleOf(rule) {
  if (!rule) return plain('');
  return units.si && rule.si ? {...rule.si, unit: prettyUnit(rule.si.unit)} : plain(rule.unit);
}

const fieldRule = name => ruleOf(report.fields?.units[name]);

/* SI with a prefix for the largest number. */
function prefixed({factor, offset}, unit, largest) {
  const prefixes = [[1, ''], [1e-3, 'm'], [1e-6, 'µ'], [1e-9, 'n'], [1e-12, 'p']];
  const [scale, prefix] = prefixes.find(step => Math.abs(largest * factor) >= 0.999 * step[0]) ?? prefixes[0];
  return {unit: prefix + unit, factor: factor / scale, offset: offset / scale};
}

/* Lengths are shown in L, or in metres. */
function lengthRule() {
  const {delta, edges, used, units: rules} = report.fields;
  if (!units.si || !rules.grid.si) return {unit: 'L', factor: 1 / delta, offset: 0};
  return prefixed(rules.grid.si, 'm', Math.max(...used.map(axis => edges[axis].at(-1))));
}

function timeRule() {
  const rule = report.units.time;
  if (!units.si || !rule.si) return plain(rule.unit);
  return prefixed(rule.si, 's', run.time ?? history.list('time')?.at(-1) ?? 1);
}

/* The columns of history.csv and the quantities of summary.json. */
function columnRule(name) {
  if (name === 'time') return timeRule();
  return ruleOf(report.units[name]);
}

/* --------------------------------------------------------------- fields */

const axisNames = ['x', 'y', 'z'];

/* The components that can be shown, and the speed, whose part is -1. */
const quantities = report.quantities.flatMap(({name: set, label, symbol, components}) => [
  ...(set === 'u' ? [{set, part: -1, name: 'speed', symbol: `|${symbol}|`, index: ''}] : []),
  ...components.map((index, part) => ({set, part, name: `${label} ${index}`.trim(), symbol, index})),
]);

/* The fields in the order of the files. */
const fieldsInOrder = quantities.filter(quantity => quantity.part >= 0);

const symbolOf = quantity => [quantity.symbol, quantity.index ? element('sub', {}, quantity.index) : ''];

if (report.fields) {
  report.fields.edges = report.fields.edges.map(decode);
  const {edges, blocks} = report.fields;
  report.fields.centres = edges.map(list => list.slice(1).map((edge, i) => (edge + list[i]) / 2));
  report.fields.used = [0, 1, 2].filter(axis => edges[axis].length > 2);
  report.fields.planes = blocks.length === 3;
}

/* One component in one block, decoded on first use. */
function values(moment, set, part, block) {
  const stored = moment.fields[set][part].blocks;
  if (typeof stored[block] === 'string') stored[block] = decode(stored[block]);
  return stored[block];
}

/* The value of a cell by its indices in the block. */
function cellValue(moment, quantity, block, at) {
  const [x, y] = report.fields.blocks[block], index = (at[2] * y.length + at[1]) * x.length + at[0];
  const one = part => {
    const list = values(moment, quantity.set, part, block);
    return typeof list === 'object' ? list[index] : list;
  };
  return quantity.part >= 0 ? one(quantity.part) : Math.sqrt(one(0) ** 2 + one(1) ** 2 + one(2) ** 2);
}

const rangeOf = (moment, quantity) =>
  (quantity.part >= 0 ? moment.fields[quantity.set][quantity.part].range : moment.speed);

/* Neighbours along an axis and their weights for linear interpolation at a place (lambda0). */
function weightsAt(axis, keep, place) {
  const centres = report.fields.centres[axis];
  let low = 0;
  while (low < keep.length - 2 && centres[keep[low + 1]] <= place) low++;
  if (keep.length === 1) return [[0, 1]];
  if (keep[low + 1] - keep[low] > 1) /* cells in between were left out: use the nearest */
    return [[place - centres[keep[low]] < centres[keep[low + 1]] - place ? low : low + 1, 1]];
  const left = centres[keep[low]], right = centres[keep[low + 1]], share = (place - left) / (right - left);
  if (Math.abs(share) < 1e-9) return [[low, 1]];
  if (Math.abs(share - 1) < 1e-9) return [[low + 1, 1]];
  return [[low, 1 - share], [low + 1, share]];
}

const middleOf = axis => (report.fields.edges[axis][0] + report.fields.edges[axis].at(-1)) / 2;

/* Values along an axis through the middle of the others, and the centres of their cells. */
function midline(moment, quantity, axis) {
  const block = report.fields.planes ? (axis + 1) % 3 : 0, keep = report.fields.blocks[block];
  const others = [0, 1, 2].filter(other => other !== axis);
  const [first, second] = others.map(other => weightsAt(other, keep[other], middleOf(other)));
  const at = [0, 0, 0];
  const line = keep[axis].map((unused, i) => {
    at[axis] = i;
    if (first.length === 1 && second.length === 1) { /* no interpolation: the exact number */
      [at[others[0]], at[others[1]]] = [first[0][0], second[0][0]];
      return cellValue(moment, quantity, block, at);
    }
    let sum = 0;
    for (const [j, a] of first)
      for (const [k, b] of second) {
        [at[others[0]], at[others[1]]] = [j, k];
        sum += a * b * cellValue(moment, quantity, block, at);
      }
    return sum;
  });
  return {x: keep[axis].map(i => report.fields.centres[axis][i]), y: line};
}

/* -------------------------------------------------------------- history */

const history = {
  rows: report.history.rows,
  column: Object.fromEntries(report.history.columns.map((name, i) => [name, i])),
  list(name) {
    if (!(name in this.column)) return null;
    const i = this.column[name];
    if (typeof report.history.values[i] === 'string')
      report.history.values[i] = decode(report.history.values[i]);
    return report.history.values[i];
  },
};
