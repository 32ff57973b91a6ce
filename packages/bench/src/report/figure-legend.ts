import type { Figure } from './figure.ts';
import type { FigureTheme } from './figure-theme.ts';
import { seriesStyle } from './series-style.ts';
import { charactersIn, LINE_HEIGHT, lineSvg, textSvg, widthOfText } from './svg-parts.ts';
import { wrapText } from './wrap-text.ts';

const SAMPLE = 28;
const AFTER_SAMPLE = 7;
const BETWEEN = 18;

/** Names of the series beside samples of their lines, in rows; nothing for a series that has no name. */
export function figureLegend(
  figure: Figure,
  width: number,
  top: number,
  theme: FigureTheme,
): { readonly svg: string; readonly height: number } {
  const parts: string[] = [];
  let [x, y, rowLines] = [0, top, 1];
  const entries = figure.series.map(({ name }, index) => ({ name, index })).filter(({ name }) => name !== '');
  for (const { name, index } of entries) {
    const lines = wrapText(name, charactersIn(width - SAMPLE - AFTER_SAMPLE));
    const taken = SAMPLE + AFTER_SAMPLE + Math.max(...lines.map(widthOfText));
    if (x > 0 && x + taken > width) {
      y += rowLines * LINE_HEIGHT + 3;
      [x, rowLines] = [0, 1];
    }
    parts.push(sample(figure, index, x, y + LINE_HEIGHT / 2, theme));
    lines.forEach((line, lineIndex) => {
      const baseline = y + 12 + lineIndex * LINE_HEIGHT;
      parts.push(textSvg(x + SAMPLE + AFTER_SAMPLE, baseline, line, { fill: theme.ink }));
    });
    rowLines = Math.max(rowLines, lines.length);
    x += taken + BETWEEN;
  }
  return { svg: parts.join(''), height: entries.length === 0 ? 0 : y - top + rowLines * LINE_HEIGHT };
}

function sample(figure: Figure, index: number, x: number, y: number, theme: FigureTheme): string {
  const isDashed = figure.kind === 'lines' && figure.series[index]?.isDashed === true;
  const { colour, dash, marker } = seriesStyle(index, figure.kind, theme, isDashed);
  const dashes = dash === undefined ? '' : ` stroke-dasharray="${dash}"`;
  const line = lineSvg(x, y, x + SAMPLE, y, colour, ` stroke-width="2"${dashes}`);
  return figure.kind === 'lines' ? `${line}<path d="${marker(x + SAMPLE / 2, y)}" style="fill:${colour}"/>` : line;
}
