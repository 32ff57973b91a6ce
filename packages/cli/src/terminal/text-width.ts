const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

// Emoji, and the scripts of East Asia, whose characters take two columns.
const WIDE =
  /^(?:\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{20000}-\u{3fffd}])/u;

/** How many columns of a terminal a text takes. */
export function textWidth(text: string): number {
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += graphemeWidth(segment);
  return width;
}

/** A text cut to so many columns; what is cut ends in an ellipsis. */
export function fitted(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  let [kept, taken] = ['', 0];
  for (const { segment } of graphemes.segment(text)) {
    taken += graphemeWidth(segment);
    if (taken > width - 1) break;
    kept += segment;
  }
  return width > 0 ? `${kept}…` : '';
}

/** A text that takes exactly so many columns: cut, or filled up with spaces. */
export function filled(text: string, width: number): string {
  const kept = fitted(text, width);
  return kept + ' '.repeat(width - textWidth(kept));
}

function graphemeWidth(grapheme: string): number {
  return WIDE.test(grapheme) ? 2 : 1;
}
