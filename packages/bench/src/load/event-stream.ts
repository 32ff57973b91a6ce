/*
 * Event streams as bytes, read no further than shows what came: where blocks end, their short fields, and whether one reader
 * gets each commit once and in order.
 *
 *   bytes of a socket -> [ChunkedBody -> gunzip] -> EventBlocks -> blockFields -> SequenceCheck
 *   "1450\r\nevent: update\nid: e-12\ndata: {...}\n\n\r\n"      // { event: 'update', id: 'e-12' }
 */
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { findStamp, readStamp, STAMP_BYTES } from '../timing.ts';

const [CR, LF] = [0x0d, 0x0a];

/** Takes the framing of HTTP/1.1 chunks off a body that comes in any pieces (RFC 9112, section 7.1). */
export class ChunkedBody {
  /** Bytes of the chunk that are still to come. */
  #left = 0;
  /** The line of the length, as far as it has come; `undefined` within a chunk. */
  #line: string | undefined = '';

  /** The content in some bytes; copied, since it may be looked at later. */
  feed(bytes: Buffer): Buffer[] {
    const parts: Buffer[] = [];
    for (let at = 0; at < bytes.length; ) {
      if (this.#line === undefined) {
        const length = Math.min(this.#left, bytes.length - at);
        parts.push(Buffer.from(bytes.subarray(at, at + length)));
        at += length;
        this.#left -= length;
        if (this.#left === 0) this.#line = '';
        continue;
      }
      const byte = bytes[at] as number;
      at += 1;
      // The end of a chunk's content is an empty line here.
      if (byte === LF && this.#line !== '') {
        this.#left = Number.parseInt(this.#line, 16);
        this.#line = this.#left > 0 ? undefined : '';
      } else if (byte !== CR && byte !== LF) this.#line += String.fromCharCode(byte);
    }
    return parts;
  }
}

const BLOCK_END = Buffer.from('\n\n');

/**
 * Finds where the blocks of an event stream end, without decoding it. Bytes are copied only where a block comes in pieces.
 *
 * It is made for streams whose blocks are not cut by HTTP chunks, as those that are measured here.
 */
export class EventBlocks {
  #rest: Buffer | undefined;

  /**
   * @param onBlock - where a block lies in the bytes, with what framing of HTTP stands before it; `end` is after the empty
   *   line. What it is given is good until it returns
   */
  feed(bytes: Buffer, onBlock: (bytes: Buffer, start: number, end: number) => void): void {
    const whole = this.#rest === undefined ? bytes : Buffer.concat([this.#rest, bytes]);
    let start = 0;
    for (let at = whole.indexOf(BLOCK_END); at >= 0; at = whole.indexOf(BLOCK_END, start)) {
      const end = at + BLOCK_END.length;
      onBlock(whole, start, end);
      start = end;
    }
    // The end of an HTTP chunk does not begin a block: kept, it would have the next one copied.
    while (start < whole.length && (whole[start] === CR || whole[start] === LF)) start += 1;
    this.#rest = start === whole.length ? undefined : Buffer.from(whole.subarray(start));
  }
}

/**
 * Reads an event stream on a connection of its own; resolves when the server has answered, to what closes it.
 *
 * @param onBlock - see {@link EventBlocks}
 */
export async function openEventStream(
  url: string,
  onBlock: (bytes: Buffer, start: number, end: number) => void,
  { onBytes, localAddress }: { readonly onBytes?: (bytes: number) => void; readonly localAddress?: string } = {},
): Promise<() => void> {
  const headers = { accept: 'text/event-stream', 'accept-encoding': 'identity' };
  const request = get(url, { headers, agent: false, localAddress });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  if (response.statusCode !== 200) throw new Error(`${url} answers ${response.statusCode}`);
  const blocks = new EventBlocks();
  response.on('data', (bytes: Buffer) => {
    onBytes?.(bytes.length);
    blocks.feed(bytes, onBlock);
  });
  // What does not come any more is missed by who counts.
  request.on('error', () => undefined);
  response.on('error', () => undefined);
  return () => void request.destroy();
}

/** The fields of a block that say what it is. */
export interface BlockFields {
  readonly event?: string;
  readonly id?: string;
  readonly retry?: string;
}

const FIELD = /^(event|id|retry): (.*)$/;

/** Reads the short fields of a block, which stand before its data. */
export function blockFields(bytes: Buffer, start: number, end: number): BlockFields {
  const fields: Record<string, string> = {};
  for (let at = start; at < end; ) {
    const newline = bytes.indexOf(LF, at);
    const lineEnd = newline < 0 ? end : newline;
    const [name, value] = FIELD.exec(bytes.toString('latin1', at, Math.min(lineEnd, at + 200)))?.slice(1) ?? [];
    if (name !== undefined && value !== undefined) fields[name] = value;
    // Data may be long, and says nothing here.
    else if (bytes.toString('latin1', at, at + 5) === 'data:') break;
    at = lineEnd + 1;
  }
  return fields;
}

/** What was not as it should be, over all readers, and what a server may declare. */
export type SequenceStats = {
  /** Commits that never came. */
  lost: number;
  /** Commits that came again. */
  duplicates: number;
  /** Events that say that something is no longer held. */
  gaps: number;
  /** Events that say that the newest state stands for commits. */
  conflations: number;
  /** States given for commits that are not the newest of every entity. */
  wrongStates: number;
};

export function noSequence(): SequenceStats {
  return { lost: 0, duplicates: 0, gaps: 0, conflations: 0, wrongStates: 0 };
}

/**
 * Follows what one reader gets: commits of so many members each, of which each says when it was published, and each of
 * which has a version of every entity. So each id is known from the one before, and a state is right when all its members are of
 * one commit and as many as there are entities.
 */
export class SequenceCheck {
  readonly #step: number;
  readonly #stats: () => SequenceStats;
  #last: number | undefined;
  #id: string | undefined;
  #state: { readonly to: string; stamps: Map<number, number> } | undefined;

  /**
   * @param step - members of a commit
   * @param stats - what is counted on, which may be another one each time
   */
  constructor(step: number, stats: () => SequenceStats) {
    this.#step = step;
    this.#stats = stats;
  }

  /** The id of the last event that had one. */
  get id(): string | undefined {
    return this.#id;
  }

  /** Where the reader stands without having got an event. */
  begin(id: string): void {
    this.#last ??= sequenceOf(id);
    this.#id ??= id;
  }

  /** Takes a block that has an event. */
  take({ event, id }: BlockFields, bytes: Buffer, start: number, end: number): void {
    if (event === 'gap') this.#stats().gaps += 1;
    if (event === 'conflated') {
      this.#stats().conflations += 1;
      const to = /"to":"([^"]*)"/.exec(bytes.toString('latin1', start, end))?.[1] ?? '';
      this.#state = { to, stamps: new Map() };
    }
    if (event === 'update' && this.#state) this.#addToState(this.#state.stamps, bytes, start, end);
    if (!id) return;
    if (event === 'update' && !this.#state) this.#follow(sequenceOf(id));
    if (this.#state && (id === this.#state.to || event === 'gap')) this.#endState();
    this.#last = sequenceOf(id);
    this.#id = id;
  }

  #follow(sequence: number): void {
    if (this.#last === undefined) return;
    if (sequence <= this.#last) this.#stats().duplicates += 1;
    else this.#stats().lost += Math.max(0, Math.round((sequence - this.#last) / this.#step) - 1);
  }

  #addToState(stamps: Map<number, number>, bytes: Buffer, start: number, end: number): void {
    for (let at = findStamp(bytes, start, end); at >= 0; at = findStamp(bytes, at + STAMP_BYTES, end)) {
      const micros = readStamp(bytes, at);
      stamps.set(micros, (stamps.get(micros) ?? 0) + 1);
    }
  }

  #endState(): void {
    const counts = [...(this.#state?.stamps.values() ?? [])];
    if (counts.length !== 1 || counts[0] !== this.#step) this.#stats().wrongStates += 1;
    this.#state = undefined;
  }
}

function sequenceOf(id: string): number {
  return Number(id.slice(id.lastIndexOf('-') + 1));
}
