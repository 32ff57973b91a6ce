import { createHash } from 'node:crypto';
import { isStreamError, type LatestView, type StreamError } from '@ldes-live/rdf-stream';
import { errors } from './errors.ts';
import { printableUrl } from './feed-url.ts';
import { type HttpGetLimits, httpGet } from './http-get.ts';
import {
  EMPTY_RECORD,
  type FeedRecord,
  type Judgement,
  type JudgeOptions,
  judgeSnapshot,
  recordUnchanged,
} from './judge-snapshot.ts';
import type { Snapshot } from './snapshot.ts';
import type { SourceEdge } from './source-edge.ts';
import type { Validators } from './validators.ts';

/** A feed that is polled, and how its bodies are read. */
export interface PolledFeed extends JudgeOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly limits: HttpGetLimits;
  /** Reads a body, decompressed; what it throws is the error of that poll. */
  readonly read: (bytes: Uint8Array) => Snapshot;
}

/** What one poll leaves to the next. */
export interface PollMemory {
  /** Of the body that was last taken, while polls have been good since. */
  readonly validators?: Validators;
  /** The body that was last taken: whole, so that the same or a part of it is recognised. */
  readonly taken?: Uint8Array;
  /** What that body said. */
  readonly said?: Pick<Snapshot, 'drafts' | 'findings'>;
  readonly record: FeedRecord;
}

/** The memory before the first poll. */
export const EMPTY_MEMORY: PollMemory = { record: EMPTY_RECORD };

/** What came of one poll. */
export type PollOutcome =
  | { readonly kind: 'unchanged'; readonly by: 'status' | 'bytes'; readonly memory: PollMemory }
  | { readonly kind: 'failed' | 'heldBack'; readonly error: StreamError; readonly memory: PollMemory }
  | TakenPoll;

/** A poll that counts. */
interface TakenPoll extends Pick<Judgement & { kind: 'taken' }, 'drafts' | 'deletes'> {
  readonly kind: 'taken';
  readonly bytes: number;
  readonly entities: number;
  readonly findings: Readonly<Record<string, number>>;
  /** For once the drafts have been appended. */
  readonly memory: PollMemory;
}

/**
 * Polls a feed once: gets it, reads it, judges it. Whatever goes wrong is an outcome.
 *
 * @param signal - ends it; the outcome is then of no meaning
 * @see specs/gtfs-realtime.md GTFS-32
 */
export async function pollFeed(
  feed: PolledFeed,
  memory: PollMemory,
  latest: LatestView,
  edge: SourceEdge,
  signal: AbortSignal,
): Promise<PollOutcome> {
  try {
    const answer = await httpGet({ ...feed, validators: memory.validators }, edge, signal);
    const record = recordUnchanged(memory.record);
    if (answer.kind === 'unchanged') return unchanged('status', { ...memory, record }, latest);
    const { bytes, validators } = answer;
    const held = { taken: bytes, ...(validators ? { validators } : {}) };
    if (memory.taken && Buffer.compare(bytes, memory.taken) === 0) {
      return unchanged('bytes', { ...memory, ...held, record }, latest);
    }
    const snapshot = feed.read(bytes);
    if (snapshot.headerTimeMs !== undefined && isStartOf(bytes, memory.taken)) {
      const reason = 'the body taken last goes on from there';
      throw errors.ERR_FEED_CUT({ url: printableUrl(new URL(feed.url)), received: bytes.length, reason });
    }
    const bodyHash = createHash('sha256').update(bytes).digest('base64');
    const judgement = judgeSnapshot(memory.record, snapshot, { bodyHash, nowMs: edge.clock() }, latest, feed);
    if (judgement.kind === 'heldBack') {
      return { ...judgement, memory: unconditional({ ...memory, record: judgement.record }) };
    }
    const { drafts, deletes, versionTimesBack } = judgement;
    const findings = { ...snapshot.findings, ...(versionTimesBack === 0 ? {} : { versionTimesBack }) };
    return {
      kind: 'taken',
      drafts,
      deletes,
      bytes: bytes.length,
      entities: snapshot.drafts.length,
      findings,
      memory: { ...held, said: { drafts: snapshot.drafts, findings }, record: judgement.record },
    };
  } catch (thrown) {
    return { kind: 'failed', error: named(thrown), memory: unconditional(memory) };
  }
}

// What the feed says has not changed, yet an entity of it may have ended: when another feed of the stream described
// it too, and then no more.
function unchanged(by: 'status' | 'bytes', memory: PollMemory, latest: LatestView): PollOutcome {
  const { drafts = [], findings = {} } = memory.said ?? {};
  const ended = new Map(drafts.flatMap((draft) => (latest.get(draft.entity) ? [] : [[draft.entity, draft]])));
  if (ended.size === 0) return { kind: 'unchanged', by, memory };
  const bytes = memory.taken?.length ?? 0;
  return { kind: 'taken', drafts: [...ended.values()], deletes: 0, bytes, entities: drafts.length, findings, memory };
}

// After a body that was not taken, the next request must bring a whole one: a server that gives good and
// bad bodies the same validators would otherwise answer 304 for ever.
function unconditional({ validators: _, ...memory }: PollMemory): PollMemory {
  return memory;
}

// A feed cut between two entities is a feed. Where it states a time, though, it cannot say less at the same
// time than before; where it states none, it may just have lost its last entities.
function isStartOf(bytes: Uint8Array, taken: Uint8Array | undefined): boolean {
  return (
    taken !== undefined && bytes.length < taken.length && Buffer.compare(bytes, taken.subarray(0, bytes.length)) === 0
  );
}

/** An error as it is, or, where it has no code, as the cause of one that has. */
export function named(thrown: unknown): StreamError {
  if (isStreamError(thrown)) return thrown;
  const reason = thrown instanceof Error ? thrown.name : typeof thrown;
  return errors.ERR_FEED_UNEXPECTED({ reason }, thrown);
}
