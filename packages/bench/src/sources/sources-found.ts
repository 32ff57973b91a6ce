import { ingestText } from '../ingest/ingest-text.ts';
import type { IngestResult } from '../ingest/measure-ingest.ts';
import type { MqttResult } from '../mqtt/measure-mqtt.ts';
import { mqttText } from '../mqtt/mqtt-text.ts';
import type { Found } from '../report/make-report.ts';
import { preformatted } from '../report/preformatted.ts';
import { mappingText } from './mapping-text.ts';
import type { MappingResult } from './measure-mapping.ts';
import type { SourcesPlan } from './sources-plan.ts';

/** What each measurement found; absent those that were left out. */
interface SourcesResults {
  readonly mapping?: MappingResult;
  readonly mqtt?: MqttResult;
  readonly ingest?: IngestResult;
}

/** What of the report is this experiment's own. */
export function sourcesFound(
  { mapping, mqtt, ingest }: SourcesResults,
  plan: SourcesPlan,
): Omit<Found, 'workload' | 'data'> {
  return {
    repeats: plan.mapping.repeats,
    warnings: (mqtt?.missing ?? []).map((name) => `Not installed, so that MQTT was not measured: ${name}.`),
    sections: [
      ...(mapping ? [preformatted('Mapping a document', mappingText(mapping, plan.mapping))] : []),
      ...(mqtt ? [preformatted('Sensors by MQTT, one run', mqttText(mqtt, plan.mqtt))] : []),
      ...(ingest ? [preformatted('One request of very many members, one run', ingestText(ingest, plan.ingest))] : []),
    ],
    ratios: mapping ? { 'documents/s of a mapping / jsonld.toRDF': mapping.ratio } : {},
    histograms: {},
  };
}
