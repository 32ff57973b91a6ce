import type { Spread } from '../spread.ts';
import type { DocumentsReport } from './documents.ts';

/** The report of the experiment for a terminal. */
export function documentsText({ machine, serving, appending, plan }: DocumentsReport): string {
  const { cpu, cores, memoryGib, node } = machine;
  const { tenths } = appending;
  return [
    `Machine: ${cpu}, ${cores} cores, ${memoryGib} GiB, Node ${node}${machine.pinned ? ', the server on one core' : ''}`,
    '',
    `Documents that are ready, beside a bare Fastify route that sends the same bytes (or 304), one process,`,
    `${plan.connections} connections, ${plan.vehicles} entities; medians of ${plan.rounds} rounds of ${plan.roundMs} ms in turns [min-max]:`,
    ...serving.map(
      ({ name, responseBytes, live, bare, ratio, cpuRatio }) =>
        `  ${name.padEnd(18)} ${bytes(responseBytes).padStart(9)}  ${whole(live)}/s  bare ${whole(bare)}/s  ratio ${times(ratio)}  by CPU time ${times(cpuRatio)}`,
    ),
    '',
    `Appending ${appending.members} members of 10 quads in commits of 250, each synced, every sealed page made in N-Quads, ${appending.fleet} entities; one run:`,
    ...tenths.map(
      ({ members, membersPerSecond, ownBytes, residentBytes }) =>
        `  ${String(members).padStart(9)}  ${String(Math.round(membersPerSecond)).padStart(6)} members/s  ${bytes(ownBytes)} own memory, ${bytes(residentBytes)} with the mapped file`,
    ),
    `  acknowledged to read whole, ms: sealed page ${milliseconds(appending.sealedVisibleMs)}; latest state ${milliseconds(appending.latestVisibleMs)}`,
    '',
  ].join('\n');
}

function whole({ median, min, max }: Spread): string {
  return `${Math.round(median)} [${Math.round(min)}-${Math.round(max)}]`;
}

function times({ median, min, max }: Spread): string {
  return `${median.toFixed(2)} [${min.toFixed(2)}-${max.toFixed(2)}]`;
}

function milliseconds({ median, p99, max, repeats }: Spread & { readonly p99: number }): string {
  return `median ${median.toFixed(1)}, p99 ${p99.toFixed(1)}, longest ${max.toFixed(1)} of ${repeats}`;
}

function bytes(count: number): string {
  return count < 1024 ** 2 ? `${(count / 1024).toFixed(1)} KiB` : `${(count / 1024 ** 2).toFixed(1)} MiB`;
}
