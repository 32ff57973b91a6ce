import type { LinePoint, LineSeries, LinesFigure } from './figure.ts';
import type { FigureTheme } from './figure-theme.ts';
import type { Plot, PlotValues } from './plot-frame.ts';
import { type SeriesStyle, seriesStyle } from './series-style.ts';
import { pathOf, px } from './svg-parts.ts';

/** More have no room for whiskers and markers: they have a band. */
const MOST_MARKED = 24;
const CAP = 3;

/** A point where it is drawn. */
interface Placed {
  readonly x: number;
  readonly y: number;
  readonly low: number | undefined;
  readonly high: number | undefined;
}

/** What the axes of a figure of lines have to show, its marks included. */
export function linesValues({ series, marks = [] }: LinesFigure): PlotValues {
  const points = series.flatMap((one) => one.points);
  const marked = (axis: 'x' | 'y') => marks.filter((mark) => mark.axis === axis).map(({ at }) => at);
  return {
    x: [...points.map(({ x }) => x), ...marked('x')],
    y: [...points.flatMap(({ y, low, high }) => [y, low ?? y, high ?? y]), ...marked('y')],
  };
}

/** Lines from left to right, with whiskers or a band from the least to the greatest repeat. */
export function drawLines({ series }: LinesFigure, plot: Plot, theme: FigureTheme): string {
  const drawn = series.map((one, index) => drawOne(one, seriesStyle(index, 'lines', theme, one.isDashed), plot));
  return [...drawn.map(({ spread }) => spread), ...drawn.map(({ line }) => line)].join('');
}

function drawOne(
  { points }: LineSeries,
  { colour, dash, marker }: SeriesStyle,
  plot: Plot,
): { readonly spread: string; readonly line: string } {
  const placed = [...points].sort((left, right) => left.x - right.x).flatMap((point) => placedOf(point, plot));
  const isMarked = placed.length <= MOST_MARKED;
  const dashes = dash === undefined ? '' : ` stroke-dasharray="${dash}"`;
  const path = pathOf(placed.map(({ x, y }) => [x, y] as const));
  const line =
    path === ''
      ? ''
      : `<path d="${path}" style="stroke:${colour};fill:none" stroke-width="2" stroke-linejoin="round"${dashes}/>`;
  const markers = isMarked
    ? placed.map(({ x, y }) => marker(Math.round(x * 10) / 10, Math.round(y * 10) / 10)).join('')
    : '';
  return {
    spread: isMarked ? whiskers(placed, colour) : band(placed, colour),
    line: line + (markers === '' ? '' : `<path d="${markers}" style="fill:${colour}"/>`),
  };
}

function placedOf({ x, y, low, high }: LinePoint, plot: Plot): readonly Placed[] {
  const [placeX, placeY] = [plot.x.place(x), plot.y.place(y)];
  if (placeX === undefined || placeY === undefined) return [];
  const across = (value: number | undefined) => (value === undefined ? undefined : plot.y.place(value));
  return [{ x: placeX, y: placeY, low: across(low), high: across(high) }];
}

function whiskers(placed: readonly Placed[], colour: string): string {
  const path = placed
    .filter(({ low, high }) => low !== undefined && high !== undefined && low !== high)
    .map(({ x, low, high }) => {
      const cap = (y: number) => `M${px(x - CAP)} ${px(y)}h${2 * CAP}`;
      return `M${px(x)} ${px(low as number)}V${px(high as number)}${cap(low as number)}${cap(high as number)}`;
    })
    .join('');
  return path === '' ? '' : `<path d="${path}" style="stroke:${colour};fill:none" stroke-width="1.2"/>`;
}

function band(placed: readonly Placed[], colour: string): string {
  const lower = placed.map(({ x, y, low }) => [x, low ?? y] as const);
  const upper = placed.map(({ x, y, high }) => [x, high ?? y] as const);
  return `<path d="${pathOf([...lower, ...upper.reverse()])}Z" style="fill:${colour}" fill-opacity="0.15"/>`;
}
