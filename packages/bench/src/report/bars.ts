/*
 * The limits that this project set itself: for each the figure of a result, the limit, whether it was kept and by how much.
 *
 *   { what: 'p99 delay ÷ that of the C loop', experiment: 'fanout', figure: { value: 'p99Ms', over: {...} }, atMost: 1.5 }
 *   -> p99 delay ÷ that of the C loop | at most 1.5 | 1.42 [0.867–1.58] | yes | 5.3 % below
 */
import { type Figure, figureOf, rowsOf, type Spread, type Where } from '../figures.ts';
import type { Result } from '../result.ts';
import { numberText, spreadText, type Table } from './tables.ts';

interface Bar extends Figure {
  readonly what: string;
  readonly experiment: string;
  readonly of: Where;
  /** One of these; of several cells the one counts that is worst. */
  readonly atMost?: number;
  readonly below?: number;
  readonly atLeast?: number;
}

/** With very few clients, what a server takes for itself weighs more than they do. */
const PUSHED = { measurement: 'fanout', subject: 'ldes-live', at: { clients: { from: 1000 } } };
const cpuOfDelivery = { experiment: 'fanout', of: PUSHED, value: 'cpuOnlyMicros' };

/** All bars; each experiment that moves here adds its own. */
const BARS: readonly Bar[] = [
  {
    ...cpuOfDelivery,
    what: 'CPU time of a delivery ÷ that of the loop in C',
    over: { subject: 'C loop' },
    atMost: 1.3,
  },
  {
    ...cpuOfDelivery,
    what: 'CPU time of a delivery ÷ that of @fastify/sse',
    over: { subject: '@fastify/sse' },
    atMost: 1 / 3,
  },
  { ...cpuOfDelivery, what: 'CPU time of a delivery ÷ that of Nchan', over: { subject: 'Nchan' }, below: 1 },
  {
    what: '99th percentile of the delay ÷ that of the loop in C',
    experiment: 'fanout',
    of: PUSHED,
    value: 'p99Ms',
    over: { subject: 'C loop' },
    atMost: 1.5,
  },
  { what: 'KiB a push connection', experiment: 'fanout', of: PUSHED, value: 'connectionBytes', per: 1024, atMost: 12 },
  {
    what: 'Bytes of a delivery in gzip ÷ those of the JSON',
    experiment: 'fanout',
    of: { measurement: 'gzip', at: { encoding: 'gzip' } },
    value: 'bytes',
    over: { at: { encoding: 'identity' } },
    atMost: 1 / 20,
  },
  {
    what: 'Requests of our polling client for an update',
    experiment: 'e1',
    of: { measurement: 'mal' },
    value: 'requestsPerUpdate',
    atMost: 1.05,
  },
  {
    what: 'Updates that it had later than its MAL, %',
    experiment: 'e1',
    of: { measurement: 'mal' },
    value: 'malMissedShare',
    per: 0.01,
    below: 0.1,
  },
  {
    what: 'Requests a second of a ready document ÷ those of a bare Fastify route',
    experiment: 'documents',
    of: { measurement: 'serving', subject: 'ldes-live' },
    value: 'requestsPerSecond',
    over: { subject: 'bare Fastify' },
    atLeast: 0.9,
  },
  {
    what: 'Members appended a second, last tenth ÷ second',
    experiment: 'documents',
    of: { measurement: 'appending', at: { tenth: 10 } },
    value: 'membersPerSecond',
    over: { at: { tenth: 2 } },
    atLeast: 0.9,
  },
  {
    what: 'Members of a history read a second ÷ ldes-client',
    experiment: 'replay',
    of: { subject: 'ldes-live' },
    value: 'membersPerSecond',
    over: { subject: 'ldes-client' },
    atLeast: 3,
  },
  {
    what: 'Comunica asked again over 100,000 quads ÷ a live answer',
    experiment: 'query',
    of: { at: { way: 'Comunica asked again', quads: 100_000 } },
    value: 'p50Ms',
    over: { at: { way: 'live' } },
    atLeast: 10,
  },
  {
    what: 'Longest time that a thread which follows is away, ms',
    experiment: 'query',
    of: { at: { query: 'whole' } },
    value: 'stallMs',
    below: 50,
  },
  {
    what: 'GTFS-RT poll to visible update, 1,000 entities ÷ the decode alone',
    experiment: 'sources',
    of: { measurement: 'feed', at: { what: 'visible update' } },
    value: 'p50Ms',
    over: { at: { what: 'decode alone' } },
    atMost: 3,
  },
  {
    what: 'Requests for an update of a polling client, on regular streams',
    experiment: 'client',
    of: { measurement: 'promise', at: { stream: ['every-1', 'every-5', 'every-20'] } },
    value: 'requestsPerUpdate',
    atMost: 1.05,
  },
  {
    what: 'Share of members that came later than the MAL, %',
    experiment: 'client',
    of: { measurement: 'promise', at: { stream: 'all streams' } },
    value: 'missShare',
    per: 0.01,
    below: 0.1,
  },
  {
    what: 'Requests of the fullest tenth of a second ÷ the mean, 5,000 polling clients',
    experiment: 'client',
    of: { measurement: 'stampede', at: { clients: 5000 } },
    value: 'peakToMean',
    atMost: 1.5,
  },
];

/** The bars of the experiments that were run; `undefined` where there is none. */
export function barsTable(results: readonly Result[]): Table | undefined {
  const rows = BARS.flatMap((bar) => {
    const result = results.find(({ experiment }) => experiment === bar.experiment);
    return result ? [rowOf(bar, result)] : [];
  });
  if (rows.length === 0) return undefined;
  return { title: 'Bars', columns: ['What', 'Limit', 'Measured', 'Kept', 'By'], rows };
}

function rowOf(bar: Bar, { experiment, cells }: Result): readonly string[] {
  const { atLeast, atMost, below } = bar;
  const limit = atLeast ?? atMost ?? below ?? 0;
  const limitText = `${atLeast !== undefined ? 'at least' : atMost !== undefined ? 'at most' : 'below'} ${numberText(limit)}`;
  const what = `${bar.what} (${experiment})`;
  const found = rowsOf(cells, bar.of).flatMap((rounds) => figureOf(rounds, bar, cells) ?? []);
  const rising = (left: Spread, right: Spread) => left.median - right.median;
  const worst = [...found].sort(rising).at(atLeast === undefined ? -1 : 0);
  if (worst === undefined) return [what, limitText, '–', 'not measured', '–'];
  const { median, min, max } = worst;
  const isKept = atLeast !== undefined ? median >= limit : atMost !== undefined ? median <= limit : median < limit;
  const isDivided = min < limit && max > limit;
  const away = `${numberText(Math.abs(median / limit - 1) * 100)} % ${median < limit ? 'below' : 'above'}`;
  return [
    what,
    limitText,
    spreadText(worst),
    `${isKept ? 'yes' : 'no'}${isDivided ? ', rounds on both sides' : ''}`,
    away,
  ];
}
