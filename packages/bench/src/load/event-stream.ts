/*
 * Event streams as bytes, read no further than shows what came: where blocks end, their short fields, and whether one reader
 * gets each commit once and in order.
 *
 *   bytes of a socket -> [chunkContents -> gunzip] -> EventBlocks -> blockFields -> SequenceCheck
 *   "1450\r\nevent: update\nid: e-12\ndata: {...}\n\n\r\n"      // { event: 'update', id: 'e-12' }
 */
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { findStamp, readStamp, STAMP_BYTES } from '../timing.ts';

const [CR, LF] = [0x0d, 0x0a];
const CRLF = '\r\n';

/** Takes a body in HTTP/1.1 chunks (RFC 9112, section 7.1) that comes in any pieces, and passes on the contents of whole ones. */
export function chunkContents(onContent: (bytes: Buffer) => void): (bytes: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  return (bytes) => {
    rest = Buffer.concat([rest, bytes]);
    for (;;) {
      const from = rest.indexOf(CRLF) + CRLF.length;
      const end = from + Number.parseInt(rest.toString('latin1', 0, from), 16);
      // Not a number where the line of the length has not come.
      if (!(end + CRLF.length <= rest.length)) return;
      onContent(rest.subarray(from, end));
      rest = rest.subarray(end + CRLF.length);
    }
  };
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
export type BlockFields = Readonly<Partial<Record<'event' | 'id' | 'retry', string>>>;

const FIELD = /^(event|id|retry): (.*)$/gm;
/** Data may be long, and says nothing here. */
const MAX_FIELDS_BYTES = 400;

/** Reads the short fields of a block, which stand before its data. */
export function blockFields(bytes: Buffer, start: number, end: number): BlockFields {
  const text = bytes.toString('latin1', start, Math.min(end, start + MAX_FIELDS_BYTES));
  return Object.fromEntries([...text.matchAll(FIELD)].map(([, name, value]) => [name, value]));
}

/** What was not as it should be, over all readers, and what a server may declare. */
export type SequenceStats = ReturnType<typeof noSequence>;

export function noSequence() {
  return {
    /** Commits that never came. */
    lost: 0,
    /** Commits that came again. */
    duplicates: 0,
    /** Events that say that something is no longer held. */
    gaps: 0,
    /** Events that say that the newest state stands for commits. */
    conflations: 0,
    /** States given for commits that are not the newest of every entity. */
    wrongStates: 0,
  };
}

/**
 * Follows what one reader gets: commits of so many members each, of which each says when it was published, and each of
 * which has a version of every entity. So each id is known from the one before, and a state is right when all its members are of
 * one commit and as many as there are entities.
 */
export class SequenceCheck {
  readonly #step: number;
  readonly #stats: SequenceStats;
  #state: { readonly to: string | undefined; readonly stamps: number[] } | undefined;
  /** Where the reader stands: the id of the last event that had one. */
  id: string | undefined;

  /**
   * @param step - members of a commit
   * @param stats - what is counted on
   */
  constructor(step: number, stats: SequenceStats) {
    this.#step = step;
    this.#stats = stats;
  }

  /** Takes a block that has an event. */
  take({ event, id }: BlockFields, bytes: Buffer, start: number, end: number): void {
    if (event === 'gap') this.#stats.gaps += 1;
    if (event === 'conflated') {
      this.#stats.conflations += 1;
      this.#state = { to: /"to":"([^"]*)"/.exec(bytes.toString('latin1', start, end))?.[1], stamps: [] };
    }
    const state = this.#state;
    if (event === 'update' && state) {
      for (let at = findStamp(bytes, start, end); at >= 0; at = findStamp(bytes, at + STAMP_BYTES, end)) {
        state.stamps.push(readStamp(bytes, at));
      }
    }
    if (!id) return;
    if (event === 'update' && !state) this.#follow(id);
    if (state && (id === state.to || event === 'gap')) {
      if (new Set(state.stamps).size !== 1 || state.stamps.length !== this.#step) this.#stats.wrongStates += 1;
      this.#state = undefined;
    }
    this.id = id;
  }

  #follow(id: string): void {
    if (this.id === undefined) return;
    const commits = (sequenceOf(id) - sequenceOf(this.id)) / this.#step;
    if (commits <= 0) this.#stats.duplicates += 1;
    else this.#stats.lost += Math.max(0, Math.round(commits) - 1);
  }
}

function sequenceOf(id: string): number {
  return Number(id.slice(id.lastIndexOf('-') + 1));
}
