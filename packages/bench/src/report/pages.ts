/*
 * Results as pages: Markdown of what a run prints and of `BENCHMARKS.md`, and HTML of `report.html` (no network, no script,
 * printable).
 *
 *   results of a folder -> a section an experiment: what a reader has to know, pictures, tables, what was run and where
 *   fanout.json and fanout.node24.json -> one section, in which a table has the ratios of both
 */
import { readFileSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Experiment } from '../experiment.ts';
import { type Cell, compareResults, type Result, readResults, UnusableFolder, writeResult } from '../result.ts';
import { barsTable } from './bars.ts';
import { picturesOf } from './charts.ts';
import { areWords, escapeMarkup, factsOf, numberText, spreadText, type Table, tablesOf } from './tables.ts';

/** An experiment of a page, with its result and those that it is compared to. */
interface Section {
  readonly experiment: Experiment;
  readonly result: Result;
  readonly others?: readonly Result[];
}

/** In the order of the experiments. */
function sectionsOf(results: readonly Result[], experiments: readonly Experiment[]): readonly Section[] {
  return experiments.flatMap((experiment) => {
    const [result, ...others] = results.filter((one) => one.experiment === experiment.name);
    return result ? [{ experiment, result, others }] : [];
  });
}

function sectionTables({ experiment, result, others = [] }: Section): readonly Table[] {
  const beside = others.map((other) => {
    const names = [result, other].map(({ machine }) => `Node.js ${machine.node}`) as [string, string];
    return comparisonTable(experiment, result, other, names);
  });
  return [...tablesOf(experiment.views, result.cells), ...beside];
}

function comparisonTable(
  { ratios }: Experiment,
  earlier: Result,
  later: Result,
  [a, b]: readonly [string, string],
): Table {
  const rows = compareResults(earlier, later, ratios).map(({ name, change, ...spreads }) => {
    return [name, spreadText(spreads.earlier), spreadText(spreads.later), numberText(change)];
  });
  return { title: `${b} compared with ${a}`, columns: ['Figure', a, b, `${b} ÷ ${a}`], rows };
}

const OPENING = `# Benchmarks

How ldes-live performs on one machine, compared with servers and clients that were rebuilt from published experiments, and with others in use today.
Repeat it with \`npm run bench -- all --out DIR\` (hours; with \`--quick\` some minutes, only to try it).
\`client\`, \`sources\` and \`scale\` are not part of \`all\`, and are run by their names.
What is measured, and how, is in [packages/bench](packages/bench/README.md).

It does not cover networks, TLS, HTTP/2, or documents of more than some kilobytes.
Server and load have a core each of one machine, unless a table says otherwise, and speak HTTP/1.1 over loopback.

Another machine gives other figures. What carries over is a ratio: two cells of one round, divided.
A figure is the median of its rounds, with the least and the greatest in brackets.
What was lost, late, or came twice is the sum of all rounds.
Delays count from the instant that an update was due.

This page is made from \`benchmarks/*.json\` by \`npm run bench -- keep DIR\`: do not edit it.`;

/** Results that are kept, and the pictures of the page, below the folder of the page. */
const KEPT = 'benchmarks';
const FIGURES = `${KEPT}/figures`;

/** The page of what is kept. */
export function benchmarksPage(results: readonly Result[], experiments: readonly Experiment[]): string {
  const [bars, sections] = [barsTable(results), sectionsOf(results, experiments)];
  const links = sections.map(
    ({ result: { experiment, title } }) => `- [${plain(experiment)}](#${experiment}): ${plain(title)}`,
  );
  return `${[
    OPENING,
    links.join('\n'),
    ...(bars ? [`## ${bars.title}`, gridText(bars)] : []),
    ...sections.map((section) => sectionMarkdown(section, picturesOf(section.experiment.views, section.result.cells))),
  ].join('\n\n')}\n`;
}

/**
 * Keeps the results of full runs, and makes the page of all that is kept, those of other folders too. The result of another
 * Node.js than that which is kept of its experiment stands beside it, as `fanout.node24.json`.
 *
 * @param root - the folder of the project
 * @returns what was kept
 */
export async function keepResults(
  folder: string,
  experiments: readonly Experiment[],
  root: string,
): Promise<readonly string[]> {
  const results = await readResults(folder);
  const known = new Set(experiments.map(({ name }) => name));
  const unknown = results.filter(({ experiment }) => !known.has(experiment));
  if (unknown.length > 0) {
    throw new UnusableFolder(`Unknown experiments: ${unknown.map(({ experiment }) => experiment).join(', ')}.`);
  }
  const areNumbers = ({ values }: Cell) => Object.values(values).every(Number.isFinite);
  if (!results.every(({ cells }) => cells.length > 0 && cells.every(areNumbers))) {
    throw new UnusableFolder(`"${folder}" has a result without figures, or with figures that are not numbers.`);
  }
  // All is made before anything is written: a result that cannot be shown leaves what is kept as it was.
  try {
    benchmarksPage(results, experiments);
    for (const { experiment, result } of sectionsOf(results, experiments)) picturesOf(experiment.views, result.cells);
  } catch (error) {
    throw new UnusableFolder(`"${folder}" has a result that cannot be shown: ${(error as Error).message}.`);
  }
  const quick = results.filter((result) => result.quick).map(({ experiment }) => experiment);
  if (quick.length > 0) {
    throw new UnusableFolder(`Quick runs cannot be kept: ${quick.join(', ')}. Run without --quick.`);
  }
  const partial = results.filter(
    ({ plan, warnings }) => 'only' in plan || warnings.some((text) => /^Interrupted/.test(text)),
  );
  if (partial.length > 0) {
    const names = partial.map(({ experiment }) => experiment).join(', ');
    throw new UnusableFolder(`Only whole runs are kept, which ${names} is not: run it without --only, to its end.`);
  }
  const [kept, figures] = [join(root, KEPT), join(root, FIGURES)];
  await mkdir(kept, { recursive: true });
  const names: string[] = [];
  for (const result of results) {
    const first = (await readResults(kept).catch(() => [])).find(({ experiment }) => experiment === result.experiment);
    const isOther = first !== undefined && nodeOf(first) !== nodeOf(result);
    names.push(`${result.experiment}${isOther ? `.node${nodeOf(result)}` : ''}`);
    await writeResult(kept, result, names.at(-1));
  }
  const all = await readResults(kept);
  await rm(figures, { recursive: true, force: true });
  await mkdir(figures, { recursive: true });
  for (const { experiment, result } of sectionsOf(all, experiments)) {
    for (const { id, svg } of picturesOf(experiment.views, result.cells)) {
      await writeFile(join(figures, `${experiment.name}-${id}.svg`), svg);
    }
  }
  await writeFile(join(root, 'BENCHMARKS.md'), benchmarksPage(all, experiments));
  return names;
}

/** Its major version. */
function nodeOf({ machine }: Result): string | undefined {
  return /\d+/.exec(machine.node)?.[0];
}

/** What a run prints of its result. */
export function resultMarkdown(result: Result, experiment: Experiment): string {
  return sectionMarkdown({ experiment, result }, []);
}

function sectionMarkdown(section: Section, pictures: ReturnType<typeof picturesOf>): string {
  const { experiment, result } = section;
  const facts = factsOf(result).map(([name, value]) => `- ${name}: ${plain(value)}`);
  return [
    `## ${plain(experiment.name)}`,
    `**${plain(result.title)}:** ${plain(experiment.about)}.`,
    facts.join('\n'),
    ...result.warnings.map((text) => `> **Note:** ${plain(text)}`),
    ...pictures.map(({ id, title }) => `![${plain(title)}](${FIGURES}/${experiment.name}-${id}.svg)`),
    ...sectionTables(section).flatMap((table) => [`**${plain(table.title)}**`, gridText(table)]),
  ].join('\n\n');
}

/** Two runs beside each other: of all experiments that are in both, what moved most first. */
export function comparisonMarkdown(
  earlier: readonly Result[],
  later: readonly Result[],
  experiments: readonly Experiment[],
): string {
  const texts = sectionsOf(later, experiments).flatMap(({ experiment, result }) => {
    const other = earlier.find((one) => one.experiment === experiment.name);
    return other
      ? [`## ${plain(experiment.name)}\n\n${gridText(comparisonTable(experiment, other, result, ['A', 'B']))}\n`]
      : [];
  });
  return texts.join('\n');
}

function gridText(table: Table): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const text = (cells: readonly string[]) => line(cells.map((cell) => plain(cell).replaceAll('|', '\\|')));
  const rule = line(areWords(table).map((isText) => (isText ? '---' : '---:')));
  return [text(table.columns), rule, ...table.rows.map(text)].join('\n');
}

/** Text that Markdown shows as it is, in one line. */
function plain(text: string): string {
  const lines = text.replace(/[\\`*_[\]<>&]/g, (character) => `\\${character}`).split('\n');
  return lines.map((line) => line.trim()).join(' ');
}

const TEMPLATE = new URL('../../src/report/template.html', import.meta.url);

/** The page of some results. */
export function reportPage(results: readonly Result[], experiments: readonly Experiment[]): string {
  const [bars, sections] = [barsTable(results), sectionsOf(results, experiments)];
  const links = sections.map(({ result: { experiment, title } }) => {
    return `<li><a href="#${escapeMarkup(experiment)}">${escapeMarkup(experiment)}</a>: ${escapeMarkup(title)}</li>`;
  });
  const body = [
    '<h1>Benchmarks of ldes-live</h1>',
    '<p>Figures are medians of their rounds [least–greatest]; what was lost, late, or came twice is the sum of all rounds. Ratios divide two cells of one round.</p>',
    `<ul>${links.join('')}</ul>`,
    ...(bars ? [tableHtml(bars)] : []),
    ...sections.map(sectionHtml),
  ];
  // A function: a text may have patterns of replacements in it.
  return readFileSync(TEMPLATE, 'utf8').replace('<!-- results -->', () => body.join('\n'));
}

function sectionHtml(section: Section): string {
  const { experiment, result } = section;
  const warnings = result.warnings.map((text) => `<li>${escapeMarkup(text)}</li>`);
  const pictures = picturesOf(experiment.views, result.cells).map(({ title, svg }) => {
    return `<figure><figcaption>${escapeMarkup(title)}</figcaption>${svg}</figure>`;
  });
  const facts = factsOf(result).map(([name, value]) => `<dt>${name}</dt><dd>${linkHtml(value)}</dd>`);
  return [
    `<section><h2 id="${escapeMarkup(experiment.name)}">${escapeMarkup(`${experiment.name}: ${result.title}`)}</h2>`,
    `<p>${escapeMarkup(experiment.about)}</p>`,
    ...(warnings.length === 0 ? [] : [`<ul class="warnings">${warnings.join('')}</ul>`]),
    ...(pictures.length === 0 ? [] : [`<div class="figures">${pictures.join('\n')}</div>`]),
    ...sectionTables(section).map(tableHtml),
    `<dl>${facts.join('')}</dl></section>`,
  ].join('\n');
}

function linkHtml(text: string): string {
  const escaped = escapeMarkup(text);
  return /^https?:\/\/\S+$/.test(text) ? `<a href="${escaped}">${escaped}</a>` : escaped;
}

function tableHtml(table: Table): string {
  const isText = areWords(table);
  const line = (tag: 'th' | 'td', texts: readonly string[]) => {
    const cells = texts.map((text, index) => {
      // Names with a hyphen do not break there.
      const names = escapeMarkup(text).replace(/[\w@/]+(-[\w/]+)+/g, '<span>$&</span>');
      return `<${tag}${isText[index] ? ' class="words"' : ''}>${names}</${tag}>`;
    });
    return `<tr>${cells.join('')}</tr>`;
  };
  const [head, rows] = [line('th', table.columns), table.rows.map((row) => line('td', row))];
  // A caption of the table would be as narrow as that is, or would not break at all.
  const title = `<figcaption>${escapeMarkup(table.title)}</figcaption>`;
  return `<figure class="table">${title}<table><thead>${head}</thead><tbody>${rows.join('\n')}</tbody></table></figure>`;
}
