import type { Experiment } from '../old-experiment.ts';
import { packageVersions } from '../package-versions.ts';
import { programVersions } from '../program-versions.ts';
import { makeReport } from '../report/make-report.ts';
import { e1Plan } from './e1-plan.ts';
import { e1Found } from './e1-report.ts';
import { e1Seconds } from './e1-seconds.ts';
import { ARTICLE } from './published.ts';
import { runE1 } from './run-e1.ts';
import { E1_MEASUREMENTS } from './ways.ts';

const WORDS = {
  name: 'e1',
  title: 'Polling against Server-Sent Events',
  about:
    'One JSON object, new every few seconds, to clients that poll it or that it is pushed to: how late they have it, what that costs, and where pulling and pushing cross.',
  source: ARTICLE,
};

/** The experiment `e1`: polling against Server-Sent Events for live open data, after Van de Vyvere, Colpaert and Verborgh. */
export const E1: Experiment = {
  name: WORDS.name,
  about: 'polling, straight and through caches, against SSE: latency, CPU, memory, crossing',
  measurements: E1_MEASUREMENTS,
  options: ['clients', 'duration', 'repeat', 'mal'],
  expectedSeconds: e1Seconds,
  run: async (asked, edge) => {
    const startedAtMs = edge.clock();
    const data = await runE1(e1Plan(asked), asked, edge);
    const versions = {
      ...packageVersions(['express', 'fastify', '@fastify/sse']),
      ...programVersions(['nginx', 'Varnish']),
    };
    return makeReport(WORDS, asked, edge, startedAtMs, { ...e1Found(data), versions });
  },
};
