import type { Draft, LatestView, StreamError } from '@ldes-live/rdf-stream';
import { addCounts } from './add-counts.ts';
import type { DeliveredMessages } from './delivered-messages.ts';
import { judgeDrafts } from './judge-drafts.ts';
import type { MqttMessage } from './mqtt-message.ts';
import { packRounds } from './pack-rounds.ts';
import { type MessageReading, type ReadMessage, readMessage } from './read-message.ts';

/** What became of some messages. */
export interface StoredMessages {
  /** Of their payloads. */
  readonly bytes: number;
  /** What they say, by entities; several versions of one entity count each. */
  readonly entities: number;
  readonly upserts: number;
  readonly deletes: number;
  readonly problems: readonly StreamError[];
  /** What is to be told although nothing went wrong. */
  readonly notice?: StreamError;
  readonly findings: Readonly<Record<string, number>>;
  /** The newest time that they state, epoch milliseconds. */
  readonly newestMs?: number;
}

/** What is needed to have messages stored. */
export interface MessageStoring {
  readonly reading: MessageReading;
  readonly delivered: DeliveredMessages;
  /** Called with messages, in the order in which they came, once they and all before them are stored. */
  readonly acknowledge: (messages: readonly MqttMessage[]) => void;
}

const REPEATED: ReadMessage = { said: [], problems: [], findings: { redelivered: 1 } };

/**
 * Yields what is news in some messages: each batch counts as stored when the next one is asked for, and only then are its
 * messages acknowledged.
 *
 * @see specs/mqtt.md MQTT-5
 */
export async function* storeMessages(
  messages: readonly MqttMessage[],
  { reading, delivered, acknowledge }: MessageStoring,
  latest: LatestView,
): AsyncGenerator<readonly Draft[], StoredMessages, void> {
  const read: ReadMessage[] = [];
  for (const message of messages) {
    read.push(delivered.isRepeated(message) ? REPEATED : await readMessage(message, reading));
  }
  const { rounds, roundsUntilStored } = packRounds(read.map(({ said }) => said));
  const published: Draft[] = [];
  let findings = addCounts(...read.map((each) => each.findings));
  let stored = 0;
  const storedAfter = (round: number) => {
    const unstored = roundsUntilStored.findIndex((last, index) => index >= stored && last > round);
    const end = unstored === -1 ? messages.length : unstored;
    const done = messages.slice(stored, end);
    stored = end;
    for (const message of done) delivered.remember(message);
    acknowledge(done);
  };
  storedAfter(0);
  for (const [index, round] of rounds.entries()) {
    const judged = await judgeDrafts(round, latest);
    findings = addCounts(findings, judged.findings);
    if (judged.drafts.length > 0) yield judged.drafts;
    published.push(...judged.drafts);
    storedAfter(index + 1);
  }
  const deletes = published.filter(({ kind }) => kind === 'delete').length;
  const newestMs = published.reduce((newest, draft) => Math.max(newest, statedMs(draft)), Number.NEGATIVE_INFINITY);
  const notice = reading.watch.tell(messages.at(-1)?.receivedAtMs ?? 0);
  return {
    bytes: messages.reduce((sum, { payload }) => sum + payload.length, 0),
    entities: read.reduce((sum, { said }) => sum + said.length, 0),
    upserts: published.length - deletes,
    deletes,
    problems: read.flatMap(({ problems }) => problems),
    findings,
    ...(notice && { notice }),
    ...(Number.isFinite(newestMs) ? { newestMs } : {}),
  };
}

function statedMs(draft: Draft): number {
  const timeMs = draft.kind === 'upsert' ? Date.parse(draft.versionTime ?? '') : Number.NaN;
  return Number.isNaN(timeMs) ? Number.NEGATIVE_INFINITY : timeMs;
}
