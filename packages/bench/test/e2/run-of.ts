import type { UsersReport } from '../../src/e2/e2-messages.ts';
import { jobWays } from '../../src/e2/job-way.ts';
import { judgeRun, type WayRun } from '../../src/e2/judge-run.ts';

/** The ways of a full plan, by name. */
const WAYS = jobWays([0.5, 1, 5], [5]);

/** What users tell who noticed jobs so late, of which each was complete at instant 0. */
export function usersReport(delaysMs: readonly number[], more: Partial<UsersReport> = {}): UsersReport {
  return {
    made: delaysMs.map((_, job) => String(job)),
    notices: delaysMs.map((ms, job) => ({ id: String(job), micros: ms * 1000 })),
    sent: delaysMs.length,
    statuses: [],
    receivedBytes: 0,
    sentBytes: 0,
    cpuMicros: 0,
    wallMicros: 1_000_000,
    longestLoopLagMicros: 0,
    ...more,
  };
}

/** The run of a way by what its users tell. */
export function runOf(name: string, users: UsersReport, cpuMicros = 0): WayRun {
  const way = WAYS.find((known) => known.name === name);
  if (!way) throw new Error(`No way is called ${name}`);
  return judgeRun(way, { cpuMicros, completions: users.made.map((id) => ({ id, micros: 0 })) }, users);
}
