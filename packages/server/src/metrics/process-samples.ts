import type { MetricsSnapshot, Sample } from './metrics-snapshot.ts';
import type { ProcessFacts } from './process-facts.ts';

/** What a process takes of its machine. */
export function processSamples(facts: ProcessFacts): MetricsSnapshot {
  const { cpuSeconds, loopDelaySeconds } = facts;
  const one = (value: number, more: Sample['labels'] = {}): Sample => ({
    labels: { process: facts.name, ...more },
    value,
  });
  return {
    ldes_live_process_start_time_seconds: [one(facts.startedAtMs / 1000)],
    ldes_live_process_resident_memory_bytes: [one(facts.residentBytes)],
    ldes_live_process_heap_used_bytes: [one(facts.heapUsedBytes)],
    ldes_live_process_external_memory_bytes: [one(facts.externalBytes)],
    ldes_live_process_cpu_seconds_total: [
      one(cpuSeconds.user, { mode: 'user' }),
      one(cpuSeconds.system, { mode: 'system' }),
    ],
    ldes_live_process_event_loop_busy_seconds_total: [one(facts.loopBusySeconds)],
    ...(loopDelaySeconds && {
      ldes_live_process_event_loop_delay_seconds: [
        one(loopDelaySeconds.p50, { quantile: '0.5' }),
        one(loopDelaySeconds.p99, { quantile: '0.99' }),
        one(loopDelaySeconds.longest, { quantile: '1' }),
      ],
    }),
  };
}
