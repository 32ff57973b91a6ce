/*
 * One live query for all who ask the same.
 *
 *   LiveResult -> what changed, as text written once -> `update` event -> history, and every reader
 *              -> the whole answer where it is given whole -> `snapshot` event
 *   a reader joins -> the events that it lacks since its Last-Event-ID, if all are there; else one `snapshot`
 *   the last reader leaves -> it goes on for `graceMs`, then it stops
 */
import type { Quad } from '@rdfjs/types';
import { errors } from '../errors.ts';
import { ItemCounts } from '../evaluate/rows.ts';
import { liveQuery } from '../live-query.ts';
import type { EvaluatorFactory } from '../options.ts';
import type { LiveResult, Row } from '../result.ts';
import { turn } from '../run/waiting.ts';
import { jsonBinding, jsonResults, writeQuad } from './formats.ts';
import type { OpenStreamOptions } from './limits.ts';
import type { AskedQuery } from './protocol.ts';
import { endEvent, errorEvent, type LiveReader } from './reader.ts';

/** @see specs/query.md QUERY-74, QUERY-76 */
export class SharedLiveQuery {
  readonly #asked: AskedQuery;
  readonly #options: OpenStreamOptions;
  readonly #onEnd: (error: unknown) => void;
  readonly #ending = new AbortController();
  readonly #readers = new Set<LiveReader>();
  readonly #firstSequence: number;
  /** The newest updates that have room; their numbers follow each other. */
  readonly #history: Buffer[] = [];
  #historyBytes = 0;
  /** The current answer, of texts that were written once. */
  readonly #answer = new ItemCounts((text: string) => text);
  #answerBytes = 0;
  /** Whether each result stands for itself, as by RSTREAM, ISTREAM and DSTREAM: then there is no current answer. */
  #hasOperator = false;
  /** The last result, and the event of the whole answer, which is written once. */
  #head: { readonly sequence: number; readonly snapshot: () => Buffer } | undefined;
  /** The last event for its readers; absent while it goes on. */
  #last: Buffer | undefined;
  #resting: NodeJS.Timeout | undefined;
  /** Resolves once the query is found good; rejects with what is wrong, or with what ended it before. */
  readonly ready: Promise<void>;

  /** @param onEnd - called once, with the error if it failed and was not stopped */
  constructor(asked: AskedQuery, options: OpenStreamOptions, onEnd: (error: unknown) => void) {
    this.#asked = asked;
    this.#options = options;
    this.#onEnd = onEnd;
    // The id of an event of another run, or of another server, is not taken for one of this.
    this.#firstSequence = Math.floor(options.random() * 2 ** 31) * 2 ** 20 + 1;
    this.ready = new Promise((resolve, reject) => {
      void this.#run(resolve).then(reject);
    });
    this.ready.catch(() => undefined);
  }

  /** Whether nobody reads it. */
  get isResting(): boolean {
    return this.#resting !== undefined;
  }

  /** Gives a reader what it lacks, and from then on every event. */
  join(reader: LiveReader, lastSequence: number): void {
    if (this.#last) {
      reader.end(this.#last);
      return;
    }
    clearTimeout(this.#resting);
    this.#resting = undefined;
    this.#readers.add(reader);
    // The first result brings it the whole answer.
    if (!this.#head) return;
    const lacking = this.#head.sequence - lastSequence;
    if (lacking >= 0 && lacking <= this.#history.length) {
      for (const event of this.#history.slice(this.#history.length - lacking)) reader.enqueue(event);
    } else if (!this.#hasOperator) reader.enqueue(this.#head.snapshot());
  }

  /** Lets a reader go, if it has joined. The query ends some time after the last one. */
  leave(reader: LiveReader | undefined): void {
    if (reader) this.#readers.delete(reader);
    if (this.#last || this.#readers.size > 0 || this.#resting) return;
    this.#resting = setTimeout(() => this.stop(), this.#options.graceMs).unref();
  }

  beat(): void {
    for (const reader of this.#readers) reader.beat();
  }

  /** Stops it, and ends the responses of its readers in order. */
  stop(): void {
    this.#ending.abort();
    this.#finish(endEvent('stopping'), undefined);
  }

  /** @returns what ended it */
  async #run(onReady: () => void): Promise<unknown> {
    // The constructor returns before the query can end.
    await Promise.resolve();
    try {
      for await (const result of this.#results(onReady)) await this.#take(result);
      this.#finish(endEvent('ended'), undefined);
    } catch (error) {
      this.#finish(errorEvent(error), error);
      if (!this.#ending.signal.aborted) return error;
    }
    return errors.ERR_QUERY_STOPPING(undefined);
  }

  #results(onReady: () => void): AsyncIterable<LiveResult> {
    const { sparql, mal } = this.#asked;
    const { commits, clock } = this.#options;
    const { limitRows, limitQuads, limitEvaluationMs, limitQueryChars, limitTextChars, limitAnswerBytes } =
      this.#options.limits;
    const { signal } = this.#ending;
    // Its own evaluator explains it: to ask for that first would make another one, or read its text in this thread.
    const evaluators: EvaluatorFactory = async (task) => {
      const evaluator = await this.#options.evaluators(task);
      this.#hasOperator = evaluator.explanation.output !== 'delta';
      onReady();
      return evaluator;
    };
    const limits = { limitRows, limitQuads, limitEvaluationMs, limitQueryChars, limitTextChars, limitAnswerBytes };
    return liveQuery(commits(signal), sparql, { mal, limits, signal, clock, evaluators });
  }

  async #take(result: LiveResult): Promise<void> {
    const { limitAnswerBytes } = this.#options.limits;
    const written = await writeResult(result, limitAnswerBytes);
    // From here on in one step: whoever joins gets an answer and the number of its result.
    const isWhole = typeof written === 'string';
    const isBeginning = !this.#head && !this.#hasOperator;
    const sequence = this.#firstSequence + result.sequence;
    const event = eventWriter(sequence, result);
    if (!isWhole && !this.#hasOperator) {
      this.#answerBytes += bytesOf(written.added) - bytesOf(written.removed);
      if (this.#answerBytes > limitAnswerBytes) throw errors.ERR_ANSWER_TOO_LARGE({ limitAnswerBytes });
      this.#answer.change(written.added, written.removed);
    }
    let snapshot: Buffer | undefined;
    const takeSnapshot = () => {
      snapshot ??= event('snapshot', isWhole ? written : written.join(this.#answer.list()));
      return snapshot;
    };
    this.#head = { sequence, snapshot: takeSnapshot };
    const isUpdate = !isWhole && !isBeginning;
    const sent = isUpdate ? event('update', written.text) : takeSnapshot();
    if (isUpdate) this.#remember(sent);
    for (const reader of this.#readers) reader.enqueue(sent);
  }

  #remember(update: Buffer): void {
    this.#history.push(update);
    this.#historyBytes += update.length;
    while (this.#historyBytes > this.#options.limits.limitReplayBytes) {
      this.#historyBytes -= (this.#history.shift() as Buffer).length;
    }
  }

  #finish(last: Buffer, error: unknown): void {
    if (this.#last) return;
    this.#last = last;
    clearTimeout(this.#resting);
    for (const reader of this.#readers) reader.end(last);
    this.#readers.clear();
    this.#onEnd(error);
  }
}

/** Solutions or quads, each as text. */
interface WrittenChange {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** Both, as members of a JSON object without its braces. */
  readonly text: string;
  /** A whole answer of such texts, as `text` is. */
  readonly join: (texts: readonly string[]) => string;
}

/**
 * What a result changed; if it is given whole, the answer as members of a JSON object without its braces.
 *
 * @throws {@link StreamError} `ERR_ANSWER_TOO_LARGE`
 */
async function writeResult(result: LiveResult, limitAnswerBytes: number): Promise<WrittenChange | string> {
  if (result.form === 'boolean') return `"head":{},"boolean":${result.value}`;
  if (result.form === 'quads') {
    // As they stand in a string of JSON.
    const write = (quad: Quad) => JSON.stringify(writeQuad(quad)).slice(1, -1);
    const added = await inSlices(result.added, write, limitAnswerBytes);
    const removed = await inSlices(result.removed, write, limitAnswerBytes);
    const text = `"added":"${added.join('')}","removed":"${removed.join('')}"`;
    return { added, removed, text, join: (lines) => `"quads":"${lines.join('')}"` };
  }
  const { variables } = result;
  const write = (row: Row) => jsonBinding(row, variables);
  const join = (bindings: readonly string[]) => jsonResults(variables, bindings);
  if (result.kind === 'snapshot') return join(await inSlices(result.bindings(), write, limitAnswerBytes));
  const added = await inSlices(result.added, write, limitAnswerBytes);
  const removed = await inSlices(result.removed, write, limitAnswerBytes);
  return { added, removed, text: `"added":{${join(added)}},"removed":{${join(removed)}}`, join };
}

/** Bytes that are written before others have their turn: those of some 1,000 solutions. */
const SLICE_BYTES = 128 * 1024;

async function inSlices<One>(
  all: readonly One[],
  write: (one: One) => string,
  limitAnswerBytes: number,
): Promise<string[]> {
  const texts: string[] = [];
  let [bytes, sliceEnd] = [0, SLICE_BYTES];
  for (const one of all) {
    if (bytes > sliceEnd) {
      await turn();
      sliceEnd = bytes + SLICE_BYTES;
    }
    const text = write(one);
    bytes += Buffer.byteLength(text);
    if (bytes > limitAnswerBytes) throw errors.ERR_ANSWER_TOO_LARGE({ limitAnswerBytes });
    texts.push(text);
  }
  return texts;
}

const bytesOf = (texts: readonly string[]) => texts.reduce((bytes, text) => bytes + Buffer.byteLength(text), 0);

/** Writes Server-Sent Events of a result; the answer is given as members of a JSON object. @see specs/query.md QUERY-71 */
function eventWriter(sequence: number, result: LiveResult) {
  const { evaluatedAt, dataAsOf, evaluationMs, cursors, overrun, window } = result;
  const facts = {
    evaluatedAt,
    dataAsOf,
    evaluationMs: Math.round(evaluationMs),
    ...(cursors[0] !== undefined && { cursor: cursors[0] }),
    // Absent means that the MAL was met.
    ...(overrun && { overrun }),
    ...(window && { window }),
  };
  const text = JSON.stringify(facts).slice(1, -1);
  return (type: 'snapshot' | 'update', answer: string) =>
    Buffer.from(`event: ${type}\nid: ${sequence}\ndata: {"sequence":${sequence},${answer},${text}}\n\n`);
}
