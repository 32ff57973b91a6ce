import { wrapText } from '../terminal/wrap-text.ts';
import { countOf, type Finding } from './judge.ts';
import type { PollingCost } from './polling-cost.ts';
import type { CheckReport } from './report.ts';
import type { Severity } from './rules/rule.ts';
import { rules } from './rules/rules.ts';

/** How a report is laid out. */
export interface TextLayout {
  /** Characters a line. */
  readonly width: number;
  /** Whether the terminal shows colours. */
  readonly hasColour: boolean;
}

const SEVERITIES: readonly Severity[] = ['error', 'warning', 'advice'];
const HEADINGS = { error: 'Errors', warning: 'Warnings', advice: 'Advice' } as const;
const COLOURS = { error: 31, warning: 33, advice: 36, good: 32, bold: 1, faint: 2 } as const;
const INDENT = ' '.repeat(10);
/** How many places of one broken rule are shown. */
const SHOWN = 3;

/** The report for people: how far it went, what is broken, by severity, and what polling costs. */
export function textReport(report: CheckReport, { width, hasColour }: TextLayout): string {
  const { evidence, findings, polling, extent } = report;
  const paint = (style: keyof typeof COLOURS, text: string) =>
    hasColour ? `\u001b[${COLOURS[style]}m${text}\u001b[0m` : text;
  const wrapped = (text: string, indent: string) => wrapText(text, width, indent);
  const found = SEVERITIES.flatMap((severity) => {
    const broken = findings.filter(({ rule }) => rule.severity === severity);
    if (broken.length === 0) return [];
    const lines = broken.flatMap(({ rule, observations }) => [
      ...titled(rule.id, wrapped(`${rule.title}.`, INDENT), (id) => paint(severity, id)),
      ...placesOf(observations).flatMap(({ url, saw }) => [...wrapped(url, INDENT), ...wrapped(saw, `${INDENT}  `)]),
      ...wrapped(`See ${rule.source}.`, INDENT).map((line) => paint('faint', line)),
    ]);
    return ['', paint('bold', HEADINGS[severity]), ...lines];
  });
  const stream = evidence.stream?.iri;
  return [
    paint('bold', stream === undefined ? `No stream was found at ${evidence.iri}` : `Checked ${stream}`),
    ...wrapped(extentText(report), ''),
    ...(extent.stopped === undefined ? [] : wrapped(`It ended early: ${extent.stopped}.`, '')),
    ...found,
    ...(polling ? ['', paint('bold', 'Polling'), ...wrapped(pollingText(polling), '  ')] : []),
    '',
    verdict(report, paint),
    '',
  ].join('\n');
}

// The number stands in the margin of the first line.
function titled(id: string, [first = '', ...others]: string[], painted: (id: string) => string): string[] {
  return [`  ${painted(id)}${first.slice(2 + id.length)}`, ...others];
}

function placesOf(observations: Finding['observations']): { url: string; saw: string }[] {
  const shown = observations.slice(0, SHOWN).map(({ url, saw }) => ({ url, saw: shortened(saw) }));
  const hidden = observations.length - shown.length;
  return hidden > 0
    ? [...shown, { url: `and in ${hidden} more ${hidden === 1 ? 'place' : 'places'}`, saw: '' }]
    : shown;
}

// What came from elsewhere may be long, and may hold what moves a terminal's cursor.
function shortened(text: string): string {
  const shown = text.replace(/[\p{Cc}\p{Cf}]+/gu, ' ');
  return shown.length > 400 ? `${shown.slice(0, 400)}...` : shown;
}

function extentText({ extent: { pagesRead, pagesKnown, requests, bytes, seconds } }: CheckReport): string {
  const known = pagesKnown === 1 ? 'the one known page' : `the ${pagesKnown} known pages`;
  const pages = pagesKnown === 0 ? 'no page' : pagesRead === pagesKnown ? known : `${pagesRead} of ${known}`;
  return `Read ${pages}: ${requestsText(requests)}, ${sizeText(bytes)}, ${seconds.toFixed(1)} s.`;
}

function sizeText(bytes: number): string {
  return bytes < 10_000
    ? `${bytes} bytes`
    : bytes < 10_000_000
      ? `${Math.round(bytes / 1000)} kB`
      : `${Math.round(bytes / 1e6)} MB`;
}

function pollingText(cost: PollingCost): string {
  const documents = cost.documents === 1 ? '1 page changes' : `${cost.documents} of the pages read change`;
  const interval =
    cost.intervalSeconds === undefined
      ? `${documents}, nobody can tell how often.`
      : `${documents}, about every ${spanText(cost.intervalSeconds)} by ${cost.intervalFrom}.`;
  const asking =
    cost.unscheduledRequests === undefined
      ? `Asking each second costs ${requestsText(cost.documents)} a second.`
      : `Asking each second costs ${requestsText(cost.unscheduledRequests)} an update.`;
  const scheduled =
    cost.scheduleFrom === undefined
      ? 'Nothing says when to ask again, so that there is no better way.'
      : `Coming back by ${cost.scheduleFrom} costs ${cost.scheduledRequests}${cost.scheduleFrom === 'Next-Update' ? '' : ' each time that it has passed'}.`;
  const stale =
    cost.stalenessSeconds === undefined
      ? 'A cache may hand out a copy of any age.'
      : cost.stalenessSeconds === 0
        ? 'A cache hands out nothing without asking.'
        : `A cache may hand out what is up to ${spanText(cost.stalenessSeconds)} old.`;
  return [interval, asking, scheduled, stale].join(' ');
}

function requestsText(count: number): string {
  return count === 1 ? '1 request' : `${count} requests`;
}

function spanText(seconds: number): string {
  if (seconds < 120) return `${Number(seconds.toPrecision(2))} s`;
  return seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`;
}

function verdict(
  { findings, evidence }: CheckReport,
  paint: (style: keyof typeof COLOURS, text: string) => string,
): string {
  if (evidence.nodes.length === 0 && findings.length === 0) return paint('error', 'It could not be checked.');
  const counted = SEVERITIES.flatMap((severity) => {
    const count = countOf(findings, severity);
    const noun = severity === 'advice' || count === 1 ? severity : `${severity}s`;
    return count === 0
      ? []
      : [severity === 'advice' ? `${count} pieces of advice`.replace(/^1 pieces/, '1 piece') : `${count} ${noun}`];
  });
  if (counted.length === 0)
    return paint('good', `Nothing found: all ${rules.length} rules are kept, as far as it went.`);
  return `${counted.join(', ')}, of ${rules.length} rules.`;
}
