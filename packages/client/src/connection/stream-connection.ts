/* What all followers of one URL in one client share: one HTTP client with its budget, one poll plan, one push channel for
 * each filter, one circuit breaker. The smallest of their MALs rules. The client holds it weakly: it goes with its last follower.
 *   enter(follower, 10_000) --> planner and budget by the smallest MAL
 *   joinPush("https://a.example/s/events", { "epoch": "k3x9a", "sequence": 41 }) --> a seat at the channel, opened if it is not */
import type { Mode } from '@ldes-live/latency';
import {
  type Cursor,
  type Filter,
  filterQuery,
  httpFields,
  parseSourceState,
  type SourceState,
} from '@ldes-live/rdf-stream';
import { hostEnvironment } from '../environment.ts';
import { errors } from '../errors.ts';
import { cachingOf } from '../http/document.ts';
import { hostGuard } from '../http/hosts.ts';
import { HttpClient } from '../http/http-client.ts';
import { RequestBudget } from '../http/request-budget.ts';
import type { ClientLimits, LiveClientOptions } from '../options.ts';
import { ClockWatch, SharedRequests, untilOnline, Wakeup, within } from '../waiting.ts';
import { CircuitBreaker } from './circuit-breaker.ts';
import { hiddenAgeMs, PollPlanner } from './poll-planner.ts';
import { openPush, type PushChannel, type PushSeat } from './push-channel.ts';
import { UpdateEstimator } from './update-estimator.ts';

/** What followers have from their client. */
export interface ClientContext extends Required<Omit<LiveClientOptions, 'mal' | 'limits'>> {
  readonly malMs: number;
  /** Where in the range of its polls the client is, in [0, 1). */
  readonly phase: number;
  readonly limits: ClientLimits;
}

/** A follower, as far as those know it that it shares with. */
interface Follows {
  /** Our clock jumped by so many milliseconds; below 0 where it was set back. */
  jumped(jumpMs: number): void;
  /** The sources of the stream fail, or work again. */
  sourceChanged(): void;
}

// So many requests are regained in each MAL, but none in less than that.
const REQUESTS_PER_MAL = 4;
const MIN_REFILL_MS = 50;
// So many seconds' worth of requests may be sent at once: enough for most histories.
const BURST_SECONDS = 50;
// How long it is believed that the environment has no connection to spare.
const NO_SLOT_MS = 30_000;

/** @see specs/mal.md MAL-45 */
export class StreamConnection {
  readonly http: HttpClient;
  readonly planner: PollPlanner;
  readonly updates = new UpdateEstimator();
  readonly breaker: CircuitBreaker;
  /** When a planned poll begins. */
  readonly polled = new Wakeup();
  /** When the MAL that rules has changed. */
  readonly changed = new Wakeup();
  readonly jumps: ClockWatch;
  /** How the sources of the stream are; `undefined` where its publisher says nothing of them. */
  source: SourceState | undefined;
  /** The mode chosen last when both were to be had. */
  preferred: Mode | undefined;
  readonly #context: ClientContext;
  readonly #budget: RequestBudget;
  readonly #malsMs = new Map<Follows, number>();
  readonly #openings = new SharedRequests<PushChannel>();
  #noSlotUntilMs = Number.NEGATIVE_INFINITY;
  #ruledBy: number | undefined;
  // By the URL that they were opened at.
  readonly #channels = new Map<string, PushChannel>();
  // As of when it is known, by our clock.
  #sourceAtMs = Number.NEGATIVE_INFINITY;

  constructor(context: ClientContext, url: string) {
    const { limits, phase, clock, sleep, environment } = context;
    this.#context = context;
    this.#budget = new RequestBudget({ ...context, capacity: limits.requestBurst, refillMs: this.#refillMs() });
    const { requestsPerSecond } = limits;
    const [capacity, refillMs] = [BURST_SECONDS * requestsPerSecond, Math.max(0.001, 1000 / requestsPerSecond)];
    const pace = new RequestBudget({ ...context, capacity, refillMs });
    this.http = new HttpClient({
      ...context,
      origin: new URL(url).origin,
      budget: this.#budget,
      pace,
      ready: (signal) => untilOnline(context, signal),
      limits,
      onHeaders: (headers, sentMs) => this.#readSource(headers, sentMs),
      guard: hostGuard(context.hosts, url, environment.addressesOf?.bind(environment) ?? hostEnvironment().addressesOf),
    });
    this.planner = new PollPlanner(phase, clock);
    this.breaker = new CircuitBreaker(context);
    this.jumps = new ClockWatch({ clock, sleep, watchMs: limits.watchMs }, (jumpMs) => this.#jumped(jumpMs));
  }

  /** The smallest MAL of those who follow now, milliseconds. */
  get malMs(): number {
    return this.#malsMs.size === 0 ? this.#context.malMs : Math.min(...this.#malsMs.values());
  }

  enter(follower: Follows, malMs: number): void {
    if (this.#malsMs.size === 0) this.jumps.start();
    this.#malsMs.set(follower, malMs);
    this.#malChanged();
  }

  leave(follower: Follows): void {
    if (!this.#malsMs.delete(follower)) return;
    if (this.#malsMs.size > 0) this.#malChanged();
    else this.jumps.stop();
  }

  /** Whether push may be tried, as far as this side knows. */
  get push(): 'available' | 'failing' | 'no-connection' {
    if (!this.breaker.isClosed) return 'failing';
    return this.#context.clock() < this.#noSlotUntilMs ? 'no-connection' : 'available';
  }

  /**
   * Joins the push channel of a filter, which is opened at the position unless it is open; that of the whole stream where
   * there is no filter, where it has more values than the limit, or where that channel is open.
   */
  async joinPush(url: string, position: Cursor, signal: AbortSignal, filter?: Filter): Promise<PushSeat> {
    const own = this.#filteredUrl(url, filter);
    // A channel in another life of the log goes on for its readers, until it finds that out itself.
    const open = [url, own].map((key) => this.#channels.get(key)).find((push) => push?.isOpenTo(position));
    try {
      const key = `${position.epoch} ${own}`;
      const begin = (ending: AbortSignal) => this.#open(own, position, own !== url, ending);
      const push = open ?? (await this.#openings.share(key, signal, begin));
      return push.join(position);
    } catch (error) {
      // It may have been opened at the moment when the last follower that waited for it left.
      this.#channels.get(own)?.closeIfUnread();
      throw error;
    }
  }

  #filteredUrl(url: string, filter: Filter | undefined): string {
    const values = filter ? [...filterQuery(filter)] : [];
    if (values.length === 0 || values.length > this.#context.limits.filterValues) return url;
    const filtered = new URL(url);
    for (const [name, value] of values) filtered.searchParams.append(name, value);
    return filtered.href;
  }

  async #open(url: string, cursor: Cursor, isFiltered: boolean, signal: AbortSignal): Promise<PushChannel> {
    const { limits, clock, sleep } = this.#context;
    const release = await this.#takeSlot(url);
    try {
      // A document that was asked for in the same millisecond is older.
      const onStatus = (source: SourceState) => this.#learnSource(source, clock() + 1);
      const onEnd = () => {
        release();
        if (this.#channels.get(url) === push) this.#channels.delete(url);
      };
      const options = { http: this.http, url, cursor, isFiltered, limits, clock, sleep, onStatus, onEnd };
      const push = await openPush(options, signal);
      // No follower may be left that waited for it.
      if (signal.aborted) push.closeIfUnread();
      signal.throwIfAborted();
      this.#channels.set(url, push);
      return push;
    } catch (error) {
      release();
      throw error;
    }
  }

  // A slot that is given too late is given back.
  async #takeSlot(url: string): Promise<() => void> {
    const { limits, clock, sleep, environment } = this.#context;
    const crowded = errors.ERR_PUSH_CROWDED({ url });
    const asked = environment.pushSlot(url);
    const release = await within(asked, { ms: limits.openMs, sleep, late: () => crowded }).catch((error) => {
      if (error !== crowded) throw error;
      asked.then((late) => late?.()).catch(() => {});
    });
    if (release) return release;
    this.#noSlotUntilMs = clock() + NO_SLOT_MS;
    throw crowded;
  }

  #readSource(headers: Headers, sentMs: number): void {
    const caching = cachingOf(headers);
    // Documents that never change, and those of other streams, say nothing of it.
    if (caching.isImmutable || !headers.has(httpFields.cursor)) return;
    const atMs = sentMs - hiddenAgeMs(caching);
    // A document that was asked for, or made, earlier than what is known is out of date.
    if (atMs >= this.#sourceAtMs) this.#learnSource(parseSourceState(headers.get(httpFields.source) ?? ''), atMs);
  }

  #learnSource(source: SourceState | undefined, atMs: number): void {
    this.#sourceAtMs = atMs;
    const before = JSON.stringify(this.source);
    this.source = source;
    if (JSON.stringify(source) === before) return;
    for (const follower of this.#malsMs.keys()) follower.sourceChanged();
  }

  #jumped(jumpMs: number): void {
    this.#sourceAtMs = Number.NEGATIVE_INFINITY;
    this.http.forgetClock();
    for (const channel of this.#channels.values()) channel.forgetClock();
    for (const follower of this.#malsMs.keys()) follower.jumped(jumpMs);
  }

  #malChanged(): void {
    const { malMs } = this;
    if (malMs === this.#ruledBy) return;
    this.#ruledBy = malMs;
    this.planner.malMs = malMs;
    this.#budget.refillMs = this.#refillMs();
    this.changed.notify();
  }

  #refillMs(): number {
    return Math.max(MIN_REFILL_MS, this.malMs / REQUESTS_PER_MAL);
  }
}
