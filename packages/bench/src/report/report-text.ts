import type { Report, Section } from './report.ts';
import { factsOf, warningsOf } from './report-facts.ts';
import { tableText } from './table-text.ts';
import { wrapText } from './wrap-text.ts';

const COLUMNS = 100;
const INDENT = 2;

/** A report for a terminal of 100 columns: all but its figures. */
export function reportText(report: Report): string {
  const heading = `${report.experiment}: ${report.title}`;
  const facts = factsOf(report).flatMap(([name, value]) => indented(`${name}: ${value}`));
  const warnings = warningsOf(report).flatMap((warning) => wrapText(`! ${warning}`, COLUMNS));
  const parts = [
    [heading, '='.repeat(Math.min(heading.length, COLUMNS))],
    wrapText(report.about, COLUMNS),
    facts,
    warnings,
    ...report.sections.flatMap(sectionText),
  ];
  return `${parts
    .filter((part) => part.length > 0)
    .map((part) => part.join('\n'))
    .join('\n\n')}\n`;
}

function sectionText(section: Section): readonly (readonly string[])[] {
  return [
    [section.title, '-'.repeat(Math.min(section.title.length, COLUMNS))],
    ...section.text.map((paragraph) => wrapText(paragraph, COLUMNS)),
    ...(section.tables ?? []).map((table) => [tableText(table, COLUMNS - INDENT)]),
    ...(section.preformatted === undefined ? [] : [[section.preformatted.trimEnd()]]),
  ];
}

function indented(text: string): readonly string[] {
  const [first = '', ...others] = wrapText(text, COLUMNS - 2 * INDENT);
  return [`  ${first}`, ...others.map((line) => `    ${line}`)];
}
