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
import { escapeMarkup, numberText, plainText, publishedText } from './tables.ts';

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
const DIAMOND = { symbol: 'diamond', fill: RED, r: 5 } as const;
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
    const svg = view.kind === 'table' ? undefined : drawView(view, cells);
    const id = view.title.toLowerCase().replace(/[^a-z0-9]+/g, '-');
    return svg === undefined ? [] : [{ id, title: view.title, svg }];
  });
}

/** The picture of a view; `undefined` where nothing of it was measured. */
function drawView(view: ChartView, cells: readonly Cell[]): string | undefined {
  switch (view.kind) {
    case 'density':
      return density(view, cells);
    case 'percentiles':
      return percentiles(view, cells);
    case 'lines':
      return lines(view, cells);
    case 'bars':
      return bars(view, cells);
  }
}

function density({ title, of, histogram, x, rows, series, published = [] }: DensityView, cells: readonly Cell[]) {
  const groups = rowsOf(cells, of, [rows.key, ...Object.keys(series)]).flatMap((those) => {
    const points = histogramOf(those, histogram)?.density() ?? [];
    return points.length === 0 ? [] : [{ row: placeOf(those, rows.key), name: nameOf(those, series), points }];
  });
  const names = ordered(groups.map(({ name }) => name));
  const all = groups.flatMap(({ row, name, points }) => points.map((point) => ({ row, name, ...point })));
  if (all.length === 0) return undefined;
  const peaks = new Map<string | number, number>();
  for (const { row, density: height } of all) peaks.set(row, Math.max(height, peaks.get(row) ?? 0));
  const scaled = all.map((point) => ({ ...point, height: point.density / (peaks.get(point.row) ?? 1) }));
  const seen = scaled.filter(({ height }) => height > LEAST_HEIGHT).map(({ ms }) => ms);
  const [minMs, maxMs] = [Math.min(...seen) / BESIDE, Math.max(...all.map(({ ms }) => ms))];
  const points = scaled.filter(({ ms }) => ms >= minMs);
  const said = [...peaks.keys()].flatMap((row) => {
    const shown = cells.filter((cell) => isMeant(cell, of) && fieldOf(cell, rows.key) === row);
    const those = published.filter((one) => one.value === undefined && shown.some((cell) => isMeant(cell, one.of)));
    return those.map((one) => {
      const [from, to] = typeof one.figure === 'object' ? one.figure : [one.figure, one.figure];
      return { row, from: Math.max(minMs, from ?? 0), to, text: labelOf(one) };
    });
  });
  const ranges = said.filter(({ to }) => to !== undefined);
  const domain = [minMs, Math.max(maxMs, ...ranges.map(({ to }) => Number(to)))] as const;
  const marginLeft = marginOf([...peaks.keys()]);
  const at = { x: 'ms', fy: 'row', z: 'name' } as const;
  return svg(title, names, {
    height: ROW_HEIGHT * peaks.size + 60,
    marginLeft,
    x: { type: 'log', label: x, domain, ticks: logTicks(domain), tickFormat: tickText },
    y: { axis: null, domain: [0, 1.3] },
    fy: { label: null, domain: [...peaks.keys()], padding: 0.08 },
    marks: [
      Plot.axisFy({ anchor: 'left', tickFormat: placeText, fontWeight: 'bold' }),
      Plot.gridX({ ticks: logTicks(domain), strokeOpacity: 0.12 }),
      Plot.areaY(points, { ...at, y1: 0, y2: 'height', fill: 'name', fillOpacity: 0.12 }),
      Plot.lineY(points, { ...at, y: 'height', stroke: 'name', strokeWidth: 1.7 }),
      Plot.ruleY([0], { strokeOpacity: 0.4 }),
      Plot.ruleY(ranges, { y: 0, x1: 'from', x2: 'to', fy: 'row', stroke: RED, strokeWidth: 5, strokeOpacity: 0.6 }),
      Plot.text(said, { ...LABEL, fy: 'row', frameAnchor: 'top-right' }),
      Plot.text([rows.title], { frameAnchor: 'top-left', dx: 6 - marginLeft, dy: -14, fy: () => [...peaks.keys()][0] }),
    ],
  });
}

function percentiles({ title, of, histogram, y, series, published = [] }: PercentilesView, cells: readonly Cell[]) {
  const groups = rowsOf(cells, of, Object.keys(series)).flatMap((those) => {
    const counted = histogramOf(those, histogram);
    return counted && counted.total > 0 ? [{ name: nameOf(those, series), counted }] : [];
  });
  if (groups.length === 0) return undefined;
  // One of so many is the last that can be seen.
  const most = Math.max(100, ...groups.map(({ counted }) => counted.total));
  const points = groups.flatMap(({ name, counted }) => {
    let seen = 0;
    return counted.buckets().map(({ maxMicros, count }) => {
      seen += count;
      return { name, of: Math.min(most, counted.total / Math.max(1, counted.total - seen)), ms: maxMicros / 1000 };
    });
  });
  const marks = published.flatMap((one) => {
    const share = one.value === 'maxMs' ? 1 : Number(/^p(\d+)Ms$/.exec(one.value ?? '')?.[1] ?? Number.NaN) / 100;
    if (Number.isNaN(share) || typeof one.figure !== 'number') return [];
    const name = share === 1 ? 'longest' : `p${share * 100}`;
    return [{ of: Math.min(most, 1 / Math.max(1 / most, 1 - share)), ms: one.figure, text: `published ${name}` }];
  });
  const delays = [...points, ...marks].map(({ ms }) => ms);
  const domain = [Math.max(0.001, Math.min(...delays)), Math.max(...delays)] as const;
  const ticks = [1, 2, 10, 100, 1000, 10_000, 100_000, 1_000_000].filter((tick) => tick <= most);
  return svg(title, ordered(groups.map(({ name }) => name)), {
    height: HEIGHT,
    marginLeft: 70,
    marginRight: 30,
    x: {
      type: 'log',
      domain: [1, most],
      label: 'Percentile',
      ticks,
      tickFormat: (tick: number) => `${Number((100 - 100 / tick).toFixed(5))} %`,
    },
    y: { type: 'log', label: y, domain, ticks: logTicks(domain), tickFormat: tickText, grid: true },
    marks: [
      Plot.line(points, { x: 'of', y: 'ms', stroke: 'name', strokeWidth: 1.7 }),
      ...publishedMarks(marks, 'of', 'ms'),
    ],
  });
}

function lines({ title, of, x, y, series, published = [] }: XYView, cells: readonly Cell[]) {
  const points = rowsOf(cells, of, [x.key, ...Object.keys(series)]).flatMap((those) => {
    const [place, found] = [placeOf(those, x.key), figureOf(those, y, cells)];
    return found && typeof place === 'number' ? [{ place, name: nameOf(those, series), ...found }] : [];
  });
  if (points.length === 0) return undefined;
  const said = publishedOf(published, { of, x, y }, cells);
  const marks = said.filter(({ place }) => typeof place === 'number');
  const everywhere = said.filter(({ place }) => place === undefined);
  const places = [...new Set([...points, ...marks].map(({ place }) => Number(place)))].sort(
    (one, other) => one - other,
  );
  const marked = [...new Set(marks.map(({ place }) => Number(place)))].sort((one, other) => one - other);
  const isLeft = ({ place }: { readonly place?: number | string | undefined }) =>
    place !== places[0] && (marked.indexOf(Number(place)) < marked.length / 2 || place === places.at(-1));
  const values = [...points.flatMap(({ min, max }) => [min, max]), ...said.map(({ value }) => value)];
  const at = { x: 'place', stroke: 'name' } as const;
  return svg(title, ordered(points.map(({ name }) => name)), {
    height: HEIGHT,
    marginLeft: 70,
    marginRight: 40,
    x: { type: x.isLog ? 'log' : 'linear', axis: null },
    y: { label: y.title, tickFormat: tickText, grid: true, ...scaleOf(y, values) },
    marks: [
      // With texts of its own: of a logarithmic scale, formats leave out all but round numbers.
      Plot.axisX(apart(places, x.isLog), { label: x.title, text: placeText }),
      Plot.ruleX(points, { ...at, y1: 'min', y2: 'max', strokeWidth: 1.2 }),
      Plot.lineY(points, { ...at, y: 'median', z: 'name', strokeWidth: 1.7, sort: 'place' }),
      Plot.dot(points, { ...at, y: 'median', symbol: 'name', r: 4, fill: 'white' }),
      Plot.ruleY(everywhere, { y: 'value', stroke: RED, strokeDasharray: '5 3' }),
      Plot.text(everywhere, { ...LABEL, y: 'value', frameAnchor: 'right', dy: -8 }),
      // Of marks that are near each other, labels on both sides have room.
      ...publishedMarks(marks.filter(isLeft), 'place', 'value'),
      ...publishedMarks(
        marks.filter((mark) => !isLeft(mark)),
        'place',
        'value',
        { textAnchor: 'start', dx: 8, dy: 4 },
      ),
    ],
  });
}

function bars({ title, of, x, y, series, published = [] }: XYView, cells: readonly Cell[]) {
  const points = rowsOf(cells, of, [x.key, ...Object.keys(series)]).flatMap((those) => {
    const found = figureOf(those, y, cells);
    return found ? [{ place: placeOf(those, x.key), name: nameOf(those, series), ...found }] : [];
  });
  if (points.length === 0) return undefined;
  const [places, names] = [[...new Set(points.map(({ place }) => place))], ordered(points.map(({ name }) => name))];
  const beside = publishedOf(published, { of, x, y }, cells).filter(({ place }) => places.some((one) => one === place));
  // Below the bars of its place, each in a line of its own.
  const marks = beside.map((mark, index) => {
    const before = beside.slice(0, index).filter(({ place }) => place === mark.place).length;
    return { ...mark, name: `published ${before}` };
  });
  const lanes = [...names, ...new Set(marks.map(({ name }) => name))];
  const scale = scaleOf(y, [...points.flatMap(({ min, max }) => [min, max]), ...marks.map(({ value }) => value)]);
  const isRight = ({ value }: { readonly value: number }) => value > scale.domain[1] / 2;
  const at = { fy: 'place', y: 'name' } as const;
  return svg(title, names, {
    height: places.length * (BAR_HEIGHT * lanes.length + 12) + 76,
    marginLeft: marginOf(places),
    marginRight: 60,
    x: { label: y.title, tickFormat: tickText, grid: true, ...scale },
    y: { axis: null, domain: lanes },
    fy: { label: null, domain: places, padding: 0.15 },
    marks: [
      Plot.axisFy({ anchor: 'left', tickFormat: placeText }),
      Plot.barX(points, { ...at, x1: scale.domain[0], x2: 'median', fill: 'name' }),
      Plot.ruleY(points, { ...at, x1: 'min', x2: 'max', strokeWidth: 1.5 }),
      Plot.text(points, { ...at, x: 'max', text: ({ median }) => numberText(median), textAnchor: 'start', dx: 5 }),
      Plot.dot(marks, { ...at, ...DIAMOND, x: 'value' }),
      // Labels on that side of their marks where there is room.
      Plot.text(marks.filter(isRight), { ...at, ...LABEL, x: 'value', textAnchor: 'end', dx: -9 }),
      Plot.text(
        marks.filter((mark) => !isRight(mark)),
        { ...at, ...LABEL, x: 'value', textAnchor: 'start', dx: 9 },
      ),
    ],
  });
}

function publishedMarks(
  marks: readonly { readonly text: string }[],
  x: string,
  y: string,
  side: Plot.TextOptions = { textAnchor: 'end', dx: -8, dy: -8 },
): Plot.Markish[] {
  return [Plot.dot(marks, { ...DIAMOND, x, y }), Plot.text(marks, { ...LABEL, ...side, x, y })];
}

/** Published figures of the value that is drawn, each at its place; one without a place is everywhere. */
function publishedOf(
  published: readonly PublishedFigure[],
  { of, x, y }: Pick<XYView, 'of' | 'x' | 'y'>,
  cells: readonly Cell[],
) {
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

function histogramOf(cells: readonly Cell[], name: string): Histogram | undefined {
  const encoded = cells.flatMap(({ histograms }) => histograms?.[name] ?? []);
  return encoded.length === 0 ? undefined : new Histogram(...encoded);
}

function placeOf([cell]: readonly Cell[], key: string): number | string {
  return (cell && fieldOf(cell, key)) ?? '';
}

function nameOf([cell]: readonly Cell[], series: Titles): string {
  const parts = Object.entries(series).map(([key, title]) => {
    const field = cell && fieldOf(cell, key);
    return typeof field === 'number' ? `${placeText(field)} ${title}` : field;
  });
  return parts.filter(Boolean).join(', ');
}

/** Room for names on the left. */
function marginOf(places: readonly (number | string)[]): number {
  return Math.max(70, 20 + LETTER_WIDTH * Math.max(...places.map((place) => placeText(place).length)));
}

/** A scale for some values: from 0, or logarithmic. */
function scaleOf({ isLog = false }: XYView['y'], values: readonly number[]) {
  const most = Math.max(...values);
  const domain = [isLog ? Math.min(...values.filter((value) => value > 0)) : 0, most] as const;
  return isLog
    ? ({ type: 'log', domain, ticks: logTicks(domain) } as const)
    : ({ type: 'linear', domain, ticks: 4, nice: true } as const);
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

function tickText(value: number): string {
  return plainText(value);
}

function placeText(place: number | string): string {
  return typeof place === 'number' ? place.toLocaleString('en-GB') : place;
}

/** Each name once, ours first: they have the same colours in all pictures. */
function ordered(names: readonly string[]): readonly string[] {
  return [...new Set(names)].sort((left, right) => Number(OURS.test(right)) - Number(OURS.test(left)));
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
  const { entries, height } = legend(names);
  for (const [name, value] of Object.entries({ y: height, width: WIDTH, height: options.height })) {
    plot.setAttribute(name, String(value));
  }
  const keys = entries.map(({ x, y, name, colour }) => {
    return `<rect x="${x}" y="${y}" width="12" height="12" fill="${colour}"/><text x="${x + 17}" y="${y + 11}">${escapeMarkup(name)}</text>`;
  });
  const all = `<title>${escapeMarkup(title)}</title><rect width="100%" height="100%" fill="white"/>${keys.join('')}${plot.outerHTML}`;
  return `<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 ${WIDTH} ${options.height + height}" font-family="system-ui, sans-serif" font-size="${FONT_SIZE}">${all}</svg>`;
}

/** Where the names of a legend stand, in as many rows as they need; a single one that has no name needs none. */
function legend(names: readonly string[]) {
  let [x, y] = [10, 6];
  const entries = names.filter(Boolean).map((name, index) => {
    const width = 30 + name.length * LETTER_WIDTH;
    if (x + width > WIDTH && x > 10) [x, y] = [10, y + LEGEND_HEIGHT];
    const entry = { x, y, name, colour: COLOURS[index % COLOURS.length] as string };
    x += width;
    return entry;
  });
  return { entries, height: entries.length === 0 ? 0 : y + LEGEND_HEIGHT };
}
