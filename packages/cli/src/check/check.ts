// `ldes-live check`: checks the endpoint of a stream and prints how far it went, what is broken, by severity, and what
// polling costs.
//
//   Warnings
//     CHK-51  A mutable document has an ETag.
//             http://a/s
//               no ETag
//             See LDES Server Primer, caching.

import type { Environment } from '../environment.ts';
import type { ContactHosts } from '../hosts.ts';
import { formatBytes, formatSpan, plainText, plural, TextOutput, wrapText } from '../terminal.ts';
import { tokenFields } from '../token.ts';
import {
  type CheckLimits,
  type CheckReport,
  checkStream,
  type Finding,
  type PollingCost,
  rules,
} from './check-stream.ts';

/** What `check` was asked for. */
export interface CheckOptions {
  /** Of the stream, the root, or an overview. */
  readonly url: string;
  /** The most pages to read. */
  readonly pages: number;
  readonly format: 'text' | 'json';
  /** Which hosts may be asked; absent: `public` where the URL is one of a public host, else `any`. */
  readonly hosts?: ContactHosts | undefined;
  /** The environment variable with the token to read by. */
  readonly tokenEnv?: string;
}

/** Gives a text for a terminal a colour or a weight. */
type Paint = (style: keyof typeof COLOURS, text: string) => string;

const HEADINGS = { error: 'Errors', warning: 'Warnings', advice: 'Advice' } as const;
const COLOURS = { error: 31, warning: 33, advice: 36, good: 32, bold: 1, faint: 2 } as const;
const INDENT = ' '.repeat(10);
/** How many places of one broken rule are shown. */
const SHOWN = 3;

/**
 * Checks the endpoint of a stream and prints what is wrong.
 *
 * @param limits - where they differ from the defaults; how many pages is the command's to say
 * @returns the exit code: 0 for nothing or advice only, 3 for warnings, 1 for errors or where there was no stream to check
 * @throws {@link StreamError} `ERR_OUTPUT` - the output cannot be written
 * @see specs/check.md
 */
export async function check(
  { url, pages, format, hosts, tokenEnv }: CheckOptions,
  { stdout, stderr, env, clock, interrupted }: Environment,
  limits: Partial<CheckLimits> = {},
): Promise<0 | 1 | 3> {
  const clear = stderr.isTTY === true ? '\r\u001b[K' : '';
  const columns = Math.min(stderr.columns ?? 80, 120);
  const onProgress = (doing: string) => {
    if (clear !== '') stderr.write(`${clear}${doing.slice(0, columns - 1)}`);
  };
  const output = new TextOutput(stdout);
  const ofOrigin = tokenFields(tokenEnv, { env });
  const report = await checkStream(url, {
    clock,
    interrupted,
    hosts,
    ofOrigin,
    limits: { ...limits, pages },
    onProgress,
  });
  if (clear !== '') stderr.write(clear);
  const hasColour = stdout.isTTY === true && (env.NO_COLOR ?? '') === '';
  const paint: Paint = (style, text) => (hasColour ? `\u001b[${COLOURS[style]}m${text}\u001b[0m` : text);
  const text = () => textReport(report, Math.min(stdout.columns ?? 80, 100), paint);
  await output.write(format === 'json' ? `${JSON.stringify(report, undefined, 2)}\n` : text());
  output.close();
  if (report.root === undefined || report.errors > 0) return 1;
  return report.warnings > 0 ? 3 : 0;
}

function textReport(report: CheckReport, columns: number, paint: Paint): string {
  const { url, stream, findings, polling, extent } = report;
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
  const found = (['error', 'warning', 'advice'] as const).flatMap((severity) => {
    const broken = findings.filter((finding) => finding.severity === severity);
    return broken.length === 0 ? [] : ['', paint('bold', HEADINGS[severity]), ...broken.flatMap(linesOf)];
  });
  return [
    paint('bold', stream === undefined ? `No stream was found at ${url}` : `Checked ${stream}`),
    ...wrapped(extentText(extent), ''),
    ...(extent.stopped === undefined ? [] : wrapped(`The check ended early: ${extent.stopped}.`, '')),
    ...found,
    ...(polling ? ['', paint('bold', 'Polling'), ...wrapped(pollingText(polling), '  ')] : []),
    '',
    verdict(report, paint),
    '',
  ].join('\n');
}

function placesOf(observations: Finding['observations']): Finding['observations'] {
  // What came from elsewhere may be long, and may hold what moves a terminal's cursor.
  const short = (text: string) => (text.length > 400 ? `${text.slice(0, 400)}...` : text);
  const shown = observations.slice(0, SHOWN).map(({ url, saw }) => ({ url, saw: short(plainText(saw)) }));
  const hidden = observations.length - SHOWN;
  return hidden > 0 ? [...shown, { url: `and in ${plural(hidden, 'more place', 'more places')}`, saw: '' }] : shown;
}

function extentText({ pagesRead, pagesKnown, requests, bytes, seconds }: CheckReport['extent']): string {
  const known = pagesKnown === 1 ? 'the only known page' : `the ${pagesKnown} known pages`;
  const pages = pagesKnown === 0 ? 'no page' : pagesRead === pagesKnown ? known : `${pagesRead} of ${known}`;
  return `Read ${pages}: ${plural(requests, 'request')}, ${formatBytes(bytes)}, ${formatSpan(seconds * 1000)}.`;
}

function pollingText(cost: PollingCost): string {
  const { documents, intervalSeconds, unscheduledRequests, scheduleFrom, stalenessSeconds } = cost;
  const changing = documents === 1 ? '1 page changes' : `${documents} of the pages read change`;
  const isLate = scheduleFrom !== 'Next-Update';
  return [
    intervalSeconds === undefined
      ? `${changing}, at an unknown interval.`
      : `${changing}, about every ${formatSpan(intervalSeconds * 1000)} by ${cost.intervalFrom}.`,
    unscheduledRequests === undefined
      ? `Polling every second costs ${plural(documents, 'request')} a second.`
      : `Polling every second costs ${plural(unscheduledRequests, 'request')} an update.`,
    scheduleFrom === undefined
      ? 'The server does not say when to poll again, so readers cannot poll less often.'
      : `Polling by ${scheduleFrom} costs ${cost.scheduledRequests}${isLate ? ' each time that it passes' : ''}.`,
    stalenessSeconds === undefined
      ? 'A cache may return a copy of any age.'
      : stalenessSeconds === 0
        ? 'A cache revalidates every copy.'
        : `A cache may return a copy that is up to ${formatSpan(stalenessSeconds * 1000)} old.`,
  ].join(' ');
}

function verdict({ root, findings, errors, warnings, advice }: CheckReport, paint: Paint): string {
  if (findings.length > 0) {
    const counts = [
      errors > 0 && plural(errors, 'error'),
      warnings > 0 && plural(warnings, 'warning'),
      advice > 0 && plural(advice, 'piece of advice', 'pieces of advice'),
    ];
    return `${counts.filter(Boolean).join(', ')}, of ${rules.length} rules.`;
  }
  if (root === undefined) return paint('error', 'The check could not run.');
  return paint('good', `No findings: what was read follows all ${rules.length} rules.`);
}
