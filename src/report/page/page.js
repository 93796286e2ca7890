/* The page, from top to bottom. */

const flowNumbers = {
  D: 'drag of the lid',
  G: 'flow of the vortex',
  G_P: 'flow rate of the force',
  G_T: 'flow rate of thermal creep',
};

const setting = name => report.case?.find(row => row[0] === name)?.[1];
const symbolWithIndex = name => {
  const [letter, index] = name.split('_');
  return [letter, index ? element('sub', {}, index) : ''];
};

/* A part that is created again when the units change. */
function living(make) {
  const node = element('div');
  const fill = () => node.replaceChildren(...[make()].flat(Infinity));
  units.listeners.push(fill);
  fill();
  return node;
}

/* heads: [text, class of the column]; rows: lists of the contents of cells. */
function table(heads, rows, attributes = {}) {
  const head = ([text, kind]) => element('th', {class: kind, scope: 'col'}, text);
  const line = row =>
    element('tr', {}, row.map((content, i) => element('td', {class: heads[i][1]}, content)));
  return element('div', {class: 'scroll'},
    element('table', attributes, element('thead', {}, element('tr', {}, heads.map(head))),
      element('tbody', {}, rows.map(line))));
}

/* [name, value] pairs; those without a value are left out. */
function facts(pairs) {
  const known = pairs.filter(([, value]) => value !== undefined && value !== null && value !== '');
  return element('dl', {class: 'facts'},
    known.map(([name, value]) => [element('dt', {}, name), element('dd', {}, value)]));
}

/* ------------------------------------------------------------- headline */

/* The equation that is solved; collision models have no molecules. */
function equation() {
  const method = setting('collision.method'), molecules = setting('gas.molecules');
  const model = {bgk: 'BGK model',
    shakhov: 'Shakhov model',
    'es-bgk': 'ES-BGK model',
    none: 'free flight'}[method];
  const words = {'hard-sphere': 'hard spheres', maxwell: 'Maxwell molecules', vhs: 'variable hard spheres'};
  if (!method || model) return [model];
  return [
    words[molecules] ?? molecules,
    method === 'operator' ? 'Boltzmann equation, operator' : 'Boltzmann equation, sampled'
  ];
}

function subtitle() {
  const cells = run.case?.space?.cells?.filter(n => n > 1) ?? report.fields?.cells.filter(n => n > 1) ?? [];
  const delta = report.fields?.delta ?? Number(setting('gas.delta')), eps = Number(setting('disturbance'));
  const parts = [
    si?.species,
    ...equation(),
    delta ? `δ = ${readable(delta, 5)} (Kn = ${readable(0.8884578523 / delta, 3)})` : '',
    report.case ? (eps ? `ε = ${readable(eps)}` : 'linearised') : '',
    cells.length ? `${cells.join(' × ')} cells` : 'uniform gas',
  ];
  if (units.si && si)
    parts.splice(3, 0,
      `${readable(si.pressure, 4)} Pa, ${readable(si.temperature, 4)} K, L = ${withPrefix(si.box, 'm')}`);
  return parts.filter(Boolean).join(' · ');
}

function card(name, number, more, attributes = {}) {
  return element('div', {class: 'card'}, element('div', {class: 'name'}, name),
    element('div', {class: 'number', ...attributes}, number), element('div', {class: 'more'}, more));
}

function wallNumber(side, name, part) {
  const pick = set => {
    const found = run[set]?.walls?.[side]?.[name];
    return part === undefined ? found : found?.[part];
  };
  const rule = columnRule(name), value = pick('quantities');
  const shown = apply(rule, value ?? NaN), error = pick('errors');
  return {shown, error: error ? error * rule.factor : null, unit: rule.unit, size: Math.abs(value ?? 0)};
}

const errorText = error => (error > 0 ? [`± ${readable(error, 2)}`, element('br')] : '');

function headlineCards() {
  const cards = [], q = run.quantities ?? {};
  for (const [name, words] of Object.entries(flowNumbers))
    if (Number.isFinite(q[name]) && !run.oscillation)
      cards.push(card([...symbolWithIndex(name), `, ${words}`], asSure(q[name], run.errors?.[name]),
        [
          errorText(run.errors?.[name]),
          run.averaged_rows ? `average over ${run.averaged_rows} rows` : 'at the end'
        ],
        {title: String(q[name]), id: `number-${name}`}));
  const atWalls =
    quality.verdict === 'oscillating' ? [] : [['shear', 'shear stress'], ['heat_flux', 'heat flux']];
  for (const [name, words] of atWalls) {
    const sides = Object.keys(q.walls ?? {}).map(side => ({side, ...wallNumber(side, name)}));
    const most = sides.reduce((best, one) => (one.size > (best?.size ?? 0) ? one : best), null);
    if (most && most.size > 1e-6) {
      const shear = name === 'shear' ? shearError(most.side) : most.error;
      cards.push(card(`${words}, ${most.side} wall`, asSure(most.shown, shear, 5),
        [errorText(shear), most.unit], {title: String(most.shown)}));
    }
  }
  const {verdict} = quality, time = timeRule();
  if (history.rows)
    cards.push(card('state', verdict,
      'update' in history.column ? `${run.steps} iterations` :
        Number.isFinite(run.time) ? `t = ${readable(apply(time, run.time), 4)} ${time.unit}` : '',
      {class: `number word ${verdict.replace(' ', '-')}`}));
  if (run.outcome)
    cards.push(card('ended by',
      {'end time': 'time.end', residual: 'time.residual', 'max steps': 'time.max_steps', limit: 'time limit'}[run.outcome] ??
        run.outcome,
      `${run.steps} steps in ${readableSeconds(run.wall_s)}`, {class: 'number word'}));
  return element('div', {class: 'cards'}, cards);
}

/* Error of the magnitude of the tangential stress. */
function shearError(side) {
  const stress = run.quantities.walls[side].stress, errors = run.errors?.walls?.[side]?.stress;
  if (!errors || !stress) return null;
  const normal = ['left', 'right', 'bottom', 'top', 'back', 'front'].indexOf(side) >> 1;
  const parts = [0, 1, 2].filter(axis => axis !== normal),
        length = Math.hypot(...parts.map(axis => stress[axis]));
  return Math.hypot(...parts.map(axis => stress[axis] * (errors[axis] ?? 0))) / length *
    columnRule('stress').factor;
}

function wallTable() {
  const sides = Object.keys(run.quantities?.walls ?? {});
  if (!sides.length) return '';
  const columns = [
    ['stress x', 'stress', 0], ['stress y', 'stress', 1], ['stress z', 'stress', 2],
    ['heat flux', 'heat_flux'], ['mass flux', 'mass_flux']
  ];
  const largest = ([, name, part]) => Math.max(...sides.map(side => wallNumber(side, name, part).size));
  const rounding = 1e-7 * Math.max(...columns.map(largest)),
        shown = columns.filter(column => largest(column) > rounding);
  const heads = [['wall'], ...shown.map(([text, name]) => [`${text} / ${columnRule(name).unit}`, 'n'])];
  return element('div', {class: 'panel'},
    table(heads, sides.map(side => [side, ...shown.map(([, name, part]) => {
      const {shown: value, error, size} = wallNumber(side, name, part);
      return element('span', {title: String(value)}, size > rounding ? withError(value, error) : '0');
    })])),
    element('p', {class: 'small soft'},
      run.averaged_rows ?
        'Averages over the area and over time; errors are statistical, and left out where they are not known.' :
        'Averages over the area of each wall, at the end.',
      ' Values below 10⁻⁷ of the largest are round-off and shown as 0.'));
}

/* Force, torque and heat of bodies, and flows of ports: of the whole, or per length of each axis along which the
 * gas is uniform. Columns are [words, name, index, powers of the length, unit without them, unit in SI]. */
const bodyColumns = [
  ...['x', 'y', 'z'].map((axis, i) => [`force ${axis}`, 'force', i, 2, 'p0', 'N']),
  ...['x', 'y', 'z'].map((axis, i) => [`torque ${axis}`, 'torque', i, 3, 'p0', 'N m']),
  ['heat', 'heat', undefined, 2, 'p0 V0', 'W']
];
const portColumns = [
  ['mass flow', 'mass_flow', undefined, 2, 'n0 V0', 'kg s-1'], ['heat', 'heat', undefined, 2, 'p0 V0', 'W'],
  ['mean normal stress', 'stress', undefined, 0, 'p0', 'Pa']
];

const wholeSet = () => (units.si && si && run.quantities_si ? run.quantities_si : run.quantities);

function wholeUnit(power, bare, real, tail) {
  const uniform = run.case?.space?.cells?.filter(count => count === 1).length ?? 0, left = power - uniform;
  if (wholeSet() === run.quantities_si) return prettyUnit(`${real}${power && uniform ? ` m-${uniform}` : ''}`);
  return prettyUnit(`${bare}${left > 0 ? ` lambda0${left > 1 ? `^${left}` : ''}` : ''}${tail}`);
}

function wholeTable(kind, head, columns) {
  const names = Object.keys(run.quantities?.[kind] ?? {});
  if (!names.length) return '';
  const pick = (set, name, [, key, index]) => {
    const value = set?.[kind]?.[name]?.[key];
    return (index === undefined ? value : value?.[index]) ?? NaN;
  };
  const size = (name, column) => Math.abs(pick(run.quantities, name, column)) || 0;
  const largest = column => Math.max(...names.map(name => size(name, column)));
  const rounding = 1e-7 * Math.max(...columns.map(largest)),
        shown = columns.filter(column => largest(column) > rounding);
  const heads = [[head],
    ...shown.map(([words, , , ...unit]) => [`${words} / ${wholeUnit(...unit, ' eps')}`, 'n'])];
  return table(heads, names.map(name => [name, ...shown.map(column => {
    const value = pick(wholeSet(), name, column), text = size(name, column) > rounding ? readable(value, 6) : '0';
    return element('span', {title: String(value)}, text);
  })]), {id: kind});
}

function wholeTables() {
  const tables = [
    wholeTable('bodies', 'body', bodyColumns), wholeTable('ports', 'port', portColumns)
  ].filter(Boolean);
  if (!tables.length) return '';
  const flow = wholeSet().port_flow ?? {};
  return element('div', {class: 'panel', id: 'whole'}, tables,
    Number.isFinite(flow.conductance) ?
      element('p', {}, `Conductance ${readable(flow.conductance, 6)} ${wholeUnit(2, 'V0', 'm3 s-1', '')}, ` +
        `transmission probability ${readable(flow.transmission, 6)}.`) :
      '',
    element('p', {class: 'small soft'},
      `${run.averaged_rows ? 'Averages over time' : 'Values at the end'}, per length of every axis along which the ` +
      'gas is uniform. Heat flows into a body, and mass through a port into the gas. Values below 10⁻⁷ of the ' +
      'largest are round-off and shown as 0.'));
}

/* Amplitudes and phases of the fluxes, and what the gas does to the walls that move, instead of values at one
 * time. */
function amplitudeTables() {
  const found = Object.entries(run.oscillation).filter(([, one]) => Number.isFinite(one?.amplitude)),
        most = Math.max(...found.map(([, one]) => one.amplitude), 0),
        rows = found.filter(([, one]) => one.amplitude > 1e-6 * most).map(([name, one]) => {
          const rule = columnRule(name), size = one.amplitude * rule.factor;
          return [name, element('span', {title: String(size)}, `${readable(size, 6)} ${rule.unit}`),
            readable(one.phase, 5)];
        });
  const inSi = units.si && si, suffix = inSi ? '_si' : '';
  const uniform = run.case?.space?.cells?.filter(count => count === 1).length ?? 0,
        per = ['', ' m⁻¹', ' m⁻²'][uniform], lengths = ['', ' λ0', ' λ0²', ' λ0³'];
  const movers = (found, head, own, inUnits) => {
    const rows = Object.entries(found ?? {}).map(([name, one]) => [name,
      ...['damping', 'added_mass'].map(value => readable(one[value + suffix] ?? NaN, 6))]);
    const names = ['damping', 'added mass'].map((name, i) => [`${name} / ${inSi ? inUnits[i] : `(${own[i]})`}`, 'n']);
    return rows.length ? table([[head], ...names], rows) : '';
  };
  return element('div', {class: 'panel', id: 'amplitudes'},
    table([['flux at a surface'], ['amplitude', 'n'], ['phase / rad', 'n']], rows),
    movers(run.moving_walls, 'wall', ['p0 / V0', 'p0 λ0 / V0²'], ['Pa s m⁻¹', 'kg m⁻²']),
    movers(run.moving_bodies, 'body', [`p0${lengths[2 - uniform]} / V0`, `p0${lengths[3 - uniform]} / V0²`],
      [`N s m⁻¹${per}`, `kg${per}`]),
    element('p', {class: 'small soft'},
      'A phase above 0 is ahead of the first wall that oscillates. The force of the gas on a body, and per area ' +
      'of a wall, is −damping × velocity − added mass × acceleration. Amplitudes below 10⁻⁶ of the largest are left out.'));
}

/* -------------------------------------------------------------- history */

function historyChart(title, names, log) {
  return new Chart(title, () => {
    const iterates = 'update' in history.column, rule = columnRule(names[0]),
          time = iterates ? {unit: '', factor: 1, offset: 0} : timeRule(),
          x = Array.from(history.list(iterates ? 'step' : 'time'), value => apply(time, value));
    const lines = names.map((name, i) => ({
      name: name.replace('.stress_', ' ').replace(/\.(heat|mass)_flux$/, ''),
      x,
      colour: palette[i % 6],
      y: Array.from(history.list(name), value => apply(rule, log ? Math.abs(value) : value))
    }));
    return {
      lines,
      log,
      unit: rule.unit,
      xName: iterates ? 'iteration' : 't',
      xUnit: time.unit
    };
  });
}

/* Columns of a kind that are more than a thousandth of the largest, and more than rounding beside all there
 * is at walls; at most six of them. */
function weighty(pattern) {
  const sizes = of => Object.keys(history.column)
                        .filter(name => of.test(name))
                        .map(name => ({name, size: Math.max(...extent([history.list(name)]).map(Math.abs))}));
  const most = list => Math.max(...list.map(one => one.size), 0), found = sizes(pattern);
  const least = Math.max(1e-3 * most(found), 1e-6 * most(sizes(/\.(stress_|heat_flux|mass_flux)/)), 1e-12);
  return found.filter(one => one.size > least)
    .sort((a, b) => b.size - a.size)
    .slice(0, 6)
    .map(one => one.name);
}

function historySection() {
  if (history.rows < 2) return [];
  const says = (name, positive) => name in history.column &&
    extent([history.list(name)], positive).some(value => Number.isFinite(value) && value !== 0);
  const charts = says('residual', true) ? [historyChart('Residual', ['residual'], true)] : [];
  if (says('equation_residual', true))
    charts.push(historyChart('Residual and update', ['equation_residual', 'update'], true));
  for (const name of Object.keys(flowNumbers))
    if (name in history.column) charts.push(historyChart(symbolWithIndex(name), [name]));
  const groups = [
    ['Stress at the walls', /\.stress_/], ['Heat flux through the walls', /\.heat_flux$/],
    ['Mass flux through the walls', /\.mass_flux$/]
  ];
  for (const [title, pattern] of groups)
    if (weighty(pattern).length) charts.push(historyChart(title, weighty(pattern)));
  if (charts.length < 2)
    for (const name of weighty(/^average\./))
      charts.push(historyChart(`Mean of ${name.slice(8)} over the box`, [name]));
  if (says('mass_drift')) charts.push(historyChart('Drift of mass, relative', ['mass_drift']));
  return [
    'History', judgement(),
    element('div', {class: 'charts', id: 'history-charts'}, charts.map(chart => chart.node))
  ];
}

function judgement() {
  const {verdict, sentence} = quality;
  return element('div', {class: 'panel judgement'},
    element('p', {},
      element('strong', {class: verdict.replace(' ', '-'), id: 'verdict'}, `The run is ${verdict}:`), ` ${sentence}.`));
}

/* --------------------------------------------------------------- timing */

function timingSection() {
  if (!run.phase_s) return [];
  const phases = Object.entries(run.phase_s), known = phases.reduce((sum, [, seconds]) => sum + seconds, 0);
  phases.push(['other', Math.max(run.wall_s - known, 0)]);
  const total = phases.reduce((sum, [, seconds]) => sum + seconds, 0) || 1;
  const colour = i => (i < 5 ? palette[i] : 'var(--soft)');
  const percent = seconds => `${readable(100 * seconds / total, 2)} %`;
  const piece = ([name, seconds], i) =>
    element('span', {style: `width: ${100 * seconds / total}%; background: ${colour(i)}`, title: name});
  const row =
    ([name, seconds], i) => [[element('span', {class: 'swatch', style: `background: ${colour(i)}`}), name],
      readableSeconds(seconds), percent(seconds)];
  const label = phases.map(([name, seconds]) => `${name} ${percent(seconds)}`).join(', ');
  return [
    'Timing',
    element('div', {class: 'panel'},
      element('div', {class: 'bar', role: 'img', 'aria-label': label}, phases.map(piece)),
      element(
        'div', {class: 'viewer'}, table([['phase'], ['time', 'n'], ['share', 'n']], phases.map(row)), facts([
          ['wall time', readableSeconds(run.wall_s)], ['speed', withPrefix(run.updates_per_s, 'updates/s')],
          ['steps', run.steps], ['cells', run.cells], ['velocities', `${run.nodes} per cell`],
          ['memory', withPrefix(run.memory_bytes, 'B')]
        ])),
      element('p', {class: 'small soft'}, 'An update advances one velocity in one cell by one step.'))
  ];
}

/* ------------------------------------------------------ case, provenance */

function flatten(object, prefix = '') {
  return Object.entries(object).flatMap(
    ([key, value]) => (value && typeof value === 'object' && !Array.isArray(value) ?
        flatten(value, `${prefix}${key}.`) :
        [[prefix + key, String(value), '', '', '']]));
}

function caseSection() {
  const rows = report.case ?? (run.case ? flatten(run.case) : []);
  if (!rows.length) return [];
  const changed = rows.filter(row => row[1] !== row[2]), same = rows.filter(row => row[1] === row[2]);
  const heads = [...['key', 'value', 'default', 'unit'].map(text => [text, 'whole']), ['meaning', 'long']];
  const lines = list => list.map(
    ([key, value, initial, unit, doc]) => [element('code', {}, key), element('code', {}, value),
      element('code', {class: 'soft'}, initial), prettyUnit(unit), element('span', {class: 'soft'}, doc)]);
  return [
    'Case',
    element('div', {class: 'panel', id: 'case'}, table(heads, lines(changed)),
      same.length ? element('details', {}, element('summary', {}, `${same.length} keys with their default`),
                      table(heads, lines(same))) :
                    '')
  ];
}

function provenanceSection() {
  const from = run.provenance ?? {};
  const code = text => (text ? element('code', {}, text) : '');
  return [
    'Provenance',
    element(
      'div', {class: 'panel', id: 'provenance'}, facts([
        ['program', run.version ? `knudsen ${run.version}` : ''], ['commit', code(from.commit)],
        ['compiler', from.compiler ? [from.compiler, ' ', code(from.flags)] : ''], ['backend', run.backend],
        ['device', from.device], ['processor', from.processor], ['threads', run.threads], ['seed', run.seed],
        [
          'started',
          from.started ?
            element('time', {datetime: from.started}, from.started.replace('T', ' ').replace('Z', ' UTC')) :
            ''
        ],
        ['command', code(from.command)]
      ]),
      report.summary ? '' : element('p', {}, 'The run has no summary with this information.'))
  ];
}

/* -------------------------------------------------------------- validity */

/* The results of the validity checks; summaries of older versions have none. */
function validityNotes() {
  const {quality, notes = []} = run;
  if (!quality?.level) return [];
  const estimate = quality.error_estimate, error = !Number.isFinite(estimate) ? '' :
    `, estimated error ${estimate >= 1 ? '100 % or more' : `${readable(100 * estimate, 2)} %`}`;
  return [
    element('p', {id: 'quality', class: quality.level === 'good' ? '' : 'validity'},
      element('strong', {}, `Validity checks: ${quality.level}`), error),
    ...notes.map(({level, text}) => element('p', {class: 'validity'}, `${level}: ${text}`))
  ];
}

/* ------------------------------------------------------------------ all */

function build() {
  const main = document.getElementById('main'), contents = document.getElementById('contents');
  const sections = [
    [
      'Results', ...validityNotes(), ...report.notes.map(text => element('p', {class: 'note'}, text)),
      living(() => [headlineCards()]),
      living(() => (run.oscillation ? [amplitudeTables()] : [wholeTables(), wallTable()]).filter(Boolean))
    ],
    ...fieldSections(),
    historySection(),
    timingSection(),
    caseSection(),
    provenanceSection(),
  ].filter(section => section.length);
  for (const [title, ...parts] of sections) {
    const id = title.toLowerCase().replace(/\W+/g, '-');
    main.append(element('section', {id, 'aria-labelledby': `${id}-title`},
      element('h2', {id: `${id}-title`}, title), ...parts));
    contents.append(element('a', {href: `#${id}`}, title.replace(/ with.*/, '')));
  }
  const line = document.getElementById('subtitle'), name = () => {
    line.textContent = subtitle();
  };
  units.listeners.push(name);
  name();
  document.getElementById('footer').append(`Made by knudsen ${report.version}${
    report.commit ? ` (${report.commit})` :
                    ''}. All numbers are in this file; it asks no other for anything.`);
}

function wireUnits() {
  const buttons = {si: document.getElementById('unit-si'), own: document.getElementById('unit-own')};
  document.getElementById('unit-switch').hidden = si === null;
  const choose = toSi => {
    buttons.si.setAttribute('aria-pressed', toSi);
    buttons.own.setAttribute('aria-pressed', !toSi);
    switchUnits(toSi);
  };
  buttons.si.addEventListener('click', () => choose(true));
  buttons.own.addEventListener('click', () => choose(false));
}

build();
wireUnits();
