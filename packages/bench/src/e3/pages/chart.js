import { TumblingWindows } from '/modules/e3/tumbling-window.js';
import { followRows, showFigures } from './follow-rows.js';

const WINDOW_MICROS = 1_000_000;
const KEPT = 30;
const STAMP = 1;
const VALUE = 5;
const SVG = 'http://www.w3.org/2000/svg';
const MARGIN = { left: 60, right: 16, top: 14, bottom: 24 };

const windows = new TumblingWindows(WINDOW_MICROS, KEPT);

followRows(
  (rows) => {
    for (const row of rows) windows.add(row[STAMP], row[VALUE]);
  },
  (counts) => {
    const summaries = windows.summaries;
    const last = summaries.at(-1);
    showFigures(counts, { seconds: summaries.length, 'mean of the last': last ? last.mean.toFixed(2) : '' });
    drawValues(document.querySelector('#value'), summaries);
    drawCounts(document.querySelector('#count'), summaries);
  },
);

function drawValues(svg, summaries) {
  const low = Math.floor(Math.min(...summaries.map(({ min }) => min)));
  const high = Math.ceil(Math.max(...summaries.map(({ max }) => max)));
  const { x, y, frame } = axes(svg, summaries, low, Math.max(high, low + 1));
  const middle = (window) => x(window.start + WINDOW_MICROS / 2);
  const above = summaries.map((window) => `${middle(window)},${y(window.max)}`);
  const below = summaries.map((window) => `${middle(window)},${y(window.min)}`).reverse();
  const mean = summaries.map((window) => `${middle(window)},${y(window.mean)}`);
  svg.replaceChildren(
    ...frame,
    element('polygon', { class: 'band', points: [...above, ...below].join(' ') }),
    element('polyline', { class: 'mean', points: mean.join(' ') }),
  );
}

function drawCounts(svg, summaries) {
  const most = Math.max(1, ...summaries.map(({ count }) => count));
  const { x, y, frame } = axes(svg, summaries, 0, most);
  const bars = summaries.map(({ start, count }) => {
    const [left, right] = [x(start) + 1, x(start + WINDOW_MICROS) - 1];
    return element('rect', { class: 'bar', x: left, width: right - left, y: y(count), height: y(0) - y(count) });
  });
  svg.replaceChildren(...frame, ...bars);
}

/** The scales of a drawing, with its lines and labels: as many seconds as are kept, the newest at the right. */
function axes(svg, summaries, low, high) {
  const [width, height] = [svg.clientWidth, svg.clientHeight];
  svg.setAttribute('viewBox', `0 0 ${width} ${height}`);
  const end = (summaries.at(-1)?.start ?? 0) + WINDOW_MICROS;
  const start = end - KEPT * WINDOW_MICROS;
  const x = (micros) => MARGIN.left + ((micros - start) / (end - start)) * (width - MARGIN.left - MARGIN.right);
  const y = (value) => height - MARGIN.bottom - ((value - low) / (high - low)) * (height - MARGIN.top - MARGIN.bottom);
  const lines = [0, 0.5, 1].flatMap((share) => {
    const value = low + share * (high - low);
    return [
      element('line', { class: 'grid', x1: MARGIN.left, x2: width - MARGIN.right, y1: y(value), y2: y(value) }),
      label(MARGIN.left - 8, y(value) + 4, 'end', value.toLocaleString('en', { maximumFractionDigits: 1 })),
    ];
  });
  const times = [30, 20, 10, 0].map((ago) =>
    label(x(end - ago * WINDOW_MICROS), height - 6, ago === 0 ? 'end' : 'middle', ago === 0 ? 'now' : `${ago} s ago`),
  );
  return { x, y, frame: [...lines, ...times] };
}

function label(x, y, anchor, text) {
  const made = element('text', { x, y, 'text-anchor': anchor });
  made.textContent = text;
  return made;
}

function element(name, attributes) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  return made;
}
