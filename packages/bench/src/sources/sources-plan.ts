import type { Asked } from '../experiment.ts';
import type { IngestSize } from '../ingest/ingest-size.ts';
import type { MqttSize } from '../mqtt/mqtt-size.ts';

/** How large each measurement is. */
export interface SourcesPlan {
  readonly mapping: MappingSize;
  readonly mqtt: MqttSize;
  readonly ingest: IngestSize;
}

export interface MappingSize {
  /** Records of the document, of five properties each. */
  readonly stations: number;
  readonly repeats: number;
}

/** What the figures are measured with. */
const FULL_PLAN: SourcesPlan = {
  mapping: { stations: 500, repeats: 31 },
  mqtt: { sensors: 1000, seconds: 120, brokerRestartSeconds: 40, serverRestartSeconds: 80, settleSeconds: 10 },
  ingest: { members: 1_000_000, entities: 10_000 },
};

/** Enough to see that it works, in some seconds. */
const QUICK_PLAN: SourcesPlan = {
  mapping: { stations: 500, repeats: 3 },
  mqtt: { sensors: 100, seconds: 12, brokerRestartSeconds: 3, serverRestartSeconds: 7, settleSeconds: 2 },
  ingest: { members: 2000, entities: 100 },
};

/** The sizes that were asked for. */
export function sourcesPlan({ quick }: Asked): SourcesPlan {
  return quick ? QUICK_PLAN : FULL_PLAN;
}

/** Members that one request stores, a second. */
const STORED_PER_SECOND = 7000;
/** What a round of mapping takes, seconds. */
const ROUND_SECONDS = 1;

/** About how long the measurements take. */
export function sourcesSeconds({ mapping, mqtt, ingest }: SourcesPlan): Record<keyof SourcesPlan, number> {
  return {
    mapping: 1 + mapping.repeats * ROUND_SECONDS,
    mqtt: 10 + mqtt.seconds + mqtt.settleSeconds,
    ingest: 2 + ingest.members / STORED_PER_SECOND,
  };
}
