/*
 * A stream as the page follows it: the living entities, how late each update came, and what it cost.
 *
 *   follow(url, { mal }) -> change -> entities, lag of its commit -> once a frame: `changed` goes up, listeners get the IRIs
 *   setMal(60) -> the follower ends; another one goes on from its state: nothing is lost, and nothing is read again
 *
 * Changes of one commit come in one task: it is cut into slices, so that the page stays at hand whatever arrives.
 */
import { type Change, createLiveClient, type Follower, type LiveStatus, type Member } from '@ldes-live/client';
import { signal } from '@preact/signals';
import { Entity, labelOf } from './entity.ts';
import { knownLabels, learnLabel } from './labels.ts';

/** How late the slowest update of one commit was. */
export interface LagSample {
  readonly atMs: number;
  readonly lagMs: number;
  readonly via: 'pull' | 'push';
  readonly updates: number;
}

/** What was promised and spent at an instant. */
export interface StatusSample {
  readonly atMs: number;
  readonly malMs: number;
  readonly boundMs: number;
  readonly mode: 'pull' | 'push';
  readonly requests: number;
  readonly bytes: number;
}

/** How long samples are kept. */
const KEPT_MS = 10 * 60_000;
const SAMPLE_MS = 500;
const SLICE_MS = 8;
const HISTORY_MS = 3_600_000;
/** Versions of a history, about. */
const LIMIT_HISTORY = 10_000;
const RECENT_MS = 10_000;
/** Of streams with more entities than these, only what comes is counted. */
const LIMIT_COUNTED = 500;
export const BUCKET_MS = 10_000;
export const BUCKETS = 30;
/** How long an entity that has ended is shown fading. */
const FADE_MS = 1200;

const client = createLiveClient({ mal: 1 });
// Of its own: what it costs to read history is not what it costs to follow.
const historyClient = createLiveClient({ mal: 60 });

type Listener = (changed: ReadonlySet<string>) => void;

export class LiveStream {
  readonly url: string;
  readonly entities = new Map<string, Entity>();
  /** Entities that have just ended, with the instant, epoch milliseconds. */
  readonly leaving = new Map<string, { readonly entity: Entity; readonly end: Member; readonly atMs: number }>();
  /** How often what was known became void: versions of before count from another beginning. */
  readonly gaps = signal(0);
  /** Goes up with each frame in which something changed. */
  readonly changed = signal(0);
  readonly status = signal<LiveStatus | undefined>(undefined);
  readonly malSeconds = signal(1);
  /** The MAL that the person chose, for when the stream is opened again. */
  chosenSeconds: number | undefined;
  /** What each way has cost so far. */
  readonly spent = { pull: { bytes: 0, requests: 0, updates: 0 }, push: { bytes: 0, requests: 0, updates: 0 } };
  /** Why nothing more will come. */
  readonly failure = signal<Error | undefined>(undefined);
  readonly lags: LagSample[] = [];
  readonly samples: StatusSample[] = [];
  /** Bytes and members of the first state, by which the size of a member is known. */
  firstState: { readonly bytes: number; readonly members: number } | undefined;
  /** Updates by the ten seconds of their publication, of the last minutes: those that came, and those of the history. */
  readonly updates = new Map<number, number>();
  /** Publication of the newest update, epoch milliseconds. */
  newestMs: number | undefined;
  readonly #listeners = new Set<Listener>();
  #dirty = new Set<string>();
  #isFlushDue = false;
  #stop: AbortController | undefined;
  #follower: Follower | undefined;
  #users = 0;
  #timer: ReturnType<typeof setInterval> | undefined;
  #commit: { time: string; lagMs: number; updates: number; via: 'pull' | 'push'; atMs: number } | undefined;

  constructor(url: string) {
    this.url = url;
  }

  /**
   * Follows the stream for as long as somebody wants it.
   *
   * @returns ends that
   */
  open(malSeconds: number): () => void {
    this.#users += 1;
    if (this.#timer === undefined) {
      this.malSeconds.value = malSeconds;
      this.#timer = setInterval(() => this.#sample(), SAMPLE_MS);
      void this.#follow();
    } else this.setMal(malSeconds);
    let isOpen = true;
    return () => {
      if (isOpen) this.#users -= 1;
      isOpen = false;
      // Who goes from one view to the next wants it again at once.
      setTimeout(() => this.#users === 0 && this.#close(), 1000);
    };
  }

  setMal(seconds: number): void {
    if (seconds === this.malSeconds.peek()) return;
    this.malSeconds.value = seconds;
    if (this.#timer !== undefined) void this.#follow();
  }

  /** Sets the MAL that a person wants. */
  choose(seconds: number): void {
    this.chosenSeconds = seconds;
    this.setMal(seconds);
  }

  /** Tries again after a failure. */
  retry(): void {
    void this.#follow();
  }

  onChanges(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #close(): void {
    this.#stop?.abort();
    clearInterval(this.#timer);
    this.#timer = undefined;
    // What is measured later is not of this time.
    this.samples.length = 0;
    this.lags.length = 0;
  }

  async #follow(): Promise<void> {
    this.#stop?.abort();
    const stop = new AbortController();
    this.#stop = stop;
    this.failure.value = undefined;
    const { signal: aborted } = stop;
    const mal = this.malSeconds.peek();
    let follower: Follower | undefined;
    let sliceMs = performance.now();
    try {
      // State, not the newest cursor alone: of any LDES too it goes on where it was.
      const state = this.#follower?.state;
      follower = client.follow(this.url, { mal, versions: 'newest', signal: aborted, ...(state && { state }) });
      this.#follower = follower;
      follower.on('status', (status) => {
        if (!aborted.aborted) this.#told(status);
      });
      for await (const change of follower) {
        this.#take(change);
        if (performance.now() - sliceMs < SLICE_MS) continue;
        await new Promise((resolve) => setTimeout(resolve));
        sliceMs = performance.now();
      }
      this.#told(follower.status);
    } catch (error) {
      if (aborted.aborted) return;
      if (follower) this.#told(follower.status);
      this.failure.value = error as Error;
    }
  }

  #told(status: LiveStatus): void {
    this.status.value = status;
    if (status.isCaughtUp && !this.firstState) {
      this.firstState = { bytes: status.bytes, members: Math.max(1, this.entities.size) };
      // Without it the bars begin now.
      this.#countHistory().catch(() => {});
      this.#flushSoon();
    }
  }

  #take(change: Change): void {
    const nowMs = Date.now();
    if (change.kind === 'gap') {
      for (const iri of this.entities.keys()) this.#dirty.add(iri);
      this.entities.clear();
      this.gaps.value += 1;
      this.#flushSoon();
      return;
    }
    const { member, isLive, lagMs, via } = change;
    const publishedMs = Date.parse(member.time);
    this.newestMs = Math.max(this.newestMs ?? 0, publishedMs);
    if (isLive) {
      this.#count(publishedMs);
      this.#measure(member.time, lagMs, via);
    }
    if (change.isNewest) this.#put(member, nowMs);
  }

  #count(publishedMs: number): void {
    const bucket = Math.floor(publishedMs / BUCKET_MS);
    this.updates.set(bucket, (this.updates.get(bucket) ?? 0) + 1);
  }

  /** Counts what was published before the page came, once, where a page can bear to read it. */
  async #countHistory(): Promise<void> {
    const startedMs = Date.now();
    for (const { member } of this.entities.values()) this.#count(Date.parse(member.time));
    if (this.entities.size > LIMIT_COUNTED) return;
    const stop = AbortSignal.timeout(10_000);
    const counts = new Map<number, number>();
    for await (const { time } of readHistory(this, { ms: BUCKETS * BUCKET_MS, signal: stop })) {
      const bucket = Math.floor(Date.parse(time) / BUCKET_MS);
      counts.set(bucket, (counts.get(bucket) ?? 0) + 1);
    }
    for (const [bucket, count] of counts) {
      if (bucket * BUCKET_MS < startedMs) this.updates.set(bucket, Math.max(count, this.updates.get(bucket) ?? 0));
    }
  }

  #put(member: Member, nowMs: number): void {
    const { entity: iri, kind } = member;
    const known = this.entities.get(iri);
    this.#dirty.add(iri);
    if (kind === 'delete') {
      this.entities.delete(iri);
      knownLabels.delete(iri);
      if (known) this.leaving.set(iri, { entity: known, end: member, atMs: nowMs });
    } else if (known) known.update(member, nowMs);
    else {
      this.entities.set(iri, new Entity(member, nowMs));
      const label = labelOf(member);
      if (label !== undefined) learnLabel(iri, label);
    }
    this.#flushSoon();
  }

  #measure(time: string, lagMs: number, via: 'pull' | 'push'): void {
    const commit = this.#commit;
    if (commit?.time === time) {
      commit.lagMs = Math.max(commit.lagMs, lagMs);
      commit.updates += 1;
      commit.atMs = Date.now();
    } else {
      this.#endCommit();
      this.#commit = { time, lagMs, updates: 1, via, atMs: Date.now() };
    }
  }

  #endCommit(): void {
    if (!this.#commit) return;
    const { lagMs, via, updates, atMs } = this.#commit;
    this.spent[via].updates += updates;
    this.lags.push({ atMs, lagMs, via, updates });
    this.#commit = undefined;
  }

  #flushSoon(): void {
    if (this.#isFlushDue) return;
    this.#isFlushDue = true;
    // A page that nobody sees gets no frames.
    if (document.hidden) setTimeout(() => this.#flush(), 250);
    else requestAnimationFrame(() => this.#flush());
  }

  #flush(): void {
    this.#isFlushDue = false;
    const dirty = this.#dirty;
    this.#dirty = new Set();
    this.changed.value += 1;
    for (const listener of this.#listeners) {
      try {
        listener(dirty);
      } catch (error) {
        // One view that fails must not keep others from what changed.
        reportError(error);
      }
    }
  }

  #sample(): void {
    const status = this.#follower?.status;
    if (!status) return;
    this.#told(status);
    for (const [iri, { atMs }] of this.leaving) {
      if (Date.now() - atMs <= FADE_MS) continue;
      this.leaving.delete(iri);
      this.#flushSoon();
    }
    const oldest = Math.floor(Date.now() / BUCKET_MS) - BUCKETS;
    for (const bucket of this.updates.keys()) if (bucket < oldest) this.updates.delete(bucket);
    // Before that no way has been chosen.
    if (!this.firstState) return;
    const { mode, lagBoundMs: boundMs, requests, bytes } = status;
    const before = this.samples.at(-1);
    if (before?.mode === mode) {
      this.spent[mode].bytes += bytes - before.bytes;
      this.spent[mode].requests += requests - before.requests;
    }
    const atMs = Date.now();
    if (this.#commit && this.#commit.atMs < atMs - SAMPLE_MS / 2) this.#endCommit();
    this.samples.push({ atMs, malMs: this.malSeconds.peek() * 1000, boundMs, mode, requests, bytes });
    forget(this.samples, atMs);
    forget(this.lags, atMs);
  }
}

function forget(samples: { readonly atMs: number }[], nowMs: number): void {
  const kept = samples.findIndex(({ atMs }) => atMs > nowMs - KEPT_MS);
  samples.splice(0, kept < 0 ? samples.length : kept);
}

const streams = new Map<string, LiveStream>();

/** The stream at a URL: one object for all views of the page. */
export function streamAt(url: string): LiveStream {
  const known = streams.get(url) ?? new LiveStream(url);
  streams.set(url, known);
  return known;
}

/**
 * Reads what was published lately, oldest first, until all that there is has been read: that of the last hour, or of the
 * shorter time in which so much is published that a page can bear it.
 *
 * @param entity - the one whose versions are wanted; absent: those of all
 * @throws what following throws, the signal's reason included
 */
export async function* readHistory(
  { url, entities }: LiveStream,
  { ms = HISTORY_MS, entity, signal }: { ms?: number; entity?: string; signal: AbortSignal },
): AsyncGenerator<Member> {
  const caughtUp = new AbortController();
  const either = AbortSignal.any([signal, caughtUp.signal]);
  const nowMs = Date.now();
  const isRecent = ({ member }: Entity) => Date.parse(member.time) > nowMs - RECENT_MS;
  const perMs = [...entities.values()].filter(isRecent).length / RECENT_MS;
  const after = new Date(nowMs - Math.min(ms, LIMIT_HISTORY / perMs)).toISOString();
  const follower = historyClient.follow(url, {
    from: 'start',
    after,
    signal: either,
    ...(entity !== undefined && { entity: [entity] }),
  });
  follower.on('caught-up', () => caughtUp.abort());
  try {
    for await (const change of follower) if (change.kind !== 'gap') yield change.member;
  } catch (error) {
    if (signal.aborted || !caughtUp.signal.aborted) throw error;
  }
}
