import { escapeMarkup } from './escape-markup.ts';
import { proseHtml } from './prose-html.ts';
import type { Report } from './report.ts';
import { durationText, factsOf, warningsOf } from './report-facts.ts';
import { REPORT_STYLE } from './report-style.ts';
import { sectionHtml } from './section-html.ts';
import { tableHtml } from './table-html.ts';

const TITLE = 'Benchmarks of ldes-live';

/** One page of one or several reports that needs nothing else: no network, no scripts. */
export function reportHtml(reports: readonly Report[]): string {
  const [first] = reports;
  const isSingle = reports.length === 1 && first !== undefined;
  const title = isSingle ? `${first.title} – ${TITLE}` : TITLE;
  const articles = reports.map((report, index) => articleHtml(report, `report-${index}`, isSingle));
  const heading = isSingle ? '' : `<h1>${TITLE}</h1>\n${contents(reports)}\n`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>${escapeMarkup(title)}</title>
<style>${REPORT_STYLE}</style>
</head>
<body>
<main>
${heading}${articles.join('\n')}
</main>
</body>
</html>
`;
}

function contents(reports: readonly Report[]): string {
  if (reports.length === 0) return '<p>No experiment was run.</p>';
  const items = reports.map((report, index) => {
    const count = warningsOf(report).length;
    const warned = count === 0 ? '' : `, ${count} ${count === 1 ? 'warning' : 'warnings'}`;
    const sections = report.sections.map(
      ({ title }, part) => `<li><a href="#report-${index}-${part}">${proseHtml(title)}</a></li>`,
    );
    const flag = `<span class="flag">${durationText(report.tookSeconds)}${warned}</span>`;
    const link = `<a href="#report-${index}">${escapeMarkup(`${report.experiment}: ${report.title}`)}</a>`;
    return `<li>${link} ${flag}<ol>${sections.join('')}</ol></li>`;
  });
  return `<nav aria-label="Contents"><strong>Contents</strong><ol>${items.join('\n')}</ol></nav>`;
}

function articleHtml(report: Report, id: string, isSingle: boolean): string {
  const level = isSingle ? 1 : 2;
  const sections = report.sections.map((section, index) => sectionHtml(section, `${id}-${index}`, level + 1));
  return `<article id="${id}"${isSingle ? ' class="only"' : ''}>
<p class="kicker">${escapeMarkup(report.experiment)}</p>
<h${level}>${escapeMarkup(report.title)}</h${level}>
<p class="lead">${proseHtml(report.about)}</p>
${warningsHtml(warningsOf(report))}
<dl>${factsOf(report).map(factHtml).join('\n')}</dl>
${sections.join('\n')}
${ratiosHtml(report, `${id}-ratios`)}
</article>`;
}

function warningsHtml(warnings: readonly string[]): string {
  if (warnings.length === 0) return '';
  const items = warnings.map((warning) => `<li>${proseHtml(warning)}</li>`).join('');
  return `<div class="warnings" role="note"><strong>Before any figure</strong><ul>${items}</ul></div>`;
}

function factHtml([name, value]: readonly [string, string]): string {
  const text = escapeMarkup(value);
  const shown = /^https?:\/\//.test(value) ? `<a href="${text}">${text}</a>` : text;
  return `<dt>${escapeMarkup(name)}</dt><dd>${shown}</dd>`;
}

function ratiosHtml({ ratios }: Report, id: string): string {
  const rows = Object.entries(ratios);
  if (rows.length === 0) return '';
  const table = { caption: 'Ratios that runs are compared by', columns: ['Ratio', 'Median and range'], rows };
  return `<details><summary>All ratios</summary>${tableHtml(table, id)}</details>`;
}
