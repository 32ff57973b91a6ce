/*
 * Readers of event streams on plain sockets, those of one process: they do as little as shows that an update is there, so that a
 * load of many costs less than what it measures.
 *
 *   openPushReaders(plan) -> sockets -> blocks -> stamp -> PushCounts.arrived(stamp, now, reader)
 *   { "readers": 5000, "firstReader": 0, "ports": [40123], "path": "/events?entity={reader}", "encoding": "identity", ... }
 */
import type { Socket } from 'node:net';
import { createGunzip } from 'node:zlib';
import { findStamp, monotonicMicros, type PublishSchedule, readStamp } from '../timing.ts';
import { EffortWatch } from './effort.ts';
import { blockFields, chunkContents, EventBlocks, SequenceCheck } from './event-stream.ts';
import { PushCounts, type PushReport, type PushStats } from './push-counts.ts';
import { connectReader, openAll, type ReadersPlan } from './readers.ts';

/** What the readers of one process are; `{reader}` in their path stands for the number of each, in six digits. JSON. */
export interface PushPlan extends ReadersPlan {
  readonly encoding: 'identity' | 'gzip';
  /** Of gzip: how many readers decode their streams, the first of all; the others count bytes only. */
  readonly decoded: number;
  /**
   * Members of every commit, where ids are to be followed; see {@link SequenceCheck}. A reader that does so and is cut comes
   * back after the wait that its server named, and resumes.
   */
  readonly step?: number;
}

/** What a load is told to do. */
export type PushOrder =
  | { readonly order: 'report' | 'stats' | 'stop' }
  /** Count from now on how often each reader gets each of these updates; every reader is to get all. */
  | { readonly order: 'watch'; readonly schedule: PublishSchedule }
  /** Stop reading, or go on: the readers of a process from one number to before another. */
  | { readonly order: 'pause' | 'resume'; readonly from: number; readonly to: number }
  /** Cut the connections of these readers, or of all, at once. */
  | { readonly order: 'cut'; readonly from?: number; readonly to?: number };

/** Opens all readers of a process; resolves when all have been answered, or refused, to what follows orders. */
export async function openPushReaders(
  plan: PushPlan,
  counts = new PushCounts(),
): Promise<(order: PushOrder) => PushReport | PushStats> {
  const effort = new EffortWatch();
  const readers = Array.from({ length: plan.readers }, (_, index) => new PushReader(index, plan, counts));
  await openAll(readers);
  return (order) => {
    switch (order.order) {
      case 'report': {
        const lastIds: Record<string, number> = {};
        for (const { lastId } of readers) if (lastId !== undefined) lastIds[lastId] = (lastIds[lastId] ?? 0) + 1;
        return { ...counts.take(), lastIds, effort: effort.take() };
      }
      case 'watch':
        counts.watch(readers.filter(({ isLooking }) => isLooking).length, order.schedule);
        break;
      case 'pause':
      case 'resume':
        for (const reader of readers.slice(order.from, order.to)) reader[order.order]();
        break;
      case 'cut':
        for (const reader of readers.slice(order.from, order.to)) reader.cut();
        break;
      case 'stop':
        for (const reader of readers) reader.stop();
    }
    return counts.stats;
  };
}

const HEADER_END = Buffer.from('\r\n\r\n');
const DEFAULT_RETRY_MS = 1000;

/** One connection to an event stream. A process has thousands: what only few of them need is not there in the others. */
class PushReader {
  readonly #index: number;
  readonly #plan: PushPlan;
  readonly #counts: PushCounts;
  readonly #check: SequenceCheck | undefined;
  #socket: Socket | undefined;
  /** As far as it has come; `undefined` after it. */
  #header: Buffer | undefined;
  /** Takes the content, where it is looked at. */
  #feed: ((bytes: Buffer) => void) | undefined;
  #retryMs = DEFAULT_RETRY_MS;
  #isOpen = false;
  #isWanted = true;
  #onAnswer: (() => void) | undefined;

  /** @param index - of the readers of its process, from 0 */
  constructor(index: number, plan: PushPlan, counts: PushCounts) {
    this.#index = index;
    this.#plan = plan;
    this.#counts = counts;
    this.#check = plan.step === undefined ? undefined : new SequenceCheck(plan.step, counts.sequence);
  }

  /** Whether it looks at what it gets. */
  get isLooking(): boolean {
    return this.#plan.encoding === 'identity' || this.#number < this.#plan.decoded;
  }

  /** The id of the last event, where ids are followed. */
  get lastId(): string | undefined {
    return this.#check?.id;
  }

  /** Resolves when the server has answered, or the connection has ended before. */
  open(): Promise<void> {
    return new Promise((resolve) => {
      this.#onAnswer = resolve;
      this.#connect();
    });
  }

  pause(): void {
    this.#socket?.pause();
  }

  resume(): void {
    this.#socket?.resume();
  }

  /** Cuts the connection, without a goodbye. */
  cut(): void {
    this.#socket?.resetAndDestroy();
  }

  /** Cuts it for good. */
  stop(): void {
    this.#isWanted = false;
    this.cut();
  }

  /** Of all readers of all processes. */
  get #number(): number {
    return this.#plan.firstReader + this.#index;
  }

  #connect(): void {
    const { path, ports, encoding, localAddress } = this.#plan;
    const port = ports[this.#number % ports.length] as number;
    const ownPath = path.replace('{reader}', String(this.#number).padStart(6, '0'));
    const resumed = this.lastId === undefined ? '' : `last-event-id: ${this.lastId}\r\n`;
    const fields = `host: 127.0.0.1:${port}\r\naccept: text/event-stream\r\naccept-encoding: ${encoding}\r\n${resumed}`;
    this.#header = Buffer.alloc(0);
    const socket = connectReader(port, localAddress, (bytes) => this.#take(bytes));
    socket.on('connect', () => socket.write(`GET ${ownPath} HTTP/1.1\r\n${fields}\r\n`));
    socket.on('close', () => this.#closed());
    this.#socket = socket;
  }

  #take(bytes: Buffer): void {
    this.#counts.stats.bytes += bytes.length;
    if (this.#header === undefined) {
      this.#feed?.(bytes);
      return;
    }
    this.#header = Buffer.concat([this.#header, bytes]);
    const end = this.#header.indexOf(HEADER_END);
    if (end < 0) return;
    const [header, content] = [this.#header.toString('latin1', 0, end), this.#header.subarray(end + HEADER_END.length)];
    this.#header = undefined;
    this.#answered(header);
    this.#feed?.(content);
  }

  #answered(header: string): void {
    const { stats } = this.#counts;
    if (header.slice(9, 12) !== '200') {
      stats.refused += 1;
      this.#socket?.destroy();
      return;
    }
    this.#isOpen = true;
    stats.open += 1;
    stats.opened += 1;
    const cursor = /\r\nldes-cursor: *(\S+)/i.exec(header)?.[1];
    if (this.#check && cursor !== undefined) this.#check.id ??= cursor;
    this.#onAnswer?.();
    if (!this.isLooking) return;
    const blocks = new EventBlocks();
    const feed = (bytes: Buffer) => blocks.feed(bytes, (...block) => this.#takeBlock(...block));
    this.#feed = /\r\ncontent-encoding: *gzip/i.test(header) ? gunzipped(feed) : feed;
  }

  #takeBlock(bytes: Buffer, start: number, end: number): void {
    const at = findStamp(bytes, start, end);
    if (at >= 0) this.#counts.arrived(readStamp(bytes, at), monotonicMicros(), this.#index);
    if (at >= 0 && this.#check === undefined) return;
    const fields = blockFields(bytes, start, end);
    // Without stamps, updates are counted and no more.
    if (at < 0 && fields.event === 'update') this.#counts.stats.events += 1;
    if (fields.retry !== undefined) this.#retryMs = Number(fields.retry);
    if (fields.event !== undefined) this.#check?.take(fields, bytes, start, end);
  }

  #closed(): void {
    const { stats } = this.#counts;
    if (this.#isOpen) stats.open -= 1;
    this.#isOpen = false;
    stats.ended += 1;
    this.#feed = undefined;
    this.#onAnswer?.();
    if (this.#check) setTimeout(() => this.#isWanted && this.#connect(), this.#retryMs).unref();
  }
}

/** Takes a compressed body in chunks, and passes on what is in it. */
function gunzipped(onContent: (bytes: Buffer) => void): (bytes: Buffer) => void {
  const stream = createGunzip().on('data', onContent);
  // The stream ends without a trailer; and what cannot be decoded is missing in the count.
  stream.on('error', () => undefined);
  return chunkContents((bytes) => stream.write(bytes));
}
