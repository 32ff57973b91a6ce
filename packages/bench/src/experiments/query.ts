/*
 * `query`: a SPARQL query is answered anew after each commit. One from what changed, beside Comunica asked the same again in
 * full; one as a whole by a thread beside, where it is watched how long the thread that follows is away.
 *
 *   { "measurement": "evaluation", "subject": "oxigraph", "at": { "query": "local", "quads": 100000, "way": "live" },
 *     "values": { "p50Ms": 1.4, "p99Ms": 2.9, "residentBytes": 190000000 } }
 *   { "at": { "query": "whole", "quads": 100000 }, "values": { "evaluationMs": 310, "startMs": 900, "stallMs": 6.1 } }
 */
import { createRequire } from 'node:module';
import type { Experiment, Measured } from '../experiment.ts';
import { spread } from '../figures.ts';
import { Histogram } from '../histogram.ts';
import { type Versions, versionOf } from '../machine.ts';
import { askOnce, SERVER_CORE } from '../processes.ts';
import type { CellPlan } from '../result.ts';
import type { QueryReport, QueryRole } from './query-process.ts';

const FULL = {
  /** Of the latest state; each number is measured by itself. */
  quads: [10_000, 100_000],
  /** Of a commit. */
  entities: 10,
  /** Commits before those that count: an even number. */
  warmUp: 20,
  commits: 21,
  repeats: 3,
};
/** Sizes and counts. */
export type QueryPlan = typeof FULL;
const QUICK: QueryPlan = { ...FULL, quads: [2000], warmUp: 2, commits: 5, repeats: 1 };

const ENGINES = ['comunica', 'oxigraph'] as const;
const LIVE = 'live';
const AGAIN = 'Comunica asked again';
/** How long a process takes to begin, seconds: Comunica is large. */
const BEGIN_SECONDS = 2;
/** A commit for each thousand quads: asked again in full, or as a whole. */
const COMMIT_SECONDS = 0.005;

const LOCAL = { at: { query: 'local' } };
const WHOLE = { at: { query: 'whole' } };
const QUADS = { key: 'quads', title: 'Quads' };

/** What it costs to keep answers of SPARQL queries up to date. */
export const QUERY: Experiment<QueryPlan> = {
  name: 'query',
  title: 'What it costs to keep answers of SPARQL queries up to date',
  about: 'what it costs to keep answers of SPARQL queries up to date',
  measurements: ['evaluation'],
  options: ['repeat'],
  plan: ({ quick, repeats }) => ({ ...(quick ? QUICK : FULL), ...(repeats !== undefined && { repeats }) }),
  cells: ({ quads: sizes, warmUp, commits, repeats }) =>
    sizes.flatMap((quads) =>
      ENGINES.flatMap((subject) =>
        ['local', 'whole'].map((query) => {
          const seconds = BEGIN_SECONDS + (quads / 1000) * (0.02 + (warmUp + commits) * COMMIT_SECONDS);
          return { measurement: 'evaluation', subject, at: { query, quads }, repeats, seconds };
        }),
      ),
    ),
  measure,
  versions: engineVersions,
  ratios: [{ of: { at: { way: AGAIN } }, value: 'p50Ms', over: { at: { way: LIVE } } }],
  views: [
    {
      kind: 'density',
      title: 'From a commit to the answer of a query whose solutions follow from one observation each',
      of: LOCAL,
      histogram: 'delay',
      x: 'Delay, ms',
      rows: QUADS,
      series: { subject: '', way: '' },
    },
    {
      kind: 'table',
      title: 'From a commit to the answer of a query whose solutions follow from one observation each',
      of: LOCAL,
      rows: { quads: 'Quads', subject: 'Engine', way: 'Way' },
      columns: [
        { value: 'p50Ms', title: 'p50, ms' },
        { value: 'p99Ms', title: 'p99, ms' },
        { value: 'p50Ms', title: 'p50 ÷ live', over: { at: { way: LIVE } } },
        { value: 'residentBytes', per: 1024 ** 2, title: 'Memory of the query alone, MiB' },
      ],
    },
    {
      kind: 'table',
      title: 'An aggregate over all observations, evaluated after each commit in a separate thread',
      of: WHOLE,
      rows: { quads: 'Quads', subject: 'Engine' },
      columns: [
        { value: 'evaluationMs', title: 'Evaluation, ms' },
        { value: 'startMs', title: 'From the state to the first answer, ms' },
        { value: 'stallMs', title: 'Following thread away at most, ms' },
        { value: 'startStallMs', title: 'At the start, ms' },
        { value: 'idleStallMs', title: 'With nothing to do, ms' },
        { value: 'residentBytes', per: 1024 ** 2, title: 'Memory, MiB' },
      ],
    },
  ],
};

async function measure({ subject, at }: CellPlan, plan: QueryPlan): Promise<Measured | readonly Measured[]> {
  const query = at.query as QueryRole['query'];
  const engine = subject as QueryRole['engine'];
  const role: QueryRole = { engine, query, quads: Number(at.quads), plan };
  const module = new URL('./query-process.js', import.meta.url);
  // The thread that evaluates as a whole needs a core of its own.
  const core = query === 'whole' ? undefined : SERVER_CORE;
  const { liveMs, againMs, evaluationMs, residentBytes, ...values } = await askOnce<QueryReport>(module, role, core);
  if (query === 'whole') return { values: { evaluationMs: spread(evaluationMs).median, residentBytes, ...values } };
  const live = Histogram.ofMs(liveMs).cell();
  return [
    { ...live, at: { way: LIVE }, values: { ...live.values, residentBytes } },
    { ...Histogram.ofMs(againMs).cell(), at: { way: AGAIN } },
  ];
}

/** Of what answers queries, as the package that asks it finds them. */
function engineVersions(): Versions {
  const { resolve } = createRequire(createRequire(import.meta.url).resolve('@ldes-live/query'));
  const packages = ['@comunica/query-sparql-rdfjs', 'rdf-stores', 'oxigraph'];
  return Object.fromEntries(packages.map((name) => [name, versionOf(resolve(name)) ?? 'unknown']));
}
