/* A log that another process writes. That process serves its logs on a channel; here each has its head, its removals and its
 * living entities in memory, and asks for members.
 *   new LogServer(logs).attach(channel)            await new RemoteLogs(channel).open('vehicles') -> ReadableLog
 *   -> { "kind": "log-opened", "stream": "vehicles", "head": { "cursor": { "epoch": "m3x1", "sequence": 41 }, "timeMs": 17956008 },
 *        "sequencePath": "...", "held": { "heldFrom": 1, "removals": [] }, "entities": ["http://..."], "sequences": [12], "isLast": true }
 *   -> { "kind": "log-commit", "stream": "vehicles", "bytes": <members 42 and 43>, "commit": { "cursor": ..., "time": ... } }
 *   <- { "kind": "log-asked", "id": 7, "stream": "vehicles", "question": { "kind": "read", "after": 3, "limit": 1000 } }
 *   -> { "kind": "log-answer", "id": 7, "stream": "vehicles", "held": ..., "bytes": <members 4 to 41>, "isLast": true }
 * Members cross as records, serialised once for all who read. What is large crosses in parts, so that neither side holds its
 * event loop. A channel may carry other messages too: both sides pass by what is not theirs. */
import { type Commit, type Member, StreamError } from '@ldes-live/rdf-stream';
import { errors } from './errors.ts';
import { CommitListeners, type LivingEntities, type ReadableLog, type Removal } from './log.ts';
import {
  type Held,
  membersOf,
  type ProcessChannel,
  type Question,
  type ToReader,
  type ToWriter,
} from './log-server.ts';
import { NO_HEAD } from './log-state.ts';

// Members that are asked for at a time.
const ASK_MEMBERS = 1000;

/** The logs that another process serves on a channel. */
export class RemoteLogs {
  readonly #channel: ProcessChannel;
  readonly #logs = new Map<string, RemoteLog>();
  readonly #asked = new Map<number, Asked>();
  #lastId = 0;
  #isLost = false;

  constructor(channel: ProcessChannel) {
    this.#channel = channel;
    channel.onMessage((message) => this.#take(message as ToReader));
    channel.onClose(() => {
      this.#isLost = true;
      for (const log of this.#logs.values()) log.lose();
      for (const { stream, fail } of this.#asked.values()) fail(errors.ERR_LOG_LOST({ stream }));
      this.#asked.clear();
    });
  }

  /**
   * The log of a stream, once its living entities are known here. When it is served no more, it is closed.
   *
   * @throws `ERR_LOG_LOST`: the process that has it is gone. So do reads, from then on
   */
  open(stream: string): Promise<ReadableLog> {
    return this.#isLost ? Promise.reject(errors.ERR_LOG_LOST({ stream })) : this.#at(stream).opened;
  }

  #at(stream: string): RemoteLog {
    const log = this.#logs.get(stream) ?? new RemoteLog(stream, (question) => this.#ask(stream, question));
    this.#logs.set(stream, log);
    return log;
  }

  #ask(stream: string, question: Question): Promise<readonly Member[]> {
    if (this.#isLost) return Promise.reject(errors.ERR_LOG_LOST({ stream }));
    this.#lastId += 1;
    const id = this.#lastId;
    void this.#channel.send({ kind: 'log-asked', id, stream, question } satisfies ToWriter);
    return new Promise((answer, fail) => this.#asked.set(id, { stream, members: [], answer, fail }));
  }

  #take(message: ToReader): void {
    const { kind, stream } = message;
    if (kind === 'log-opened') this.#at(stream).takeEntities(message);
    else if (kind === 'log-commit') this.#logs.get(stream)?.takeMembers(message);
    else if (kind === 'log-answer') this.#takeAnswer(message);
    else if (kind === 'log-ended') {
      void this.#logs.get(stream)?.close();
      this.#logs.delete(stream);
    }
  }

  #takeAnswer({ id, stream, held, bytes, isLast, error }: ToReader & { kind: 'log-answer' }): void {
    const asked = this.#asked.get(id);
    if (!asked) return;
    // Who is told that members are removed sees from where on there are any.
    if (held) this.#logs.get(stream)?.hold(held);
    if (bytes) for (const member of membersOf(bytes)) asked.members.push(member);
    if (!isLast) return;
    this.#asked.delete(id);
    if (error) asked.fail(new StreamError(error.code, error.message, error.details));
    else asked.answer(asked.members);
  }
}

interface Asked {
  readonly stream: string;
  readonly members: Member[];
  readonly answer: (members: readonly Member[]) => void;
  readonly fail: (error: Error) => void;
}

class RemoteLog implements ReadableLog {
  readonly stream: string;
  readonly opened: Promise<ReadableLog>;
  readonly latest: LivingEntities;
  readonly diskCache = undefined;
  head = NO_HEAD;
  heldFrom = 1;
  removals: readonly Removal[] = [];
  sequencePath = '';
  // By the sequence of their newest versions: a map keeps the order of insertion.
  readonly #entities = new Map<string, number>();
  readonly #listeners = new CommitListeners();
  readonly #askOwner: (question: Question) => Promise<readonly Member[]>;
  #settle!: { readonly open: (log: ReadableLog) => void; readonly fail: (error: Error) => void };
  /** What has come of the next commit, and commits that came before all living entities had. */
  #members: Member[] = [];
  #early: (Commit & { readonly held: Held })[] | undefined = [];
  #answered: Promise<unknown> = Promise.resolve();
  #nextAnswer: Promise<void> | undefined;
  #isClosed = false;

  constructor(stream: string, ask: (question: Question) => Promise<readonly Member[]>) {
    this.stream = stream;
    this.#askOwner = ask;
    this.opened = new Promise((open, fail) => {
      this.#settle = { open, fail };
    });
    // Nobody may be waiting for it.
    this.opened.catch(() => {});
    const entities = this.#entities;
    this.latest = {
      get size() {
        return entities.size;
      },
      get: (entity) => living(entity, entities.get(entity)),
      *entries() {
        for (const [entity, sequence] of entities) yield { entity, sequence };
      },
      sequences: () => Array.from(entities.values()),
    };
  }

  completeToMs(): number {
    return this.head.timeMs;
  }

  // One question does for all who ask while another is under way: that one may have left before what they know of was committed.
  async caughtUp(): Promise<void> {
    this.#assertOpen();
    this.#nextAnswer ??= this.#answered.then(() => {
      this.#nextAnswer = undefined;
      const answer = this.#ask({ kind: 'caughtUp' });
      this.#answered = answer.catch(() => {});
      return answer.then(() => {});
    });
    await this.#nextAnswer;
  }

  async read(after: number, limit: number): Promise<readonly Member[]> {
    const { sequence } = this.head.cursor;
    const members = await this.#ask({ kind: 'read', after, limit });
    // What is not yet known here is not read either.
    return members.filter((member) => member.sequence <= sequence);
  }

  async readMembers(sequences: readonly number[]): Promise<readonly Member[]> {
    this.#assertOpen();
    const members: Member[] = [];
    for (let start = 0; start < sequences.length; start += ASK_MEMBERS) {
      const asked = sequences.slice(start, start + ASK_MEMBERS);
      for (const member of await this.#ask({ kind: 'members', sequences: asked })) members.push(member);
    }
    return members;
  }

  async readLatest(): Promise<readonly Member[]> {
    return this.readMembers(this.latest.sequences());
  }

  subscribe(listener: (commit: Commit) => void): () => void {
    this.#assertOpen();
    return this.#listeners.add(listener);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#listeners.clear();
    this.#settle.fail(errors.ERR_LOG_CLOSED({ stream: this.stream }));
  }

  lose(): void {
    this.#settle.fail(errors.ERR_LOG_LOST({ stream: this.stream }));
  }

  hold({ heldFrom, removals }: Held): void {
    this.heldFrom = heldFrom;
    this.removals = removals;
  }

  takeEntities(part: ToReader & { kind: 'log-opened' }): void {
    this.head = part.head;
    this.sequencePath = part.sequencePath;
    this.hold(part.held);
    for (const [index, entity] of part.entities.entries()) this.#entities.set(entity, part.sequences[index]!);
    if (!part.isLast) return;
    for (const commit of this.#early!) this.#become(commit);
    this.#early = undefined;
    this.#settle.open(this);
  }

  takeMembers({ bytes, commit }: ToReader & { kind: 'log-commit' }): void {
    for (const member of membersOf(bytes)) this.#members.push(member);
    if (!commit) return;
    const whole = { ...commit, members: this.#members };
    this.#members = [];
    if (this.#early) this.#early.push(whole);
    else this.#become(whole);
  }

  #become({ held, ...commit }: Commit & { readonly held: Held }): void {
    for (const { entity, kind, sequence, isOlder } of commit.members) {
      if (isOlder) continue;
      this.#entities.delete(entity);
      if (kind === 'upsert') this.#entities.set(entity, sequence);
    }
    this.head = { cursor: commit.cursor, timeMs: Date.parse(commit.time) };
    this.hold(held);
    this.#listeners.notify(commit);
  }

  async #ask(question: Question): Promise<readonly Member[]> {
    this.#assertOpen();
    const members = await this.#askOwner(question);
    this.#assertOpen();
    return members;
  }

  #assertOpen(): void {
    if (this.#isClosed) throw errors.ERR_LOG_CLOSED({ stream: this.stream });
  }
}

function living(entity: string, sequence: number | undefined): ReturnType<LivingEntities['get']> {
  return sequence === undefined ? undefined : { entity, sequence };
}
