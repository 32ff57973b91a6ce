import { escapeMarkup } from './escape-markup.ts';

/** Size of all text but titles, in pixels of the drawing. */
export const FONT_SIZE = 12.5;
/** From one line of text to the next. */
export const LINE_HEIGHT = 16;
/** How wide a character of the wider sans-serif fonts is: there is nothing to measure text by where a file is written. */
const CHARACTER_WIDTH = 7.3;
const DIGIT_WIDTH = 8;

/** How text stands: all but its place. */
export interface TextLook {
  readonly fill: string;
  readonly anchor?: 'start' | 'middle' | 'end';
  readonly size?: number;
  readonly weight?: number;
  /** Colour of an outline, which keeps text legible over lines. */
  readonly halo?: string;
}

/** A length with as many digits as can be seen. */
export function px(length: number): string {
  return String(Math.round(length * 10) / 10);
}

/** One line of text. */
export function textSvg(x: number, y: number, text: string, { fill, anchor, size, weight, halo }: TextLook): string {
  const attributes = [
    anchor === undefined ? '' : ` text-anchor="${anchor}"`,
    size === undefined ? '' : ` font-size="${size}"`,
    weight === undefined ? '' : ` font-weight="${weight}"`,
    halo === undefined ? '' : ` paint-order="stroke" stroke-width="3" stroke-linejoin="round"`,
  ];
  const style = `fill:${fill}${halo === undefined ? '' : `;stroke:${halo}`}`;
  return `<text x="${px(x)}" y="${px(y)}"${attributes.join('')} style="${style}">${escapeMarkup(text)}</text>`;
}

/** A straight line. */
export function lineSvg(x1: number, y1: number, x2: number, y2: number, stroke: string, more = ''): string {
  return `<path d="M${px(x1)} ${px(y1)}L${px(x2)} ${px(y2)}" style="stroke:${stroke};fill:none"${more}/>`;
}

/** A path through places; empty for fewer than two. */
export function pathOf(places: readonly (readonly [x: number, y: number])[]): string {
  return places.length < 2 ? '' : `M${places.map(([x, y]) => `${px(x)} ${px(y)}`).join('L')}`;
}

/** About how wide a line of text is, at {@link FONT_SIZE}. */
export function widthOfText(text: string): number {
  return text.length * CHARACTER_WIDTH;
}

/** About how wide a number is, at {@link FONT_SIZE}. */
export function widthOfNumber(text: string): number {
  return text.length * DIGIT_WIDTH;
}

/** How many characters have room in a width. */
export function charactersIn(width: number): number {
  return Math.max(8, Math.floor(width / CHARACTER_WIDTH));
}
