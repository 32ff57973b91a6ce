import { Agent, get } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { LatencyHistogram } from '../load/latency-histogram.ts';
import { monotonicMicros } from '../load/monotonic-micros.ts';

/** What polls found, from their scheduled instants on. */
export interface PollResult {
  readonly polls: number;
  readonly failed: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly longestMs: number;
}

/**
 * Polls a document at fixed instants on kept-alive connections, whether or not the poll before has been answered.
 *
 * @returns ends it, and resolves when all have been answered
 */
export function pollLatest(port: number, path: string, everyMs: number): () => Promise<PollResult> {
  const agent = new Agent({ keepAlive: true });
  const latency = new LatencyHistogram();
  const ending = new AbortController();
  let failed = 0;
  const poll = (dueMicros: number) =>
    new Promise<void>((resolve) => {
      const fail = () => {
        failed += 1;
        resolve();
      };
      const asked = get({ port, host: '127.0.0.1', path, agent }, (response) => {
        response.on('error', fail);
        response.on('end', () => {
          latency.note(monotonicMicros() - dueMicros);
          if (response.statusCode !== 200) failed += 1;
          resolve();
        });
        response.resume();
      });
      asked.on('error', fail);
    });
  const run = async () => {
    const polls: Promise<void>[] = [];
    for (let due = monotonicMicros(); !ending.signal.aborted; due += everyMs * 1000) {
      const waitMs = (due - monotonicMicros()) / 1000;
      if (waitMs > 0) await delay(Math.ceil(waitMs));
      polls.push(poll(due));
    }
    await Promise.all(polls);
  };
  const running = run();
  return async () => {
    ending.abort();
    await running;
    agent.destroy();
    return {
      polls: latency.total,
      failed,
      p50Ms: latency.percentile(0.5) / 1000,
      p99Ms: latency.percentile(0.99) / 1000,
      longestMs: latency.max / 1000,
    };
  };
}
