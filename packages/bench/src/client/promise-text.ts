import type { PromiseSize } from './client-plan.ts';
import type { PromiseResult, PromiseRound } from './measure-promise.ts';

type Group = PromiseRound['groups'][number];

const HEAD = [
  'way',
  'stream',
  'clients',
  'polling',
  'members',
  'misses',
  'untold',
  'req/update',
  'of all',
  'early',
  'p50',
  'p99 ms',
];
const WIDTHS = [9, 10, 8, 8, 9, 8, 7, 11, 7, 6, 6, 7];

/** What became of the promise, for a terminal. */
export function promiseText({ rounds, missing }: PromiseResult, plan: PromiseSize): string[] {
  const { clients, malSeconds, durationMs } = plan;
  return [
    '',
    `${clients} clients with MALs from ${malSeconds.least} to ${malSeconds.most} s for ${durationMs / 1000} s; one run for each break-even:`,
    ...rounds.flatMap(roundText),
    '  req/update: of polling clients whose MAL is no longer than the interval, 1.05 at most on regular streams; early: before',
    '  the update that was predicted',
    ...missing.map((name) => `  ${name} is not on this machine`),
  ];
}

function roundText({ breakEvenSeconds, clientShare, groups }: PromiseRound): string[] {
  const sum = (figure: (group: Group) => number) => groups.reduce((total, group) => total + figure(group), 0);
  const [delivered, misses, untold] = [sum((one) => one.delivered), sum((one) => one.misses), sum((one) => one.untold)];
  const apartMs = Math.max(...groups.map(({ toldApartMs }) => toldApartMs));
  return [
    `  break-even ${breakEvenSeconds} s:`,
    `    ${row(HEAD)}`,
    ...groups.map((group) => `    ${row(cells(group))}`),
    `    ${delivered} members delivered, ${misses} misses (${((100 * misses) / Math.max(1, delivered)).toFixed(3)} %), ${untold} of them untold, ${sum((one) => one.early)} requests too early`,
    `    lags that changes tell are ${apartMs} ms off at most; the clients took ${Math.round(100 * clientShare)} % of a core`,
    ...groups.flatMap(troubleText),
  ];
}

function cells(group: Group): string[] {
  const { way, stream, clients, polling, delivered, misses, untold, early, p50Ms, p99Ms } = group;
  const counts = [clients, polling, delivered, misses, untold].map(String);
  const perUpdate = [group.requestsPerUpdate, group.allRequestsPerUpdate].map((rate) => rate?.toFixed(3) ?? '-');
  return [way, stream, ...counts, ...perUpdate, String(early), p50Ms.toFixed(0), p99Ms.toFixed(0)];
}

function row(texts: readonly string[]): string {
  return texts
    .map((text, index) => (index < 2 ? text.padEnd(WIDTHS[index] as number) : text.padStart(WIDTHS[index] as number)))
    .join(' ');
}

function troubleText({ way, stream, lost, doubled, gaps, earliestMs, problems, late }: Group): string[] {
  const told = [
    ...late.map(
      ({ malSeconds, mode, misses, overdue, longestMs }) =>
        `MAL ${malSeconds.toFixed(2)} s by ${mode}: ${misses} members late, ${Math.round(longestMs)} ms at most, ${overdue} overdue`,
    ),
    ...(lost + doubled + gaps > 0 ? [`${lost} lost, ${doubled} twice, ${gaps} gaps`] : []),
    ...(earliestMs > 0 ? [`a request ${earliestMs} ms too early`] : []),
    ...problems,
  ];
  return told.map((text) => `    ! ${way}, ${stream}: ${text}`);
}
