import { constants, gunzipSync } from 'node:zlib';
import { parseFilter, type SourceState } from '@ldes-live/rdf-stream';
import { streamUrls } from '../src/documents/document.ts';
import { RepeatedLines } from '../src/logging.ts';
import { type PushOptions, pushSettings } from '../src/options.ts';
import { CommitEncoder, EncodedCommits, ReplayMemory } from '../src/push/encoded-commits.ts';
import { Snapshots } from '../src/push/snapshots.ts';
import { StreamPush } from '../src/push/stream-push.ts';
import type { Subscriber } from '../src/push/subscriber.ts';
import type { PushEncoding } from '../src/push/wire.ts';
import { HeldLine } from './held-line.ts';
import { keptLines } from './kept-lines.ts';
import { testServer } from './test-server.ts';

/** An event as a reader got it, with the sequence numbers of its members. */
export interface Got {
  readonly event: string;
  readonly id: string;
  readonly data: string;
  readonly sequences: readonly number[];
}

/** How a line of a broadcast is opened. */
export interface LineOptions {
  readonly encoding?: PushEncoding;
  readonly isChunked?: boolean;
  /** After this sequence number; the head when absent. */
  readonly after?: number;
  readonly isState?: boolean;
  readonly query?: string;
  readonly endsAtMs?: number;
  readonly isLate?: boolean;
}

/** What is on a line, as its reader gets it. */
export interface OpenLine {
  readonly line: HeldLine;
  readonly subscriber: Subscriber;
  /** Sequence number after which it began. */
  readonly after: number;
  content(): string;
  events(): Got[];
}

/** A broadcast over a log in memory, to lines that tests hold and release, by a clock that they set. */
export async function broadcasting(options: PushOptions = {}) {
  const server = await testServer();
  const { log, description } = server;
  const settings = pushSettings(options);
  const encoder = new CommitEncoder(log, { description, prefixes: {} });
  const commits = new EncodedCommits(log, encoder, settings.limitFrameBytes);
  const time = { nowMs: 1 };
  const { lines, logger } = keptLines();
  let state: SourceState = { kind: 'ok' };
  const listeners = new Set<() => void>();
  const replays = new ReplayMemory(settings.limitReplayBytes);
  const push = new StreamPush({
    commits,
    snapshots: new Snapshots(log, encoder),
    urls: streamUrls(description),
    settings,
    clock: () => time.nowMs,
    logger,
    lines: new RepeatedLines(logger, () => time.nowMs),
    stream: description.name,
    replays,
    sources: {
      sourceState: () => state,
      onSourceState: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
  });
  const turnSources = (next: SourceState) => {
    state = next;
    for (const listener of listeners) listener();
  };
  const faults = () => lines.filter(({ level }) => level === 'error').map(({ err }) => err);
  const open = (how: LineOptions = {}): OpenLine => {
    const { encoding = 'identity', isChunked = false, isState = false, query = '', endsAtMs = 1e12 } = how;
    const after = isState ? 0 : (how.after ?? commits.head.sequence);
    const line = new HeldLine(how.isLate);
    const filter = parseFilter(new URLSearchParams(query), 100);
    const subscriber = push.open({
      socket: line,
      isChunked,
      header: Buffer.alloc(0),
      encoding,
      filter,
      position: { after, isState },
      retryMs: 1000,
      endsAtMs,
      onClose: () => undefined,
    });
    const content = () => bodyOf(line.taken, subscriber.wire).toString();
    return {
      line,
      subscriber,
      after,
      content,
      events: () => eventsOf(content()),
    };
  };
  return { ...server, settings, commits, replays, time, lines, listeners, faults, turnSources, push, open };
}

/** How long what goes on by itself may take, milliseconds: compression is done by threads that wait for a core. */
const LIMIT_SETTLING_MS = 20_000;

/** Lets everything go on that waits for nothing but its turn, compression on other threads included. */
export async function settled(push: StreamPush, isDone: () => boolean): Promise<void> {
  const beginMs = performance.now();
  for (let turns = 1; !isDone(); turns += 1) {
    // Some that take no time, then one that leaves the core to others.
    await new Promise((resolve) => (turns % 100 === 0 ? setTimeout(resolve, 1) : setImmediate(resolve)));
    if (performance.now() - beginMs < LIMIT_SETTLING_MS) continue;
    throw new Error(`It does not settle: ${push.size} connections.`);
  }
}

/** The events in the text of a stream, which may break off; an id without data is an event `id`. */
export function eventsOf(content: string): Got[] {
  const events: Got[] = [];
  let id = '';
  for (const block of content.split('\n\n').slice(0, -1)) {
    const fields = new Map(block.split('\n').map((line) => line.split(/: (.*)/s).slice(0, 2) as [string, string]));
    id = fields.get('id') ?? id;
    const data = fields.get('data');
    if (data === undefined && !fields.has('id')) continue;
    const sequences = [...(data ?? '').matchAll(/(?:live:|#)sequence":(\d+)/g)].map(([, number]) => Number(number));
    events.push({ event: data === undefined ? 'id' : (fields.get('event') ?? ''), id, data: data ?? '', sequences });
  }
  return events;
}

/** What the body of a response says, as far as it goes. */
export function bodyOf(
  taken: Buffer,
  { encoding, chunked }: { readonly encoding: PushEncoding; readonly chunked: boolean },
): Buffer {
  const body = chunked ? unchunked(taken) : taken;
  return encoding === 'gzip' ? gunzipSync(body, { finishFlush: constants.Z_SYNC_FLUSH }) : body;
}

function unchunked(taken: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < taken.length; ) {
    const lineEnd = taken.indexOf('\r\n', at);
    const size = Number.parseInt(taken.toString('latin1', at, lineEnd), 16);
    if (!(size >= 0)) throw new Error(`No chunk begins with ${taken.toString('latin1', at, at + 20)}.`);
    const start = lineEnd + 2;
    parts.push(taken.subarray(start, start + size));
    at = start + size + 2;
    if (at <= taken.length && taken.toString('latin1', at - 2, at) !== '\r\n') throw new Error('A chunk has no end.');
  }
  return Buffer.concat(parts);
}
