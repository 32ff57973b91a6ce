import type { LinesFigure } from './figure.ts';
import type { FigureTheme } from './figure-theme.ts';
import type { Plot } from './plot-frame.ts';
import { charactersIn, LINE_HEIGHT, lineSvg, textSvg, widthOfText } from './svg-parts.ts';
import { wrapText } from './wrap-text.ts';

const GAP = 5;

/** Lines across a plot with their labels; labels of lines that stand beside each other are one below the other. */
export function drawMarks({ marks = [] }: LinesFigure, plot: Plot, theme: FigureTheme): string {
  let lines = 0;
  return marks
    .map(({ axis, at, label }) => {
      if (axis === 'y') return acrossSvg(at, label, plot, theme);
      const top = plot.top + lines * LINE_HEIGHT;
      const drawn = uprightSvg(at, label, plot, theme, top);
      lines += drawn.lines;
      return drawn.svg;
    })
    .join('');
}

function acrossSvg(at: number, label: string, plot: Plot, theme: FigureTheme): string {
  const y = plot.y.place(at);
  if (y === undefined) return '';
  const lines = wrapText(label, charactersIn(plot.right - plot.left));
  // A label at the upper edge has its room below the line.
  const first =
    y - lines.length * LINE_HEIGHT < plot.top ? y + LINE_HEIGHT - 2 : y - GAP - (lines.length - 1) * LINE_HEIGHT;
  const texts = lines.map((line, index) =>
    textSvg(plot.left + GAP, first + index * LINE_HEIGHT, line, { fill: theme.ink, halo: theme.ground }),
  );
  return lineSvg(plot.left, y, plot.right, y, theme.ink, MARK_LINE) + texts.join('');
}

function uprightSvg(
  at: number,
  label: string,
  plot: Plot,
  theme: FigureTheme,
  top: number,
): { readonly svg: string; readonly lines: number } {
  const x = plot.x.place(at);
  if (x === undefined) return { svg: '', lines: 0 };
  const isLeft = x + GAP + widthOfText(label) > plot.right && x - plot.left > plot.right - x;
  const room = isLeft ? x - plot.left : plot.right - x;
  const lines = wrapText(label, charactersIn(room - GAP));
  const texts = lines.map((line, index) =>
    textSvg(isLeft ? x - GAP : x + GAP, top + 12 + index * LINE_HEIGHT, line, {
      fill: theme.ink,
      anchor: isLeft ? 'end' : 'start',
      halo: theme.ground,
    }),
  );
  return { svg: lineSvg(x, plot.top, x, plot.bottom, theme.ink, MARK_LINE) + texts.join(''), lines: lines.length };
}

const MARK_LINE = ' stroke-width="1.2" stroke-dasharray="1 3" stroke-linecap="round"';
