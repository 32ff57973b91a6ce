import type { FigureTheme } from './figure-theme.ts';

/** How a series is told from others: by its colour, and by its dashes or markers too. */
export interface SeriesStyle {
  readonly colour: string;
  /** Lengths of dashes and gaps; undefined for a whole line. */
  readonly dash: string | undefined;
  /** A marker around a place, as a path of SVG. */
  readonly marker: (x: number, y: number) => string;
}

const DASHES = [undefined, '8 3', '2.5 2.5', '10 3 2.5 3', '5 2', '12 3 2.5 3 2.5 3', '1.5 3'];
const PUBLISHED_DASH = '6 4';

const MARKERS: readonly ((x: number, y: number) => string)[] = [
  (x, y) => `M${x - 3.5} ${y}a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0 -7 0Z`,
  (x, y) => `M${x - 3.2} ${y - 3.2}h6.4v6.4h-6.4Z`,
  (x, y) => `M${x} ${y - 4.2}l4 7h-8Z`,
  (x, y) => `M${x} ${y - 4.5}l4.5 4.5l-4.5 4.5l-4.5 -4.5Z`,
  (x, y) => `M${x} ${y + 4.2}l4 -7h-8Z`,
  (x, y) => `M${x - 1.4} ${y - 4.4}h2.8v3h3v2.8h-3v3h-2.8v-3h-3v-2.8h3Z`,
  (x, y) => `M${x - 4.4} ${y - 1.6}h8.8v3.2h-8.8Z`,
];

/**
 * The style of a series by its number. Where there are more series than colours, they begin again, with other dashes
 * (distributions) or markers (lines), so that no two of 49 are alike.
 */
export function seriesStyle(
  index: number,
  kind: 'density' | 'lines',
  { series }: FigureTheme,
  isDashed = false,
): SeriesStyle {
  const turn = index + Math.floor(index / series.length);
  const dash = kind === 'density' ? DASHES[turn % DASHES.length] : undefined;
  return {
    colour: series[index % series.length] as string,
    dash: isDashed ? PUBLISHED_DASH : dash,
    marker: MARKERS[turn % MARKERS.length] as SeriesStyle['marker'],
  };
}
