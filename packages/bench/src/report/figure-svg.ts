import { densityLines, densityValues, drawDensity } from './draw-density.ts';
import { drawLines, linesValues } from './draw-lines.ts';
import { drawMarks } from './draw-marks.ts';
import { escapeMarkup } from './escape-markup.ts';
import type { Figure } from './figure.ts';
import { figureLegend } from './figure-legend.ts';
import { type FigureTheme, LIGHT_THEME, PAGE_THEME } from './figure-theme.ts';
import { figureWords } from './figure-words.ts';
import { plotFrame } from './plot-frame.ts';
import { charactersIn, FONT_SIZE, LINE_HEIGHT, px, textSvg } from './svg-parts.ts';
import { wrapText } from './wrap-text.ts';

const FONTS = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif";
const TITLE_SIZE = 15;
const TITLE_LINE = 20;
const FILE = { width: 760, plotHeight: 320, margin: 16 };

/** How large a figure is drawn, in pixels. */
export interface FigureSize {
  readonly width: number;
  readonly plotHeight: number;
  readonly margin: number;
}

/** A figure as a file of its own, for papers: SVG with its title, dark on white. */
export function figureSvg(figure: Figure): string {
  const title = wrapText(figure.title, charactersIn((FILE.width - 2 * FILE.margin) * (FONT_SIZE / TITLE_SIZE)));
  const heading = title
    .map((line, index) =>
      textSvg(0, TITLE_SIZE + index * TITLE_LINE, line, { fill: LIGHT_THEME.ink, size: TITLE_SIZE, weight: 600 }),
    )
    .join('');
  const { svg, height } = drawn(figure, FILE, title.length * TITLE_LINE + 8, LIGHT_THEME);
  const size = `width="${FILE.width}" height="${px(height)}" viewBox="0 0 ${FILE.width} ${px(height)}"`;
  const ground = `<path d="M0 0H${FILE.width}V${px(height)}H0Z" style="fill:${LIGHT_THEME.ground}"/>`;
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" ${size} role="img" aria-labelledby="title words" ` +
    `font-family="${escapeMarkup(FONTS)}" font-size="${FONT_SIZE}"><title id="title">${escapeMarkup(figure.title)}</title>` +
    `<desc id="words">${escapeMarkup(figureWords(figure))}</desc>${ground}` +
    `<g transform="translate(${FILE.margin} ${FILE.margin})">${heading}${svg}</g></svg>\n`
  );
}

/**
 * A figure within a page, in the colours of the page, without its title.
 *
 * @param id - what its parts are named by; no other of the page may have it
 */
export function inlineFigureSvg(figure: Figure, id: string, size: FigureSize): string {
  const { svg, height } = drawn(figure, size, 0, PAGE_THEME);
  return (
    `<svg viewBox="0 0 ${size.width} ${px(height)}" width="${size.width}" height="${px(height)}" role="img" ` +
    `aria-labelledby="${id}-title ${id}-words" font-size="${FONT_SIZE}">` +
    `<title id="${id}-title">${escapeMarkup(figure.title)}</title>` +
    `<desc id="${id}-words">${escapeMarkup(figureWords(figure))}</desc>` +
    `<g transform="translate(${size.margin} ${size.margin})">${svg}</g></svg>`
  );
}

function drawn(
  figure: Figure,
  { width, plotHeight, margin }: FigureSize,
  top: number,
  theme: FigureTheme,
): { readonly svg: string; readonly height: number } {
  const room = width - 2 * margin;
  const legend = figureLegend(figure, room, top, theme);
  const area = { width: room, top: top + legend.height + LINE_HEIGHT / 2, plotHeight };
  if (figure.kind === 'density') {
    const lines = densityLines(figure);
    const frame = plotFrame(figure, densityValues(lines), area, theme);
    const body = drawDensity(figure, lines, frame.plot, theme);
    return { svg: legend.svg + frame.svg + body, height: frame.bottom + 2 * margin };
  }
  const frame = plotFrame(figure, linesValues(figure), area, theme);
  const body = drawLines(figure, frame.plot, theme) + drawMarks(figure, frame.plot, theme);
  return { svg: legend.svg + frame.svg + body, height: frame.bottom + 2 * margin };
}
