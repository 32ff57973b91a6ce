/*
 * One live query for all who ask the same.
 *
 *   LiveResult -> what changed, as text written once -> `update` event -> history, and every reader
 *              -> the whole answer where it is given whole -> `snapshot` event
 *   a reader joins -> the events that it lacks since its Last-Event-ID, if all are there; else one `snapshot`
 *   the last reader leaves -> it goes on for `graceMs`, then it stops
 */
import { errors } from '../errors.ts';
import { liveQuery } from '../live-query.ts';
import type { EvaluatorFactory } from '../options.ts';
import type { LiveResult, Row } from '../result.ts';
import type { CommitSource } from '../source.ts';
import { jsonBinding, jsonResults, writeQuad } from './formats.ts';
import type { SparqlLimits } from './limits.ts';
import { endEvent, errorEvent, type LiveReader } from './reader.ts';

interface SharedQueryOptions {
  readonly sparql: string;
  /** Seconds. */
  readonly mal: number;
  readonly commits: (signal: AbortSignal) => CommitSource;
  readonly evaluators: EvaluatorFactory;
  readonly limits: SparqlLimits;
  /** For how long it goes on when nobody reads it, milliseconds. */
  readonly graceMs: number;
  /** The number before that of its first event. */
  readonly firstSequence: number;
  /** Epoch milliseconds. */
  readonly clock: () => number;
  /** It has ended: of itself, with what it failed of if it did, or since it was stopped. */
  readonly onEnd: (error: unknown) => void;
}

/** The last result: its number and what it says beside its answer. */
interface Head {
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
  readonly #options: SharedQueryOptions;
  readonly #ending = new AbortController();
  readonly #readers = new Set<LiveReader>();
  readonly #history: EventHistory;
  readonly #answer = new CurrentAnswer();
  /** Whether each result tells of itself, as RSP-QL's RSTREAM, ISTREAM and DSTREAM do: there is no present answer. */
  #hasOperator = false;
  #head: Head | undefined;
  /** What its readers were sent when it ended; absent while it goes on. */
  #last: Buffer | undefined;
  #resting: NodeJS.Timeout | undefined;
  /** Resolves once it is found good; rejects with what is wrong with it, or with what it ended of before. */
  readonly ready: Promise<void>;

  constructor(options: SharedQueryOptions) {
    this.#options = options;
    this.#history = new EventHistory(options.limits.limitReplayBytes);
    this.ready = new Promise((resolve, reject) => {
      void this.#run(resolve).then(reject);
    });
    this.ready.catch(() => undefined);
  }

  /** Whether nobody reads it, and it ends unless somebody comes soon. */
  get isResting(): boolean {
    return this.#resting !== undefined;
  }

  /** Gives a reader what it lacks, and from then on every event. */
  join(reader: LiveReader, lastSequence: number | undefined): void {
    if (this.#last) {
      reader.end(this.#last);
      return;
    }
    clearTimeout(this.#resting);
    this.#resting = undefined;
    this.#readers.add(reader);
    // The first result brings it the whole answer.
    if (!this.#head) return;
    const missed = lastSequence === undefined ? undefined : this.#history.newest(this.#head.sequence - lastSequence);
    if (missed) for (const event of missed) reader.enqueue(event);
    else if (!this.#hasOperator) reader.enqueue(this.#snapshot(this.#head));
  }

  leave(reader: LiveReader): void {
    this.#readers.delete(reader);
  }

  /** Has it end if nobody reads it, unless somebody comes soon. */
  rest(): void {
    if (this.#last || this.#readers.size > 0 || this.#resting) return;
    this.#resting = setTimeout(() => this.stop(), this.#options.graceMs).unref();
  }

  /** Stops it, and ends the responses of its readers in order. */
  stop(): void {
    this.#ending.abort();
    this.#finish(endEvent('stopping'), undefined);
  }

  /** @returns what it ended of */
  async #run(onReady: () => void): Promise<unknown> {
    const { signal } = this.#ending;
    // Whoever made it has it before it can end.
    await Promise.resolve();
    try {
      for await (const result of this.#results(onReady)) {
        await this.#take(result);
        if (signal.aborted) break;
      }
      if (!signal.aborted) this.#finish(endEvent('ended'), undefined);
    } catch (error) {
      if (!signal.aborted) {
        this.#finish(errorEvent(error), error);
        return error;
      }
    }
    return errors.ERR_QUERY_STOPPING(undefined);
  }

  #results(onReady: () => void): AsyncIterable<LiveResult> {
    const { commits, sparql, mal, limits, clock } = this.#options;
    const { limitRows, limitQuads, limitEvaluationMs, limitQueryChars } = limits;
    const { signal } = this.#ending;
    // Its own evaluator tells what it is: to explain it first would make another one, or read its text in this thread.
    const evaluators: EvaluatorFactory = async (task) => {
      const evaluator = await this.#options.evaluators(task);
      this.#hasOperator = evaluator.explanation.output !== 'delta';
      onReady();
      return evaluator;
    };
    const ofQuery = { limitRows, limitQuads, limitEvaluationMs, limitQueryChars };
    return liveQuery(commits(signal), sparql, { mal, limits: ofQuery, signal, clock, evaluators });
  }

  async #take(result: LiveResult): Promise<void> {
    const written = await writeResult(result);
    // From here on in one go: whoever joins gets an answer and the number of its result.
    const isFirst = this.#head === undefined;
    const head: Head = { sequence: this.#options.firstSequence + 1 + result.sequence, facts: factsOf(result) };
    this.#head = head;
    if (typeof written === 'string') this.#answer.replace(written);
    else if (!this.#hasOperator) this.#answer.change(written);
    if (typeof written === 'string' || (isFirst && !this.#hasOperator)) {
      this.#send(this.#snapshot(head));
      return;
    }
    const event = answerEvent('update', head, written.text);
    this.#history.add(event);
    this.#send(event);
  }

  #send(event: Buffer): void {
    for (const reader of this.#readers) reader.enqueue(event);
  }

  /** The present answer, written once however many come meanwhile. */
  #snapshot(head: Head): Buffer {
    head.snapshot ??= answerEvent('snapshot', head, this.#answer.whole());
    return head.snapshot;
  }

  #finish(last: Buffer, error: unknown): void {
    if (this.#last) return;
    this.#last = last;
    clearTimeout(this.#resting);
    for (const reader of this.#readers) reader.end(last);
    this.#readers.clear();
    this.#options.onEnd(error);
  }
}

/** What came and what went: solutions or quads, each as text. */
interface WrittenChange {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** Both, as members of a JSON object, short of its braces. */
  readonly text: string;
  /** A whole answer of such texts, as members of a JSON object, short of its braces. */
  readonly join: (texts: readonly string[]) => string;
}

/** The whole answer of a live query as it stands, of texts that were written once, with how often each is there. */
class CurrentAnswer {
  readonly #counts = new Map<string, number>();
  #join: WrittenChange['join'] | undefined;
  #whole: string | undefined;

  replace(whole: string): void {
    this.#whole = whole;
  }

  change({ added, removed, join }: WrittenChange): void {
    this.#join = join;
    this.#whole = undefined;
    for (const text of removed) {
      const count = (this.#counts.get(text) ?? 0) - 1;
      if (count > 0) this.#counts.set(text, count);
      else this.#counts.delete(text);
    }
    for (const text of added) this.#counts.set(text, (this.#counts.get(text) ?? 0) + 1);
  }

  /** As members of a JSON object, short of its braces. */
  whole(): string {
    this.#whole ??= this.#join?.([...this.#counts].flatMap(([text, count]) => Array<string>(count).fill(text))) ?? '';
    return this.#whole;
  }
}

/** What a result changed; of one that is given whole, the answer as members of a JSON object, short of its braces. */
async function writeResult(result: LiveResult): Promise<WrittenChange | string> {
  if (result.form === 'boolean') return `"head":{},"boolean":${result.value}`;
  if (result.form === 'quads') {
    const [added, removed] = [await inSlices(result.added, writeQuad), await inSlices(result.removed, writeQuad)];
    const text = `"added":${JSON.stringify(added.join(''))},"removed":${JSON.stringify(removed.join(''))}`;
    return { added, removed, text, join: (lines) => `"quads":${JSON.stringify(lines.join(''))}` };
  }
  const { variables } = result;
  const write = (row: Row) => jsonBinding(row, variables);
  const join = (bindings: readonly string[]) => jsonResults(variables, bindings);
  if (result.kind === 'snapshot') return join(await inSlices(result.bindings(), write));
  const [added, removed] = [await inSlices(result.added, write), await inSlices(result.removed, write)];
  return { added, removed, text: `"added":{${join(added)}},"removed":{${join(removed)}}`, join };
}

/** How many solutions or quads are written before others have their turn. */
const SLICE = 1000;

async function inSlices<One>(all: readonly One[], write: (one: One) => string): Promise<string[]> {
  const texts: string[] = [];
  for (let start = 0; start < all.length; start += SLICE) {
    if (start > 0) await new Promise((resolve) => setImmediate(resolve));
    for (const one of all.slice(start, start + SLICE)) texts.push(write(one));
  }
  return texts;
}

/** The last updates of a live query, whose numbers follow each other: the newest that have room. */
class EventHistory {
  readonly #limitBytes: number;
  readonly #events: Buffer[] = [];
  #bytes = 0;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  add(event: Buffer): void {
    this.#events.push(event);
    this.#bytes += event.length;
    while (this.#bytes > this.#limitBytes) this.#bytes -= this.#events.shift()?.length ?? this.#bytes;
  }

  /** So many of the newest; `undefined` when one of them is not there any more, or never was. */
  newest(count: number): readonly Buffer[] | undefined {
    const first = this.#events.length - count;
    return count < 0 || first < 0 ? undefined : this.#events.slice(first);
  }
}

/**
 * An event of an answer, as Server-Sent Events have it.
 *
 * @param answer - members of its JSON object, short of the braces
 * @see specs/query.md QUERY-71
 */
function answerEvent(type: 'snapshot' | 'update', { sequence, facts }: Head, answer: string): Buffer {
  return Buffer.from(`event: ${type}\nid: ${sequence}\ndata: {"sequence":${sequence},${answer},${facts}}\n\n`);
}

/** What a result says beside its answer, as members of a JSON object, short of the braces. */
function factsOf({ evaluatedAt, dataAsOf, evaluationMs, cursors, overrun, window }: LiveResult): string {
  const facts = {
    evaluatedAt,
    dataAsOf,
    evaluationMs: Math.round(evaluationMs),
    ...(cursors[0] !== undefined && { cursor: cursors[0] }),
    // Absent means that the MAL was met.
    ...(overrun && { overrun }),
    ...(window && { window }),
  };
  return JSON.stringify(facts).slice(1, -1);
}
