// The report of a check for people: how far it went, what is broken, by severity, and what polling costs.
//
//   Warnings
//     CHK-51  What may change has an ETag.
//             http://a/s
//               no ETag
//             See LDES Server Primer, caching.

import { plural } from '../amounts.ts';
import { wrapText } from '../terminal.ts';
import { type CheckReport, type Finding, type PollingCost, rules, type Severity } from './check-stream.ts';

/** How a report is laid out. */
export interface TextLayout {
  /** Characters a line. */
  readonly columns: number;
  /** Whether the terminal shows colours. */
  readonly hasColour: boolean;
}

const SEVERITIES: readonly Severity[] = ['error', 'warning', 'advice'];
const HEADINGS = { error: 'Errors', warning: 'Warnings', advice: 'Advice' } as const;
const COLOURS = { error: 31, warning: 33, advice: 36, good: 32, bold: 1, faint: 2 } as const;
const INDENT = ' '.repeat(10);
/** How many places of one broken rule are shown. */
const SHOWN = 3;

/** The report as text. */
export function textReport(report: CheckReport, { columns, hasColour }: TextLayout): string {
  const { url, stream, findings, polling, extent } = report;
  const paint = (style: keyof typeof COLOURS, text: string) =>
    hasColour ? `\u001b[${COLOURS[style]}m${text}\u001b[0m` : text;
  const wrapped = (text: string, indent: string) => wrapText(text, columns, indent);
  const linesOf = ({ id, severity, title, source, observations }: Finding) => {
    const [first = '', ...others] = wrapped(`${title}.`, INDENT);
    return [
      // The number stands in the margin of the first line.
      `  ${paint(severity, id)}${first.slice(2 + id.length)}`,
      ...others,
      ...placesOf(observations).flatMap(({ url, saw }) => [...wrapped(url, INDENT), ...wrapped(saw, `${INDENT}  `)]),
      ...wrapped(`See ${source}.`, INDENT).map((line) => paint('faint', line)),
    ];
  };
  const found = SEVERITIES.flatMap((severity) => {
    const broken = findings.filter((finding) => finding.severity === severity);
    return broken.length === 0 ? [] : ['', paint('bold', HEADINGS[severity]), ...broken.flatMap(linesOf)];
  });
  return [
    paint('bold', stream === undefined ? `No stream was found at ${url}` : `Checked ${stream}`),
    ...wrapped(extentText(extent), ''),
    ...(extent.stopped === undefined ? [] : wrapped(`It ended early: ${extent.stopped}.`, '')),
    ...found,
    ...(polling ? ['', paint('bold', 'Polling'), ...wrapped(pollingText(polling), '  ')] : []),
    '',
    verdict(report, paint),
    '',
  ].join('\n');
}

function placesOf(observations: Finding['observations']): Finding['observations'] {
  const shown = observations.slice(0, SHOWN).map(({ url, saw }) => ({ url, saw: shortened(saw) }));
  const hidden = observations.length - SHOWN;
  return hidden > 0
    ? [...shown, { url: `and in ${hidden} more ${hidden === 1 ? 'place' : 'places'}`, saw: '' }]
    : shown;
}

// What came from elsewhere may be long, and may hold what moves a terminal's cursor.
function shortened(text: string): string {
  const shown = text.replace(/[\p{Cc}\p{Cf}]+/gu, ' ');
  return shown.length > 400 ? `${shown.slice(0, 400)}...` : shown;
}

function extentText({ pagesRead, pagesKnown, requests, bytes, seconds }: CheckReport['extent']): string {
  const known = pagesKnown === 1 ? 'the one known page' : `the ${pagesKnown} known pages`;
  const pages = pagesKnown === 0 ? 'no page' : pagesRead === pagesKnown ? known : `${pagesRead} of ${known}`;
  const [divisor, unit] = bytes < 10_000 ? [1, 'bytes'] : bytes < 10_000_000 ? [1000, 'kB'] : [1e6, 'MB'];
  return `Read ${pages}: ${plural(requests, 'request')}, ${Math.round(bytes / divisor)} ${unit}, ${seconds.toFixed(1)} s.`;
}

function pollingText(cost: PollingCost): string {
  const { documents, intervalSeconds, unscheduledRequests, scheduleFrom, stalenessSeconds } = cost;
  const changing = documents === 1 ? '1 page changes' : `${documents} of the pages read change`;
  const isLate = scheduleFrom !== 'Next-Update';
  return [
    intervalSeconds === undefined
      ? `${changing}, nobody can tell how often.`
      : `${changing}, about every ${spanText(intervalSeconds)} by ${cost.intervalFrom}.`,
    unscheduledRequests === undefined
      ? `Asking each second costs ${plural(documents, 'request')} a second.`
      : `Asking each second costs ${plural(unscheduledRequests, 'request')} an update.`,
    scheduleFrom === undefined
      ? 'Nothing says when to ask again, so that there is no better way.'
      : `Coming back by ${scheduleFrom} costs ${cost.scheduledRequests}${isLate ? ' each time that it has passed' : ''}.`,
    stalenessSeconds === undefined
      ? 'A cache may hand out a copy of any age.'
      : stalenessSeconds === 0
        ? 'A cache hands out nothing without asking.'
        : `A cache may hand out what is up to ${spanText(stalenessSeconds)} old.`,
  ].join(' ');
}

function spanText(seconds: number): string {
  if (seconds < 120) return `${Number(seconds.toPrecision(2))} s`;
  return seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`;
}

function verdict(
  { root, findings, errors, warnings, advice }: CheckReport,
  paint: (style: keyof typeof COLOURS, text: string) => string,
): string {
  if (findings.length === 0) {
    if (root === undefined) return paint('error', 'It could not be checked.');
    return paint('good', `Nothing found: all ${rules.length} rules are kept, as far as it went.`);
  }
  const counts = [
    ...(errors > 0 ? [plural(errors, 'error')] : []),
    ...(warnings > 0 ? [plural(warnings, 'warning')] : []),
    ...(advice > 0 ? [plural(advice, 'piece of advice', 'pieces of advice')] : []),
  ];
  return `${counts.join(', ')}, of ${rules.length} rules.`;
}
