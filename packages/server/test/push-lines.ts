/* A stand in which a stream is pushed to lines that tests hold and release, and what is expected of each reader. */
import { Writable } from 'node:stream';
import { constants, gunzipSync } from 'node:zlib';
import { type Cursor, type Member, parseFilter, type SourceState } from '@ldes-live/rdf-stream';
import { expect } from 'vitest';
import { streamUrls } from '../src/documents/document.ts';
import { MemberTexts } from '../src/documents/member-texts.ts';
import { RepeatedLines } from '../src/logging.ts';
import { type PushOptions, pushSettings } from '../src/options.ts';
import { EncodedCommits } from '../src/push/encoded-commits.ts';
import { ReplayMemory } from '../src/push/replay-memory.ts';
import { type SnapshotSource, Snapshots } from '../src/push/snapshots.ts';
import { StreamPush } from '../src/push/stream-push.ts';
import type { Subscriber } from '../src/push/subscriber.ts';
import type { PushEncoding } from '../src/push/wire.ts';
import { keptLines } from './kept-lines.ts';
import { EPOCH, entityOf, testServer, upsert } from './test-server.ts';

/** A line to a reader who can stop to take what is written to it, as a socket is whose peer reads no more. */
class HeldLine extends Writable {
  /** What was written and taken, write by write. */
  readonly writes: Buffer[] = [];
  #take: (() => void) | undefined;
  #isHeld = false;
  readonly #isLate: boolean;
  readonly #holdsAfter: number;

  constructor({ isLate = false, holdsAfter = Number.POSITIVE_INFINITY }: LineOptions) {
    super({ autoDestroy: true });
    this.#isLate = isLate;
    this.#holdsAfter = holdsAfter;
    this.on('error', () => {});
  }

  /** Takes nothing from now on. */
  hold(): void {
    this.#isHeld = true;
  }

  /** Takes all that was written, and what comes. */
  release(): void {
    this.#isHeld = false;
    this.#take?.();
  }

  get taken(): Buffer {
    return Buffer.concat(this.writes);
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    const take = () => {
      this.#take = undefined;
      this.writes.push(chunk);
      if (this.writes.length === this.#holdsAfter) this.hold();
      if (this.#isLate) setImmediate(done);
      else done();
    };
    if (this.#isHeld) this.#take = take;
    else take();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#take = undefined;
    done(error);
  }
}

/** An event as a reader got it, with the sequence numbers of its members. */
export interface Got {
  readonly event: string;
  readonly id: string;
  readonly data: string;
  readonly sequences: readonly number[];
}

/** How a line is opened. */
export interface LineOptions {
  readonly encoding?: PushEncoding;
  readonly isChunked?: boolean;
  /** After this sequence number; the head when absent. */
  readonly after?: number;
  readonly isState?: boolean;
  /** What its reader asked for, where that is not here: it begins at the head with a gap. */
  readonly gapFrom?: Cursor;
  readonly query?: string;
  readonly endsAtMs?: number;
  /** Whether it says only later that it has taken something, as the streams of HTTP/2 do. */
  readonly isLate?: boolean;
  /** After how many writes it takes nothing more. */
  readonly holdsAfter?: number;
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

/** A stream over a log in memory that is pushed to lines, by a clock that tests set. */
export type PushWorld = Awaited<ReturnType<typeof broadcasting>>;

/** @param from - what takes the place of the log's own commits and snapshots */
export async function broadcasting(
  options: PushOptions = {},
  from: { readonly commits?: EncodedCommits; readonly snapshots?: SnapshotSource } = {},
) {
  const server = await testServer();
  const { log, description } = server;
  const settings = pushSettings(options);
  const texts = new MemberTexts(log, { description, prefixes: {} });
  const commits = from.commits ?? new EncodedCommits(log, texts, settings.limitFrameBytes);
  const time = { nowMs: 1 };
  const { lines, logger } = keptLines();
  let state: SourceState = { kind: 'ok' };
  const listeners = new Set<() => void>();
  const replays = new ReplayMemory(settings.limitReplayBytes, () => time.nowMs);
  const push = new StreamPush({
    commits,
    snapshots: from.snapshots ?? new Snapshots(log, texts),
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
    const { encoding = 'identity', isChunked = false, isState = false, gapFrom, query = '', endsAtMs = 1e12 } = how;
    const after = isState ? 0 : (how.after ?? commits.head.sequence);
    const line = new HeldLine(how);
    const filter = parseFilter(new URLSearchParams(query), 100);
    const position = { after, isState, ...(gapFrom && { gapFrom }) };
    const header = Buffer.alloc(0);
    const rest = { header, encoding, filter, position, retryMs: 1000, endsAtMs, onClose: () => undefined };
    const subscriber = push.open({ socket: line, isChunked, ...rest });
    const content = () => bodyOf(line.taken, subscriber.wire).toString();
    return { line, subscriber, after, content, events: () => eventsOf(content()) };
  };
  /** Lets time pass, and all be done that is due then. */
  const beat = async (passedMs: number) => {
    time.nowMs += passedMs;
    push.tick();
    await turns();
  };
  const until = (isDone: () => boolean) => settled(push, isDone);
  const arrived = (readers: readonly OpenLine[], sequence: number) =>
    until(() => readers.every((reader) => reader.events().at(-1)?.id === `${EPOCH}-${sequence}`));
  return { ...server, commits, replays, time, lines, listeners, faults, turnSources, push, open, beat, until, arrived };
}

/** Lets others have so many turns. */
export async function turns(count = 20): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** A live line that has not taken what was written to it. */
export async function heldUp(world: PushWorld, how: LineOptions = {}, text = '1'): Promise<OpenLine> {
  const reader = world.open(how);
  reader.line.hold();
  await world.log.append([upsert(1, 1, text)]);
  await world.until(() => reader.line.writableLength > 0);
  return reader;
}

/** The query for what one entity does. */
export const following = (entity: number): string => `entity=${encodeURIComponent(entityOf(entity))}`;

/** The comments that a reader got. */
export const commentsOf = (line: OpenLine): number => line.content().match(/^: ?$/gm)?.length ?? 0;

/** How long what goes on by itself may take, milliseconds: compression is done by threads that wait for a core. */
const LIMIT_SETTLING_MS = 20_000;

/** Lets everything go on that waits for nothing but its turn, compression on other threads included. */
async function settled(push: StreamPush, isDone: () => boolean): Promise<void> {
  const beginMs = performance.now();
  for (let turn = 1; !isDone(); turn += 1) {
    // Some that take no time, then one that leaves the core to others.
    await new Promise((resolve) => (turn % 100 === 0 ? setTimeout(resolve, 1) : setImmediate(resolve)));
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

/** What readers are checked against. */
type Read = Pick<PushWorld, 'log'>;

/** Expects each of some readers to have its history up to a position; of one entity only, where that is given. */
export async function expectHistories(
  { log }: Read,
  readers: readonly Pick<OpenLine, 'after' | 'events'>[],
  to: number,
  entity?: number,
): Promise<void> {
  const members = await membersOf(log);
  for (const { events, after } of readers) expect(expectHistory(events(), after, members, entity)).toBe(to);
}

export async function membersOf(log: Read['log']): Promise<Member[]> {
  const members: Member[] = [];
  while (members.length < log.head.cursor.sequence) members.push(...(await log.read(members.length, 500)));
  return members;
}

/**
 * Expects what a reader got to be each commit after its beginning, once and in order, or a correct conflation of some.
 *
 * @param after - sequence number after which it began
 * @param entity - the only one that it wants
 * @returns the sequence number up to which it has everything
 */
export function expectHistory(got: readonly Got[], after: number, members: readonly Member[], entity?: number): number {
  const sequenceOf = (id: string) => {
    expect(id.startsWith(`${EPOCH}-`), id).toBe(true);
    return Number(id.slice(EPOCH.length + 1));
  };
  const sequences = (some: readonly Member[]) =>
    some.filter((member) => entity === undefined || member.entity === entityOf(entity)).map(({ sequence }) => sequence);
  // The end of the commit that a member is in: all of it has one time.
  const endOf = (sequence: number) => {
    const { time } = members[sequence - 1] as Member;
    let last = sequence;
    while (members[last]?.time === time) last += 1;
    return last;
  };
  let position = after;
  let id = '';
  // What does not concern a reader is behind it without a word.
  const skipTo = (to: number) => {
    expect(to).toBeGreaterThanOrEqual(position);
    expect(sequences(members.slice(position, to))).toEqual([]);
    position = to;
  };
  for (let index = 0; index < got.length; index += 1) {
    const event = got[index] as Got;
    if (event.event === 'id') {
      skipTo(sequenceOf(event.id));
    } else if (event.event === 'conflated') {
      const { from, to } = JSON.parse(event.data) as { from: string; to: string };
      skipTo(sequenceOf(from));
      // It has no id of its own, and only the last event of it has one.
      expect(event.id).toBe(id);
      const rest = got.slice(index + 1);
      const length = rest.findIndex((each) => each.id === to) + 1 || rest.length;
      const whole = rest.slice(0, length);
      for (const each of whole.slice(0, -1)) expect([each.event, each.id]).toEqual(['update', id]);
      const told = whole.flatMap((each) => each.sequences);
      const state = sequences(newest(members.slice(position, sequenceOf(to)), position === 0));
      // It may break off.
      if (whole.at(-1)?.id !== to) {
        expect(told).toEqual(state.slice(0, told.length));
        return position;
      }
      expect(told).toEqual(state);
      index += length;
      position = sequenceOf(to);
    } else {
      expect(event.event).toBe('update');
      const last = sequenceOf(event.id);
      expect(last).toBeGreaterThan(position);
      // It is one commit, and nothing that is wanted was passed over.
      expect(event.sequences).toEqual(sequences(members.slice(position, last)));
      expect(last).toBe(endOf(event.sequences[0] as number));
      position = last;
    }
    id = got[index]?.id ?? id;
  }
  return position;
}

function newest(members: readonly Member[], isWholeState: boolean): readonly Member[] {
  const byEntity = new Map<string, Member>();
  for (const member of members) {
    byEntity.delete(member.entity);
    byEntity.set(member.entity, member);
  }
  return [...byEntity.values()].filter(({ kind }) => !isWholeState || kind === 'upsert');
}
