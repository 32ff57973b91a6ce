/*
 * Pictures of results as SVG, drawn while the report is made: a page needs no script, and a picture stands alone as a file.
 *
 *   { kind: 'lines', x: { key: 'clients' }, y: { value: 'cpuMicros' }, series: { subject: '' }, published } + cells
 *   -> a line a subject with the least and the greatest of its rounds, published figures as diamonds with their label
 *
 * Histograms of rounds are added. A density is scaled to the greatest peak of its row: its shape counts, not its height.
 * Drawn for 560 pixels in large letters, two pictures fit beside each other on a screen and one is legible on a telephone.
 */
import * as Plot from '@observablehq/plot';
import { parseHTML } from 'linkedom';
import type { DensityView, PercentilesView, PublishedFigure, Titles, View, XYView } from '../experiment.ts';
import { fieldOf, figureOf, isMeant, rowsOf } from '../figures.ts';
import { Histogram } from '../histogram.ts';
import type { Cell } from '../result.ts';
import { escapeMarkup, nameText, numberText, plainText, publishedText } from './tables.ts';

type ChartView = Exclude<View, { kind: 'table' }>;

const [WIDTH, HEIGHT, ROW_HEIGHT, BAR_HEIGHT, LEGEND_HEIGHT] = [560, 340, 66, 19, 20];
const FONT_SIZE = 13;
/** Labels of places that have room beside each other. */
const MAX_LABELS = 9;
/** Of a letter of that size, about. */
const LETTER_WIDTH = 7;
/** To be told apart by people who see colours otherwise, and in print. */
const COLOURS = ['#0072b2', '#d55e00', '#009e73', '#aa3377', '#e69f00', '#56b4e9', '#666666', '#882255', '#999933'];
/** Of what was published. */
const RED = '#b00020';
const LABEL = { text: 'text', fill: RED, stroke: 'white', strokeWidth: 3, paintOrder: 'stroke' } as const;
const OURS = /ldes-live/;
/** Lower parts of a density have no place of their own on the left. */
const LEAST_HEIGHT = 0.01;
/** The point of nothing before the first one. */
const BESIDE = 1.2;

/** A picture, and what its file is called within its experiment. */
export interface Picture {
  readonly id: string;
  readonly title: string;
  readonly svg: string;
}

/** The pictures of all views of which something was measured. */
export function picturesOf(views: readonly View[], cells: readonly Cell[]): readonly Picture[] {
  return views.flatMap((view) => {
    const { title } = view;
    const svg = view.kind === 'table' ? undefined : drawView(view, cells);
    return svg === undefined ? [] : [{ id: title.toLowerCase().replace(/[^a-z0-9]+/g, '-'), title, svg }];
  });
}

/** `undefined` where nothing of it was measured. */
function drawView(view: ChartView, cells: readonly Cell[]): string | undefined {
  if (view.kind === 'density') return density(view, cells);
  if (view.kind === 'percentiles') return percentiles(view, cells);
  return view.kind === 'lines' ? lines(view, cells) : bars(view, cells);
}

function density({ title, of, histogram, x, rows, series, published = [] }: DensityView, cells: readonly Cell[]) {
  const all = delaysOf({ of, histogram, series }, cells, [rows.key]).flatMap(({ those, name, delays }) =>
    delays.density().map((point) => ({ row: placeOf(those, rows.key), name, ...point })),
  );
  if (all.length === 0) return undefined;
  const peaks = new Map<string | number, number>();
  for (const { row, density: height } of all) peaks.set(row, Math.max(height, peaks.get(row) ?? 0));
  const places = [...peaks.keys()];
  const scaled = all.map((point) => ({ ...point, height: point.density / (peaks.get(point.row) ?? 1) }));
  const seen = scaled.filter(({ height }) => height > LEAST_HEIGHT).map(({ ms }) => ms);
  const minMs = Math.min(...seen) / BESIDE;
  const points = scaled.filter(({ ms }) => ms >= minMs);
  const said = places.flatMap((row) => {
    const shown = cells.filter((cell) => isMeant(cell, of) && fieldOf(cell, rows.key) === row);
    const those = published.filter((one) => one.value === undefined && shown.some((cell) => isMeant(cell, one.of)));
    return those.map((one) => {
      const [from, to] = [one.figure].flat();
      return { row, from: Math.max(minMs, from ?? 0), to, text: labelOf(one) };
    });
  });
  const ranges = said.filter(({ to }) => to !== undefined);
  const domain = [minMs, Math.max(...all.map(({ ms }) => ms), ...ranges.map(({ to }) => Number(to)))] as const;
  const marginLeft = marginOf(places);
  const at = { x: 'ms', fy: 'row', z: 'name' } as const;
  return svg(title, ordered(all), {
    height: ROW_HEIGHT * places.length + 60,
    marginLeft,
    x: { type: 'log', label: x, domain, ticks: logTicks(domain), tickFormat: plainText },
    y: { axis: null, domain: [0, 1.3] },
    fy: { label: null, domain: places, padding: 0.08 },
    marks: [
      Plot.axisFy({ anchor: 'left', tickFormat: nameText }),
      Plot.gridX({ ticks: logTicks(domain), strokeOpacity: 0.12 }),
      Plot.areaY(points, { ...at, y1: 0, y2: 'height', fill: 'name', fillOpacity: 0.12 }),
      Plot.lineY(points, { ...at, y: 'height', stroke: 'name', strokeWidth: 1.7 }),
      Plot.ruleY([0], { strokeOpacity: 0.4 }),
      Plot.ruleY(ranges, { y: 0, x1: 'from', x2: 'to', fy: 'row', stroke: RED, strokeWidth: 5, strokeOpacity: 0.6 }),
      Plot.text(said, { ...LABEL, fy: 'row', frameAnchor: 'top-right' }),
      Plot.text([rows.title], { frameAnchor: 'top-left', dx: 6 - marginLeft, dy: -14, fy: () => places[0] }),
    ],
  });
}

function percentiles({ title, y, published = [], ...shown }: PercentilesView, cells: readonly Cell[]) {
  const groups = delaysOf(shown, cells, []);
  if (groups.length === 0) return undefined;
  // One of so many is the last that can be seen.
  const most = Math.max(100, ...groups.map(({ delays }) => delays.total));
  const points = groups.flatMap(({ name, delays }) => {
    let seen = 0;
    return delays.buckets().map(({ maxMicros, count }) => {
      seen += count;
      return { name, of: Math.min(most, delays.total / Math.max(1, delays.total - seen)), ms: maxMicros / 1000 };
    });
  });
  const marks = published.flatMap(({ value = '', figure }) => {
    const share = value === 'maxMs' ? 1 : Number(/^p(\d+)Ms$/.exec(value)?.[1] ?? Number.NaN) / 100;
    if (Number.isNaN(share) || typeof figure !== 'number') return [];
    const text = `published ${share === 1 ? 'longest' : `p${share * 100}`}`;
    return [{ of: Math.min(most, 1 / Math.max(1 / most, 1 - share)), ms: figure, text }];
  });
  const delays = [...points, ...marks].map(({ ms }) => ms);
  const domain = [Math.max(0.001, Math.min(...delays)), Math.max(...delays)] as const;
  return svg(title, ordered(groups), {
    height: HEIGHT,
    marginLeft: 70,
    marginRight: 30,
    x: {
      type: 'log',
      domain: [1, most],
      label: 'Percentile',
      ticks: [1, 2, 10, 100, 1000, 10_000, 100_000, 1_000_000].filter((tick) => tick <= most),
      tickFormat: (tick: number) => `${Number((100 - 100 / tick).toFixed(5))} %`,
    },
    y: { type: 'log', label: y, domain, ticks: logTicks(domain), tickFormat: plainText, grid: true },
    marks: [
      Plot.line(points, { x: 'of', y: 'ms', stroke: 'name', strokeWidth: 1.7 }),
      ...publishedMarks(marks, { x: 'of', y: 'ms', ...LEFT_OF_MARK }),
    ],
  });
}

function lines(view: XYView, cells: readonly Cell[]) {
  const { title, x, y } = view;
  const points = pointsOf(view, cells).filter(({ place }) => typeof place === 'number');
  if (points.length === 0) return undefined;
  const said = publishedOf(view, cells);
  const marks = said.filter(({ place }) => typeof place === 'number');
  const everywhere = said.filter(({ place }) => place === undefined);
  const [places, marked] = [[...points, ...marks], marks].map((all) =>
    [...new Set(all.map(({ place }) => Number(place)))].sort((one, other) => one - other),
  ) as [number[], number[]];
  // Of marks that are near each other, labels on both sides have room.
  const isLeft = ({ place }: (typeof marks)[number]) =>
    place !== places[0] && (marked.indexOf(Number(place)) < marked.length / 2 || place === places.at(-1));
  const at = { x: 'place', stroke: 'name' } as const;
  const beside = { x: 'place', y: 'value' } as const;
  return svg(title, ordered(points), {
    height: HEIGHT,
    marginLeft: 80,
    marginRight: 40,
    x: { type: x.isLog ? 'log' : 'linear', axis: null },
    y: scaleOf(y, points, said),
    marks: [
      // With texts of its own: of a logarithmic scale, formats leave out all but round numbers.
      Plot.axisX(apart(places, x.isLog), { label: x.title, text: nameText }),
      Plot.ruleX(points, { ...at, y1: 'min', y2: 'max', strokeWidth: 1.2 }),
      Plot.lineY(points, { ...at, y: 'median', z: 'name', strokeWidth: 1.7, sort: 'place' }),
      Plot.dot(points, { ...at, y: 'median', symbol: 'name', r: 4, fill: 'white' }),
      Plot.ruleY(everywhere, { y: 'value', stroke: RED, strokeDasharray: '5 3' }),
      Plot.text(everywhere, { ...LABEL, y: 'value', frameAnchor: 'right', dy: -8 }),
      ...publishedMarks(marks.filter(isLeft), { ...beside, ...LEFT_OF_MARK }),
      ...publishedMarks(
        marks.filter((mark) => !isLeft(mark)),
        { ...beside, textAnchor: 'start', dx: 8, dy: 4 },
      ),
    ],
  });
}

function bars(view: XYView, cells: readonly Cell[]) {
  const points = pointsOf(view, cells);
  if (points.length === 0) return undefined;
  const [places, names] = [[...new Set(points.map(({ place }) => place))], ordered(points)];
  const beside = publishedOf(view, cells).filter(({ place }) => places.some((one) => one === place));
  // Below the bars of its place, each in a line of its own.
  const marks = beside.map((mark, index) => {
    const before = beside.slice(0, index).filter(({ place }) => place === mark.place).length;
    return { ...mark, name: `published ${before}` };
  });
  const lanes = [...names, ...new Set(marks.map(({ name }) => name))];
  const scale = scaleOf(view.y, points, marks);
  const at = { fy: 'place', y: 'name' } as const;
  // Labels on that side of their marks where there is room.
  const labels = [true, false].flatMap((isRight) =>
    publishedMarks(
      marks.filter(({ value }) => value > scale.domain[1] / 2 === isRight),
      { ...at, x: 'value', textAnchor: isRight ? 'end' : 'start', dx: isRight ? -9 : 9 },
    ),
  );
  return svg(view.title, names, {
    height: places.length * (BAR_HEIGHT * lanes.length + 12) + 76,
    marginLeft: marginOf(places),
    marginRight: 60,
    x: scale,
    y: { axis: null, domain: lanes },
    fy: { label: null, domain: places, padding: 0.15 },
    marks: [
      Plot.axisFy({ anchor: 'left', tickFormat: nameText }),
      Plot.barX(points, { ...at, x1: scale.domain[0], x2: 'median', fill: 'name' }),
      Plot.ruleY(points, { ...at, x1: 'min', x2: 'max', strokeWidth: 1.5 }),
      Plot.text(points, { ...at, x: 'max', text: ({ median }) => numberText(median), textAnchor: 'start', dx: 5 }),
      ...labels,
    ],
  });
}

/** Cells that share a row and a name, with the delays of all their rounds; those that have such. */
function delaysOf(
  { of, histogram, series }: Pick<PercentilesView, 'of' | 'histogram' | 'series'>,
  cells: readonly Cell[],
  keys: readonly string[],
) {
  return rowsOf(cells, of, [...keys, ...Object.keys(series)]).flatMap((those) => {
    const delays = new Histogram(...those.flatMap(({ histograms }) => histograms?.[histogram] ?? []));
    return delays.total === 0 ? [] : [{ those, name: nameOf(those, series), delays }];
  });
}

/** A figure of each place and name. */
function pointsOf({ of, x, y, series }: XYView, cells: readonly Cell[]) {
  return rowsOf(cells, of, [x.key, ...Object.keys(series)]).flatMap((those) => {
    const found = figureOf(those, y, cells);
    return found ? [{ place: placeOf(those, x.key), name: nameOf(those, series), ...found }] : [];
  });
}

const LEFT_OF_MARK = { textAnchor: 'end', dx: -8, dy: -8 } as const;

function publishedMarks(marks: readonly { readonly text: string }[], { dx = 0, dy = 0, ...at }: Plot.TextOptions) {
  return [
    Plot.dot(marks, { ...(at as Plot.DotOptions), symbol: 'diamond', fill: RED, r: 5 }),
    Plot.text(marks, { ...LABEL, ...at, dx, dy }),
  ];
}

/** Published figures of the value that is drawn, each at its place; one without a place is everywhere. */
function publishedOf({ of, x, y, published = [] }: XYView, cells: readonly Cell[]) {
  return published.flatMap((one) => {
    const { [x.key]: at, ...elsewhere } = one.of.at ?? {};
    const isBeside = cells.some((cell) => isMeant(cell, of) && isMeant(cell, { ...one.of, at: elsewhere }));
    const place = x.key === 'subject' ? one.of.subject : at;
    if (!isBeside || one.value !== y.value || typeof one.figure !== 'number' || typeof place === 'object') return [];
    return [{ place, value: one.figure / (y.per ?? 1), text: labelOf(one, y.per) }];
  });
}

function labelOf(one: PublishedFigure, per?: number): string {
  return `published: ${publishedText(one, per)}`;
}

function placeOf([cell]: readonly Cell[], key: string): number | string {
  return (cell && fieldOf(cell, key)) ?? '';
}

function nameOf([cell]: readonly Cell[], series: Titles): string {
  const parts = Object.entries(series).map(([key, title]) => {
    const field = cell && fieldOf(cell, key);
    return typeof field === 'number' ? `${nameText(field)} ${title}` : field;
  });
  return parts.filter(Boolean).join(', ');
}

/** Room for names on the left. */
function marginOf(places: readonly (number | string)[]): number {
  return Math.max(70, 20 + LETTER_WIDTH * Math.max(...places.map((place) => nameText(place).length)));
}

/** The scale of a figure: from 0, or logarithmic. */
function scaleOf(
  { title, isLog }: XYView['y'],
  points: readonly Readonly<Record<'min' | 'max', number>>[],
  marks: readonly { readonly value: number }[],
) {
  const values = [...points.flatMap(({ min, max }) => [min, max]), ...marks.map(({ value }) => value)];
  const domain = [isLog ? Math.min(...values.filter((value) => value > 0)) : 0, Math.max(...values)] as const;
  const kind = isLog
    ? ({ type: 'log', ticks: logTicks(domain) } as const)
    : ({ type: 'linear', ticks: 4, nice: true } as const);
  return { label: title, tickFormat: plainText, grid: true, domain, ...kind };
}

/** Of ascending places those whose labels do not overlap. */
function apart(places: readonly number[], isLog = false): number[] {
  const at = (place: number) => (isLog ? Math.log(place) : place);
  const least = (at(places.at(-1) ?? 0) - at(places[0] ?? 0)) / MAX_LABELS;
  const kept: number[] = [];
  for (const place of places) if (kept.length === 0 || at(place) - at(kept.at(-1) ?? 0) >= least) kept.push(place);
  return kept;
}

/** Powers of ten, and where there are few of them 2 and 5 times those too. */
function logTicks([from, to]: readonly [number, number]): number[] {
  const [first, last] = [Math.floor(Math.log10(from)), Math.ceil(Math.log10(to))];
  const steps = last - first > 3 ? [1] : [1, 2, 5];
  const all = Array.from({ length: last - first + 1 }, (_, index) => steps.map((step) => step * 10 ** (first + index)));
  return all.flat().filter((tick) => tick >= from && tick <= to);
}

/** Each name once, ours first: they have the same colours in all pictures. */
function ordered(named: readonly { readonly name: string }[]): readonly string[] {
  const names = new Set(named.map(({ name }) => name));
  return [...names].sort((left, right) => Number(OURS.test(right)) - Number(OURS.test(left)));
}

/** Draws marks with a legend above them, on white. */
function svg(title: string, names: readonly string[], options: Plot.PlotOptions & { readonly height: number }): string {
  const { document } = parseHTML('<!doctype html><html><body></body></html>');
  const plot = Plot.plot({
    document: document as never,
    width: WIDTH,
    marginTop: 32,
    marginBottom: 42,
    style: { fontSize: `${FONT_SIZE}px`, background: 'white' },
    color: { domain: [...names], range: COLOURS },
    symbol: { domain: [...names] },
    ...options,
  }) as unknown as { readonly outerHTML: string; setAttribute(name: string, value: string): void };
  // A legend in as many rows as it needs; a single name that is empty needs none.
  let [x, y] = [10, 6];
  const keys = names.filter(Boolean).map((name, index) => {
    const width = 30 + name.length * LETTER_WIDTH;
    if (x + width > WIDTH && x > 10) [x, y] = [10, y + LEGEND_HEIGHT];
    const box = `<rect x="${x}" y="${y}" width="12" height="12" fill="${COLOURS[index % COLOURS.length]}"/>`;
    const text = `<text x="${x + 17}" y="${y + 11}">${escapeMarkup(name)}</text>`;
    x += width;
    return box + text;
  });
  const height = keys.length === 0 ? 0 : y + LEGEND_HEIGHT;
  for (const [name, value] of Object.entries({ y: height, width: WIDTH, height: options.height })) {
    plot.setAttribute(name, String(value));
  }
  const all = `<title>${escapeMarkup(title)}</title><rect width="100%" height="100%" fill="white"/>${keys.join('')}${plot.outerHTML}`;
  return `<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 ${WIDTH} ${options.height + height}" style="font: ${FONT_SIZE}px system-ui, sans-serif">${all}</svg>`;
}
