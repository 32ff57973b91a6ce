/*
 * Readers of event streams on plain sockets, those of one process: they do as little as shows that an update is there, so that a
 * load of many costs less than what it measures.
 *
 *   new PushReaders(plan).open() -> sockets -> blocks -> stamp -> PushCounts.arrived(stamp, now, reader)
 */
import { connect, type Socket } from 'node:net';
import { createGunzip, type Gunzip } from 'node:zlib';
import { findStamp, monotonicMicros, type PublishSchedule, readStamp } from '../timing.ts';
import { EffortWatch } from './effort.ts';
import { blockFields, ChunkedBody, EventBlocks, SequenceCheck } from './event-stream.ts';
import { PushCounts, type PushReport, type PushStats } from './push-counts.ts';

/** What the readers of one process are. JSON. */
export interface PushPlan {
  readonly readers: number;
  /** The number of the first, of all readers of all processes. */
  readonly firstReader: number;
  readonly port: number;
  /** `{reader}` in it stands for the number of the reader, in six digits. */
  readonly path: string;
  readonly encoding: 'identity' | 'gzip';
  /** Of gzip: how many readers decode their streams; the others count bytes only. */
  readonly decoded: number;
  /** From which address of the loopback network. */
  readonly localAddress: string;
  /** Connections that may be under way at a time. */
  readonly opening: number;
  /** Whether a reader that is cut comes back after the wait that its server named, and resumes. */
  readonly comesBack: boolean;
  /** Whether updates carry a stamp; else events of the name `update` are counted. */
  readonly isStamped: boolean;
  /** Members of every commit, where ids are to be followed; see {@link SequenceCheck}. */
  readonly step?: number;
}

/** What a load is told to do. */
export type PushOrder =
  | { readonly order: 'report' | 'stats' | 'stop' }
  /** Count from now on how often each reader gets each of these updates; every reader is to get all. */
  | { readonly order: 'watch'; readonly schedule: PublishSchedule }
  /** Stop reading, or go on: the readers of a process from one number to before another. */
  | { readonly order: 'pause' | 'resume'; readonly from: number; readonly to: number }
  /** Cut all connections at once. */
  | { readonly order: 'cut' };

/** All readers of a process. */
export class PushReaders {
  readonly #plan: PushPlan;
  readonly #counts = new PushCounts();
  readonly #effort = new EffortWatch();
  readonly #readers: readonly PushReader[];

  constructor(plan: PushPlan) {
    this.#plan = plan;
    this.#readers = Array.from({ length: plan.readers }, (_, index) => new PushReader(index, plan, this.#counts));
  }

  /** Resolves when all have been answered, or refused. */
  async open(): Promise<PushStats> {
    await openAll(this.#readers, this.#plan.opening);
    return this.#counts.stats;
  }

  follow(order: PushOrder): PushReport | PushStats | undefined {
    const readers = this.#readers;
    if (order.order === 'report') return this.#report();
    if (order.order === 'watch')
      this.#counts.watch(readers.filter(({ isLooking }) => isLooking).length, order.schedule);
    if (order.order === 'pause') for (const reader of readers.slice(order.from, order.to)) reader.pause();
    if (order.order === 'resume') for (const reader of readers.slice(order.from, order.to)) reader.resume();
    if (order.order === 'cut') for (const reader of readers) reader.cut();
    if (order.order === 'stop') for (const reader of readers) reader.stop();
    return this.#counts.stats;
  }

  #report(): PushReport {
    const lastIds: Record<string, number> = {};
    for (const { lastId } of this.#readers) if (lastId !== undefined) lastIds[lastId] = (lastIds[lastId] ?? 0) + 1;
    return { ...this.#counts.take(), lastIds, effort: this.#effort.take() };
  }
}

/** Opens all, so many at a time. */
export async function openAll(readers: readonly { open(): Promise<void> }[], opening: number): Promise<void> {
  const left = readers.values();
  const one = async () => {
    for (const reader of left) await reader.open();
  };
  await Promise.all(Array.from({ length: opening }, one));
}

const HEADER_END = Buffer.from('\r\n\r\n');
/** All readers of a process read into the same bytes: what is read is looked at before the next read. */
const shared = Buffer.allocUnsafe(256 * 1024);
const DEFAULT_RETRY_MS = 1000;

/** One connection to an event stream. A process has thousands: what only few of them need is not there in the others. */
export class PushReader {
  readonly #index: number;
  readonly #plan: PushPlan;
  readonly #counts: PushCounts;
  readonly #check: SequenceCheck | undefined;
  #socket: Socket | undefined;
  /** As far as it has come; `undefined` after it. */
  #header: Buffer | undefined;
  #blocks = new EventBlocks();
  #gunzip: { readonly body: ChunkedBody; readonly stream: Gunzip } | undefined;
  #retryMs = DEFAULT_RETRY_MS;
  #isOpen = false;
  #isWanted = true;
  #onOpen: (() => void) | undefined;

  /** @param index - of the readers of its process, from 0 */
  constructor(index: number, plan: PushPlan, counts: PushCounts) {
    this.#index = index;
    this.#plan = plan;
    this.#counts = counts;
    this.#check = plan.step === undefined ? undefined : new SequenceCheck(plan.step, () => counts.sequence);
  }

  /** Whether it looks at what it gets: those that do are the first of a load. */
  get isLooking(): boolean {
    const { encoding, firstReader, decoded } = this.#plan;
    return encoding === 'identity' || firstReader + this.#index < decoded;
  }

  /** The id of the last event, where ids are followed. */
  get lastId(): string | undefined {
    return this.#check?.id;
  }

  /** Resolves when the server has answered, or the connection has ended before. */
  open(): Promise<void> {
    return new Promise((resolve) => {
      this.#onOpen = resolve;
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
    this.#socket?.resetAndDestroy();
  }

  #connect(): void {
    const { port, localAddress } = this.#plan;
    this.#header = Buffer.alloc(0);
    this.#blocks = new EventBlocks();
    this.#gunzip = undefined;
    const socket = connect({
      port,
      host: '127.0.0.1',
      localAddress,
      onread: {
        buffer: shared,
        callback: (length, bytes) => this.#read(Buffer.from(bytes.buffer, bytes.byteOffset, length)),
      },
    });
    this.#socket = socket;
    socket.on('connect', () => socket.write(this.#request()));
    // What follows it is its close.
    socket.on('error', () => undefined);
    socket.on('close', () => this.#closed());
  }

  #request(): string {
    const { path, port, encoding, firstReader } = this.#plan;
    const number = String(firstReader + this.#index).padStart(6, '0');
    const id = this.#check?.id;
    const resumed = id === undefined ? '' : `last-event-id: ${id}\r\n`;
    return `GET ${path.replace('{reader}', number)} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\naccept: text/event-stream\r\naccept-encoding: ${encoding}\r\n${resumed}\r\n`;
  }

  #read(bytes: Buffer): boolean {
    this.#counts.stats.bytes += bytes.length;
    if (this.#header === undefined) this.#take(bytes);
    else this.#takeHeader(bytes, this.#header);
    return true;
  }

  #takeHeader(bytes: Buffer, before: Buffer): void {
    const header = Buffer.concat([before, bytes]);
    const end = header.indexOf(HEADER_END);
    if (end < 0) {
      this.#header = header;
      return;
    }
    const text = header.toString('latin1', 0, end);
    const { stats } = this.#counts;
    if (text.slice(9, 12) !== '200') {
      stats.refused += 1;
      this.#socket?.destroy();
      return;
    }
    this.#header = undefined;
    this.#isOpen = true;
    stats.open += 1;
    stats.opened += 1;
    const cursor = /\r\nldes-cursor: *(\S+)/i.exec(text)?.[1];
    if (cursor !== undefined) this.#check?.begin(cursor);
    if (this.isLooking && /\r\ncontent-encoding: *gzip/i.test(text)) this.#decode();
    this.#answered();
    this.#take(header.subarray(end + HEADER_END.length));
  }

  #decode(): void {
    const stream = createGunzip();
    this.#gunzip = { body: new ChunkedBody(), stream };
    stream.on('data', (chunk: Buffer) => this.#blocks.feed(chunk, (...block) => this.#takeBlock(...block)));
    // The stream ends without a trailer; and what cannot be decoded is missing in the count.
    stream.on('error', () => undefined);
  }

  #take(bytes: Buffer): void {
    if (this.#gunzip) for (const part of this.#gunzip.body.feed(bytes)) this.#gunzip.stream.write(part);
    else if (this.#plan.encoding === 'identity') this.#blocks.feed(bytes, (...block) => this.#takeBlock(...block));
  }

  #takeBlock(bytes: Buffer, start: number, end: number): void {
    const at = findStamp(bytes, start, end);
    if (at >= 0) this.#counts.arrived(readStamp(bytes, at), monotonicMicros(), this.#index);
    if (this.#check === undefined && this.#plan.isStamped) return;
    const fields = blockFields(bytes, start, end);
    if (at < 0 && !this.#plan.isStamped && fields.event === 'update') this.#counts.stats.events += 1;
    if (fields.retry !== undefined) this.#retryMs = Number(fields.retry);
    if (fields.event !== undefined) this.#check?.take(fields, bytes, start, end);
  }

  #closed(): void {
    const { stats } = this.#counts;
    if (this.#isOpen) stats.open -= 1;
    this.#isOpen = false;
    stats.ended += 1;
    this.#gunzip?.stream.destroy();
    this.#answered();
    if (!this.#isWanted || !this.#plan.comesBack) return;
    setTimeout(() => {
      if (this.#isWanted) this.#connect();
    }, this.#retryMs);
  }

  #answered(): void {
    this.#onOpen?.();
    this.#onOpen = undefined;
  }
}
