/* Text, numbers and elements of the page. */
'use strict';

const SVG = 'http://www.w3.org/2000/svg';

/* An element with attributes and children; text is always text, never markup. */
function element(tag, attributes = {}, ...children) {
  const node =
    tag.startsWith('svg:') ? document.createElementNS(SVG, tag.slice(4)) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on'))
      node.addEventListener(name.slice(2), value);
    else if (value === true)
      node.setAttribute(name, '');
    else if (value !== false && value !== null && value !== undefined)
      node.setAttribute(name, value);
  }
  node.append(
    ...children.flat(Infinity).filter(child => child !== null && child !== undefined && child !== ''));
  return node;
}

const superscripts = {
  '-': '⁻',
  '−': '⁻',
  0: '⁰',
  1: '¹',
  2: '²',
  3: '³',
  4: '⁴',
  5: '⁵',
  6: '⁶',
  7: '⁷',
  8: '⁸',
  9: '⁹'
};
const raise = text => [...String(text)].map(letter => superscripts[letter] ?? letter).join('');

/* "p0 V0 eps" and "W m-2" with symbols and superscripts. */
function prettyUnit(unit) {
  return unit.replace(/^1$/, '')
    .replace(/lambda0/g, 'λ₀')
    .replace(/\b([VnTp])0\b/g, '$1₀')
    .replace(/\beps\b/g, 'ε')
    .replace(/\^?(-?\d)\b/g, (whole, power) => raise(power));
}

/* A number with some digits for display: 0.6395, 1.2·10⁻⁵. */
function readable(value, digits = 5) {
  if (value === null || value === undefined || !Number.isFinite(value)) return '–';
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 1e-4 && size < 1e6) return String(Number(value.toPrecision(digits))).replace('-', '−');
  const [mantissa, power] = value.toExponential(digits - 1).split('e');
  return `${String(Number(mantissa)).replace('-', '−')}·10${raise(Number(power))}`;
}

/* A value with the digits that its error allows: 0.6395 ± 0.0012. */
function asSure(value, error, plainDigits = 6) {
  if (!(error > 0) || !Number.isFinite(value)) return readable(value, plainDigits);
  const digits = 2 + Math.floor(Math.log10(Math.abs(value || error))) - Math.floor(Math.log10(error));
  return readable(value, Math.min(Math.max(digits, 1), 12));
}

function withError(value, error) {
  return error > 0 ? `${asSure(value, error)} ± ${readable(error, 2)}` : readable(value, 6);
}

function readableSeconds(seconds) {
  if (seconds < 120) return `${readable(seconds, 3)} s`;
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return hours ? `${hours} h ${minutes} min` : `${minutes} min ${Math.round(seconds % 60)} s`;
}

function withPrefix(value, unit) {
  const steps =
    [[1e12, 'T'], [1e9, 'G'], [1e6, 'M'], [1e3, 'k'], [1, ''], [1e-3, 'm'], [1e-6, 'µ'], [1e-9, 'n']];
  const [size, prefix] = steps.find(step => Math.abs(value) >= step[0]) ?? [1, ''];
  return `${readable(value / size, 4)} ${prefix}${unit}`;
}

/* Round numbers from low to high, about `count` of them. */
function ticks(low, high, count) {
  if (!(high > low)) return [low];
  const raw = (high - low) / count, power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].find(factor => factor * power >= raw) * power;
  const list = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++)
    list.push(Number((k * step).toPrecision(12)));
  return list;
}

function powerTicks(low, high) {
  const first = Math.ceil(Math.log10(low) - 1e-9), last = Math.floor(Math.log10(high) + 1e-9);
  const step = Math.max(1, Math.ceil((last - first) / 5)), list = [];
  for (let power = first; power <= last; power += step) list.push(10 ** power);
  return list;
}

/* Enough digits to distinguish neighbours. */
function tickText(value, list) {
  const step = list.length > 1 ? Math.abs(list[1] - list[0]) : Math.abs(value);
  const digits = value ? Math.floor(Math.log10(Math.abs(value))) - Math.floor(Math.log10(step)) + 1 : 1;
  return readable(value, Math.min(Math.max(digits, 1), 12));
}

const powerText = value => `10${raise(Math.round(Math.log10(value)))}`;
