/*
 * The limits that this project set itself: for each the figure of a result, the limit, whether it was kept and by how much.
 *
 *   fanout: { what: 'p99 delay ÷ that of the C loop', of: {...}, value: 'p99Ms', over: {...}, limit: ['at most', 1.5] }
 *   -> p99 delay ÷ that of the C loop (fanout) | at most 1.50 | 1.42 [0.867–1.58] | yes, rounds on both sides | 5.3 % below
 */
import { type Figure, figureOf, rowsOf, type Where } from '../figures.ts';
import type { Result } from '../result.ts';
import { numberText, spreadText, type Table } from './tables.ts';

/** Whether a figure keeps a limit. */
const KEEPS = {
  'at most': (figure: number, limit: number) => figure <= limit,
  'at least': (figure: number, limit: number) => figure >= limit,
  below: (figure: number, limit: number) => figure < limit,
};

interface Bar extends Figure {
  readonly what: string;
  readonly of: Where;
  /** Of several cells the one counts that is worst. */
  readonly limit: readonly [kind: keyof typeof KEEPS, limit: number];
}

/** With very few clients, what a server takes for itself weighs more than they do. */
const pushed = { of: { measurement: 'fanout', subject: 'ldes-live', at: { clients: { from: 1000 } } } };
const [cpuOfDelivery, cLoop] = [{ ...pushed, value: 'cpuOnlyMicros' }, { subject: 'C loop' }];
const promise = (...stream: string[]) => ({ measurement: 'promise', at: { stream } });

/** By experiment. */
const BARS: Readonly<Record<string, readonly Bar[]>> = {
  fanout: [
    { ...cpuOfDelivery, what: 'CPU time of a delivery ÷ that of the loop in C', over: cLoop, limit: ['at most', 1.3] },
    {
      ...cpuOfDelivery,
      what: 'CPU time of a delivery ÷ that of @fastify/sse',
      over: { subject: '@fastify/sse' },
      limit: ['at most', 1 / 3],
    },
    {
      ...cpuOfDelivery,
      what: 'CPU time of a delivery ÷ that of Nchan',
      over: { subject: 'Nchan' },
      limit: ['below', 1],
    },
    {
      ...pushed,
      what: '99th percentile of the delay ÷ that of the loop in C',
      value: 'p99Ms',
      over: cLoop,
      limit: ['at most', 1.5],
    },
    { ...pushed, what: 'KiB a push connection', value: 'connectionBytes', per: 1024, limit: ['at most', 12] },
    {
      what: 'Bytes of a delivery in gzip ÷ those of the JSON',
      of: { measurement: 'gzip', at: { encoding: 'gzip' } },
      value: 'bytes',
      over: { at: { encoding: 'identity' } },
      limit: ['at most', 1 / 20],
    },
  ],
  e1: [
    {
      what: 'Requests of our polling client for an update',
      of: { measurement: 'mal' },
      value: 'requestsPerUpdate',
      limit: ['at most', 1.05],
    },
    {
      what: 'Updates that it had later than its MAL, %',
      of: { measurement: 'mal' },
      value: 'malMissedShare',
      per: 0.01,
      limit: ['below', 0.1],
    },
  ],
  documents: [
    {
      what: 'Requests a second of the latest state, 304s too ÷ those of a bare Fastify route',
      of: {
        measurement: 'serving',
        subject: 'ldes-live',
        at: { document: ['latest', 'latest, 304', 'latest, gzip', 'latest, gzip, 304'] },
      },
      value: 'requestsPerSecond',
      over: { subject: 'bare Fastify' },
      limit: ['at least', 0.9],
    },
    {
      what: 'Members appended a second, last tenth ÷ second',
      of: { measurement: 'appending', at: { tenth: 10 } },
      value: 'membersPerSecond',
      over: { at: { tenth: 2 } },
      limit: ['at least', 0.9],
    },
  ],
  replay: [
    {
      what: 'Members of a history read a second ÷ ldes-client',
      of: { subject: 'ldes-live' },
      value: 'membersPerSecond',
      over: { subject: 'ldes-client' },
      limit: ['at least', 3],
    },
  ],
  query: [
    {
      what: 'Comunica asked again over 100,000 quads ÷ a live answer',
      of: { at: { way: 'Comunica asked again', quads: 100_000 } },
      value: 'p50Ms',
      over: { at: { way: 'live' } },
      limit: ['at least', 10],
    },
    {
      what: 'Longest time that a thread which follows is away, ms',
      of: { at: { query: 'whole' } },
      value: 'stallMs',
      limit: ['below', 50],
    },
  ],
  sources: [
    {
      what: 'GTFS-RT poll to visible update, 1,000 entities ÷ the decode alone',
      of: { measurement: 'feed' },
      value: 'visibleMs',
      overValue: 'decodeMs',
      limit: ['at most', 3],
    },
  ],
  client: [
    {
      what: 'Requests for an update of a polling client, on regular streams',
      of: promise('every-1', 'every-5', 'every-20'),
      value: 'requestsPerUpdate',
      limit: ['at most', 1.05],
    },
    {
      what: 'Share of members that came later than the MAL, %',
      of: promise('all streams'),
      value: 'missShare',
      per: 0.01,
      limit: ['below', 0.1],
    },
    {
      what: 'Requests of the fullest tenth of a second ÷ the mean, 5,000 polling clients',
      of: { measurement: 'stampede', at: { clients: 5000 } },
      value: 'peakToMean',
      limit: ['at most', 1.5],
    },
  ],
};

/** The bars of the experiments that were run; `undefined` where there is none. */
export function barsTable(results: readonly Result[]): Table | undefined {
  const rows = Object.entries(BARS).flatMap(([name, bars]) => {
    const result = results.find(({ experiment }) => experiment === name);
    return result ? bars.map((bar) => rowOf(bar, result)) : [];
  });
  if (rows.length === 0) return undefined;
  return { title: 'Bars', columns: ['What', 'Limit', 'Measured', 'Kept', 'By'], rows };
}

function rowOf(bar: Bar, { experiment, cells }: Result): readonly string[] {
  const [kind, limit] = bar.limit;
  const named = [`${bar.what} (${experiment})`, `${kind} ${numberText(limit)}`];
  const found = rowsOf(cells, bar.of).flatMap((rounds) => figureOf(rounds, bar, cells) ?? []);
  const worst = found.sort((left, right) => left.median - right.median).at(kind === 'at least' ? 0 : -1);
  if (worst === undefined) return [...named, '–', 'not measured', '–'];
  const { median, min, max } = worst;
  const [known, all] = [found.length, rowsOf(cells, bar.of).length];
  const kept = `${known < all ? `of ${known} of ${all} cells: ` : ''}${KEEPS[kind](median, limit) ? 'yes' : 'no'}${min < limit && max > limit ? ', rounds on both sides' : ''}`;
  const away = `${numberText(Math.abs(median / limit - 1) * 100)} % ${median < limit ? 'below' : 'above'}`;
  return [...named, spreadText(worst), kept, away];
}
