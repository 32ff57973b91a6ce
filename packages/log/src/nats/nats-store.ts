// A store whose logs all nodes of a cluster have, each in an LMDB folder of its own, by the entries of NATS JetStream, which
// keeps one order. The rules: specs/cluster.md.
//   openNatsStore -> connection.ts, LMDB -> cluster-member.ts: who writes
//   store.open    -> journal.ts: from the position that the folder has; from a snapshot where the entries behind it are gone
//                 -> OrderedLog with a Replica: leads where this node writes, follows where not, and changes while it is open
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { type Commit, isStreamError, type StreamDescription, type StreamError } from '@ldes-live/rdf-stream';
import type { ClusterStore } from '../cluster.ts';
import { openDiskCache } from '../disk-cache.ts';
import { errors } from '../errors.ts';
import { type LmdbLogFile, openLmdb, readLog, replaceLog } from '../lmdb-log.ts';
import type { LmdbStoreOptions } from '../lmdb-store.ts';
import { newEpoch } from '../log-state.ts';
import { OrderedLog } from '../ordered-log.ts';
import { isBroken, type JournalEnd, type Replica } from '../replica.ts';
import { createLogStore, recordOfMember } from '../storage.ts';
import { ClusterMember, type MemberLogs } from './cluster-member.ts';
import { type NatsOptions, type NatsPlaces, openNats } from './connection.ts';
import { NatsJournal, subjectOf } from './journal.ts';
import { type SharedConfig, sharedConfig } from './shared-config.ts';
import { putSnapshot, readSnapshot, snapshotInfo } from './snapshot.ts';

/** What {@link openNatsStore} takes. */
export interface NatsStoreOptions extends NatsOptions, LmdbStoreOptions {
  /** The name of this node among the others: 1 to 64 of A-Z, a-z, 0-9, `.`, `_` and `-`. */
  readonly node: string;
  /** Where the others reach this node, such as `http://10.0.0.5:3000`. */
  readonly url: string;
  /** Whether it may write: it has sources, or takes posts. */
  readonly isCandidate: boolean;
  /** How far the clock may be from that of NATS for a node that writes, milliseconds. @defaultValue 5,000 */
  readonly limitClockMs?: number;
  /**
   * After how many entries the node that writes makes a snapshot; then the entries before the former one are dropped. Each
   * 100 members of a commit count for one more.
   *
   * @defaultValue 10,000
   */
  readonly snapshotEntries?: number;
}

export interface NatsStore extends ClusterStore {
  readonly shared: SharedConfig;
}

/** How long a stream may take to be begun by the node that writes. */
const BEGIN_MS = 30_000;
const OPEN_ATTEMPTS = 10;
const RETRY_MS = 200;
const START = { position: 0, id: '' };
const SNAPSHOT_ENTRIES = 10_000;
/** Members that are read at a time. */
const SLICE_MEMBERS = 250;
/** A commit of so many members counts for one entry more. */
const ENTRY_MEMBERS = 100;
const LIMIT_CLOCK_MS = 5000;

/**
 * Opens a store over NATS JetStream, and takes the place of this node in its cluster.
 *
 * @throws `ERR_NATS_UNREACHABLE`, `ERR_NATS_CREDENTIALS`, `ERR_NATS_JETSTREAM`, `ERR_NATS_STREAM`
 * @throws those of `openLmdbStore`
 * @see specs/cluster.md
 */
export async function openNatsStore(options: NatsStoreOptions): Promise<NatsStore> {
  const file = await openLmdb(options);
  try {
    const places = await openNats(options);
    const logs = new NatsLogs(file, places, options);
    await logs.join();
    return logs.store;
  } catch (error) {
    await file.close();
    throw error;
  }
}

type StoredLog = ReturnType<typeof readLog>;

interface OpenLog {
  readonly log: OrderedLog;
  readonly replica: Replica;
  readonly journal: NatsJournal;
}

class NatsLogs implements MemberLogs {
  readonly store: NatsStore;
  readonly #file: LmdbLogFile;
  readonly #places: NatsPlaces;
  readonly #options: NatsStoreOptions;
  readonly #name: string;
  readonly #member: ClusterMember;
  readonly #open = new Map<string, OpenLog>();
  readonly #ending = new AbortController();

  constructor(file: LmdbLogFile, places: NatsPlaces, options: NatsStoreOptions) {
    this.#file = file;
    this.#places = places;
    this.#options = options;
    const { stream: name = 'ldes', node, url, isCandidate, clock, limitClockMs = LIMIT_CLOCK_MS } = options;
    const { connection, lease } = places;
    this.#name = name;
    const { signal } = this.#ending;
    const own = { connection, lease, name, node, url, isCandidate, clock, limitClockMs, signal };
    this.#member = new ClusterMember({ ...own, logs: this });
    const store = createLogStore(
      (description, onClosed) => this.#openLog(description, onClosed),
      () => this.#close(),
    );
    const close = () => {
      // Logs that are being opened would wait for NATS.
      this.#ending.abort(errors.ERR_STORE_CLOSED({ stream: name }));
      return store.close();
    };
    this.store = {
      open: store.open,
      close,
      cluster: this.#member,
      shared: sharedConfig(places.shared, this.#member, (ask) => this.#patiently(ask)),
    };
  }

  join(): Promise<void> {
    return this.#member.join();
  }

  async lead(signal: AbortSignal): Promise<void> {
    // Those that are opened meanwhile too. A node writes all or none: where one cannot be led, another node may be able to.
    const waiting = () => [...this.#open.values()].filter(({ replica }) => !replica.isLeading);
    for (let logs = waiting(); logs.length > 0; logs = waiting()) {
      await Promise.all(logs.map(({ replica }) => replica.lead(signal)));
    }
  }

  yield(): void {
    for (const { replica } of this.#open.values()) replica.yield();
  }

  ends() {
    const ends = [...this.#open].map(([stream, { log, replica }]) => {
      const { position } = replica;
      return [stream, { position, sequence: log.head.cursor.sequence, completeToMs: log.completeToMs() }] as const;
    });
    return Object.fromEntries(ends);
  }

  hear(stream: string, end: JournalEnd, isStatus: boolean): void {
    this.#open.get(stream)?.journal.hear(end, isStatus);
  }

  isBehind(): boolean {
    return [...this.#open.values()].some(({ replica, journal }) => (journal.told()?.position ?? 0) > replica.position);
  }

  lag(stream: string): number {
    return this.#open.get(stream)?.replica.lag ?? 0;
  }

  /** Opens a log, and anew if the node that writes has dropped meanwhile what this one would read next. */
  async #openLog(given: StreamDescription, onClosed: () => void): Promise<OrderedLog> {
    for (let attempt = 1; ; attempt += 1) {
      let [isOpen, epoch] = [false, ''];
      const journal = this.#journal(given.name, () => epoch);
      try {
        const stored = await this.#stored(given, journal);
        epoch = stored.state.head.cursor.epoch;
        const log = await this.#openStored(given, { stored, journal }, () => isOpen && onClosed());
        isOpen = true;
        return log;
      } catch (error) {
        if (!isStreamError(error, 'ERR_CLUSTER_GAP') || attempt === OPEN_ATTEMPTS) throw error;
        // There is a newer snapshot by then.
        await sleep(RETRY_MS);
      }
    }
  }

  async #stored(given: StreamDescription, journal: NatsJournal): Promise<StoredLog> {
    for (let stored = await this.#catchUp(given, journal); ; stored = readLog(this.#file, given, this.#options)) {
      if (!stored.isEmpty) return stored;
      await this.#begin(given, journal);
    }
  }

  async #openStored(
    { name: stream, publicUrl }: StreamDescription,
    { stored, journal }: { readonly stored: StoredLog; readonly journal: NatsJournal },
    onClosed: () => void,
  ): Promise<OrderedLog> {
    const { path, node } = this.#options;
    const { state, storage, description, mark = START } = stored;
    const diskCache = await openDiskCache(path, stream, state.head.cursor.epoch, state.removals);
    let refuse: (problem: unknown) => void = () => {};
    const refused = new Promise<never>((_, reject) => {
      refuse = reject;
    });
    const onProblem = (problem: unknown) => {
      this.#member.note(stream, problem);
      if (isBroken(problem)) refuse(problem);
    };
    const replicated = { journal, publicUrl, node, mark, onProblem, onDeposed: () => void this.#member.resign() };
    const log = new OrderedLog({
      ...{ description, storage, state, diskCache, replica: replicated, options: this.#options },
      onClosed: () => {
        this.#open.delete(stream);
        onClosed();
      },
    });
    const replica = log.replica as Replica;
    this.#open.set(stream, { log, replica, journal });
    replica.follow();
    const { signal } = this.#ending;
    const end = () => refuse(signal.reason);
    signal.addEventListener('abort', end);
    if (signal.aborted) end();
    const isReady = this.#isReady(replica);
    try {
      await Promise.race([isReady, refused]);
    } catch (error) {
      isReady.catch(() => {});
      await log.close();
      throw error;
    } finally {
      signal.removeEventListener('abort', end);
    }
    refused.catch(() => {});
    this.#makeSnapshots(stream, publicUrl, { log, replica });
    return log;
  }

  /** Resolves once a log has all that there is, and is written here where this node writes. */
  async #isReady(replica: Replica): Promise<void> {
    for (;;) {
      const { leading } = this.#member;
      try {
        await (leading ? replica.lead(leading) : replica.caughtUp());
      } catch (error) {
        // It lost its place meanwhile, or there is much to catch up with.
        if (!leading?.aborted && !isStreamError(error, 'ERR_CLUSTER_BEHIND')) throw error;
        continue;
      }
      if (!this.#member.leading || replica.isLeading) return;
    }
  }

  #journal(stream: string, epoch: () => string): NatsJournal {
    const { client, manager, connection } = this.#places;
    const { max_payload: limitMessageBytes = 1024 ** 2 } = connection.info ?? {};
    const tell = this.#member.tell.bind(this.#member);
    return new NatsJournal({ client, manager, name: this.#name, stream, epoch, limitMessageBytes, tell });
  }

  /** What the folder has of a log; from a snapshot, where the cluster has gone on without this node for too long. */
  async #catchUp(given: StreamDescription, journal: NatsJournal) {
    const stored = readLog(this.#file, given, this.#options);
    const [stream, own] = [given.name, stored.state.head.cursor.epoch];
    const last = await this.#patiently(() => journal.last());
    const { position = 0 } = stored.mark ?? {};
    const isOfOneStore = !stored.isEmpty && !stored.mark;
    if (isOfOneStore && !last && this.#member.leading) {
      await this.#adopt(given, stored);
      return stored;
    }
    // What a store by itself has is the cluster's only where it was taken over: else it would be written over.
    const isTaken = !isOfOneStore || !last || (await this.#isTakenOver(stream, own));
    if (!stored.isEmpty && (!last || last.epoch !== own || last.position < position || !isTaken)) {
      throw errors.ERR_CLUSTER_EPOCH({ stream, own, found: last?.epoch === own ? '' : (last?.epoch ?? '') });
    }
    const first = last && (await this.#patiently(() => journal.first()));
    // A log that was begun by a later term was begun elsewhere.
    const isBegun = !stored.isEmpty || !first || first.after > 0 || (await this.#isFirstTerm(journal));
    const before = first?.after ?? 0;
    if (isBegun && before <= position) return stored;
    // Another snapshot may take the place of the one that is read: then it is read from its beginning again.
    await this.#patiently(async () => {
      const content = await readSnapshot(this.#places.snapshots, stream);
      if (!content || content.summary.position < before || content.summary.epoch !== last?.epoch) {
        throw errors.ERR_CLUSTER_GAP({ stream, position, before });
      }
      assertSamePlace(stream, content.summary.publicUrl, given.publicUrl);
      await replaceLog(this.#file, stream, content);
    });
    return readLog(this.#file, given, this.#options);
  }

  async #isTakenOver(stream: string, epoch: string): Promise<boolean> {
    const info = await this.#patiently(() => snapshotInfo(this.#places.snapshots, stream));
    return info?.epoch === epoch && info.position === 0;
  }

  async #isFirstTerm(journal: NatsJournal): Promise<boolean> {
    const first = await this.#patiently(() => journal.next(0));
    return first?.entry.kind !== 'term' || first.entry.term === 1;
  }

  /** Has the cluster begin with the log that a store had by itself: as a snapshot, before the first entry. */
  async #adopt(
    { name: stream, publicUrl }: StreamDescription,
    { state, storage, description }: StoredLog,
  ): Promise<void> {
    const { head, term, latest, removals } = state;
    const { sequencePath } = description;
    const summary = {
      ...head.cursor,
      timeMs: head.timeMs,
      publicUrl,
      sequencePath,
      position: 0,
      entryId: '',
      term,
      ranges: removals.ranges,
    };
    const sequences = state.readable();
    async function* members() {
      for (let start = 0; start < sequences.length; start += SLICE_MEMBERS) {
        yield storage
          .read(sequences.slice(start, start + SLICE_MEMBERS))
          .map((member) => [member.sequence, recordOfMember(member)] as const);
        await setImmediate();
      }
    }
    const { snapshots } = this.#places;
    await this.#patiently(async () => {
      const content = { summary, latest: [...latest.entries()], members: members() };
      await putSnapshot(snapshots, stream, content, await snapshotInfo(snapshots, stream));
    });
  }

  /** Stores the first entry of a log, which the node that writes publishes. */
  async #begin({ name: stream, publicUrl, sequencePath }: StreamDescription, journal: NatsJournal): Promise<void> {
    const { clock, random, node } = this.#options;
    for (const startedMs = performance.now(); performance.now() - startedMs < BEGIN_MS; await sleep(RETRY_MS)) {
      const first = await this.#patiently(() => journal.next(0));
      if (first?.entry.kind === 'term') {
        const { entry, position } = first;
        assertSamePlace(stream, entry.publicUrl, publicUrl);
        const description = { name: stream, publicUrl, sequencePath: entry.sequencePath };
        const { state, storage } = readLog(this.#file, description, this.#options);
        await storage.apply(entry, state.take(entry), { position, id: first.id });
        return;
      }
      if (!this.#member.leading) continue;
      const epoch = newEpoch(clock(), random);
      const entry = { kind: 'term', epoch, publicUrl, sequencePath, term: 1, writer: node } as const;
      const place = { id: `${node}.${epoch}`, afterId: '', epoch, after: 0 };
      await journal.publish(entry, place, this.#ending.signal);
    }
    throw errors.ERR_STREAM_NOT_BEGUN({ stream, waitedMs: BEGIN_MS });
  }

  /** As the node that writes, so that entries can be dropped at some time. */
  #makeSnapshots(stream: string, publicUrl: string, { log, replica }: Omit<OpenLog, 'journal'>): void {
    const { snapshotEntries = SNAPSHOT_ENTRIES } = this.#options;
    const { snapshots, manager } = this.#places;
    let [entries, isAtWork] = [0, false];
    const filter = subjectOf(this.#name, stream);
    // What there is since the former one, whichever nodes have written it.
    const counting = this.#patiently(() => manager.streams.info(this.#name, { subjects_filter: filter }));
    counting.then(
      ({ state }) => {
        entries += state.subjects?.[filter] ?? 0;
      },
      () => {},
    );
    const make = async () => {
      const former = await snapshotInfo(snapshots, stream);
      await log.withContent(publicUrl, (content) => putSnapshot(snapshots, stream, content, former));
      // Nodes that were away for no longer than that go on by entries. One of another life of the log says nothing of them.
      const isOurs = former?.epoch === log.head.cursor.epoch && former.position <= replica.position;
      if (!isOurs || former.position === 0 || !replica.isLeading) return;
      await manager.streams.purge(this.#name, { filter, seq: former.position + 1 });
    };
    log.subscribe(({ members }: Commit) => {
      entries += 1 + Math.floor(members.length / ENTRY_MEMBERS);
      if (entries < snapshotEntries || isAtWork || !replica.isLeading) return;
      entries = 0;
      isAtWork = true;
      const done = make().then(
        () => this.#member.note(`snapshot ${stream}`, undefined),
        (error) =>
          this.#member.note(`snapshot ${stream}`, errors.ERR_CLUSTER_SNAPSHOT({ stream, reason: String(error) })),
      );
      void done.finally(() => {
        isAtWork = false;
      });
    });
  }

  /** Asks until it is answered; what has a code is an answer. */
  async #patiently<T>(ask: () => Promise<T>): Promise<T> {
    for (;;) {
      this.#ending.signal.throwIfAborted();
      try {
        return await ask();
      } catch (error) {
        if (isStreamError(error as StreamError)) throw error;
        await sleep(RETRY_MS);
      }
    }
  }

  async #close(): Promise<void> {
    await this.#member.close();
    await this.#places.connection.close();
    await this.#file.close();
  }
}

function assertSamePlace(stream: string, stored: string, given: string): void {
  if (stored !== given) throw errors.ERR_STREAM_MOVED({ stream, stored, given });
}
