import { parentPort, workerData } from 'node:worker_threads';
import { formatCursor } from '@ldes-live/rdf-stream';
import { defaultEngine } from '../engines/comunica.ts';
import type { EngineStore, QueryEngine } from '../engines/engine.ts';
import { errors } from '../errors.ts';
import type { FromStateThread, StateTask, ToStateThread } from '../http/answers.ts';
import { type Accepted, offeredFor, type WholeAnswer, writeAnswer } from '../http/formats.ts';
import type { SparqlLimits } from '../http/limits.ts';
import { type PreparedQuery, prepareQuery } from '../prepare/prepared-query.ts';
import type { SourceEvent } from '../source.ts';
import { createView, type View } from '../views/view.ts';
import { carryError } from './link.ts';
import { MembersBeingUnpacked } from './packing.ts';

/** An answer over the latest state as it is sent. */
export interface WrittenAnswer {
  /** The cursor of the state that it was found over. */
  readonly cursor: string;
  readonly mediaType: string;
  readonly content: Uint8Array;
  /** Whether it may be another one at another time, over the same state. */
  readonly isVolatile: boolean;
}

/** What the thread is told of limits. */
export type HeldLimits = Pick<SparqlLimits, 'limitRows' | 'limitQuads' | 'limitQueryChars'>;

/**
 * The latest state of a stream in an engine's store, and the answers over it. Nothing is applied while a query is being
 * answered: whoever calls sees to it.
 */
class HeldState {
  readonly #store: EngineStore;
  readonly #view: View;
  readonly #limits: HeldLimits;
  #cursor = '';

  private constructor(store: EngineStore, limits: HeldLimits) {
    this.#store = store;
    this.#limits = limits;
    this.#view = createView({ window: { type: 'latest' }, windows: [], sources: [undefined], malMs: 1000 });
  }

  static async open(engine: QueryEngine, limits: HeldLimits): Promise<HeldState> {
    return new HeldState(await engine.open(), limits);
  }

  apply(event: SourceEvent): void {
    const { added, removed } = this.#view.apply(0, event);
    for (const quad of removed) this.#store.delete(quad);
    for (const quad of added) this.#store.add(quad);
    this.#cursor = typeof event.cursor === 'string' ? event.cursor : formatCursor(event.cursor);
  }

  /**
   * Answers a query over the state as it stands.
   *
   * @throws {@link StreamError} those of preparing the query
   * @throws {@link StreamError} `ERR_SPARQL_FORMAT`, `ERR_QUERY_UNSUPPORTED`, `ERR_QUERY_FAILED`, `ERR_ANSWER_TOO_LARGE`,
   *   `ERR_VIEW_TOO_LARGE`
   */
  async answer(sparql: string, accepted: Accepted): Promise<WrittenAnswer> {
    const { limitQuads, limitQueryChars } = this.#limits;
    const quads = this.#view.size;
    if (quads > limitQuads) throw errors.ERR_VIEW_TOO_LARGE({ quads, limitQuads });
    const prepared = await prepareQuery(sparql, { limitQueryChars });
    if (prepared.windows.length > 0) {
      const remedy = 'the latest state has no windows; ask for a live query, by Accept: text/event-stream';
      throw errors.ERR_QUERY_UNSUPPORTED({ what: 'a window of RSP-QL', remedy });
    }
    const form = formOf(prepared);
    const mediaType = accepted[form];
    if (mediaType === undefined) throw errors.ERR_SPARQL_FORMAT({ offered: offeredFor(form) });
    const text = writeAnswer(await this.#find(prepared), mediaType);
    const { isVolatile } = prepared;
    return { cursor: this.#cursor, mediaType, content: new TextEncoder().encode(text), isVolatile };
  }

  async #find({ form, query, variables }: PreparedQuery): Promise<WholeAnswer> {
    const limits = { limitRows: this.#limits.limitRows };
    if (form === 'ask') return { form: 'boolean', value: await this.#store.ask(query, limits) };
    if (form === 'select') return { form: 'bindings', variables, rows: await this.#store.select(query, limits) };
    return { form: 'quads', quads: await this.#store.construct(query, limits) };
  }
}

function formOf({ form }: PreparedQuery): WholeAnswer['form'] {
  if (form === 'ask') return 'boolean';
  return form === 'select' ? 'bindings' : 'quads';
}

/** The end of the way to whoever asks. */
interface ThreadEnd {
  on(event: 'message', listener: (message: ToStateThread) => void): unknown;
  postMessage(message: FromStateThread): void;
}

/** Holds a latest state in this thread, and answers queries over it: one thing after the other, in the order of the messages. */
async function runStateProgram(end: ThreadEnd, { limits }: StateTask, engine: QueryEngine): Promise<void> {
  const opening = HeldState.open(engine, limits);
  const members = new MembersBeingUnpacked();
  const take = async (message: ToStateThread) => {
    const state = await opening;
    if (message.kind === 'ask') {
      end.postMessage(await answered(state, message));
      return;
    }
    members.add(message.slice);
    if (!message.head) return;
    state.apply({ ...message.head, members: members.take() });
    end.postMessage({ kind: 'applied' });
  };
  let last: Promise<unknown> = Promise.resolve();
  end.on('message', (message) => {
    // What fails here is a fault of the program, and ends the thread.
    last = last.then(() => take(message));
  });
  await opening;
}

async function answered(
  state: HeldState,
  { id, sparql, accepted }: Extract<ToStateThread, { kind: 'ask' }>,
): Promise<FromStateThread> {
  try {
    return { kind: 'answer', id, answer: await state.answer(sparql, accepted) };
  } catch (error) {
    return { kind: 'failed', id, error: carryError(error) };
  }
}

// The program of a thread that holds a latest state.
void runStateProgram(parentPort as ThreadEnd, workerData as StateTask, defaultEngine());
