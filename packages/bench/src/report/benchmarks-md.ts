import { escapeMarkdown, markdownTable } from './markdown-table.ts';
import { cellText, isNumeric, rowNameText, spreadText } from './number-text.ts';
import type { Section, Table } from './report.ts';
import { factsOf, machineText, warningsOf } from './report-facts.ts';
import type { ReportSummary } from './summary-of.ts';

const OPENING = `# Benchmarks

What ldes-live does on one machine, beside the servers and clients that were rebuilt from published experiments and beside
what others use today. All of it can be repeated with \`npm run bench -- all --out DIR\` (about three hours; with \`--quick\`
some minutes, to see that it works), which writes a page with figures, \`DIR/report.html\`, and all that was measured; each
experiment below has its own command. What is measured, and how, is in [packages/bench](packages/bench/README.md).

It does not cover networks, TLS, HTTP/2, documents of more than some kilobytes, or servers on more than a core: server and
load have a core each of one machine, and speak HTTP/1.1 over loopback.

Another machine gives other figures. What carries over is a **ratio**: two figures of one run, divided, such as the CPU
time of one server by that of another with the same clients a minute earlier. Below 1 the first needs less. A figure with
brackets is the median of its repeats, with the least and the greatest; counts of what went wrong are of all repeats.
Delays count every delivery from the instant that the update was scheduled for.

This page is made from \`benchmarks/*.json\` by \`node scripts/bench-summary.mjs DIR\`: it is not to be edited.`;

/** The figures of full runs as the page `BENCHMARKS.md`: for each experiment what was run, warnings, and all tables. */
export function benchmarksMarkdown(reports: readonly ReportSummary[]): string {
  const ordered = [...reports].sort(byPlace);
  return `${[OPENING, contents(ordered), ...ordered.map(reportMarkdown)].join('\n\n')}\n`;
}

/** Published experiments, such as `e1`, before others. */
function byPlace({ experiment: left }: ReportSummary, { experiment: right }: ReportSummary): number {
  const isOther = (name: string) => Number(!/^e\d+$/.test(name));
  return isOther(left) - isOther(right) || (left < right ? -1 : 1);
}

function contents(reports: readonly ReportSummary[]): string {
  const machines = [...new Set(reports.map(({ machine }) => machineText(machine)))].map(escapeMarkdown);
  const links = reports.map(
    ({ experiment, title }) => `- [${escapeMarkdown(experiment)}](#${experiment}): ${escapeMarkdown(title)}`,
  );
  return [`Measured on: ${machines.join('; and on: ')}.`, links.join('\n')].join('\n\n');
}

function reportMarkdown(report: ReportSummary): string {
  const facts = factsOf(report).map(([name, value]) => `- ${name}: ${escapeMarkdown(value)}`);
  const warnings = warningsOf(report).map((warning) => `> **Note:** ${escapeMarkdown(warning)}`);
  return [
    `## ${escapeMarkdown(report.experiment)}`,
    `**${escapeMarkdown(report.title)}.** ${escapeMarkdown(report.about)}`,
    facts.join('\n'),
    ...(warnings.length === 0 ? [] : [warnings.join('\n>\n')]),
    ...report.sections.flatMap(sectionMarkdown),
    ...ratiosMarkdown(report),
  ].join('\n\n');
}

function sectionMarkdown({ title, text, tables, preformatted }: Section): readonly string[] {
  return [
    `### ${escapeMarkdown(title)}`,
    ...text.map(escapeMarkdown),
    ...(tables ?? []).map(tableMarkdown),
    ...(preformatted === undefined ? [] : [`\`\`\`text\n${preformatted.trimEnd()}\n\`\`\``]),
  ];
}

function tableMarkdown({ caption, columns, rows }: Table): string {
  const isRight = columns.map((_, index) => index > 0 && isNumeric(rows.map((row) => row[index])));
  const texts = rows.map((row) => columns.map((_, index) => (index === 0 ? rowNameText : cellText)(row[index])));
  return `**${escapeMarkdown(caption)}**\n\n${markdownTable(columns, texts, isRight)}`;
}

function ratiosMarkdown({ ratios }: ReportSummary): readonly string[] {
  const rows = Object.entries(ratios).map(([name, ratio]) => [name, spreadText(ratio)]);
  return rows.length === 0
    ? []
    : ['### Ratios', markdownTable(['Ratio', 'Median [least–greatest]'], rows, [false, true])];
}
