import { measuredExperiment } from '../measured-experiment.ts';
import type { Experiment } from '../old-experiment.ts';
import { packageVersions } from '../package-versions.ts';
import { programVersions } from '../program-versions.ts';
import { e3Found } from './e3-found.ts';
import { e3Plan, e3Seconds } from './e3-plan.ts';
import { e3Workload } from './e3-workload.ts';
import { measureBrowser } from './measure-browser.ts';
import { measureFixed } from './measure-fixed.ts';
import { measureMost } from './measure-most.ts';

/** The experiment `e3`: rows to a consumer by SSE and by WebSocket. */
export const E3: Experiment = measuredExperiment({
  words: {
    name: 'e3',
    title: 'Streaming rows to a consumer: SSE against WebSocket',
    about:
      'Rows of 12 fields go to many connections by WebSocket, by plain server-sent events and by the push endpoint of ldes-live, to a consumer in Node.js and to pages in Chromium: growing batches, growing connections, and CPU at 100,000 rows a second.',
    source: 'https://www.timeplus.com/post/websocket-vs-sse',
  },
  about: 'rows to a consumer in Node.js and in a browser: SSE against WebSocket',
  measurements: { batch: measureMost, connections: measureMost, fixed: measureFixed, browser: measureBrowser },
  options: ['clients', 'duration', 'repeat'],
  planOf: e3Plan,
  secondsOf: e3Seconds,
  workloadOf: e3Workload,
  foundOf: (results, plan) => ({
    ...e3Found(results, plan),
    versions: { ...packageVersions(['ws']), ...programVersions(['Chromium']) },
  }),
});
