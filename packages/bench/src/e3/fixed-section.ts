import type { Cell, Section } from '../report/report.ts';
import { spread } from '../spread.ts';
import type { FixedPlan } from './e3-plan.ts';
import { cpuPerRow } from './e3-ratios.ts';
import type { FixedRun } from './measure-fixed.ts';
import { PUBLISHED_FIXED } from './published-e3.ts';
import { TRANSPORT_NAMES, type Transport } from './transport.ts';

/** Test III in a report. */
export function fixedSection(runs: readonly FixedRun[], plan: FixedPlan): Section {
  const perSecond = 1000 / plan.intervalMs;
  return {
    title: `Test III: CPU at 100,000 rows a second, ${perSecond} batches a second`,
    text: [
      'The same rows a second, over few connections with long batches and over many with short ones. CPU is that of the whole process, in % of one core; CPU for a row counts each row at each connection.',
      `Before anything counts, server and consumer have ${plan.warmUpMs / 1000} s of the first of these, so that their code is compiled.`,
      'A batch is made once and goes to all connections, so that what it costs the server to make one weighs the less the more connections there are: with ldes-live, that is storing the members and writing them as JSON-LD.',
    ],
    tables: plan.shapes.map((shape) => ({
      caption: `${shape.connections} connections of ${shape.batch} rows a batch`,
      columns: [
        'transport',
        'client CPU, %',
        'published',
        'server CPU, %',
        'published',
        'client, µs a row',
        'server, µs a row',
        'bytes a row',
        'p99, ms',
        'not there or twice',
      ],
      rows: plan.transports.map((transport) => rowOf(runs, transport, shape, plan)),
    })),
  };
}

function rowOf(
  runs: readonly FixedRun[],
  transport: Transport,
  shape: FixedPlan['shapes'][number],
  { durationMs, intervalMs }: FixedPlan,
): Cell[] {
  // A server that is far too late gives up: what it never sent is not there either.
  const due = Math.max(1, Math.round(durationMs / intervalMs)) * shape.batch * shape.connections;
  const those = runs.filter((run) => run.transport === transport && run.connections === shape.connections);
  const published = PUBLISHED_FIXED[shape.connections]?.[transport];
  const cell = (value: (run: FixedRun) => number | undefined): Cell => {
    const values = those.flatMap((run) => value(run) ?? []);
    return values.length > 0 ? spread(values) : undefined;
  };
  return [
    TRANSPORT_NAMES[transport],
    cell(({ clientShare }) => clientShare * 100),
    published && Math.round(published.clientShare * 100),
    cell(({ serverShare }) => serverShare * 100),
    published && Math.round(published.serverShare * 100),
    cell((run) => cpuPerRow(run, 'client')),
    cell((run) => cpuPerRow(run, 'server')),
    cell(({ bytesPerRow }) => Math.round(bytesPerRow)),
    cell(({ p99Micros }) => p99Micros / 1000),
    those.reduce((sum, { rows, doubled }) => sum + Math.max(0, due - rows) + doubled, 0),
  ];
}
