/* A plane of cells as a coloured map with arrows or streamlines. */

/* ---------------------------------------------------------------- colours */

/* Perceptually uniform colours, interpolated in OKLab. */
const viridis =
  ['#440154', '#472c7a', '#3b518b', '#2c718e', '#21908d', '#27ad81', '#5cc863', '#aadc32', '#fde725'];
const blueToRed =
  ['#08306b', '#2166ac', '#5b9bc9', '#abcfe3', '#f5f3f0', '#f3bd9f', '#dd7b5a', '#b2182b', '#67001f'];

function toLab(hex) {
  const [r, g, b] = [1, 3,
    5].map(i => parseInt(hex.slice(i, i + 2), 16) /
          255).map(v => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s
  ];
}

function toBytes([light, a, b]) {
  const l = (light + 0.3963377774 * a + 0.2158037573 * b) ** 3,
        m = (light - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (light - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s
  ].map(v => 255 * (v <= 0.0031308 ? 12.92 * v : 1.055 * Math.max(v, 0) ** (1 / 2.4) - 0.055))
    .map(v => Math.min(Math.max(Math.round(v), 0), 255));
}

function colourTable(anchors) {
  const labs = anchors.map(toLab), table = [];
  for (let i = 0; i < 256; i++) {
    const at = i / 255 * (labs.length - 1), low = Math.min(Math.floor(at), labs.length - 2), share = at - low;
    table.push(toBytes(labs[low].map((value, k) => value + share * (labs[low + 1][k] - value))));
  }
  return table;
}

const sequential = colourTable(viridis), diverging = colourTable(blueToRed);

/* The range of signed numbers is symmetric about zero. */
function colourScale([least, high], fromZero) {
  const low = fromZero ? 0 : least;
  const signed = low < 0 && high > 0 && Math.min(-low, high) > 1e-3 * Math.max(-low, high);
  if (signed) {
    const most = Math.max(-low, high);
    return {low: -most, high: most, table: diverging, overlay: 'rgb(20 24 28 / .75)'};
  }
  return {
    low,
    high: high > low ? high : low + (Math.abs(low) || 1),
    table: sequential,
    overlay: 'rgb(255 255 255 / .9)'
  };
}

/* ------------------------------------------------------------------ plane */

/* A plane of cells normal to `normal`: two axes, edges and values. */
function cutPlane(normal, place) {
  const {planes, blocks, edges, centres} = report.fields, block = planes ? normal : 0, keep = blocks[block];
  const axes = [0, 1, 2].filter(axis => axis !== normal);
  /* if cells were left out, their neighbours are extended to the middle of the gap */
  const bounds = axes.map(axis => {
    const list = keep[axis], all = edges[axis];
    return [all[0], ...list.slice(1).map((cell, i) => (all[list[i] + 1] + all[cell]) / 2), all.at(-1)];
  });
  const at = [0, 0, 0];
  at[normal] = place;
  return {
    normal,
    axes,
    block,
    keep,
    bounds,
    place,
    cell: keep[normal][place],
    centres: axes.map(axis => keep[axis].map(i => centres[axis][i])),
    count: axes.map(axis => keep[axis].length),
    value(moment, quantity, i, j) {
      at[axes[0]] = i;
      at[axes[1]] = j;
      return cellValue(moment, quantity, block, at);
    },
  };
}

function cellAt(bounds, place) {
  let low = 0, high = bounds.length - 2;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (bounds[middle] <= place)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

/* Linear between centres, constant from the last one to the edge. */
function shareAt(centres, place) {
  if (centres.length === 1) return [0, 0];
  let low = Math.min(cellAt([...centres, Infinity], place), centres.length - 2);
  return [low, Math.min(Math.max((place - centres[low]) / (centres[low + 1] - centres[low]), 0), 1)];
}

/* The velocity in the plane as a function of the position. */
function flowIn(plane, moment) {
  const [nx, ny] = plane.count, parts = plane.axes.map(axis => {
    const quantity = quantities.find(one => one.set === 'u' && one.part === axis),
          list = new Float64Array(nx * ny);
    for (let j = 0; j < ny; j++)
      for (let i = 0; i < nx; i++) list[j * nx + i] = plane.value(moment, quantity, i, j);
    return list;
  });
  return (x, y) => {
    const [i, a] = shareAt(plane.centres[0], x), [j, b] = shareAt(plane.centres[1], y);
    const [right, up] = [nx > 1 ? 1 : 0, ny > 1 ? nx : 0];
    return parts.map(list => {
      const k = j * nx + i;
      return (1 - b) * ((1 - a) * list[k] + a * list[k + right]) +
        b * ((1 - a) * list[k + up] + a * list[k + up + right]);
    });
  };
}

/* Arrows on a regular lattice; the longest has the length of the lattice spacing. */
function arrows(plane, moment, width, height) {
  const flow = flowIn(plane, moment), most = moment.speed[1], paths = [];
  const [x0, x1, y0, y1] =
    [plane.bounds[0][0], plane.bounds[0].at(-1), plane.bounds[1][0], plane.bounds[1].at(-1)];
  const step = Math.max(width, height) / 18, nx = Math.max(1, Math.round(width / step)),
        ny = Math.max(1, Math.round(height / step));
  for (let j = 0; j < ny; j++)
    for (let i = 0; i < nx; i++) {
      const px = (i + 0.5) / nx * width, py = (j + 0.5) / ny * height;
      const [u, v] = flow(x0 + px / width * (x1 - x0), y1 - py / height * (y1 - y0));
      const length = Math.hypot(u, v) / most * 1.5 * step;
      if (!(length > 1.5)) continue;
      const angle = Math.atan2(-v, u),
            [dx, dy] = [Math.cos(angle) * length / 2, Math.sin(angle) * length / 2];
      paths.push(
        `M${(px - dx).toFixed(1)} ${(py - dy).toFixed(1)}L${(px + dx).toFixed(1)} ${(py + dy).toFixed(1)}`,
        arrowHead(px + dx, py + dy, angle, Math.min(5, length / 2)));
    }
  return paths.join('');
}

function arrowHead(x, y, angle, size) {
  const wing = turn =>
    `${(x - size * Math.cos(angle + turn)).toFixed(1)} ${(y - size * Math.sin(angle + turn)).toFixed(1)}`;
  return `M${wing(0.45)}L${x.toFixed(1)} ${y.toFixed(1)}L${wing(-0.45)}`;
}

/* Streamlines that keep apart: the plane is laid out in tiles, a line ends where another one has been and
 * begins only where a wider neighbourhood is free. */
function streamlines(plane, moment, width, height) {
  const flow = flowIn(plane, moment), slow = 2e-3 * moment.speed[1], tile = Math.max(width, height) / 60,
        spread = 2;
  const [x0, x1, y0, y1] =
    [plane.bounds[0][0], plane.bounds[0].at(-1), plane.bounds[1][0], plane.bounds[1].at(-1)];
  const nx = Math.ceil(width / tile - 0.01), ny = Math.ceil(height / tile - 0.01),
        owner = new Int32Array(nx * ny);
  /* the flow between the outermost centres and the wall is unknown */
  const inside = (place, centres) => place >= centres[0] && place <= centres.at(-1);
  const direction = (px, py) => {
    const [x, y] = [x0 + px / width * (x1 - x0), y1 - py / height * (y1 - y0)];
    if (!inside(x, plane.centres[0]) || !inside(y, plane.centres[1])) return null;
    const [u, v] = flow(x, y), speed = Math.hypot(u, v);
    return speed > slow ? [u / speed, -v / speed] : null;
  };
  const tileAt = (x, y) =>
    Math.min(Math.floor(y / tile), ny - 1) * nx + Math.min(Math.floor(x / tile), nx - 1);
  const follow = (start, sign, id) => {
    const points = [], step = sign * tile / 4;
    let [x, y] = start, here = tileAt(x, y);
    while (points.length < 3000) {
      const first = direction(x, y),
            half = first && direction(x + step / 2 * first[0], y + step / 2 * first[1]);
      if (!half) break;
      [x, y] = [x + step * half[0], y + step * half[1]];
      if (!direction(x, y)) break;
      const next = tileAt(x, y), away = Math.hypot(x - start[0], y - start[1]);
      if (next !== here && owner[next] && !(owner[next] === id && away < 3 * tile)) break;
      owner[next] = id;
      here = next;
      const closed = points.length > 32 && away < tile;
      points.push(closed ? start : [x, y]);
      if (closed) return {points, closed};
    }
    return {points, closed: false};
  };
  const isFree = (i, j) => {
    for (let y = Math.max(j - spread, 0); y <= Math.min(j + spread, ny - 1); y++)
      for (let x = Math.max(i - spread, 0); x <= Math.min(i + spread, nx - 1); x++)
        if (owner[y * nx + x]) return false;
    return true;
  };
  const paths = [];
  const line = (i, j) => {
    if (!isFree(i, j)) return;
    const start = [(i + 0.5) * tile, (j + 0.5) * tile], id = j * nx + i + 1;
    owner[id - 1] = id;
    const after = follow(start, 1, id), before = after.closed ? {points: []} : follow(start, -1, id);
    const all = [...before.points.reverse(), start, ...after.points];
    if (all.length < 48) {
      owner.forEach((of, k) => {
        if (of === id) owner[k] = 0;
      });
      return;
    }
    paths.push('M' + all.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`).join('L'));
    const middle = Math.floor(all.length / 2), [p, q] = [all[middle - 1], all[middle]];
    paths.push(arrowHead(q[0], q[1], Math.atan2(q[1] - p[1], q[0] - p[0]), 6));
  };
  for (let i = spread; i < nx; i++) line(i, Math.floor(ny / 2)); /* the middle row crosses most vortices */
  for (let ring = 1; 2 * ring < 60; ring++)
    for (let j = ring; j < ny - ring; j++)
      for (let i = ring; i < nx - ring; i++)
        if (i === ring || j === ring || i === nx - 1 - ring || j === ny - 1 - ring) line(i, j);
  return paths.join('');
}

/* -------------------------------------------------------------------- map */

/* Pixels of the canvas, in device pixels; smooth: linear between centres. */
function paint(canvas, plane, moment, quantity, scale, smooth) {
  const {width, height} = canvas, context = canvas.getContext('2d'),
                image = context.createImageData(width, height);
  const [nx, ny] = plane.count, list = new Float64Array(nx * ny);
  for (let j = 0; j < ny; j++)
    for (let i = 0; i < nx; i++) list[j * nx + i] = plane.value(moment, quantity, i, j);
  const place = (k, size, bounds) => bounds[0] + (k + 0.5) / size * (bounds.at(-1) - bounds[0]);
  const find = (k, size, d) => (smooth ? shareAt(plane.centres[d], place(k, size, plane.bounds[d])) :
                                         [cellAt(plane.bounds[d], place(k, size, plane.bounds[d])), 0]);
  const columns = Array.from({length: width}, (unused, i) => find(i, width, 0));
  let at = 0;
  for (let j = 0; j < height; j++) {
    const [row, b] = find(height - 1 - j, height, 1), base = row * nx, above = b ? base + nx : base;
    for (let i = 0; i < width; i++) {
      const [column, a] = columns[i], next = a ? column + 1 : column;
      const value = (1 - b) * ((1 - a) * list[base + column] + a * list[base + next]) +
        b * ((1 - a) * list[above + column] + a * list[above + next]);
      const part = (value - scale.low) / (scale.high - scale.low);
      const colour = scale.table[Math.min(Math.max(Math.round(255 * part), 0), 255)] ?? [127, 127, 127];
      image.data[at++] = colour[0];
      image.data[at++] = colour[1];
      image.data[at++] = colour[2];
      image.data[at++] = 255;
    }
  }
  context.putImageData(image, 0, 0);
}
