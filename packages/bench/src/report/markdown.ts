/*
 * Results as Markdown: what a run prints, and the page `BENCHMARKS.md` of all that is kept, with its pictures as files.
 */
import type { Experiment } from '../experiment.ts';
import type { Comparison, Result } from '../result.ts';
import { barsTable } from './bars.ts';
import { picturesOf } from './charts.ts';
import { areWords, factsOf, numberText, spreadText, type Table, tablesOf, warningsOf } from './tables.ts';

const OPENING = `# Benchmarks

What ldes-live does on one machine, beside servers and clients rebuilt from published experiments and others in use today.
Repeat all of it with \`npm run bench -- all --out DIR\` (hours; with \`--quick\` some minutes, to see that it works).
What is measured, and how, is in [packages/bench](packages/bench/README.md).

It does not cover networks, TLS, HTTP/2, documents of more than some kilobytes, or servers on more than a core.
Server and load have a core each of one machine, and speak HTTP/1.1 over loopback.

Another machine gives other figures. What carries over is a ratio: two cells of one round, divided.
A figure is the median of its rounds, with the least and the greatest in brackets.
Delays count from the instant that an update was due.

This page is made from \`benchmarks/*.json\` by \`npm run bench -- keep DIR\`: it is not to be edited.`;

/** Where the pictures of the page are, below the folder of the page. */
export const FIGURES = 'benchmarks/figures';

/** The page of what is kept. */
export function benchmarksPage(results: readonly Result[], experiments: readonly Experiment[]): string {
  const bars = barsTable(results);
  const links = results.map(({ experiment, title }) => `- [${plain(experiment)}](#${experiment}): ${plain(title)}`);
  return `${[
    OPENING,
    links.join('\n'),
    ...(bars ? [`## ${bars.title}`, gridText(bars)] : []),
    ...results.map((result) => resultMarkdown(result, experiments, FIGURES)),
  ].join('\n\n')}\n`;
}

/** The pictures of a result by their file names. */
export function figureFiles(result: Result, experiments: readonly Experiment[]): ReadonlyMap<string, string> {
  const { views = [] } = experiments.find(({ name }) => name === result.experiment) ?? {};
  return new Map(picturesOf(views, result.cells).map(({ id, svg }) => [`${result.experiment}-${id}.svg`, svg]));
}

/**
 * One result: what was run, what a reader has to know, pictures, tables.
 *
 * @param figures - where its pictures are; without, they are left out
 */
export function resultMarkdown(result: Result, experiments: readonly Experiment[], figures?: string): string {
  const { views = [], about = '' } = experiments.find(({ name }) => name === result.experiment) ?? {};
  const pictures = figures === undefined ? [] : picturesOf(views, result.cells);
  return [
    `## ${plain(result.experiment)}`,
    `**${plain(result.title)}:** ${plain(about)}.`,
    factsOf(result)
      .map(([name, value]) => `- ${name}: ${plain(value)}`)
      .join('\n'),
    ...warningsOf(result).map((text) => `> **Note:** ${plain(text)}`),
    ...pictures.map(({ id, title }) => `![${plain(title)}](${figures}/${result.experiment}-${id}.svg)`),
    ...tablesOf(views, result.cells).flatMap((table) => [`**${plain(table.title)}**`, gridText(table)]),
  ].join('\n\n');
}

/** Two runs beside each other. */
export function comparisonMarkdown(experiment: string, comparisons: readonly Comparison[]): string {
  const rows = comparisons.map(({ name, earlier, later, change }) => {
    return [name, spreadText(earlier), spreadText(later), numberText(change)];
  });
  const columns = ['Figure', 'A', 'B', 'B ÷ A'];
  return `## ${plain(experiment)}\n\n${gridText({ title: '', columns, rows })}`;
}

function gridText(table: Table): string {
  const { columns, rows } = table;
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => plain(cell).replaceAll('|', '\\|')).join(' | ')} |`;
  const rule = `| ${areWords(table)
    .map((isText) => (isText ? '---' : '---:'))
    .join(' | ')} |`;
  return [line(columns), rule, ...rows.map(line)].join('\n');
}

/** Text that Markdown shows as it is, in one line. */
function plain(text: string): string {
  return text.replace(/[\\`*_[\]<>&]/g, (character) => `\\${character}`).replace(/\s*\n\s*/g, ' ');
}
