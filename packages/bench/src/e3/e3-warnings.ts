import type { E3Results } from './e3-found.ts';
import type { FixedRun } from './measure-fixed.ts';
import type { MostRun } from './measure-most.ts';
import { TRANSPORT_NAMES } from './transport.ts';

/** What has to be known before any figure. */
export function e3Warnings({ batch = [], connections = [], fixed = [], browser }: Partial<E3Results>): string[] {
  const tests = [
    ['test I', batch],
    ['test II', connections],
  ] as const;
  const most = tests.flatMap(([test, runs]) => runs.flatMap((run) => mostWarnings(test, run)));
  const broken = fixed.filter(({ isKeptUp }) => !isKeptUp).map(fixedWarning);
  const pages = (browser?.runs ?? []).flatMap((run) => {
    const { page, transport, problems, lost, behind, doubled: twice, batch: rows } = run;
    const name = `${page} by ${TRANSPORT_NAMES[transport]}, batches of ${rows}`;
    return [
      ...(lost + behind + twice > 0
        ? [`${name}: ${lost} rows were lost, ${behind} were not there in time, ${twice} came twice.`]
        : []),
      ...problems.map((problem) => `${name}: the page reported ${problem}`),
    ];
  });
  const missing = browser?.isMissing ? ['There is no Chromium here: pages were not measured.'] : [];
  return [...missing, ...most, ...broken, ...pages];
}

function mostWarnings(test: string, { transport, repeat, best, steps }: MostRun): string[] {
  const name = `${TRANSPORT_NAMES[transport]}, ${test}, repeat ${repeat + 1}`;
  return [
    ...(best ? [] : [`${name}: no step was kept up with.`]),
    ...steps
      .filter((step) => step.doubled > 0)
      .map((step) => `${name}: ${step.doubled} rows came twice at ${step.level}.`),
  ];
}

function fixedWarning({ transport, connections, repeat, lost, behind, doubled, p99Micros }: FixedRun): string {
  const counts = `${lost} rows lost, ${behind} not there in the end, ${doubled} twice, p99 ${Math.round(p99Micros / 1000)} ms`;
  const name = `${TRANSPORT_NAMES[transport]}, test III, repeat ${repeat + 1}`;
  return `${name}: ${connections} connections were not kept up with (${counts}).`;
}
