import { measuredExperiment } from '../measured-experiment.ts';
import type { Experiment } from '../old-experiment.ts';
import { packageVersions } from '../package-versions.ts';
import { programVersions } from '../program-versions.ts';
import { fanoutFound } from './fanout-found.ts';
import { fanoutPlan } from './fanout-plan.ts';
import { fanoutSeconds } from './fanout-seconds.ts';
import { measureEntities } from './measure-entities.ts';
import { measureGzip } from './measure-gzip.ts';
import { measurePeers } from './measure-peers.ts';
import { measureSlow } from './measure-slow.ts';
import { measureStop } from './measure-stop.ts';
import { measureStorm } from './measure-storm.ts';
import { measureWorkers } from './measure-workers.ts';

/**
 * The experiment `fanout`: what it costs to send one update to very many, beside other servers that send the same, and what
 * slow, many and returning clients do to it.
 */
export const FANOUT: Experiment = measuredExperiment({
  words: {
    name: 'fanout',
    title: 'What it costs to push one update to very many',
    about:
      'The same event goes to as many clients by several servers in turns, on a fixed schedule; then clients stop reading, are cut all at once, follow one entity each, and have their server stopped.',
  },
  about: 'what an update costs that goes to very many clients, beside other servers',
  measurements: {
    fanout: measurePeers,
    workers: measureWorkers,
    gzip: measureGzip,
    slow: measureSlow,
    storm: measureStorm,
    entities: measureEntities,
    stop: measureStop,
  },
  options: ['clients', 'duration', 'repeat'],
  planOf: fanoutPlan,
  secondsOf: fanoutSeconds,
  foundOf: (results, plan) => ({
    ...fanoutFound(results, plan),
    versions: { ...packageVersions(['@fastify/sse', 'fastify', 'express']), ...programVersions(['nginx']) },
  }),
});
