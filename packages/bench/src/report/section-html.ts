import { escapeMarkup } from './escape-markup.ts';
import type { Figure } from './figure.ts';
import { inlineFigureSvg } from './figure-svg.ts';
import { proseHtml } from './prose-html.ts';
import type { Section } from './report.ts';
import { tableHtml } from './table-html.ts';

const WIDE = { width: 760, plotHeight: 300, margin: 2 };
const NARROW = { width: 350, plotHeight: 230, margin: 2 };

/**
 * A part of a report: its paragraphs, its figures and its tables.
 *
 * @param id - what it is named by, and its parts; no other of the page may have it
 * @param level - of its heading
 */
export function sectionHtml(
  { title, text, figures, tables, preformatted }: Section,
  id: string,
  level: number,
): string {
  const parts = [
    `<h${level}>${proseHtml(title)}</h${level}>`,
    ...text.map((paragraph) => `<p>${proseHtml(paragraph)}</p>`),
    ...(figures ?? []).map((figure, index) => figureHtml(figure, `${id}-figure-${index}`)),
    ...(tables ?? []).map((table, index) => tableHtml(table, `${id}-table-${index}`)),
    ...(preformatted === undefined ? [] : [`<pre class="scroll" tabindex="0">${escapeMarkup(preformatted)}</pre>`]),
  ];
  return `<section id="${id}">\n${parts.join('\n')}\n</section>`;
}

/** A figure twice, of which the style of the page shows the one that its text is legible in. */
function figureHtml(figure: Figure, id: string): string {
  const drawing = (name: string, size: typeof WIDE) =>
    inlineFigureSvg(figure, `${id}-${name}`, size).replace('<svg ', `<svg class="${name}" `);
  return `<figure><figcaption>${proseHtml(figure.title)}</figcaption>
${drawing('wide', WIDE)}
${drawing('narrow', NARROW)}
</figure>`;
}
