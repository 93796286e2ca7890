/* The part of the page with the fields: a map of a plane, or profiles along the only axis. */

function option(value, text, chosen) { return element('option', {value, selected: chosen}, text); }

function control(label, input, wide) {
  input.id = `control-${label.replace(/\W+/g, '-')}`;
  return element('div', {class: wide ? 'field wide' : 'field'}, element('label', { for: input.id
  }, label), input);
}

function check(label, checked, onchange) {
  return element('label', {class: 'check'}, element('input', {type: 'checkbox', checked, onchange}), label);
}

/* --------------------------------------------------------- which moment */

/* The available times in order, and the average; `listen` is called after a change. */
class Moments {
  constructor() {
    const all = report.fields.moments;
    this.times = all.filter(moment => !moment.mean).sort((a, b) => a.time - b.time);
    this.mean = all.find(moment => moment.mean) ?? null;
    this.end = this.times.at(-1);
    this.chosen = this.mean && quality.verdict !== 'oscillating' ? this.mean : this.end;
    this.listeners = [];
  }

  /* Reference values belong to the end, or to the average. */

  choose(moment) {
    this.chosen = moment;
    this.slider?.setAttribute('aria-valuetext', this.timeText(moment));
    if (this.label) this.label.textContent = `Time: ${this.timeText(moment)}`;
    for (const listener of this.listeners) listener();
  }

  timeText(moment) {
    const rule = timeRule();
    return `${readable(apply(rule, moment.time), 5)} ${rule.unit}`;
  }

  controls() {
    const parts = [];
    if (this.mean)
      parts.push(control('fields',
        element('select',
          {onchange: event => this.choose(event.target.value === 'mean' ? this.mean : this.atSlider())},
          option('mean', 'average over time', this.chosen === this.mean),
          option('time', this.times.length > 1 ? 'at a time' : 'at the end', this.chosen !== this.mean))));
    if (this.times.length > 1) parts.push(this.timeControls());
    return parts;
  }

  atSlider() { return this.slider ? this.times[this.slider.value] : this.end; }

  timeControls() {
    const last = this.times.length - 1;
    this.slider = element('input', {
      type: 'range',
      min: 0,
      max: last,
      value: last,
      step: 1,
      id: 'control-time',
      oninput: () => this.toTime()
    });
    this.label = element('label', { for: 'control-time'
    });
    const play = element('button', {type: 'button', onclick: () => this.play(play)}, 'Play');
    units.listeners.push(() => {
      this.label.textContent = `Time: ${this.timeText(this.atSlider())}`;
    });
    this.label.textContent = `Time: ${this.timeText(this.end)}`;
    return [element('div', {class: 'field wide'}, this.label, this.slider), play];
  }

  toTime() {
    const select = document.getElementById('control-fields');
    if (select) select.value = 'time';
    this.choose(this.atSlider());
  }

  play(button) {
    if (this.timer) {
      clearInterval(this.timer);
      this.timer = null;
    } else {
      if (Number(this.slider.value) === this.times.length - 1) this.slider.value = 0;
      this.timer = setInterval(() => {
        this.slider.value = Number(this.slider.value) + 1;
        this.toTime();
        if (Number(this.slider.value) === this.times.length - 1) this.play(button);
      }, Math.max(80, 6000 / this.times.length));
    }
    button.textContent = this.timer ? 'Stop' : 'Play';
  }
}

/* ------------------------------------------------------------------- map */

class MapView {
  constructor(moments) {
    this.moments = moments;
    this.quantity = this.likely();
    this.normal =
      report.fields.used.length === 3 ? 2 : [0, 1, 2].find(axis => !report.fields.used.includes(axis));
    this.place = this.middlePlace();
    this.overlay = this.moves() ? 'streamlines' : 'none';
    this.smooth = false;
    this.steadyColours = true;
    this.cell = null; /* [i, j] in the plane */
    this.listeners = [];
    this.build();
    moments.listeners.push(() => this.draw());
    units.listeners.push(() => this.draw());
    new ResizeObserver(() => this.draw()).observe(this.frame);
  }

  /* If the gas hardly moves, show its temperature. */
  moves() {
    const {chosen} = this.moments;
    return chosen.speed[1] > 0.2 * Math.max(...chosen.fields.theta[0].range.map(Math.abs));
  }

  likely() { return quantities.find(one => one.name === (this.moves() ? 'speed' : 'temperature')); }

  middlePlace() {
    const {planes, blocks} = report.fields, keep = blocks[planes ? this.normal : 0][this.normal];
    const centres = report.fields.centres[this.normal], middle = middleOf(this.normal);
    return keep.reduce(
      (best, cell, i) =>
        (Math.abs(centres[cell] - middle) < Math.abs(centres[keep[best]] - middle) - 1e-12 ? i : best),
      0);
  }

  build() {
    this.canvas =
      element('canvas', {tabindex: '0', id: 'map', role: 'application', 'aria-describedby': 'map-help'});
    this.back = element('svg:svg', {'aria-hidden': 'true'});
    this.front = element('svg:svg', {'aria-hidden': 'true'});
    this.frame = element('div', {class: 'map'}, this.back, this.canvas, this.front);
    this.caption = element('h3', {id: 'map-caption'});
    this.probe = element('div', {class: 'probe', id: 'probe', role: 'status', 'aria-live': 'polite'});
    this.node = element('div', {class: 'panel'}, element('div', {class: 'controls'}, ...this.controls()),
      element('div', {class: 'viewer'}, element('div', {}, this.caption, this.frame), this.probe),
      element('p', {class: 'small soft', id: 'map-help'},
        'Point at the map, touch it, or focus it and use the arrow keys: the number of a cell is the one ' +
          'that fields.h5 holds.'));
    this.canvas.addEventListener('pointermove', event => this.point(event));
    this.canvas.addEventListener('pointerdown', event => this.point(event));
    this.canvas.addEventListener('keydown', event => this.key(event));
  }

  controls() {
    const redraw = change => event => {
      change(event.target);
      this.draw();
    };
    const parts = [control('quantity',
      element('select', {
        onchange: redraw(input => {
          this.quantity = quantities[input.value];
        })
      },
        quantities.map((one, i) => option(i, one.name, one === this.quantity))))];
    parts.push(...this.moments.controls());
    if (report.fields.used.length === 3) parts.push(...this.sliceControls());
    parts.push(control('flow',
      element('select', {
        onchange: redraw(input => {
          this.overlay = input.value;
        })
      },
        ['none', 'arrows', 'streamlines'].map(word => option(word, word, word === this.overlay)))));
    parts.push(check('smooth', this.smooth, redraw(input => {
      this.smooth = input.checked;
    })));
    if (this.moments.times.length > 1)
      parts.push(check('one colour scale for all times', this.steadyColours, redraw(input => {
        this.steadyColours = input.checked;
      })));
    return parts;
  }

  sliceControls() {
    const axis = element('select', {
      onchange: event => {
        this.normal = Number(event.target.value);
        this.place = this.middlePlace();
        this.cell = null;
        this.fitSlice();
        this.draw();
      }
    },
      axisNames.map((name, i) => option(i, name, i === this.normal)));
    this.slice = element('input', {
      type: 'range',
      min: 0,
      step: 1,
      id: 'control-slice',
      oninput: event => {
        this.place = Number(event.target.value);
        this.draw();
      }
    });
    this.sliceLabel = element('label', { for: 'control-slice'
    });
    this.fitSlice();
    return [control('cut across', axis), element('div', {class: 'field wide'}, this.sliceLabel, this.slice)];
  }

  fitSlice() {
    const {planes, blocks} = report.fields;
    this.slice.max = blocks[planes ? this.normal : 0][this.normal].length - 1;
    this.slice.value = this.place;
  }

  /* -------------------------------------------------------------- drawing */

  layout() {
    const width = this.frame.clientWidth, [a, b] = this.plane.bounds.map(list => list.at(-1) - list[0]);
    const inner = {left: 46, top: 8, width: width - 46 - 12};
    inner.height = inner.width * Math.min(Math.max(b / a, 0.22), 1.3);
    const highest = Math.max(260, 0.78 * window.innerHeight);
    if (inner.height > highest && width > 500) { /* the whole map on one screen */
      inner.width *= Math.max(highest / inner.height, 0.4);
      inner.height = Math.min(highest, inner.height);
    }
    inner.toScale = Math.abs(inner.height / inner.width / (b / a) - 1) < 0.02;
    this.frame.style.height = `${inner.height + 104}px`;
    return inner;
  }

  draw() {
    if (this.frame.clientWidth <= 0) return;
    this.plane = cutPlane(this.normal, this.place);
    const inner = this.inner = this.layout(), ratio = Math.min(window.devicePixelRatio || 1, 2);
    Object.assign(this.canvas.style, {
      left: `${inner.left}px`,
      top: `${inner.top}px`,
      width: `${inner.width}px`,
      height: `${inner.height}px`
    });
    this.canvas.width = Math.round(inner.width * ratio);
    this.canvas.height = Math.round(inner.height * ratio);
    this.scale = colourScale(this.range(), this.quantity.part < 0);
    paint(this.canvas, this.plane, this.moments.chosen, this.quantity, this.scale, this.smooth);
    this.drawFrame();
    this.drawOverlay();
    this.tell();
    for (const listener of this.listeners) listener();
  }

  /* Range over the whole box, so that slices can be compared, and over all times if selected. */
  range() {
    const {chosen, times} = this.moments;
    const all = this.steadyColours && !chosen.mean ? times : [chosen];
    const ranges = all.map(moment => rangeOf(moment, this.quantity));
    return [Math.min(...ranges.map(one => one[0])), Math.max(...ranges.map(one => one[1]))];
  }

  drawFrame() {
    const {inner, plane} = this, rule = lengthRule(), parts = [];
    const shown = plane.bounds.map(list => [apply(rule, list[0]), apply(rule, list.at(-1))]);
    const toX = x => inner.left + (x - shown[0][0]) / (shown[0][1] - shown[0][0]) * inner.width;
    const toY = y =>
      inner.top + inner.height - (y - shown[1][0]) / (shown[1][1] - shown[1][0]) * inner.height;
    const [columns, rows] =
      [ticks(...shown[0], 5), ticks(...shown[1], Math.max(2, Math.round(5 * inner.height / inner.width)))];
    for (const x of columns)
      parts.push(element('svg:line', {
        class: 'axis',
        x1: toX(x),
        x2: toX(x),
        y1: inner.top + inner.height,
        y2: inner.top + inner.height + 5
      }),
        element('svg:text', {x: toX(x), y: inner.top + inner.height + 18, 'text-anchor': 'middle'},
          tickText(x, columns)));
    for (const y of rows)
      parts.push(
        element('svg:line', {class: 'axis', x1: inner.left - 5, x2: inner.left, y1: toY(y), y2: toY(y)}),
        element('svg:text', {x: inner.left - 8, y: toY(y) + 4, 'text-anchor': 'end'}, tickText(y, rows)));
    const [across, up] = plane.axes.map(axis => axisNames[axis]);
    parts.push(element('svg:text', {x: inner.left, y: inner.top + inner.height + 34},
      `${across} to the right, ${up} upwards, in ${rule.unit}${inner.toScale ? '' : '; not to scale'}`));
    this.back.replaceChildren(...parts, ...this.colourBar());
    this.caption.replaceChildren(...this.captionParts());
  }

  captionParts() {
    const {chosen} = this.moments, {quantity} = this, rule = fieldRule(quantity.set);
    const where = report.fields.used.length === 3 ? `, ${this.placeText(this.normal, this.plane.cell)}` : '';
    if (this.sliceLabel)
      this.sliceLabel.textContent = `Place: ${this.placeText(this.normal, this.plane.cell)}`;
    const words = quantity.name[0].toUpperCase() + quantity.name.slice(1);
    this.canvas.setAttribute(
      'aria-label', `Map of ${quantity.name}. Arrow keys move the probe from cell to cell.`);
    return [
      `${words} `, ...symbolOf(quantity), rule.unit ? ` in ${rule.unit}` : '',
      element('small', {class: 'soft'},
        chosen.mean ? ', average over time' : `, t = ${this.moments.timeText(chosen)}`, where)
    ];
  }

  placeText(axis, cell) {
    const rule = lengthRule();
    return `${axisNames[axis]} = ${readable(apply(rule, report.fields.centres[axis][cell]), 5)} ${rule.unit}`;
  }

  colourBar() {
    const {inner, scale} = this, rule = fieldRule(this.quantity.set), y = inner.top + inner.height + 50,
                  height = 14;
    const [low, high] = [apply(rule, scale.low), apply(rule, scale.high)], stops = [];
    for (let i = 0; i <= 32; i++)
      stops.push(element('svg:stop',
        {offset: i / 32, 'stop-color': `rgb(${scale.table[Math.round(255 * i / 32)].join(' ')})`}));
    const toX = value => inner.left + (value - low) / (high - low) * inner.width;
    const marks = ticks(low, high, Math.max(3, Math.floor(inner.width / 110)));
    return [
      element('svg:defs', {}, element('svg:linearGradient', {id: 'colours'}, stops)),
      element('svg:rect', {x: inner.left, y, width: inner.width, height, fill: 'url(#colours)'}),
      ...marks.flatMap(
        value => [element('svg:line',
                    {class: 'axis', x1: toX(value), x2: toX(value), y1: y + height, y2: y + height + 5}),
          element('svg:text', {x: toX(value), y: y + height + 18, 'text-anchor': 'middle'},
            tickText(value, marks))]),
      element('svg:text', {x: inner.left + inner.width, y: y - 5, 'text-anchor': 'end'}, rule.unit)
    ];
  }

  drawOverlay() {
    const {inner, plane} = this, {chosen} = this.moments, draw = {arrows, streamlines}[this.overlay];
    this.front.replaceChildren();
    if (draw && chosen.speed[1] > 0)
      this.front.append(element('svg:path', {
        d: draw(plane, chosen, inner.width, inner.height),
        fill: 'none',
        stroke: this.scale.overlay,
        'stroke-width': this.overlay === 'arrows' ? 1.4 : 1,
        'stroke-linecap': 'round',
        transform: `translate(${inner.left} ${inner.top})`
      }));
    this.marker = element('svg:g');
    this.front.append(this.marker);
  }

  /* --------------------------------------------------------------- probing */

  point(event) {
    const box = this.canvas.getBoundingClientRect(), [bx, by] = this.plane.bounds;
    const x = bx[0] + (event.clientX - box.left) / box.width * (bx.at(-1) - bx[0]);
    const y = by.at(-1) - (event.clientY - box.top) / box.height * (by.at(-1) - by[0]);
    this.cell = [cellAt(bx, x), cellAt(by, y)];
    this.tell();
  }

  key(event) {
    const move = {ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1]}[event.key];
    if (!move) return;
    event.preventDefault();
    const far = event.shiftKey ? 5 : 1;
    this.cell = this.cell ?
      this.cell.map((at, d) => Math.min(Math.max(at + far * move[d], 0), this.plane.count[d] - 1)) :
      this.plane.count.map(n => Math.floor(n / 2));
    this.tell();
  }

  tell() {
    if (!this.cell) {
      this.probe.replaceChildren(element('p', {class: 'soft'}, 'No cell chosen yet.'));
      return;
    }
    const {plane, quantity, inner} = this, [i, j] = this.cell, rule = fieldRule(quantity.set),
                            cells = [0, 0, 0];
    plane.axes.forEach((axis, d) => {
      cells[axis] = plane.keep[axis][this.cell[d]];
    });
    cells[plane.normal] = plane.cell;
    const value = apply(rule, plane.value(this.moments.chosen, quantity, i, j));
    this.probe.dataset.cell = cells.join(',');
    this.probe.replaceChildren(element('div', {class: 'soft'}, ...symbolOf(quantity), ' of the cell'),
      element('div', {class: 'number'}, element('span', {id: 'probe-value'}, String(value)), ' ',
        element('span', {id: 'probe-unit'}, rule.unit)),
      element('dl', {class: 'facts'}, report.fields.used.flatMap(axis => {
        const length = lengthRule();
        return [
          element('dt', {}, axisNames[axis]),
          element('dd', {},
            `${readable(apply(length, report.fields.centres[axis][cells[axis]]), 6)} ${length.unit}`)
        ];
      }),
        element('dt', {}, 'cell'),
        element('dd', {}, report.fields.used.map(axis => cells[axis]).join(', '))));
    const part = (d, k) =>
      (plane.bounds[d][k] - plane.bounds[d][0]) / (plane.bounds[d].at(-1) - plane.bounds[d][0]);
    const box = {
      x: inner.left + part(0, i) * inner.width,
      y: inner.top + (1 - part(1, j + 1)) * inner.height,
      width: (part(0, i + 1) - part(0, i)) * inner.width,
      height: (part(1, j + 1) - part(1, j)) * inner.height,
      fill: 'none'
    };
    this.marker.replaceChildren(element('svg:rect', {...box, stroke: '#000', 'stroke-width': 4}),
      element('svg:rect', {...box, stroke: '#fff', 'stroke-width': 2}));
  }
}

/* -------------------------------------------------------------- profiles */

function profileChart(title, list, axis, moments) {
  const chart = new Chart(title, () => {
    const length = lengthRule(), rule = fieldRule(list()[0].set), edges = report.fields.edges[axis];
    const lines = list().map((quantity, i) => {
      const {x, y} = midline(moments.chosen, quantity, axis);
      return {
        name: symbolOf(quantity),
        x: x.map(value => apply(length, value)),
        y: y.map(value => apply(rule, value)),
        colour: palette[i % 6]
      };
    });
    return {
      lines,
      unit: rule.unit,
      xName: axisNames[axis],
      xUnit: length.unit,
      exact: report.fields.used.length === 1,
      xRange: [apply(length, edges[0]), apply(length, edges.at(-1))]
    };
  });
  moments.listeners.push(() => chart.draw());
  return chart;
}

/* One axis: every quantity larger than round-off, grouped by kind. */
function lineProfiles(moments) {
  const axis = report.fields.used[0],
        largest = quantity => Math.max(...moments.times.concat(moments.mean ?? [])
                                         .flatMap(moment => rangeOf(moment, quantity).map(Math.abs)));
  const most = Math.max(
    ...['rho', 'u', 'theta'].flatMap(set => fieldsInOrder.filter(one => one.set === set).map(largest)),
    1e-300);
  const groups =
    [['velocity', 'u'], ['density', 'rho'], ['temperature', 'theta'], ['stress', 'Pi'], ['heat flux', 'q']];
  const charts = [];
  for (const [name, set] of groups) {
    const shown = fieldsInOrder.filter(one => one.set === set && largest(one) > 1e-3 * most);
    const title = name[0].toUpperCase() + name.slice(1);
    if (set === 'u') /* one by one: they are looked at most */
      charts.push(
        ...shown.map(one => profileChart([`${title} `, ...symbolOf(one)], () => [one], axis, moments)));
    else if (shown.length)
      charts.push(profileChart(
        shown.length === 1 ? [`${title} `, ...symbolOf(shown[0])] : title, () => shown, axis, moments));
  }
  return charts;
}

function fieldSections() {
  if (!report.fields?.moments.length) return [];
  const moments = new Moments(), {used} = report.fields;
  if (used.length === 0) return [['Fields', element('div', {class: 'panel'}, uniformTable(moments))]];
  if (used.length === 1) {
    const charts = lineProfiles(moments), controls = moments.controls();
    return [[
      'Profiles', ...(controls.length ? [element('div', {class: 'controls panel'}, controls)] : []),
      element('div', {class: 'charts', id: 'profiles'}, charts.map(chart => chart.node))
    ]];
  }
  const view = new MapView(moments);
  const charts = used.map(axis => profileChart('', () => [view.quantity], axis, moments));
  const rename = () => charts.forEach((chart, i) => {
    chart.title.replaceChildren(...symbolOf(view.quantity), ` along ${axisNames[used[i]]} `,
      element('small', {}, 'through the middle, '), chart.unit);
    chart.draw();
  });
  view.listeners.push(rename);
  return [
    ['Fields', view.node],
    ['Midlines', element('div', {class: 'charts', id: 'profiles'}, charts.map(chart => chart.node))]
  ];
}

/* A uniform gas: one number for each field. */
function uniformTable(moments) {
  const moment = moments.end, body = element('tbody');
  const fill = () => body.replaceChildren(...fieldsInOrder.map(quantity => {
    const rule = fieldRule(quantity.set);
    return element('tr', {}, element('td', {}, quantity.name), element('td', {}, ...symbolOf(quantity)),
      element('td', {class: 'n'}, String(apply(rule, cellValue(moment, quantity, 0, [0, 0, 0])))),
      element('td', {}, rule.unit));
  }));
  units.listeners.push(fill);
  fill();
  return element('table', {}, element('caption', {}, `At the end, t = ${moments.timeText(moment)}`), body);
}
