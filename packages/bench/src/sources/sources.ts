import type { Experiment } from '../experiment.ts';
import { measureIngest } from '../ingest/measure-ingest.ts';
import { measuredExperiment } from '../measured-experiment.ts';
import { measureMqtt } from '../mqtt/measure-mqtt.ts';
import { packageVersions } from '../package-versions.ts';
import { measureMapping } from './measure-mapping.ts';
import { sourcesFound } from './sources-found.ts';
import { sourcesPlan, sourcesSeconds } from './sources-plan.ts';

/** The experiment `sources`: what it costs to take live data in. */
export const SOURCES: Experiment = measuredExperiment({
  words: {
    name: 'sources',
    title: 'What it costs to take live data in',
    about:
      'A document is mapped to RDF, beside jsonld.toRDF; sensors send by MQTT through restarts of the broker and of the server; and one request posts very many members.',
  },
  about: 'what it costs to take live data in: mappings, MQTT, what is posted',
  measurements: { mapping: measureMapping, mqtt: measureMqtt, ingest: measureIngest },
  planOf: sourcesPlan,
  secondsOf: sourcesSeconds,
  foundOf: (results, plan) => ({ ...sourcesFound(results, plan), versions: packageVersions(['jsonld']) }),
});
