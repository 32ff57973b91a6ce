import type { Experiment } from '../experiment.ts';
import { measuredExperiment } from '../measured-experiment.ts';
import { engineVersions } from './engine-versions.ts';
import { measureEvaluation } from './measure-evaluation.ts';
import { measureStalls } from './measure-stalls.ts';
import { queryFound } from './query-found.ts';
import { queryPlan, querySeconds } from './query-plan.ts';

/** The experiment `query`: what it costs to keep answers of SPARQL queries up to date. */
export const QUERY: Experiment = measuredExperiment({
  words: {
    name: 'query',
    title: 'What it costs to keep answers of SPARQL queries up to date',
    about:
      'A query is answered anew after each commit: from what changed, or as a whole, beside Comunica asked the same again; then a stream is followed by a query that a thread beside evaluates.',
  },
  about: 'what it costs to keep answers of SPARQL queries up to date',
  measurements: { evaluation: measureEvaluation, stalls: measureStalls },
  options: ['duration', 'repeat'],
  planOf: queryPlan,
  secondsOf: querySeconds,
  foundOf: (results, plan) => ({ ...queryFound(results, plan), versions: engineVersions() }),
});
