import type { Asked, Experiment, ExperimentEdge } from '../experiment.ts';
import { packageVersions } from '../package-versions.ts';
import { makeReport } from '../report/make-report.ts';
import type { Report } from '../report/report.ts';
import { e2Refusal, expectedE2Seconds, planE2, WAY_NAMES } from './e2-plan.ts';
import { findE2 } from './e2-report.ts';
import type { WayRun } from './judge-run.ts';
import { measureWay } from './measure-way.ts';
import { PUBLISHED_SOURCE } from './published-jobs.ts';

const WORDS = {
  name: 'e2',
  title: 'A long-running job: polling against WebSocket',
  source: PUBLISHED_SOURCE,
};

/** The experiment `e2`: how a user learns that a job is complete, and what it costs. */
export const E2: Experiment = {
  name: WORDS.name,
  about: 'how a user learns that a long job is complete: polling, WebSocket, ldes-live',
  measurements: WAY_NAMES,
  options: ['clients', 'duration', 'repeat', 'mal'],
  expectedSeconds: (asked) => expectedE2Seconds(planE2(asked)),
  refusal: e2Refusal,
  run: runE2,
};

async function runE2(asked: Asked, edge: ExperimentEdge): Promise<Report> {
  const startedAtMs = edge.clock();
  const plan = planE2(asked);
  const { users, jobs, longestMs, repeats, ways } = plan;
  const runs: WayRun[] = [];
  for (let repeat = 0; repeat < repeats; repeat += 1) {
    for (const way of ways) {
      const run = await measureWay(way, plan, repeat, asked.seed);
      runs.push(run);
      edge.onProgress(progressLine(way.label, run), runs.length / (repeats * ways.length));
    }
  }
  const about = `${users} users at once, ${jobs} ${jobs === 1 ? 'job' : 'jobs'} each, one after the other; a job is complete after 0 to ${longestMs / 1000} s at random, the same jobs for every way. ${asked.quick ? 'Published were 20 users with 10 jobs of up to 10 s: time is compressed here, intervals are not. ' : ''}Server and users have a core each.`;
  const versions = packageVersions(['express', 'ws']);
  const { warnings, ...found } = findE2(plan, runs);
  const refusal = e2Refusal(asked);
  const refused = refusal === undefined ? [] : [`${refusal} The first one counted.`];
  return makeReport({ ...WORDS, about }, asked, edge, startedAtMs, {
    ...found,
    warnings: [...refused, ...warnings],
    versions,
  });
}

function progressLine(label: string, { jobs, lost, receivedBytes, sentBytes, serverCpuMicros }: WayRun): string {
  const bytes = Math.round((receivedBytes + sentBytes) / jobs);
  return `${label}: ${jobs - lost} of ${jobs} jobs noticed, ${bytes} bytes a job, CPU ${(serverCpuMicros / 1e6).toFixed(2)} s`;
}
