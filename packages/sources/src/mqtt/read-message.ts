import { isStreamError, type StreamError } from '@ldes-live/rdf-stream';
import { readDocument } from '../documents/read-document.ts';
import { errors } from '../errors.ts';
import type { UnmappedWatch } from '../polling/health.ts';
import type { SaidDraft } from './judge-drafts.ts';
import type { MqttMessage } from './mqtt-message.ts';
import type { MqttPlan } from './mqtt-plan.ts';
import { matchesFilter } from './topic-filter.ts';

/** What a message says. */
export interface ReadMessage {
  readonly said: readonly SaidDraft[];
  /** What of it cannot be published. */
  readonly problems: readonly StreamError[];
  readonly findings: Readonly<Record<string, number>>;
}

/** How messages are read. */
export interface MessageReading extends Pick<MqttPlan, 'origin' | 'mapping' | 'session' | 'endsWhenEmpty'> {
  /** Takes the fields that the mapping says nothing of. */
  readonly watch: UnmappedWatch;
}

const NOTHING: ReadMessage = { said: [], problems: [], findings: {} };

/**
 * Reads a message. Never throws: what cannot be read is a problem.
 *
 * @see specs/mqtt.md MQTT-14
 */
export async function readMessage(message: MqttMessage, reading: MessageReading): Promise<ReadMessage> {
  const { topic, oversizedBytes: bytes } = message;
  const { limitPacketBytes } = reading.session;
  if (!isAskedFor(topic, reading)) return { ...NOTHING, findings: { unexpectedTopics: 1 } };
  if (bytes !== undefined) {
    return { ...NOTHING, problems: [errors.ERR_MQTT_MESSAGE_TOO_LARGE({ topic, bytes, limitPacketBytes })] };
  }
  try {
    return message.payload.length === 0 ? await readEmpty(topic, reading) : await readPayload(message, reading);
  } catch (thrown) {
    return { ...NOTHING, problems: [ofTopic(topic, thrown)] };
  }
}

/** Whether a topic is one of those that are followed. */
export function isAskedFor(topic: string, { session }: Pick<MqttPlan, 'session'>): boolean {
  return session.topics.some(({ filter }) => matchesFilter(filter, topic));
}

async function readPayload(message: MqttMessage, { mapping, origin, watch }: MessageReading): Promise<ReadMessage> {
  const { topic, payload, receivedAtMs, isRepeated, isRetained } = message;
  const document = readDocument(payload, mapping.reading);
  const mapped = await mapping.map({ document, origin, topic: topic.split('/') });
  const isOld = isRepeated || isRetained;
  const unmapped = watch.mayLook(receivedAtMs) ? watch.note(await mapped.unmapped()) : 0;
  const withoutRecords = mapped.records === 0 ? { withoutRecords: 1 } : {};
  return {
    said: mapped.drafts.map((draft) => ({ draft, isOld })),
    problems: mapped.problems.map((problem) => ofTopic(topic, problem)),
    findings: { ...mapped.findings, ...withoutRecords, ...(unmapped > 0 && { unmapped }) },
  };
}

// What is named although nothing is said is named by the topic.
async function readEmpty(topic: string, { mapping, origin, endsWhenEmpty }: MessageReading): Promise<ReadMessage> {
  const findings = { emptyMessages: 1 };
  if (!endsWhenEmpty) return { ...NOTHING, findings };
  const document = mapping.reading.format === 'csv' || mapping.reading.format === 'ndjson' ? [{}] : {};
  const mapped = await mapping.map({ document, origin, topic: topic.split('/') });
  const named = new Set([...mapped.drafts.map(({ entity }) => entity), ...mapped.unreadableEntities]);
  const said = [...named].map((entity): SaidDraft => ({ draft: { kind: 'delete', entity, origin }, isOld: false }));
  return { ...NOTHING, said, findings };
}

function ofTopic(topic: string, thrown: unknown): StreamError {
  const isNamed = isStreamError(thrown);
  const code = isNamed ? thrown.code : 'ERR_FEED_UNEXPECTED';
  const reason = isNamed ? thrown.message : `for a reason that nobody foresaw (${String(thrown).slice(0, 200)}).`;
  return errors.ERR_MQTT_MESSAGE({ topic, code, reason }, thrown);
}
