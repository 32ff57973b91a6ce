import type { Report } from '../report/report.ts';
import { type Spread, spread } from '../spread.ts';
import type { E3Plan } from './e3-plan.ts';
import type { FixedRun } from './measure-fixed.ts';
import { type MostRun, mostRows } from './measure-most.ts';
import { TRANSPORT_NAMES, type Transport } from './transport.ts';

/** What is compared: SSE as a way, and the framework on it. */
const PAIRS = [
  ['sse', 'websocket'],
  ['ldes-live', 'websocket'],
  ['ldes-live', 'sse'],
] as const satisfies readonly (readonly [Transport, Transport])[];

const TESTS = { batch: 'test I', connections: 'test II' } as const;

type Runs = { readonly transport: Transport; readonly repeat: number };

/** Ratios of the most rows a second that came. */
export function mostRatios(runs: readonly MostRun[], grows: keyof typeof TESTS): Report['ratios'] {
  return named(PAIRS, ([above, below]) => [
    `rows/s of ${pairText(above, below)}, ${TESTS[grows]}`,
    mostRatio(runs, above, below),
  ]);
}

/** The ratio of the most rows a second that came, within each repeat. */
export function mostRatio(runs: readonly MostRun[], above: Transport, below: Transport): Spread | undefined {
  return ratioOf(runs, above, below, mostRows);
}

/** Ratios of the CPU time that a row takes, of client and server. */
export function fixedRatios(runs: readonly FixedRun[], { shapes }: E3Plan['fixed']): Report['ratios'] {
  const sides = ['client', 'server'] as const;
  const cases = shapes.flatMap(({ connections }) =>
    sides.flatMap((side) => PAIRS.map(([above, below]) => ({ connections, side, above, below }))),
  );
  return named(cases, ({ connections, side, above, below }) => {
    const those = runs.filter((run) => run.connections === connections);
    const micros = (run: FixedRun) => cpuPerRow(run, side);
    return [
      `${side} CPU for a row of ${pairText(above, below)}, test III, ${connections} connections`,
      ratioOf(those, above, below, micros),
    ];
  });
}

/** Microseconds of CPU time that a row takes at one connection. */
export function cpuPerRow(
  { rows, clientCpuMicros, serverCpuMicros }: Pick<FixedRun, 'rows' | 'clientCpuMicros' | 'serverCpuMicros'>,
  side: 'client' | 'server',
): number | undefined {
  return rows > 0 ? (side === 'client' ? clientCpuMicros : serverCpuMicros) / rows : undefined;
}

function ratioOf<Run extends Runs>(
  runs: readonly Run[],
  above: Transport,
  below: Transport,
  value: (run: Run) => number | undefined,
): Spread | undefined {
  const ratios = runs.flatMap((run) => {
    if (run.transport !== above) return [];
    const other = runs.find(({ transport, repeat }) => transport === below && repeat === run.repeat);
    const [upper, lower] = [value(run), other && value(other)];
    return upper !== undefined && lower ? [upper / lower] : [];
  });
  return ratios.length > 0 ? spread(ratios) : undefined;
}

function named<Case>(
  cases: readonly Case[],
  of: (one: Case) => readonly [string, Spread | undefined],
): Report['ratios'] {
  return Object.fromEntries(cases.map(of).filter(([, ratio]) => ratio !== undefined)) as Report['ratios'];
}

function pairText(above: Transport, below: Transport): string {
  return `${TRANSPORT_NAMES[above]} / ${TRANSPORT_NAMES[below]}`;
}
