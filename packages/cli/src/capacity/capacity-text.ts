import type { CapacityNeed, Mode } from '@ldes-live/latency';
import { counted } from '../counted.ts';
import { formatBytes, formatCount } from '../follow/view/format-amount.ts';
import { formatFigure, formatMemory, formatShare } from './amounts.ts';
import { assumptionLines } from './assumption-lines.ts';
import type { CapacityReport, Ways } from './capacity-report.ts';

const NAMES: Readonly<Record<Mode, string>> = { push: 'Push', pull: 'Polling' };
const WORK: Readonly<Record<Mode, string>> = { push: 'events', pull: 'requests' };

/** A report for people: the answer, both modes side by side, and what it was reckoned with. */
export function capacityText(report: CapacityReport): string {
  return `${[...answer(report), '', ...table(report), '', ...assumptionLines(report)].join('\n')}\n`;
}

function answer(report: CapacityReport): string[] {
  const { question, withCdn, straight, cdn, warnings } = report;
  const ways = withCdn ? cdn : straight;
  const { mode, needs, isClose } = ways;
  const other: Mode = mode === 'push' ? 'pull' : 'push';
  const { users } = question;
  const who = `${amount(users, 'user')} at MAL ${formatCount(question.malSeconds)} s${withCdn ? ', with a CDN,' : ''}`;
  const need = users === 1 ? 'needs' : 'need';
  return [
    ...(isClose
      ? [
          `Either serves them: ${who} ${need} ${needText(needs[mode])} by ${word(mode)},`,
          `${needText(needs[other])} by ${word(other)}. ${smaller(ways)}`,
        ]
      : [
          `${NAMES[mode]} serves them: ${who} ${need} ${needText(needs[mode])}.`,
          `${NAMES[other]} would need ${needText(needs[other])}.`,
        ]),
    ...(needs.push.cores === needs.pull.cores ? [alike(needs)] : []),
    breakEven(ways, report),
    ...clients(report, ways),
    ...warnings.map((warning) => `Warning: ${warning}`),
    ...(mode === 'push' && !isClose && cdn.mode === 'pull'
      ? [`With a CDN polling would do: the publisher needs ${needText(cdn.needs.pull)} then.`]
      : []),
  ];
}

/** What decides between two modes that keep processors busy alike. */
function smaller({ needs: { push, pull } }: Ways): string {
  const less = (of: (need: CapacityNeed) => number): Mode | undefined =>
    of(push) === of(pull) ? undefined : of(push) < of(pull) ? 'push' : 'pull';
  const memory = less(({ memoryBytes }) => memoryBytes);
  const sent = less(({ bytesPerSecond, peakBytesPerSecond }) => bytesPerSecond ?? peakBytesPerSecond);
  if (memory === sent) return memory === undefined ? '' : `${NAMES[memory]} takes less memory and sends less.`;
  const parts = [
    ...(memory ? [`${word(memory)} takes less memory`] : []),
    ...(sent ? [`${word(sent)} sends less`] : []),
  ];
  return `Of them ${parts.join(', and ')}.`;
}

function alike({ push, pull }: Ways['needs']): string {
  const [cores, each] = [amount(push.cores, 'core'), push.cores === 1 ? 'it' : 'them'];
  return `Both need ${cores}: push uses ${formatShare(busyShare(push))} of ${each} at its peak, polling ${formatShare(busyShare(pull))}.`;
}

function breakEven({ breakEvenSeconds, isComputed }: Ways, { withCdn, advice }: CapacityReport): string {
  const seconds = formatFigure(breakEvenSeconds);
  if (!isComputed) {
    const who = advice.isMeasured ? 'which this server advertises' : 'which servers advertise';
    return `Break-even: MAL ${seconds} s, ${who}; nothing tells when updates come (--every SECONDS).`;
  }
  return breakEvenSeconds === 0
    ? `Break-even: none, as polling takes less processor time whatever the MAL${withCdn ? ' with a CDN' : ''}.`
    : `Break-even: MAL ${seconds} s. Push takes less processor time below it, polling above.`;
}

function clients({ advice }: CapacityReport, { mode, isComputed }: Ways): string[] {
  const { advertisedSeconds, isMeasured, mode: chosen, configLine } = advice;
  if (!isComputed) return [];
  const does = chosen === 'push' ? 'are pushed to' : 'poll';
  const why = isMeasured
    ? `this server advertises a break-even of ${formatFigure(advertisedSeconds)} s`
    : `a server advertises a break-even of ${formatFigure(advertisedSeconds)} s unless told otherwise`;
  return [
    `Clients ${does}: ${why}.`,
    ...(configLine === undefined ? [] : [`For ${word(mode)}, put this below the stream in config.yml:  ${configLine}`]),
  ];
}

function needText(need: CapacityNeed): string {
  const { cores, memoryBytes, bytesPerSecond, peakBytesPerSecond } = need;
  const sent =
    bytesPerSecond === undefined ? `up to ${formatBytes(peakBytesPerSecond)}/s` : `${formatBytes(bytesPerSecond)}/s`;
  return `${amount(cores, 'core')}, ${formatMemory(memoryBytes)} and ${sent}`;
}

function table({ straight, cdn }: CapacityReport): string[] {
  const rows = [
    ['', 'cores', 'busy', 'a second', 'a second, peak', 'memory', 'sent', 'sent, peak', 'gzip', 'gzip, peak'],
    row('push', 'push', straight.needs.push),
    row('push, CDN', 'push', cdn.needs.push),
    row('polling', 'pull', straight.needs.pull),
    row('polling, CDN', 'pull', cdn.needs.pull),
  ];
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((cells) => (cells[column] ?? '').length))) ?? [];
  return rows.map((cells) =>
    cells
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  '),
  );
}

function row(name: string, mode: Mode, need: CapacityNeed): string[] {
  const sent = (bytes: number | undefined) => (bytes === undefined ? '-' : `${formatBytes(bytes)}/s`);
  return [
    name,
    formatCount(need.cores),
    formatShare(busyShare(need)),
    need.meanPerSecond === undefined ? '-' : formatFigure(need.meanPerSecond),
    `${formatFigure(need.peakPerSecond)} ${WORK[mode]}`,
    formatMemory(need.memoryBytes),
    sent(need.bytesPerSecond),
    sent(need.peakBytesPerSecond),
    sent(need.compressedBytesPerSecond),
    sent(need.compressedPeakBytesPerSecond),
  ];
}

/** The share of each of its cores that a mode uses at its peak. */
function busyShare({ busyCores, cores }: CapacityNeed): number {
  return busyCores / cores;
}

function amount(count: number, one: string): string {
  return counted(count, one).replace(/\d+/, formatCount(count));
}

function word(mode: Mode): string {
  return mode === 'push' ? 'push' : 'polling';
}
