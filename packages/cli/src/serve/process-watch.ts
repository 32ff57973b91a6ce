import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import type { ProcessFacts } from '@ldes-live/server';
import type { ServeEdge } from '../cli-process.ts';

/** Over how long delays of the event loop are taken together, milliseconds. */
export const DELAY_WINDOW_MS = 15_000;

/** How often the event loop is asked how late it is, milliseconds. */
const RESOLUTION_MS = 20;

const NANOSECONDS = 1e9;

/** Tells what this process takes of its machine, until it is closed. */
export interface ProcessWatch {
  readonly facts: () => ProcessFacts;
  close(): void;
}

/**
 * Begins to watch a process, which is this one: its event loop is the one that is watched.
 *
 * @param name - tells it from the other processes of the server
 */
export function watchProcess(
  name: string,
  { memoryUsage, cpuUsage, clock }: Pick<ServeEdge, 'memoryUsage' | 'cpuUsage' | 'clock'>,
): ProcessWatch {
  const startedAtMs = clock();
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delays.enable();
  let loopDelaySeconds: ProcessFacts['loopDelaySeconds'];
  // Windows of their own, so that it does not matter who reads, and how often.
  const window = setInterval(() => {
    loopDelaySeconds = {
      p50: delaySeconds(delays.percentile(50)),
      p99: delaySeconds(delays.percentile(99)),
      longest: delaySeconds(delays.max),
    };
    delays.reset();
  }, DELAY_WINDOW_MS).unref();
  return {
    facts: () => {
      const { rss, heapUsed, external } = memoryUsage();
      const { user, system } = cpuUsage();
      return {
        name,
        startedAtMs,
        residentBytes: rss,
        heapUsedBytes: heapUsed,
        externalBytes: external,
        cpuSeconds: { user: user / 1e6, system: system / 1e6 },
        loopBusySeconds: performance.eventLoopUtilization().active / 1000,
        ...(loopDelaySeconds && { loopDelaySeconds }),
      };
    },
    close: () => {
      clearInterval(window);
      delays.disable();
    },
  };
}

/** What is measured is the time from one question to the next, of which the resolution is no delay. */
function delaySeconds(nanoseconds: number): number {
  return Math.max(0, nanoseconds / NANOSECONDS - RESOLUTION_MS / 1000);
}
