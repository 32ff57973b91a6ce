/*
 * One live query for all who ask the same.
 *
 *   LiveResult -> what changed, as text written once -> `update` event -> history, and every reader
 *              -> the whole answer where it is given whole -> `snapshot` event
 *   a reader joins -> the events that it lacks since its Last-Event-ID, if all are there; else one `snapshot`
 */
import type { Quad } from '@rdfjs/types';
import { errors } from '../errors.ts';
import type { LiveResult, Row } from '../result.ts';
import { jsonBinding, jsonResults, writeQuad } from './formats.ts';
import { endEvent, errorEvent, type Subscriber } from './reader.ts';

/** A live query as it is shared. */
export interface RunningQuery {
  /** Resolves once it is found good; rejects with what is wrong with it. */
  readonly ready: Promise<unknown>;
  readonly results: AsyncIterable<LiveResult>;
}

/** What a {@link SharedLiveQuery} is made of. */
interface SharedLiveQueryParts {
  /** Begins it; it ends when the signal is aborted. */
  readonly start: (signal: AbortSignal) => RunningQuery;
  /** Whether each result tells of itself, as RSP-QL's RSTREAM, ISTREAM and DSTREAM do: there is no answer as it stands. */
  readonly tellsStream: boolean;
  /** Bytes of events to remember for readers who come back. */
  readonly limitReplayBytes: number;
  /** The number before that of its first event. */
  readonly firstSequence: number;
  /** It has ended of itself, with what it failed of. */
  readonly onEnd: (error: unknown) => void;
}

interface Present {
  readonly sequence: number;
  readonly facts: string;
  snapshot?: Buffer;
}

/**
 * One live query for all who ask the same: each result is written once, whatever the number of its readers.
 *
 * @see specs/query.md QUERY-74, QUERY-75, QUERY-76
 */
export class SharedLiveQuery {
  readonly #parts: SharedLiveQueryParts;
  readonly #ending = new AbortController();
  readonly #subscribers = new Set<Subscriber>();
  readonly #answer: PresentAnswer;
  readonly #history: EventHistory;
  /** Resolves once it is found good; rejects with what is wrong with it. */
  readonly ready: Promise<unknown>;
  /** Of the last result: its number and what it says beside its answer. */
  #present: Present | undefined;

  constructor(parts: SharedLiveQueryParts) {
    this.#parts = parts;
    this.#answer = new PresentAnswer(!parts.tellsStream);
    this.#history = new EventHistory(parts.limitReplayBytes);
    const query = parts.start(this.#ending.signal);
    // Whoever waits for what never becomes ready is told what it ended of.
    const ended = this.#run(query.results).then((error) => Promise.reject(error));
    this.ready = Promise.race([query.ready, ended]);
    this.ready.catch(() => undefined);
    query.ready.catch(() => undefined);
    ended.catch(() => undefined);
  }

  /** What its readers were told when it ended; absent while it goes on. */
  #last: Buffer | undefined;

  /** How many read it. */
  get size(): number {
    return this.#subscribers.size;
  }

  /** Gives a reader what it lacks, and from then on every event. */
  join(subscriber: Subscriber, lastSequence: number | undefined): void {
    if (this.#last) {
      subscriber.end(this.#last);
      return;
    }
    this.#subscribers.add(subscriber);
    const present = this.#present;
    // The first result brings it the whole answer.
    if (!present) return;
    const missed = lastSequence === undefined ? undefined : this.#history.after(lastSequence, present.sequence);
    if (missed) for (const event of missed) subscriber.offer(event);
    else if (!this.#parts.tellsStream) subscriber.offer(this.#snapshot(present));
  }

  leave(subscriber: Subscriber): void {
    this.#subscribers.delete(subscriber);
  }

  /** Stops it, and ends the responses of its readers in order. */
  stop(): void {
    this.#ending.abort();
    this.#finish(endEvent('stopping'));
  }

  /** @returns what it ended of */
  async #run(results: AsyncIterable<LiveResult>): Promise<unknown> {
    try {
      for await (const result of results) {
        await this.#take(result);
        if (this.#ending.signal.aborted) break;
      }
    } catch (error) {
      if (!this.#ending.signal.aborted) {
        this.#ended(error);
        return error;
      }
    }
    if (!this.#ending.signal.aborted) this.#ended(undefined);
    return errors.ERR_QUERY_STOPPING(undefined);
  }

  async #take(result: LiveResult): Promise<void> {
    const { tellsStream, firstSequence } = this.#parts;
    const changed = await this.#answer.take(result);
    const isFirst = this.#present === undefined;
    const present = { sequence: firstSequence + 1 + result.sequence, facts: factsOf(result) };
    this.#present = present;
    if (changed === undefined || (isFirst && !tellsStream)) {
      // Readers who come back are told the whole answer anyway.
      this.#history.clear();
      this.#tell(this.#snapshot(present));
      return;
    }
    const event = answerEvent('update', present.sequence, changed, present.facts);
    this.#history.add(present.sequence, event);
    this.#tell(event);
  }

  #tell(event: Buffer): void {
    for (const subscriber of this.#subscribers) subscriber.offer(event);
  }

  /** The whole answer as it stands, written once however many come meanwhile. */
  #snapshot(present: Present): Buffer {
    present.snapshot ??= answerEvent('snapshot', present.sequence, this.#answer.whole(), present.facts);
    return present.snapshot;
  }

  #ended(error: unknown): void {
    this.#finish(error === undefined ? endEvent('ended') : errorEvent(error));
    this.#parts.onEnd(error);
  }

  #finish(last: Buffer): void {
    this.#last = last;
    for (const subscriber of this.#subscribers) subscriber.end(last);
    this.#subscribers.clear();
  }
}

/** How many solutions or quads are written before others have their turn. */
const SLICE = 1000;

/**
 * The whole answer of a live query as it stands, as text that was written once: solutions and quads with how often each is
 * there, by what results tell of them.
 */
class PresentAnswer {
  readonly #isKept: boolean;
  readonly #counts = new Map<string, number>();
  #variables: readonly string[] = [];
  #form: LiveResult['form'] = 'bindings';
  /** Of a result that is told whole. */
  #told: string | undefined;
  #whole: string | undefined;

  /** @param isKept - whether what results tell adds up to an answer, and it is wanted */
  constructor(isKept: boolean) {
    this.#isKept = isKept;
  }

  /**
   * Takes a result; never before the last one is taken.
   *
   * @returns what changed, as members of a JSON object short of the braces; `undefined` where the answer is told whole
   */
  async take(result: LiveResult): Promise<string | undefined> {
    this.#form = result.form;
    if (result.form === 'boolean') return this.#tell(`"head":{},"boolean":${result.value}`);
    if (result.form === 'quads') {
      const [added, removed] = [await written(result.added, writeQuad), await written(result.removed, writeQuad)];
      this.#apply(added, removed);
      return `"added":${JSON.stringify(added.join(''))},"removed":${JSON.stringify(removed.join(''))}`;
    }
    const { variables } = result;
    this.#variables = variables;
    const write = (row: Row) => jsonBinding(row, variables);
    if (result.kind === 'snapshot') {
      return this.#tell(jsonResults(variables, await written(result.bindings(), write)));
    }
    const [added, removed] = [await written(result.added, write), await written(result.removed, write)];
    this.#apply(added, removed);
    return `"added":{${jsonResults(variables, added)}},"removed":{${jsonResults(variables, removed)}}`;
  }

  /** The whole answer, as members of a JSON object short of the braces. */
  whole(): string {
    this.#whole ??= this.#told ?? this.#join();
    return this.#whole;
  }

  #tell(whole: string): undefined {
    this.#told = whole;
    this.#whole = undefined;
    return undefined;
  }

  #apply(added: readonly string[], removed: readonly string[]): void {
    if (!this.#isKept) return;
    this.#whole = undefined;
    for (const text of removed) {
      const count = (this.#counts.get(text) ?? 0) - 1;
      if (count > 0) this.#counts.set(text, count);
      else this.#counts.delete(text);
    }
    for (const text of added) this.#counts.set(text, (this.#counts.get(text) ?? 0) + 1);
  }

  #join(): string {
    const all: string[] = [];
    for (const [text, count] of this.#counts) for (let index = 0; index < count; index += 1) all.push(text);
    return this.#form === 'quads' ? `"quads":${JSON.stringify(all.join(''))}` : jsonResults(this.#variables, all);
  }
}

async function written<One extends Row | Quad>(all: readonly One[], write: (one: One) => string): Promise<string[]> {
  const texts: string[] = [];
  for (let start = 0; start < all.length; start += SLICE) {
    if (start > 0) await new Promise((resolve) => setImmediate(resolve));
    for (const one of all.slice(start, start + SLICE)) texts.push(write(one));
  }
  return texts;
}

/** The last events of a live query, for readers who come back: the newest that have room. */
class EventHistory {
  readonly #limitBytes: number;
  #events: { readonly sequence: number; readonly bytes: Buffer }[] = [];
  #bytes = 0;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  add(sequence: number, bytes: Buffer): void {
    this.#events.push({ sequence, bytes });
    this.#bytes += bytes.length;
    while (this.#bytes > this.#limitBytes) this.#bytes -= this.#events.shift()?.bytes.length ?? this.#bytes;
  }

  clear(): void {
    this.#events = [];
    this.#bytes = 0;
  }

  /** The events after one; `undefined` when one of them is not there any more. */
  after(sequence: number, present: number): readonly Buffer[] | undefined {
    if (sequence === present) return [];
    const first = this.#events[0]?.sequence;
    if (first === undefined || sequence < first - 1 || sequence > present) return undefined;
    return this.#events.filter((event) => event.sequence > sequence).map(({ bytes }) => bytes);
  }
}

/**
 * An event of an answer, as Server-Sent Events have it.
 *
 * @param sequence - its id
 * @param answer - members of its JSON object, short of the braces
 * @param facts - see {@link factsOf}
 * @see specs/query.md QUERY-71
 */
function answerEvent(type: 'snapshot' | 'update', sequence: number, answer: string, facts: string): Buffer {
  return Buffer.from(`event: ${type}\nid: ${sequence}\ndata: {"sequence":${sequence},${answer},${facts}}\n\n`);
}

/** What a result says beside its answer, as members of a JSON object, short of the braces. */
function factsOf({ evaluatedAt, dataAsOf, evaluationMs, cursors, overrun, window }: LiveResult): string {
  const facts = {
    evaluatedAt,
    dataAsOf,
    evaluationMs: Math.round(evaluationMs),
    ...(cursors[0] !== undefined && { cursor: cursors[0] }),
    // Absent means that the MAL was kept.
    ...(overrun && { overrun }),
    ...(window && { window }),
  };
  return JSON.stringify(facts).slice(1, -1);
}
