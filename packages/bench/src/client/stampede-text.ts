import type { StampedeSize } from './client-plan.ts';
import type { StampedeResult, StampedeRun } from './measure-stampede.ts';

/** How evenly requests came, for a terminal. */
export function stampedeText({ runs, ratio }: StampedeResult, plan: StampedeSize): string[] {
  const { clients, malSeconds, intervalMs, openingMs, durationMs } = plan;
  return [
    '',
    `${clients} polling clients with MAL ${malSeconds} s, begun within ${openingMs} ms, on a stream with an update every ${intervalMs} ms; ${durationMs / 1000} s of a virtual clock, seeds in turn:`,
    ...runs.map(runText),
    `  fullest tenth of a second: ${ratio.median.toFixed(2)} x the mean [${ratio.min.toFixed(2)}-${ratio.max.toFixed(2)}] of ${ratio.repeats} runs; at most 1.5`,
  ];
}

function runText({ requests, peak, mean, ratio, requestsPerUpdate, pushes, misses, delivered, chance }: StampedeRun) {
  return `  ${requests} requests, ${requestsPerUpdate.toFixed(2)} a client and update; in a tenth of a second ${peak} at most, ${mean.toFixed(1)} on average: ${ratio.toFixed(2)} x (by chance ${chance.median.toFixed(2)} [${chance.min.toFixed(2)}-${chance.max.toFixed(2)}]); ${misses} misses of ${delivered}, ${pushes} attempts to push`;
}
