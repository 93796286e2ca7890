/* Line charts in SVG; mouse, touch and keyboard select the numbers to show. */

const palette = ['var(--c1)', 'var(--c2)', 'var(--c3)', 'var(--c4)', 'var(--c5)', 'var(--c6)'];

/* The smallest and largest finite number; only positive numbers for a logarithmic scale. */
function extent(lists, positive) {
  let [low, high] = [Infinity, -Infinity];
  for (const list of lists)
    for (const value of list)
      if (Number.isFinite(value) && (!positive || value > 0)) {
        low = Math.min(low, value);
        high = Math.max(high, value);
      }
  return [low, high];
}

/* A margin above and below; relative differences below 1e-5 are drawn as a flat line. */
function roomy([low, high], log) {
  if (!(high >= low)) return log ? [1e-1, 1] : [0, 1];
  if (log) return [low / 1.5, high * 1.5];
  const size = Math.max(high - low, 1e-5 * Math.max(Math.abs(low), Math.abs(high)), 1e-300);
  return [low - 0.06 * size, high + 0.06 * size];
}

function pathOf(x, y, toX, toY) {
  let path = '', pen = 'M';
  for (let i = 0; i < x.length; i++) {
    const at = toY(y[i]);
    if (!Number.isFinite(at)) {
      pen = 'M';
      continue;
    }
    path += `${pen}${toX(x[i]).toFixed(1)} ${at.toFixed(1)}`;
    pen = 'L';
  }
  return path;
}

/* `make` returns the contents of a chart whenever it is drawn:
 *   lines  [{name, x, y, colour}]
 *   xName, xUnit, unit, log, exact: numbers as they are in the files */
class Chart {
  constructor(title, make) {
    this.make = make;
    this.title = element('h3', {}, ...[title].flat());
    this.unit = element('small');
    this.title.append(' ', this.unit);
    this.readout = element('div', {class: 'readout', 'aria-live': 'polite'});
    this.svg = element('svg:svg', {tabindex: '0', role: 'img'});
    this.legend = element('ul', {class: 'legend'});
    this.node = element('div', {class: 'panel chart'},
      element('div', {class: 'chart-head'}, this.title, this.readout), this.svg, this.legend);
    this.svg.addEventListener('pointermove', event => this.point(event));
    this.svg.addEventListener('pointerdown', event => this.point(event));
    this.svg.addEventListener('pointerleave', () => this.probe(null));
    this.svg.addEventListener('keydown', event => this.key(event));
    new ResizeObserver(() => this.draw()).observe(this.node);
    units.listeners.push(() => this.draw());
  }

  draw() {
    const width = this.svg.clientWidth || this.node.clientWidth - 40;
    if (width <= 0) return;
    this.what = this.make();
    const height = Math.round(Math.min(Math.max(0.55 * width, 170), 260));
    const inner = {left: 62, right: width - 12, top: 10, bottom: height - 38};
    this.svg.setAttribute('viewBox', `0 0 ${width} ${height}`);
    this.svg.style.height = `${height}px`;
    this.scale(inner);
    this.svg.replaceChildren(...this.frame(inner, width, height), ...this.curves(inner));
    this.cross = element('svg:g');
    this.svg.append(this.cross);
    this.unit.textContent = this.what.unit ? `in ${this.what.unit}` : '';
    this.describe();
    if (this.at !== undefined && this.at !== null) this.probe(this.at);
  }

  scale(inner) {
    const {lines, log} = this.what;
    const [x0, x1] = this.what.xRange ?? extent(lines.map(line => line.x));
    const [y0, y1] = roomy(extent(lines.map(line => line.y), log), log);
    const span = (a, b) => (b > a ? b - a : 1);
    this.toX = x => inner.left + (x - x0) / span(x0, x1) * (inner.right - inner.left);
    this.toY = log ?
      y => (y > 0 ? inner.bottom - Math.log(y / y0) / Math.log(y1 / y0) * (inner.bottom - inner.top) : NaN) :
      y => inner.bottom - (y - y0) / span(y0, y1) * (inner.bottom - inner.top);
    this.limits = {x0, x1, y0, y1};
  }

  frame(inner, width, height) {
    const {x0, x1, y0, y1} = this.limits, {log, xName, xUnit} = this.what, parts = [];
    const levels = log ? powerTicks(y0, y1) : ticks(y0, y1, 5);
    for (const y of levels)
      parts.push(element('svg:line',
                   {class: 'grid', x1: inner.left, x2: inner.right, y1: this.toY(y), y2: this.toY(y)}),
        element('svg:text', {x: inner.left - 7, y: this.toY(y) + 4, 'text-anchor': 'end'},
          log ? powerText(y) : tickText(y, levels)));
    const places = ticks(x0, x1, Math.max(2, Math.floor(width / 95)));
    for (const x of places)
      parts.push(element('svg:line',
                   {class: 'axis', x1: this.toX(x), x2: this.toX(x), y1: inner.bottom, y2: inner.bottom + 4}),
        element(
          'svg:text', {x: this.toX(x), y: inner.bottom + 17, 'text-anchor': 'middle'}, tickText(x, places)));
    parts.push(
      element('svg:path', {class: 'axis', d: `M${inner.left} ${inner.top}V${inner.bottom}H${inner.right}`}),
      element('svg:text', {x: inner.right, y: height - 4, 'text-anchor': 'end'},
        `${xName}${xUnit ? ` in ${xUnit}` : ''}`));
    return parts;
  }

  curves(inner) {
    const {lines} = this.what, parts = [];
    for (const line of lines)
      parts.push(element(
        'svg:path', {class: 'line', d: pathOf(line.x, line.y, this.toX, this.toY), stroke: line.colour}));
    return parts;
  }

  describe() {
    const {lines, xName, unit} = this.what;
    const item = (colour, name) =>
      element('li', {}, element('i', {style: `border-color: ${colour}`}), ...[name].flat());
    this.legend.replaceChildren(...(lines.length > 1 ? lines.map(line => item(line.colour, line.name)) : []));
    this.svg.setAttribute('aria-label',
      `${this.title.textContent} over ${xName}. Arrow keys tell the numbers.${unit ? ` Unit ${unit}.` : ''}`);
  }

  point(event) {
    const box = this.svg.getBoundingClientRect(), x = event.clientX - box.left,
          list = this.what.lines[0]?.x ?? [];
    let nearest = null, least = Infinity;
    list.forEach((value, i) => {
      const away = Math.abs(this.toX(value) - x);
      if (away < least) [nearest, least] = [i, away];
    });
    this.probe(nearest);
  }

  key(event) {
    const last = (this.what.lines[0]?.x.length ?? 0) - 1, at = this.at ?? -1;
    const far = Math.max(1, Math.round(last / 20));
    const next = {
      ArrowRight: at + 1,
      ArrowLeft: at - 1,
      PageUp: at + far,
      PageDown: at - far,
      Home: 0,
      End: last
    }[event.key];
    if (next === undefined || last < 0) return;
    event.preventDefault();
    this.probe(Math.min(Math.max(next, 0), last));
  }

  probe(at) {
    this.at = at;
    const {lines, exact, xName, unit} = this.what;
    if (at === null || !lines.length || at >= lines[0].x.length) {
      this.cross.replaceChildren();
      this.readout.textContent = '';
      return;
    }
    const text = value => (exact ? String(value) : readable(value, 7)), x = this.toX(lines[0].x[at]);
    this.cross.replaceChildren(
      element('svg:line', {class: 'cross', x1: x, x2: x, y1: 10, y2: this.toY(this.limits.y0)}),
      ...lines.filter(line => Number.isFinite(this.toY(line.y[at])))
        .map(line => element('svg:circle', {cx: x, cy: this.toY(line.y[at]), r: 3.5, fill: line.colour})));
    this.readout.replaceChildren(`${xName} = ${readable(lines[0].x[at], 6)}: `,
      ...lines.flatMap((line, i) => [i ? ', ' : '',
                         ...(lines.length > 1 ?
                             [[line.name].flat().map(part => part.cloneNode?.(true) ?? part), ' '].flat() :
                             []),
                         element('span', {class: 'value'}, text(line.y[at]))]),
      unit ? ` ${unit}` : '');
  }
}
