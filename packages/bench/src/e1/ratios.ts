import type { Report } from '../report/report.ts';
import { type Spread, spread } from '../spread.ts';
import { bytesPerClient, type CellRun, cpuPerDelivery, type Measured } from './cell-run.ts';
import { type CrossingRun, refusalOf } from './crossing-run.ts';
import { evenlyServedPerSecond } from './evenly-served.ts';
import type { Crossing } from './judge-crossing.ts';
import { fairP99Ms, pairRatios, servedShare } from './pair-ratios.ts';

/** With fewer clients, what is measured is too little to be the same twice. */
const LEAST_CLIENTS = 1000;
/** Delays of less have more of the machine in them than of the server, milliseconds. */
const LEAST_P99_MS = 250;
const LEAST_MEMORY_CLIENTS = 5000;

/** Ratios of this run that another run can be compared by. */
export function e1Ratios(
  runs: readonly CellRun[],
  crossings: readonly CrossingRun[],
  judged: readonly Crossing[],
  { clients: sizes, intervalMs }: { readonly clients: readonly number[]; readonly intervalMs: number },
): Report['ratios'] {
  const large = sizes.filter((clients) => clients >= LEAST_CLIENTS);
  // A quick run has only few clients, and no figures to quote.
  const compared = large.length > 0 ? large : sizes.slice(-1);
  const entries: (readonly [string, Spread | undefined])[] = [];
  for (const clients of compared) {
    const ratio = (over: string, under: string, figure: Parameters<typeof pairRatios>[2]) =>
      pairRatios(runs, { over, under, clients }, figure);
    const share = (measured: Measured) => servedShare(measured, intervalMs);
    const at = `${clients} clients`;
    for (const [name, under] of [
      ['Express', 'sse-express'],
      ['@fastify/sse', 'sse-fastify'],
      ['Nchan', 'sse-nchan'],
      ['loop in C', 'sse-c'],
    ] as const) {
      entries.push([`CPU per delivery: ldes-live / ${name}, SSE, ${at}`, ratio('sse-live', under, cpuPerDelivery)]);
    }
    entries.push(
      [`CPU of polling: ldes-live / Express, straight, ${at}`, ratio('polling-live', 'polling-express', share)],
      [
        `CPU of polling: ldes-live / Express, by nginx, ${at}`,
        ratio('polling-live-nginx', 'polling-express-nginx', share),
      ],
      [`CPU: SSE / polling straight, Express, ${at}`, ratio('sse-express', 'polling-express', share)],
      [`CPU: SSE / polling straight, ldes-live, ${at}`, ratio('sse-live', 'polling-live', share)],
      [`p99: ldes-live / Express, SSE, ${at}`, ratio('sse-live', 'sse-express', longP99Ms)],
    );
    if (clients >= LEAST_MEMORY_CLIENTS) {
      const memory = (measured: Parameters<typeof bytesPerClient>[0]) => bytesPerClient(measured, clients);
      entries.push([
        `memory per connection: ldes-live / Express, SSE, ${at}`,
        ratio('sse-live', 'sse-express', memory),
      ]);
    }
  }
  entries.push(...requestRatios(crossings));
  for (const { server, between, agreement } of judged) {
    entries.push([`crossing found / foretold, ${server}, ${between}`, agreement]);
  }
  return Object.fromEntries(entries.filter((entry): entry is readonly [string, Spread] => entry[1] !== undefined));
}

function longP99Ms(measured: Parameters<typeof fairP99Ms>[0], run: CellRun): number | undefined {
  const p99Ms = fairP99Ms(measured, run);
  return p99Ms !== undefined && p99Ms >= LEAST_P99_MS ? p99Ms : undefined;
}

/** Requests a second of each way to poll beside that of our server straight, each pair of one repeat. */
function requestRatios(crossings: readonly CrossingRun[]): (readonly [string, Spread | undefined])[] {
  const fair = crossings.filter((run) => refusalOf(run) === undefined);
  const served = (server: string, between: string, repeat: number) => {
    const run = fair.find((one) => one.server === server && one.between === between && one.repeat === repeat);
    return run?.capacity && evenlyServedPerSecond(run.capacity);
  };
  const repeats = [...new Set(fair.map(({ repeat }) => repeat))];
  const ratio = (over: readonly [string, string], under: readonly [string, string]) => {
    const pairs = repeats.flatMap((repeat) => {
      const [above, below] = [served(...over, repeat), served(...under, repeat)];
      return above === undefined || below === undefined ? [] : [above / below];
    });
    return pairs.length === 0 ? undefined : spread(pairs);
  };
  return [
    ['requests/s: ldes-live / Express, straight', ratio(['ldes-live', 'straight'], ['Express', 'straight'])],
    ['requests/s: by nginx / straight, ldes-live', ratio(['ldes-live', 'nginx'], ['ldes-live', 'straight'])],
    ['requests/s: by Varnish / straight, ldes-live', ratio(['ldes-live', 'Varnish'], ['ldes-live', 'straight'])],
  ];
}
