import type { Experiment } from '../experiment.ts';
import { measuredExperiment } from '../measured-experiment.ts';
import { requiredLdesClientVersion } from './ldes-client.ts';
import { measureReplay } from './measure-replay.ts';
import { replayFound } from './replay-found.ts';
import { replayPlan, replaySeconds } from './replay-plan.ts';

/** The experiment `replay`: how fast a history is read from its beginning, beside another client. */
export const REPLAY: Experiment = measuredExperiment({
  words: {
    name: 'replay',
    title: 'Reading a history from its beginning',
    about:
      "Histories on immutable pages are read to their end by this framework's client and by the public ldes-client, in turns, each in a new process; then the log of a server of ours.",
  },
  about: 'members a second and memory of a client that reads a history, beside ldes-client',
  measurements: { replay: measureReplay },
  options: ['repeat'],
  planOf: replayPlan,
  secondsOf: replaySeconds,
  foundOf: (results, plan) => ({
    ...replayFound(results, plan),
    versions: { 'ldes-client': requiredLdesClientVersion() },
  }),
});
