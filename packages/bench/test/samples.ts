import type { Experiment, Published, View } from '../src/experiment.ts';
import { Histogram } from '../src/histogram.ts';
import type { Cell, Result } from '../src/result.ts';

/** A small result of the experiment `e9`; what a test is about is given. */
export function sampleResult(given: Partial<Result> = {}): Result {
  const cell = { measurement: 'sse', subject: 'ldes-live', at: { clients: 100 }, repeat: 0, values: { p99Ms: 12.5 } };
  return {
    format: 1,
    experiment: 'e9',
    title: 'A title',
    command: 'ldes-live bench e9',
    startedAt: '2026-11-22T01:00:00.000Z',
    tookSeconds: 90,
    quick: false,
    seed: 1,
    machine: { cpu: 'Some CPU', cores: 2, memoryGib: 8, platform: 'Linux 6 x64', node: 'v20.19.0', pinned: true },
    versions: { 'ldes-live': '0.1.0' },
    plan: { clients: [100, 25_000], repeats: 3 },
    cells: [cell],
    missing: [],
    warnings: [],
    ...given,
  };
}

/** An experiment that takes no time. */
export function sampleExperiment(given: Partial<Experiment> = {}): Experiment {
  const words = { name: 'e9', title: 'A title', about: 'what it is about', measurements: ['a', 'b'] };
  const cells = () => [{ measurement: 'a', subject: 'ldes-live', at: {}, seconds: 1 }];
  const measure = async () => ({ values: { cpuMicros: 1 } });
  return { ...words, options: ['repeat'], plan: () => ({}), cells, measure, ratios: [], views: [], ...given };
}

/** Each name would be markup if it were not escaped. */
export const odd = (name: string) => `${name} <x>&"'`;

function delays(...milliseconds: number[]): string {
  const histogram = new Histogram();
  for (const ms of milliseconds) histogram.note(ms * 1000);
  return histogram.encode();
}

export const SUBJECTS = [odd('Express'), 'ldes-live'];
const cells: readonly Cell[] = [0, 1, 2].flatMap((repeat) =>
  SUBJECTS.flatMap((subject, index) =>
    [100, 1000].map((clients): Cell => {
      const values = { cpuMicros: (index + 1) * (10 + repeat), p99Ms: clients / 10, lost: repeat };
      const histograms = { delay: delays(5, 50, clients) };
      return { measurement: 'sse', subject, at: { clients }, repeat, values, histograms };
    }),
  ),
);

const published: Published = [
  { of: { at: { clients: 100 } }, value: 'p99Ms', figure: 500, text: 'as printed' },
  { of: { at: { clients: { from: 1000 } } }, text: 'under 1 s', figure: [0, 1000] },
  { of: { at: { clients: 1_000_000 } }, value: 'lost', figure: 1 },
];
const SHOWN = { of: { measurement: 'sse' }, published } as const;
const series = { subject: '' };
const x = { key: 'clients', title: odd('Clients'), isLog: true };
const y = { value: 'p99Ms', title: odd('p99, ms') };
const views: readonly View[] = [
  { ...SHOWN, kind: 'density', title: odd('Density'), histogram: 'delay', x: odd('Delay, ms'), rows: x, series },
  { ...SHOWN, kind: 'percentiles', title: odd('Percentiles'), histogram: 'delay', y: odd('Delay, ms'), series },
  { ...SHOWN, kind: 'lines', title: odd('Lines'), x, y: { ...y, isLog: true }, series },
  { ...SHOWN, kind: 'bars', title: odd('Bars'), x, y, series },
  {
    ...SHOWN,
    kind: 'table',
    title: odd('Table'),
    rows: { subject: odd('Server'), clients: 'Clients' },
    columns: [
      y,
      { value: 'cpuMicros', over: { subject: 'ldes-live' }, title: 'CPU' },
      { value: 'lost', isTotal: true, title: 'Lost' },
    ],
  },
];
/** All kinds of pictures and tables, of names that would be markup. */
export const ODD_EXPERIMENT = sampleExperiment({ about: odd('about'), views });
const words = { title: odd('title'), source: 'https://example.org/', plan: { [odd('plan')]: odd('') } };
export const ODD_RESULT = sampleResult({ cells, ...words });
