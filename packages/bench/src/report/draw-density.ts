import { densityLine, type PlotPoint } from './density-line.ts';
import type { DensityFigure } from './figure.ts';
import type { FigureTheme } from './figure-theme.ts';
import type { Plot, PlotValues } from './plot-frame.ts';
import { seriesStyle } from './series-style.ts';
import { pathOf } from './svg-parts.ts';

const FILL_OPACITY = 0.08;

/** The lines of all distributions of a figure. */
export function densityLines(figure: DensityFigure): readonly (readonly PlotPoint[])[] {
  return figure.series.map((series) => densityLine(series, figure.x));
}

/** What the axes of a figure of distributions have to show. */
export function densityValues(lines: readonly (readonly PlotPoint[])[]): PlotValues {
  const points = lines.flat();
  return { x: points.map(([x]) => x), y: points.map(([, y]) => y) };
}

/** Distributions as lines over faint areas, which a logarithmic y axis cannot have. */
export function drawDensity(
  figure: DensityFigure,
  lines: readonly (readonly PlotPoint[])[],
  plot: Plot,
  theme: FigureTheme,
): string {
  const drawn = lines.map((line, index) => {
    const places = line.flatMap(([x, y]): PlotPoint[] => {
      const [placeX, placeY] = [plot.x.place(x), plot.y.place(y)];
      return placeX === undefined || placeY === undefined ? [] : [[placeX, placeY]];
    });
    const path = pathOf(places);
    if (path === '') return { area: '', line: '' };
    const { colour, dash } = seriesStyle(index, 'density', theme);
    const dashes = dash === undefined ? '' : ` stroke-dasharray="${dash}"`;
    const area =
      figure.y.scale === 'log' ? '' : `<path d="${path}Z" style="fill:${colour}" fill-opacity="${FILL_OPACITY}"/>`;
    return {
      area,
      line: `<path d="${path}" style="stroke:${colour};fill:none" stroke-width="1.8" stroke-linejoin="round"${dashes}/>`,
    };
  });
  return [...drawn.map(({ area }) => area), ...drawn.map(({ line }) => line)].join('');
}
