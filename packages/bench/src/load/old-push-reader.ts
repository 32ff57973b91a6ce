import { connect, type Socket } from 'node:net';
import { createGunzip, type Gunzip } from 'node:zlib';
import { blockFields } from './block-fields.ts';
import { ChunkedBody } from './chunked-body.ts';
import { EventBlocks } from './event-blocks.ts';
import type { LoadPlan } from './load-messages.ts';
import type { LoadState } from './load-state.ts';
import { monotonicMicros } from './monotonic-micros.ts';
import { SequenceCheck } from './sequence-check.ts';
import { findStamp, readStamp } from './stamp.ts';

const HEADER_END = Buffer.from('\r\n\r\n');
/** All readers of a process read into the same bytes: what is read is looked at before the next read. */
const shared = Buffer.allocUnsafe(256 * 1024);
const DEFAULT_RETRY_MS = 1000;

/**
 * One connection to a push endpoint that does as little as shows when an event is there, so that a load of many costs less than
 * what it measures.
 */
export class PushReader {
  readonly #number: number;
  readonly #plan: LoadPlan;
  readonly #state: LoadState;
  readonly #check: SequenceCheck | undefined;
  #socket: Socket | undefined;
  #header: Buffer | undefined;
  #blocks = new EventBlocks();
  #gunzip: { readonly body: ChunkedBody; readonly stream: Gunzip } | undefined;
  #retryMs = DEFAULT_RETRY_MS;
  #isOpen = false;
  #isWanted = true;
  #hasEnded = false;
  #onOpen: (() => void) | undefined;

  /** @param number - of all readers of all processes */
  constructor(number: number, plan: LoadPlan, state: LoadState) {
    this.#number = number;
    this.#plan = plan;
    this.#state = state;
    this.#check = plan.step === undefined ? undefined : new SequenceCheck(plan.step, () => state.sequence);
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
    const { path, port, headers } = this.#plan;
    const id = this.#check?.id;
    const fields = {
      host: `127.0.0.1:${port}`,
      accept: 'text/event-stream',
      ...headers,
      ...(id !== undefined && { 'last-event-id': id }),
    };
    const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
    return `GET ${path.replace('{reader}', String(this.#number).padStart(6, '0'))} HTTP/1.1\r\n${lines.join('')}\r\n`;
  }

  #read(bytes: Buffer): boolean {
    this.#state.tally.bytes += bytes.length;
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
    if (text.slice(9, 12) !== '200') {
      this.#state.tally.refused += 1;
      this.#socket?.destroy();
      return;
    }
    this.#header = undefined;
    this.#isOpen = true;
    this.#state.tally.open += 1;
    this.#state.tally.opened += 1;
    const cursor = /\r\nldes-cursor: *(\S+)/i.exec(text)?.[1];
    if (cursor !== undefined) this.#check?.begin(cursor);
    const isZipped = /\r\ncontent-encoding: *gzip/i.test(text);
    if (isZipped && this.#number < (this.#plan.decoded ?? 0)) this.#decode();
    this.#answered();
    this.#take(header.subarray(end + HEADER_END.length));
  }

  #decode(): void {
    const stream = createGunzip();
    this.#gunzip = { body: new ChunkedBody(), stream };
    stream.on('data', (chunk: Buffer) => this.#blocks.feed(chunk, this.#block));
    // The stream ends without a trailer; and what cannot be decoded is missing in the count.
    stream.on('error', () => undefined);
  }

  #take(bytes: Buffer): void {
    if (this.#gunzip) {
      const { body, stream } = this.#gunzip;
      for (const part of body.feed(bytes)) stream.write(part);
    } else if (this.#plan.decoded === undefined) this.#blocks.feed(bytes, this.#block);
  }

  readonly #block = (bytes: Buffer, start: number, end: number) => {
    const at = findStamp(bytes, start, end);
    const { isStamped = true } = this.#plan;
    if (this.#check || !isStamped) {
      const fields = blockFields(bytes, start, end);
      if (!isStamped && at < 0 && fields.event === 'update') this.#state.tally.events += 1;
      if (fields.retryMs !== undefined) this.#retryMs = fields.retryMs;
      if (fields.event !== undefined) this.#check?.take(fields, bytes, start, end);
    }
    if (at >= 0) {
      this.#state.arrived(readStamp(bytes, at), monotonicMicros(), this.#number - this.#plan.firstReader);
    }
  };

  #closed(): void {
    if (this.#isOpen) this.#state.tally.open -= 1;
    this.#isOpen = false;
    this.#state.tally.ended += 1;
    if (!this.#hasEnded) this.#state.ends.push(monotonicMicros());
    this.#hasEnded = true;
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
