/*
 * All results of a folder as one page, `report.html`: no network, no script, printable. Bars first, then each experiment:
 * what a reader has to know, pictures, tables, what was run and where.
 */
import { readFileSync } from 'node:fs';
import type { Experiment } from '../experiment.ts';
import type { Result } from '../result.ts';
import { barsTable } from './bars.ts';
import { picturesOf } from './charts.ts';
import { areWords, escapeMarkup, factsOf, type Table, tablesOf, warningsOf } from './tables.ts';

const TEMPLATE = new URL('../../src/report/template.html', import.meta.url);

/** The page of some results, in the order of their experiments. */
export function reportPage(results: readonly Result[], experiments: readonly Experiment[]): string {
  const bars = barsTable(results);
  const links = results.map(({ experiment, title }) => {
    return `<li><a href="#${escapeMarkup(experiment)}">${escapeMarkup(experiment)}</a>: ${escapeMarkup(title)}</li>`;
  });
  const body = [
    '<h1>Benchmarks of ldes-live</h1>',
    '<p>Figures are medians of their rounds [least–greatest]; ratios divide two cells of one round.</p>',
    `<ul>${links.join('')}</ul>`,
    ...(bars ? [tableHtml(bars)] : []),
    ...results.map((result) =>
      sectionHtml(
        result,
        experiments.find(({ name }) => name === result.experiment),
      ),
    ),
  ];
  // A function: a text may have patterns of replacements in it.
  return readFileSync(TEMPLATE, 'utf8').replace('<!-- results -->', () => body.join('\n'));
}

function sectionHtml(result: Result, experiment: Experiment | undefined): string {
  const { views = [], about = '' } = experiment ?? {};
  const warnings = warningsOf(result).map((text) => `<li>${escapeMarkup(text)}</li>`);
  const pictures = picturesOf(views, result.cells).map(({ title, svg }) => {
    return `<figure><figcaption>${escapeMarkup(title)}</figcaption>${svg}</figure>`;
  });
  const facts = factsOf(result).map(([name, value]) => `<dt>${name}</dt><dd>${linkHtml(value)}</dd>`);
  return [
    `<section><h2 id="${escapeMarkup(result.experiment)}">${escapeMarkup(`${result.experiment}: ${result.title}`)}</h2>`,
    `<p>${escapeMarkup(about)}</p>`,
    ...(warnings.length === 0 ? [] : [`<ul class="warnings">${warnings.join('')}</ul>`]),
    ...(pictures.length === 0 ? [] : [`<div class="figures">${pictures.join('\n')}</div>`]),
    ...tablesOf(views, result.cells).map(tableHtml),
    `<dl>${facts.join('')}</dl></section>`,
  ].join('\n');
}

function linkHtml(text: string): string {
  const escaped = escapeMarkup(text);
  return /^https?:\/\/\S+$/.test(text) ? `<a href="${escaped}">${escaped}</a>` : escaped;
}

function tableHtml(table: Table): string {
  const { title, columns, rows } = table;
  const isText = areWords(table);
  const line = (tag: 'th' | 'td', texts: readonly string[]) => {
    const cells = texts.map(
      (text, index) => `<${tag}${isText[index] ? ' class="words"' : ''}>${escapeMarkup(text)}</${tag}>`,
    );
    return `<tr>${cells.join('')}</tr>`;
  };
  const body = rows.map((row) => line('td', row)).join('\n');
  return `<div class="table"><table><caption>${escapeMarkup(title)}</caption><thead>${line('th', columns)}</thead><tbody>${body}</tbody></table></div>`;
}
