/* What messages say, and how it is stored before they are acknowledged.
 *
 * messages -> mapping -> rounds, each with one version of an entity at most -> what of a round is news -> yield -> stored
 * -> acknowledged, in the order in which messages came. Of the messages
 *
 *   a=1 (id 7), b=1 (id 8), a=2 (id 9)
 *
 * the first round is [a=1, b=1], after which 7 and 8 are acknowledged, and the second [a=2], after which 9 is. */

import { createHash } from 'node:crypto';
import {
  type Draft,
  isNewestState,
  isPublishedState,
  isStreamError,
  type LatestView,
  type StreamError,
} from '@ldes-live/rdf-stream';
import { readInSlices } from '../documents/read-document.ts';
import { errors } from '../errors.ts';
import type { CompiledMapping } from '../mapping/compile.ts';
import type { UnmappedWatch } from '../polling/health.ts';
import type { Change } from '../polling/judge.ts';
import { draftsOf } from '../polling/polled-source.ts';
import { Slices } from '../slices.ts';
import type { MqttMessage } from './connection.ts';
import { matchesFilter } from './packets.ts';

type Counts = Readonly<Record<string, number>>;

/** What became of some messages. */
export interface StoredMessages {
  /** Of their payloads. */
  readonly bytes: number;
  /** What they say, by entities; several versions of one entity count each. */
  readonly entities: number;
  readonly upserts: number;
  readonly deletes: number;
  readonly problems: readonly StreamError[];
  readonly findings: Counts;
  /** The newest time that they state, epoch milliseconds. */
  readonly newestMs: number | undefined;
  /** The topic of the first that was not asked for. */
  readonly unexpectedTopic: string | undefined;
}

/** What is needed to have messages stored. */
export interface MessageStoring {
  readonly origin: string;
  readonly mapping: Pick<CompiledMapping, 'reading' | 'map'>;
  readonly topics: readonly { readonly filter: string }[];
  readonly limitPacketBytes: number;
  /** Whether a message without payload ends the entity of its topic. */
  readonly endsWhenEmpty: boolean;
  /** Takes the fields that the mapping says nothing of. */
  readonly watch: UnmappedWatch;
  /** The messages of this session that have been stored. */
  readonly delivered: DeliveredMessages;
}

/**
 * Which messages of a session have been stored, in case the broker did not learn it and delivers them again: a digest of
 * the last one with each identifier, 65,535 in all (MQTT-7).
 */
export type DeliveredMessages = Map<number, string>;

function digestOf({ topic, payload }: MqttMessage): string {
  return createHash('sha1').update(topic).update('\0').update(payload).digest('base64');
}

/** What a message says of one entity. */
interface Said {
  readonly change: Change;
  /** The message may have come before, or has been kept for long: it may say what is not so any more. */
  readonly isOld: boolean;
}

/** What a message says. */
interface ReadMessage {
  readonly said: readonly Said[];
  /** What of it cannot be published. */
  readonly problems: readonly StreamError[];
  readonly findings: Counts;
}

/**
 * Yields what is news in some messages: each batch counts as stored when the next one is asked for, and only then are
 * its messages acknowledged.
 *
 * @param acknowledge - called with messages, in the order in which they came, once they and all before them are stored
 * @see specs/mqtt.md MQTT-5
 */
export async function* storeMessages(
  messages: readonly MqttMessage[],
  storing: MessageStoring,
  acknowledge: (messages: readonly MqttMessage[]) => void,
  latest: LatestView,
): AsyncGenerator<readonly Draft[], StoredMessages, void> {
  const { delivered } = storing;
  const read: ReadMessage[] = [];
  const slices = new Slices();
  for (const message of messages) {
    if (slices.isOver) await slices.next();
    read.push(await readMessage(message, storing));
  }
  const { rounds, lastRounds } = packRounds(read.map(({ said }) => said));
  const findings = read.map((message) => message.findings);
  const count = { upserts: 0, deletes: 0, newestMs: Number.NEGATIVE_INFINITY };
  let stored = 0;
  const acknowledgeAfter = (round: number) => {
    const first = stored;
    while (stored < messages.length && (lastRounds[stored] as number) <= round) stored += 1;
    const done = messages.slice(first, stored);
    for (const message of done) if (message.messageId) delivered.set(message.messageId, digestOf(message));
    acknowledge(done);
  };
  acknowledgeAfter(0);
  for (const [index, round] of rounds.entries()) {
    const { news, noticed } = await judgeRound(round, latest);
    for (let rest = news; rest.length > 0; ) {
      const drafts = await draftsOf(rest, storing.origin);
      yield drafts;
      rest = rest.slice(drafts.length);
      for (const draft of drafts) {
        if (draft.kind === 'delete') count.deletes += 1;
        else {
          count.upserts += 1;
          const timeMs = Date.parse(draft.versionTime ?? '');
          if (timeMs > count.newestMs) count.newestMs = timeMs;
        }
      }
    }
    findings.push(noticed);
    acknowledgeAfter(index + 1);
  }
  const { upserts, deletes, newestMs } = count;
  return {
    bytes: messages.reduce((sum, { payload }) => sum + payload.length, 0),
    entities: read.reduce((sum, { said }) => sum + said.length, 0),
    upserts,
    deletes,
    problems: read.flatMap(({ problems }) => problems),
    findings: sumCounts(findings),
    newestMs: Number.isFinite(newestMs) ? newestMs : undefined,
    unexpectedTopic: messages[read.findIndex((message) => 'unexpectedTopics' in message.findings)]?.topic,
  };
}

/** Sums counts by their names. */
export function sumCounts(all: readonly Counts[]): Counts {
  const sums = new Map<string, number>();
  for (const counts of all) {
    for (const [name, count] of Object.entries(counts)) sums.set(name, (sums.get(name) ?? 0) + count);
  }
  return Object.fromEntries(sums);
}

/** Reads a message. Never throws: what cannot be read is a problem (MQTT-14). */
async function readMessage(message: MqttMessage, storing: MessageStoring): Promise<ReadMessage> {
  const { topic, payload, dup, messageId, oversizedBytes: bytes } = message;
  const { delivered, limitPacketBytes, topics } = storing;
  const nothing: ReadMessage = { said: [], problems: [], findings: {} };
  const isStored = dup && messageId !== undefined && delivered.get(messageId) === digestOf(message);
  if (isStored) return { ...nothing, findings: { redelivered: 1 } };
  if (!topics.some(({ filter }) => matchesFilter(filter, topic)))
    return { ...nothing, findings: { unexpectedTopics: 1 } };
  if (bytes !== undefined) {
    return { ...nothing, problems: [errors.ERR_MQTT_MESSAGE_TOO_LARGE({ topic, bytes, limitPacketBytes })] };
  }
  try {
    return payload.length === 0 ? await readEmpty(topic, storing) : await readPayload(message, storing);
  } catch (thrown) {
    return { ...nothing, problems: [ofTopic(topic, thrown)] };
  }
}

async function readPayload(message: MqttMessage, { mapping, watch }: MessageStoring): Promise<ReadMessage> {
  const { topic, payload, receivedAtMs, dup, retain } = message;
  const document = await readInSlices(payload, mapping.reading);
  const mapped = await mapping.map({ document, topic: topic.split('/') });
  const isOld = dup || retain;
  const unmapped = watch.mayLook(receivedAtMs) ? watch.note(await mapped.unmapped()) : 0;
  return {
    said: mapped.entities.map((change) => ({ change, isOld })),
    problems: mapped.problems.map((problem) => ofTopic(topic, problem)),
    findings: { ...mapped.findings, ...(mapped.records === 0 && { withoutRecords: 1 }), ...(unmapped && { unmapped }) },
  };
}

// What is named although nothing is said is named by the topic.
async function readEmpty(topic: string, { mapping, origin, endsWhenEmpty }: MessageStoring): Promise<ReadMessage> {
  const counted = { problems: [], findings: { emptyMessages: 1 } };
  if (!endsWhenEmpty) return { ...counted, said: [] };
  const document = mapping.reading.format === 'csv' || mapping.reading.format === 'ndjson' ? [{}] : {};
  const mapped = await mapping.map({ document, topic: topic.split('/') });
  const named = new Set([...mapped.entities.map(({ entity }) => entity), ...mapped.unreadableEntities]);
  return {
    ...counted,
    said: [...named].map((entity) => ({ change: { kind: 'delete', entity, origin }, isOld: false })),
  };
}

function ofTopic(topic: string, thrown: unknown): StreamError {
  const isNamed = isStreamError(thrown);
  const code = isNamed ? thrown.code : 'ERR_FEED_UNEXPECTED';
  const reason = isNamed ? thrown.message : `unexpectedly (${String(thrown).slice(0, 200)}).`;
  return errors.ERR_MQTT_MESSAGE({ topic, code, reason }, thrown);
}

/**
 * Packs what messages say into as few commits as can be: each has at most one change of an entity, and of a version of
 * its own IRI; several versions of one entity come in successive rounds, in the order of their messages. Pure.
 *
 * @returns for each message too the number of rounds after which all of it is stored; 0 when it says nothing
 * @see specs/mqtt.md MQTT-5
 */
function packRounds(messages: readonly (readonly Said[])[]) {
  const rounds: Said[][] = [];
  const nextRound = new Map<string, number>();
  const lastRounds = messages.map((items) => {
    let last = 0;
    for (const item of items) {
      const { entity, id } = item.change;
      // A version's IRI and an entity's may be the same text; they are told apart.
      const names = id === undefined ? [`entity ${entity}`] : [`entity ${entity}`, `version ${id}`];
      const round = Math.max(...names.map((name) => nextRound.get(name) ?? 0));
      for (const name of names) nextRound.set(name, round + 1);
      if (round === rounds.length) rounds.push([]);
      (rounds[round] as Said[]).push(item);
      last = Math.max(last, round + 1);
    }
    return last;
  });
  return { rounds, lastRounds };
}

/** What of a round is news to the latest state; what was left out and why, and what was noticed, by name (MQTT-7). */
async function judgeRound(round: readonly Said[], latest: LatestView) {
  const held = await latest.hasVersions(round.flatMap(({ change }) => change.id ?? []));
  const noticed: Record<string, number> = {};
  const news = round.flatMap((item) => {
    const verdict = judge(item, latest, held);
    if (verdict !== 'news') noticed[verdict] = (noticed[verdict] ?? 0) + 1;
    return verdict === 'news' || verdict === 'versionTimesBack' ? [item.change] : [];
  });
  return { news, noticed };
}

type Verdict = 'news' | 'versionTimesBack' | 'repeated' | 'unchanged' | 'outdated' | 'unknownEnds';

function judge({ change, isOld }: Said, latest: LatestView, held: ReadonlySet<string>): Verdict {
  const before = latest.get(change.entity);
  if ('kind' in change) return before?.origin === change.origin ? 'news' : 'unknownEnds';
  if (change.id !== undefined) return held.has(change.id) ? 'repeated' : 'news';
  if (isPublishedState(change, before)) return 'unchanged';
  if (isNewestState({ kind: 'upsert', versionTime: change.versionTime }, before)) return 'news';
  return isOld ? 'outdated' : 'versionTimesBack';
}
