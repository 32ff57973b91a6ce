import type { Experiment } from '../experiment.ts';
import { measuredExperiment } from '../measured-experiment.ts';
import { packageVersions } from '../package-versions.ts';
import { documentsFound } from './documents-found.ts';
import { documentsPlan, documentsSeconds } from './documents-plan.ts';
import { measureAppending } from './measure-appending.ts';
import { measureServing } from './measure-serving.ts';

/** The experiment `documents`: requests a second of documents that are ready, and members a second of a log on disk. */
export const DOCUMENTS: Experiment = measuredExperiment({
  words: {
    name: 'documents',
    title: 'What documents cost that are ready, and a log on disk',
    about:
      'Documents that are ready are asked for in turns with a bare Fastify route that sends the same bytes; then members are appended to a log on disk, each commit synced, and every page asked for as soon as it is sealed.',
  },
  about: 'requests a second of documents that are ready, members a second of a log on disk',
  measurements: { serving: measureServing, appending: measureAppending },
  options: ['duration', 'repeat'],
  planOf: documentsPlan,
  secondsOf: documentsSeconds,
  foundOf: (results, plan) => ({ ...documentsFound(results, plan), versions: packageVersions(['fastify']) }),
});
