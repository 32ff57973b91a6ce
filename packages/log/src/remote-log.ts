/* A log that another process writes. That process serves its logs on a channel; here each has its head, its removals and its
 * living entities in memory, and asks for members. What that process is among others is this one's place, too.
 *   new LogServer(logs).attach(channel)            await new RemoteLogs(channel, place).open('vehicles') -> ReadableLog
 *   <- { "kind": "log-asked", "id": 7, "stream": "vehicles", "question": { "kind": "open" } }
 *   -> { "kind": "log-answer", "id": 7, "stream": "vehicles", "bytes": <[[12, "http://..."], ...]>, "isLast": true,
 *        "opened": { "head": { "cursor": { "epoch": "m3x1", "sequence": 41 }, ... }, "sequencePath": "..." }, "held": { "heldFrom": 1, ... } }
 *   -> { "kind": "log-commit", "stream": "vehicles", "bytes": <members 42 and 43>, "commit": { "cursor": ..., "time": ... } }
 *   <- { "kind": "log-asked", "id": 8, "stream": "vehicles", "question": { "kind": "read", "after": 3, "limit": 1000 } }
 *   -> { "kind": "log-place", "place": { "role": { "role": "writer" }, "told": <JSON> }, "held": { "vehicles": ... } }
 * Members cross as records, serialised once for all who read. What is large crosses in parts, so that neither side holds its
 * event loop. A channel may carry other messages too: both sides pass by what is not theirs. */
import { isDeepStrictEqual } from 'node:util';
import { deserialize } from 'node:v8';
import { type Commit, type Member, StreamError } from '@ldes-live/rdf-stream';
import type { Cluster, ClusterNode, ClusterProblem, ClusterRole } from './cluster.ts';
import { errors } from './errors.ts';
import { CommitListeners, type LivingEntities, type ReadableLog, type Removal } from './log.ts';
import type { Answer, Held, Place, ProcessChannel, Question, SentRecord, ToReader, ToWriter } from './log-server.ts';
import { NO_HEAD } from './log-state.ts';
import { fromRecord, type MemberRecord } from './storage.ts';

// Members that are asked for at a time.
const ASK_MEMBERS = 1000;

/** The logs that another process serves on a channel, with the place of this one. */
export class RemoteLogs {
  readonly cluster: Cluster;
  readonly #place: ServedPlace;
  readonly #channel: ProcessChannel;
  readonly #logs = new Map<string, RemoteLog>();
  readonly #asked = new Map<number, Asked>();
  #lastId = 0;
  #isLost = false;

  /** @param place - this process, and the one that has the logs */
  constructor(channel: ProcessChannel, place: WorkerPlace) {
    this.#channel = channel;
    this.#place = new ServedPlace(place);
    this.cluster = this.#place;
    channel.onMessage((message) => this.#take(message as ToReader));
    channel.onClose(() => {
      this.#isLost = true;
      this.#logs.clear();
      for (const { stream, fail } of this.#asked.values()) fail(errors.ERR_LOG_LOST({ stream }));
      this.#asked.clear();
    });
  }

  /**
   * The log of a stream, once its living entities are known here. When it is served no more, it is closed.
   *
   * @throws `ERR_LOG_CLOSED`: it is not served
   * @throws `ERR_LOG_LOST`: the process that has it is gone. So do reads, from then on
   */
  open(stream: string): Promise<ReadableLog> {
    const known = this.#logs.get(stream);
    if (known) return known.opened;
    const log = new RemoteLog(stream, (question) => this.#ask(stream, question));
    this.#logs.set(stream, log);
    log.opened.catch(() => this.#logs.delete(stream));
    return log.opened;
  }

  #ask(stream: string, question: Question): Promise<Answered> {
    if (this.#isLost) return Promise.reject(errors.ERR_LOG_LOST({ stream }));
    this.#lastId += 1;
    const id = this.#lastId;
    void this.#channel.send({ kind: 'log-asked', id, stream, question } satisfies ToWriter);
    return new Promise((answer, fail) => this.#asked.set(id, { stream, records: [], answer, fail }));
  }

  #take(message: ToReader): void {
    if (message.kind === 'log-commit') this.#logs.get(message.stream)?.takeMembers(message);
    else if (message.kind === 'log-answer') this.#takeAnswer(message);
    else if (message.kind === 'log-place') {
      for (const [stream, held] of Object.entries(message.held)) this.#logs.get(stream)?.hold(held);
      this.#place.take(message.place);
    } else if (message.kind === 'log-ended') {
      void this.#logs.get(message.stream)?.close();
      this.#logs.delete(message.stream);
    }
  }

  #takeAnswer({ id, stream, bytes, ...last }: ToReader & { kind: 'log-answer' }): void {
    const asked = this.#asked.get(id);
    if (!asked) return;
    if (bytes) for (const record of deserialize(bytes) as SentRecord[]) asked.records.push(record);
    const { isLast, held, error } = last;
    if (!isLast) return;
    // Who is told that members are removed sees from where on there are any.
    if (held) this.#logs.get(stream)?.hold(held);
    this.#asked.delete(id);
    if (error) asked.fail(new StreamError(error.code, error.message, error.details));
    else asked.answer({ ...last, records: asked.records });
  }
}

type Answered = Pick<Answer, 'opened'> & { readonly records: readonly SentRecord[] };

interface Asked {
  readonly stream: string;
  readonly records: SentRecord[];
  readonly answer: (answered: Answered) => void;
  readonly fail: (error: Error) => void;
}

type WorkerPlace = Required<Pick<Cluster, 'node' | 'owner'>>;

/** What the process that has the logs is, seen from here: it writes, as far as this one is concerned, or is cut off. */
class ServedPlace implements Cluster {
  readonly node: string;
  readonly owner: ClusterNode;
  readonly problems: readonly ClusterProblem[] = [];
  role: ClusterRole;
  told: unknown;
  readonly #following: ClusterRole;
  readonly #listeners = new Set<() => void>();

  constructor({ node, owner }: WorkerPlace) {
    this.node = node;
    this.owner = owner;
    this.#following = { role: 'follower', writer: owner };
    this.role = this.#following;
  }

  // What it told of is on the way here.
  lag(): number {
    return 0;
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  // It never writes.
  describe(): void {}

  take({ role, told }: Place): void {
    if (role.role !== 'cut-off') this.role = this.#following;
    else if (!isDeepStrictEqual(role, this.role)) this.role = role;
    this.told = told && JSON.parse(told);
    for (const listener of [...this.#listeners]) listener();
  }
}

class RemoteLog implements ReadableLog {
  readonly stream: string;
  readonly opened: Promise<ReadableLog>;
  readonly latest: LivingEntities;
  readonly diskCache = undefined;
  head = NO_HEAD;
  heldFrom = 1;
  removals: readonly Removal[] = [];
  damaged: readonly number[] = [];
  sequencePath = '';
  // By the sequence of their newest versions: a map keeps the order of insertion.
  readonly #entities = new Map<string, number>();
  readonly #listeners = new CommitListeners();
  readonly #askOwner: (question: Question) => Promise<Answered>;
  /** What has come of the next commit, and commits that came before all living entities had. */
  #members: Member[] = [];
  #early: Commit[] | undefined = [];
  #answered: Promise<unknown> = Promise.resolve();
  #nextAnswer: Promise<void> | undefined;
  #isClosed = false;

  constructor(stream: string, ask: (question: Question) => Promise<Answered>) {
    this.stream = stream;
    this.#askOwner = ask;
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
    this.opened = this.#open();
  }

  async #open(): Promise<ReadableLog> {
    const { records, opened } = await this.#ask({ kind: 'open' });
    Object.assign(this, opened);
    for (const [sequence, entity] of records) this.#entities.set(entity as string, sequence);
    const early = this.#early ?? [];
    this.#early = undefined;
    // A log that has taken the name of another may have been opened before, for that one.
    for (const commit of early) if (commit.cursor.sequence > this.head.cursor.sequence) this.#become(commit);
    return this;
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
    const members = membersOf((await this.#ask({ kind: 'read', after, limit })).records);
    // What is not yet known here is not read either.
    return members.filter((member) => member.sequence <= sequence);
  }

  async readMembers(sequences: readonly number[]): Promise<readonly Member[]> {
    this.#assertOpen();
    const members: Member[] = [];
    for (let start = 0; start < sequences.length; start += ASK_MEMBERS) {
      const asked = sequences.slice(start, start + ASK_MEMBERS);
      const { records } = await this.#ask({ kind: 'members', sequences: asked });
      for (const member of membersOf(records)) members.push(member);
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
  }

  hold({ heldFrom, removals, damaged }: Held): void {
    this.heldFrom = heldFrom;
    this.removals = removals;
    this.damaged = damaged;
  }

  takeMembers({ bytes, commit }: ToReader & { kind: 'log-commit' }): void {
    for (const member of membersOf(deserialize(bytes))) this.#members.push(member);
    if (!commit) return;
    const whole = { ...commit, members: this.#members };
    this.#members = [];
    if (this.#early) this.#early.push(whole);
    else this.#become(whole);
  }

  #become(commit: Commit): void {
    for (const { entity, kind, sequence, isOlder } of commit.members) {
      if (isOlder) continue;
      this.#entities.delete(entity);
      if (kind === 'upsert') this.#entities.set(entity, sequence);
    }
    this.head = { cursor: commit.cursor, timeMs: Date.parse(commit.time) };
    this.#listeners.notify(commit);
  }

  async #ask(question: Question): Promise<Answered> {
    this.#assertOpen();
    const answered = await this.#askOwner(question);
    this.#assertOpen();
    return answered;
  }

  #assertOpen(): void {
    if (this.#isClosed) throw errors.ERR_LOG_CLOSED({ stream: this.stream });
  }
}

function living(entity: string, sequence: number | undefined): ReturnType<LivingEntities['get']> {
  return sequence === undefined ? undefined : { entity, sequence };
}

function membersOf(records: readonly SentRecord[]): Member[] {
  return records.map(([sequence, record]) => fromRecord(record as MemberRecord, sequence));
}
