import { escapeMarkup } from './escape-markup.ts';
import { cellText, isNothing, isNumeric, medianText, rangeText, rowNameText } from './number-text.ts';
import { proseHtml } from './prose-html.ts';
import type { Cell, Table } from './report.ts';

/**
 * A table with its caption, in a box of its own that scrolls where it is too wide, with a shadow where there is more.
 *
 * @param id - what its caption is named by; no other of the page may have it
 */
export function tableHtml({ caption, columns, rows }: Table, id: string): string {
  const numeric = columns.map((_, index) => index > 0 && isNumeric(rows.map((row) => row[index])));
  const classOf = (index: number) => (numeric[index] ? ' class="number"' : '');
  const head = columns.map((name, index) => `<th scope="col"${classOf(index)}>${proseHtml(name)}</th>`).join('');
  const body = rows
    .map((row) => {
      const cells = columns.map((_, index) =>
        index === 0
          ? `<th scope="row">${proseHtml(rowNameText(row[0]))}</th>`
          : `<td${classOf(index)}>${cellHtml(row[index])}</td>`,
      );
      return `<tr>${cells.join('')}</tr>`;
    })
    .join('\n');
  return `<figure class="table"><figcaption id="${id}">${proseHtml(caption)}</figcaption>
<div class="scroll" role="region" tabindex="0" aria-labelledby="${id}"><table aria-labelledby="${id}">
<thead><tr>${head}</tr></thead>
<tbody>
${body}
</tbody>
</table></div></figure>`;
}

function cellHtml(cell: Cell): string {
  if (isNothing(cell) || typeof cell !== 'object') return proseHtml(cellText(cell));
  const range = rangeText(cell);
  const median = escapeMarkup(medianText(cell));
  return range === undefined ? median : `${median} <span class="range">${escapeMarkup(range)}</span>`;
}
