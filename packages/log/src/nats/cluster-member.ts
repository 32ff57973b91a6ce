// This process among those that have the same logs: who of them writes, and whether it is heard.
//   ldes-lease (KV, a time to live)   "writer" -> { "node": "a", "url": "http://10.0.0.5:3000" }
//     none there -> a candidate puts itself there (only one can) -> leads all logs -> writer; it renews, or lapses by itself
//     before the entry does; stopped, it takes the entry away
//   ldes.status   { "node": "a", "url": "...", "revision": 812, "logs": { "vehicles": { "position": 1207, ... } }, "status": ... }
//   ldes.hello           by one that comes: the writer says its status
//   ldes.tail.vehicles   { "position": 1207, "sequence": 43, "completeToMs": 1795600800000 }   after each commit
// The lease keeps the sources from being asked twice. That nobody else writes is not its work: see replica.ts.
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { isStreamError, type StreamError } from '@ldes-live/rdf-stream';
import type { KV } from '@nats-io/kv';
import type { NatsConnection } from '@nats-io/transport-node';
import type { Cluster, ClusterNode, ClusterProblem, ClusterRole } from '../cluster.ts';
import { errors } from '../errors.ts';
import { isBroken, type JournalEnd } from '../replica.ts';

/** The logs of this process, as its place among the others concerns them. */
export interface MemberLogs {
  /** Has this process write all of them; rejects when the signal is aborted. */
  lead(signal: AbortSignal): Promise<void>;
  yield(): void;
  /** What this one says, as the writer, of each. */
  ends(): Readonly<Record<string, JournalEnd>>;
  /** @param isStatus - what the writer says of all its logs, which counts whatever was heard before */
  hear(stream: string, end: JournalEnd, isStatus: boolean): void;
  /** Whether it lacks what the writer has told of. */
  isBehind(): boolean;
  lag(stream: string): number;
}

export interface ClusterMemberOptions extends ClusterNode {
  readonly connection: NatsConnection;
  readonly lease: KV;
  /** What the names of all subjects begin with. */
  readonly name: string;
  readonly isCandidate: boolean;
  /** Epoch milliseconds. */
  readonly clock: () => number;
  /** How far the clock of this machine may be from that of the NATS server, milliseconds. */
  readonly limitClockMs: number;
  readonly logs: MemberLogs;
  /** Aborted when it is about to leave: what goes wrong then is no problem. */
  readonly signal: AbortSignal;
}

/** How long a writer that says nothing keeps its place: the time to live of its entry, milliseconds. */
export const LEASE_MS = 5000;
/** How often the lease is renewed, or looked at. */
const LOOK_MS = 700;
/** How often the writer is heard at least, and after how long a silence nothing is known of it. */
const TELL_MS = 1000;
const SILENCE_MS = 3000;
/** What is told of a commit besides its position waits for what comes with it. */
const STATUS_WAIT_MS = 25;
/** How long one that comes waits for the writer to say that it is there. */
const HELLO_MS = 500;
/** How often the clock is compared. */
const CLOCK_MS = 10_000;
/** How long one that could not go on as the writer leaves it to others. */
const REST_MS = 10_000;

const WRITER = 'writer';
const LEAD = 'lead';

interface Lease {
  readonly revision: number;
  /** By `performance.now`. */
  readonly untilMs: number;
}

interface Status extends ClusterNode {
  readonly revision: number;
  readonly config: number;
  readonly logs: Readonly<Record<string, JournalEnd>>;
  readonly status: unknown;
}

export class ClusterMember implements Cluster {
  readonly node: string;
  readonly #options: ClusterMemberOptions;
  readonly #ending = new AbortController();
  readonly #listeners = new Set<() => void>();
  readonly #problems = new Map<string, StreamError>();
  #role: ClusterRole;
  #told: Status | undefined;
  #heardMs = Number.NEGATIVE_INFINITY;
  /** When nothing was lacking last as far as is known: it held the lease, heard the writer, or began. */
  #completeMs = performance.now();
  #behindSinceMs: number | undefined;
  #lease: Lease | undefined;
  #lapse: NodeJS.Timeout | undefined;
  #leading: AbortController | undefined;
  #isLeading = false;
  /** Resolves once it leads, or has given that up. */
  #led: Promise<void> = Promise.resolve();
  #restsUntilMs = 0;
  #clockAtMs = Number.NEGATIVE_INFINITY;
  #status: () => object = () => ({});
  #statusTimer: NodeJS.Timeout | undefined;
  /** The revision of the configuration that this process has published. */
  config = 0;

  constructor(options: ClusterMemberOptions) {
    this.#options = options;
    this.node = options.node;
    this.#role = { role: 'cut-off', sinceMs: options.clock() };
  }

  get role(): ClusterRole {
    return this.#role;
  }

  get problems(): readonly ClusterProblem[] {
    return [...this.#problems.values()].map(({ code, message }) => ({ code, message }));
  }

  get told(): unknown {
    return this.#isLeading ? undefined : this.#told?.status;
  }

  /** Of the configuration that the writer has published. */
  get toldConfig(): number {
    return this.#told?.config ?? 0;
  }

  /** Aborted when it loses the place that it has; absent where it has none. */
  get leading(): AbortSignal | undefined {
    return this.#lease && this.#leading?.signal;
  }

  lag(stream: string): number {
    return this.#options.logs.lag(stream);
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  describe(status: () => object): void {
    this.#status = status;
  }

  /** Takes its place among the others; resolves once it has looked who writes. */
  async join(): Promise<void> {
    const { connection, name, logs } = this.#options;
    const on = (subject: string, take: (data: Uint8Array, subject: string) => void) => {
      // Another release, or another program, may say anything.
      const callback = (_: unknown, { data, subject: heard }: { data: Uint8Array; subject: string }) => {
        try {
          take(data, heard);
        } catch {}
      };
      connection.subscribe(`${name}.${subject}`, { callback });
    };
    on('status', (data) => this.#hear(parsed<Status>(data)));
    on('tail.*', (data, subject) => {
      logs.hear(subject.slice(subject.lastIndexOf('.') + 1), checked(parsed<JournalEnd>(data)), false);
    });
    on('hello', () => this.#tellStatus());
    // Servers that have just been started have no leader for a moment.
    await this.#look().catch(() => {});
    await this.#led;
    if (!this.#isLeading) {
      connection.publish(`${name}.hello`);
      // Else it would be taken for cut off until the writer speaks next.
      for (let waitedMs = 0; !this.#told && waitedMs < HELLO_MS; waitedMs += 10) await sleep(10);
    }
    void this.#run();
  }

  /** Something keeps a log from its place, or nothing does any more. */
  note(key: string, problem: unknown): void {
    const known = this.#problems.get(key);
    const error = isStreamError(problem) ? problem : undefined;
    const isSilent = problem !== undefined && !error;
    if (this.#options.signal.aborted || isSilent || known?.message === error?.message) return;
    if (error) this.#problems.set(key, error);
    else this.#problems.delete(key);
    this.#changed();
  }

  /** Leaves its place as the writer to others, for a while. */
  async resign(): Promise<void> {
    this.#restsUntilMs = performance.now() + REST_MS;
    const lease = this.#lease;
    this.#lose();
    if (lease) await this.#options.lease.delete(WRITER, { previousSeq: lease.revision }).catch(() => {});
  }

  /** Tells the others of a commit, as the writer. */
  tell(stream: string, end: JournalEnd): void {
    const { connection, name } = this.#options;
    if (connection.isClosed()) return;
    connection.publish(`${name}.tail.${stream}`, JSON.stringify(end));
    this.#statusTimer ??= setTimeout(() => this.#tellStatus(), STATUS_WAIT_MS);
  }

  async close(): Promise<void> {
    this.#ending.abort();
    await this.resign();
    clearTimeout(this.#statusTimer);
    this.#listeners.clear();
  }

  async #run(): Promise<void> {
    const { signal } = this.#ending;
    for (let [toldMs, answeredMs] = [0, performance.now()]; !signal.aborted; ) {
      try {
        await this.#look();
        answeredMs = performance.now();
        this.note('nats', undefined);
      } catch (error) {
        const reason = (error as Error).message;
        const isLong = performance.now() - answeredMs > SILENCE_MS;
        if (isLong) this.note('nats', errors.ERR_NATS_SILENT({ asked: 'the node that writes', reason }));
      }
      if (signal.aborted) return;
      if (this.#isLeading && performance.now() - toldMs >= TELL_MS - LOOK_MS / 2) {
        toldMs = performance.now();
        this.#tellStatus();
      }
      this.#judge();
      await sleep(LOOK_MS, undefined, { signal }).catch(() => {});
    }
  }

  async #look(): Promise<void> {
    const { lease, isCandidate, node, url } = this.#options;
    if (this.#lease) await this.#renew(this.#lease);
    if (performance.now() - this.#clockAtMs >= CLOCK_MS) await this.#compareClocks();
    const mayWrite = isCandidate && !this.#isBroken() && !this.#problems.has('clock');
    if (this.#lease || !mayWrite || performance.now() < this.#restsUntilMs) return;
    const held = await lease.get(WRITER);
    if (held && held.operation === 'PUT') return;
    const startedMs = performance.now();
    const revision = await lease.create(WRITER, JSON.stringify({ node, url })).catch((error) => {
      // Another was quicker.
      if ((error as { code?: number }).code === WRONG_LAST_SEQUENCE) return undefined;
      throw error;
    });
    if (revision === undefined) return;
    this.#hold({ revision, untilMs: startedMs + LEASE_MS });
    // However long that takes, the lease is renewed meanwhile.
    this.#led = this.#lead();
  }

  async #renew({ revision }: Lease): Promise<void> {
    const { lease, node, url } = this.#options;
    const startedMs = performance.now();
    try {
      const renewed = await lease.update(WRITER, JSON.stringify({ node, url }), revision);
      if (this.#lease?.revision === revision) this.#hold({ revision: renewed, untilMs: startedMs + LEASE_MS });
    } catch (error) {
      // Refused: it has passed, or another has it. Else it is tried again, until it lapses.
      if ((error as { code?: number }).code === WRONG_LAST_SEQUENCE) this.#lose();
    }
  }

  #hold(lease: Lease): void {
    this.#lease = lease;
    clearTimeout(this.#lapse);
    this.#lapse = setTimeout(() => this.#lose(), lease.untilMs - performance.now());
  }

  async #lead(): Promise<void> {
    const leading = new AbortController();
    this.#leading = leading;
    try {
      await this.#options.logs.lead(leading.signal);
      if (leading.signal.aborted) return;
      this.#isLeading = true;
      this.#judge();
      this.#tellStatus();
    } catch (error) {
      if (leading.signal.aborted) return;
      this.note(LEAD, error);
      await this.resign();
      return;
    }
    this.note(LEAD, undefined);
  }

  #lose(): void {
    clearTimeout(this.#lapse);
    if (this.#lease && this.#isLeading) this.#completeMs = this.#lease.untilMs - LEASE_MS;
    this.#lease = undefined;
    this.#leading?.abort();
    this.#isLeading = false;
    this.#options.logs.yield();
    this.#judge();
  }

  /** A clock that is off would give commits times that stand still for all who write after it. */
  async #compareClocks(): Promise<void> {
    const { lease, node, url, limitClockMs, clock } = this.#options;
    const known = await lease.get(`clock.${node}`);
    const other = known?.operation === 'PUT' && known.string() !== url ? known.string() : undefined;
    this.note('name', other === undefined ? undefined : errors.ERR_CLUSTER_NAME({ node, url: other }));
    const sentMs = clock();
    await lease.put(`clock.${node}`, url);
    const entry = await lease.get(`clock.${node}`);
    const receivedMs = clock();
    if (!entry) return;
    this.#clockAtMs = performance.now();
    const serverMs = entry.created.getTime();
    const offMs = serverMs < sentMs ? sentMs - serverMs : Math.max(0, serverMs - receivedMs);
    const isOff = offMs > limitClockMs;
    this.note('clock', isOff ? errors.ERR_CLUSTER_CLOCK({ node, offMs: Math.round(offMs), limitClockMs }) : undefined);
    if (isOff && this.#lease) await this.resign();
  }

  #hear(status: Status | undefined): void {
    if (!status || this.#isLeading) return;
    const ends = Object.entries(status.logs).map(([stream, end]) => [stream, checked(end)] as const);
    const { node, url, revision } = status;
    if (typeof node !== 'string' || typeof url !== 'string' || !Number.isSafeInteger(revision)) return;
    const isNamesake = node === this.node && url !== this.#options.url;
    if (isNamesake) this.note('name', errors.ERR_CLUSTER_NAME({ node, url }));
    const nowMs = performance.now();
    // One that was asleep does not know yet that its time has passed; and a bucket that was made anew counts from 1.
    const isFormer = status.revision < (this.#told?.revision ?? 0) && nowMs - this.#heardMs < SILENCE_MS;
    if (isFormer) return;
    this.#told = status;
    this.#heardMs = nowMs;
    this.#completeMs = this.#heardMs;
    for (const [stream, end] of ends) this.#options.logs.hear(stream, end, true);
    this.#judge();
    this.#changed();
  }

  #tellStatus(): void {
    clearTimeout(this.#statusTimer);
    this.#statusTimer = undefined;
    const { connection, name, node, url, logs } = this.#options;
    if (!this.#isLeading || !this.#lease || connection.isClosed()) return;
    const { revision } = this.#lease;
    const told: Status = { node, url, revision, config: this.config, logs: logs.ends(), status: this.#status() };
    connection.publish(`${name}.status`, JSON.stringify(told));
  }

  #judge(): void {
    const nowMs = performance.now();
    this.#behindSinceMs = this.#options.logs.isBehind() ? (this.#behindSinceMs ?? nowMs) : undefined;
    const role = this.#roleAt(nowMs);
    const known = this.#role;
    const isSame = role.role === known.role && (role.role !== 'follower' || isDeepStrictEqual(role, known));
    if (isSame) return;
    this.#role = role;
    this.#changed();
  }

  #roleAt(nowMs: number): ClusterRole {
    if (this.#isLeading) return { role: 'writer' };
    const epochMs = this.#options.clock() - nowMs;
    const behindMs = this.#behindSinceMs ?? nowMs;
    const isHeard = nowMs - this.#heardMs < SILENCE_MS && nowMs - behindMs < SILENCE_MS && !this.#isBroken();
    if (this.#told && isHeard) {
      const { node, url } = this.#told;
      return { role: 'follower', writer: { node, url } };
    }
    const sinceMs = Math.min(this.#completeMs, behindMs);
    return { role: 'cut-off', sinceMs: Math.round(epochMs + sinceMs) };
  }

  /** Whether there is a log that cannot be followed. What it could not begin to write it tries again, after a rest. */
  #isBroken(): boolean {
    return [...this.#problems].some(([key, problem]) => key !== LEAD && isBroken(problem));
  }

  #changed(): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener();
      } catch (error) {
        // What is heard next is not to be lost by it, yet a fault of the program must not vanish.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}

const WRONG_LAST_SEQUENCE = 10071;

function parsed<Value>(data: Uint8Array): Value | undefined {
  try {
    return JSON.parse(Buffer.from(data).toString()) as Value;
  } catch {
    return undefined;
  }
}

function checked(end: JournalEnd | undefined): JournalEnd {
  if (!end || ![end.position, end.sequence, end.completeToMs].every(Number.isSafeInteger))
    throw new TypeError('no end');
  return end;
}
