import type { Experiment } from '../experiment.ts';
import { measuredExperiment } from '../measured-experiment.ts';
import { programVersions } from '../program-versions.ts';
import { clientFound } from './client-found.ts';
import { clientPlan, clientSeconds } from './client-plan.ts';
import { measureMal } from './measure-mal.ts';
import { measurePromise } from './measure-promise.ts';
import { measureSlowReader } from './measure-slow-reader.ts';
import { measureStampede } from './measure-stampede.ts';

/** The experiment `client`: whether clients keep their MALs, what that costs, and how they read what is fast. */
export const CLIENT: Experiment = measuredExperiment({
  words: {
    name: 'client',
    title: 'Whether clients keep their MALs, and what that costs',
    about:
      'Clients with many MALs follow streams of many kinds, straight and through caches; very many poll at once; one reads slowly what is published fast; and the demonstration is followed at several MALs.',
  },
  about: 'whether clients keep their MALs, what that costs, and how they read what is fast',
  measurements: { promise: measurePromise, stampede: measureStampede, slow: measureSlowReader, mal: measureMal },
  planOf: clientPlan,
  secondsOf: clientSeconds,
  foundOf: (results, plan) => ({ ...clientFound(results, plan), versions: programVersions(['nginx', 'Varnish']) }),
});
