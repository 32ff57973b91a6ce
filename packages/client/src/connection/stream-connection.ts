import type { Mode } from '@ldes-live/latency';
import { type Cursor, formatCursor } from '@ldes-live/rdf-stream';
import type { ClientEnvironment } from '../environment.ts';
import { errors } from '../errors.ts';
import { HttpClient, SharedRequests } from '../http/http-client.ts';
import { RequestBudget } from '../http/request-budget.ts';
import type { ClientLimits } from '../options.ts';
import { ClockWatch, type Sleep, untilOnline, Wakeup } from '../waiting.ts';
import { FULL_TRUST, type PushTrust } from './circuit-breaker.ts';
import { PollPlanner } from './poll-planner.ts';
import { openPush, PushChannel, type PushSeat } from './push-channel.ts';
import { UpdateEstimator } from './update-estimator.ts';

/** What those who follow streams have from their client. */
export interface ClientContext {
  readonly malMs: number;
  readonly phase: number;
  readonly fetch: typeof fetch;
  readonly clock: () => number;
  readonly random: () => number;
  readonly sleep: Sleep;
  readonly headers: Readonly<Record<string, string>>;
  readonly limits: ClientLimits;
  readonly environment: ClientEnvironment;
}

/** One who follows, as far as those know it whom it shares with. */
interface Follows {
  /** Takes note that our clock jumped by so many milliseconds; below 0 where it was set back. */
  jumped(jumpMs: number): void;
}

/** How many requests a MAL has room for: so many are regained in each. */
const REQUESTS_PER_MAL = 4;
/** The shortest time in which a request is regained, milliseconds. */
const SHORTEST_REFILL_MS = 50;
/** How long it is believed that the environment has no connection to spare, milliseconds. */
const CROWDED_MS = 30_000;

/**
 * What the followers of one URL in one client share: requests under way, one schedule, one push connection, and what was
 * learned about the server. The smallest of their MALs rules.
 *
 * @see specs/mal.md MAL-45, MAL-46
 */
export class StreamConnection {
  readonly http: HttpClient;
  readonly planner: PollPlanner;
  readonly rhythm = new UpdateEstimator();
  /** Rings when a planned poll begins. */
  readonly polled = new Wakeup();
  /** Rings when the MAL that rules has changed. */
  readonly changed = new Wakeup();
  /** How often it has. */
  changes = 0;
  readonly jumps: ClockWatch;
  trust: PushTrust = FULL_TRUST;
  /** The mode chosen last when both were to be had. */
  preferred: Mode | undefined;
  /** Until when the environment is taken to have no connection to spare, epoch milliseconds. */
  crowdedUntilMs = Number.NEGATIVE_INFINITY;
  readonly #circumstances: ClientContext;
  readonly #budget: RequestBudget;
  readonly #malsMs = new Map<Follows, number>();
  readonly #judged = new WeakSet<object>();
  readonly #openings = new SharedRequests<PushChannel>();
  #ruledBy: number | undefined;
  #push: PushChannel | undefined;

  /** @param url - of the root of the stream */
  constructor(circumstances: ClientContext, url: string) {
    const { limits, phase, ...others } = circumstances;
    this.#circumstances = circumstances;
    this.#budget = new RequestBudget({ ...others, capacity: limits.requestBurst, refillMs: this.#refillMs() });
    this.http = new HttpClient({
      ...others,
      origin: new URL(url).origin,
      budget: this.#budget,
      ready: (signal) => untilOnline(circumstances, signal),
      limitBytes: limits.documentBytes,
      limitMs: limits.requestMs,
    });
    this.planner = new PollPlanner(phase);
    const { clock, sleep } = circumstances;
    this.jumps = new ClockWatch({ clock, sleep, watchMs: limits.watchMs }, (jumpMs) => this.#jumped(jumpMs));
  }

  /** The smallest MAL of those who follow now, milliseconds. */
  get malMs(): number {
    const malsMs = [...this.#malsMs.values()];
    return malsMs.length === 0 ? this.#circumstances.malMs : Math.min(...malsMs);
  }

  /** How many follow now. */
  get followers(): number {
    return this.#malsMs.size;
  }

  /** Somebody follows from now on. */
  enter(follower: Follows, malMs: number): void {
    if (this.followers === 0) this.jumps.start();
    this.#malsMs.set(follower, malMs);
    this.#malChanged();
  }

  /** Somebody follows no more. */
  leave(follower: Follows): void {
    if (!this.#malsMs.delete(follower)) return;
    if (this.followers > 0) this.#malChanged();
    else this.jumps.stop();
  }

  /** Whether a connection, or an error in opening one, was held against push by nobody yet; from now on it was. */
  isNews(cause: object): boolean {
    if (this.#judged.has(cause)) return false;
    this.#judged.add(cause);
    return true;
  }

  /** Trusts push again for what a connection brought, unless something else was held against that. */
  trustPush(connection: object): void {
    if (!this.#judged.has(connection)) this.trust = FULL_TRUST;
  }

  /**
   * Joins the push connection, which is opened at the position unless it is open.
   *
   * @throws {@link StreamError} `ERR_PUSH_CROWDED` - the environment has no connection to spare; those of `openPush`
   */
  async joinPush(url: string, position: Cursor, signal: AbortSignal): Promise<PushSeat> {
    try {
      // One that is in another life of the log goes on for those who read it, until it finds that out itself.
      const shared = this.#push?.isOpenTo(position) ? this.#push : undefined;
      const key = `${position.epoch} ${url}`;
      const push = shared ?? (await this.#openings.share(key, signal, (opening) => this.#open(url, position, opening)));
      return push.join(position);
    } catch (error) {
      // It may have been opened in the moment in which the last who waited for it left.
      this.#push?.closeIfUnread();
      throw error;
    }
  }

  async #open(url: string, position: Cursor, signal: AbortSignal): Promise<PushChannel> {
    const { limits, clock, sleep, environment } = this.#circumstances;
    const release = await takeSlot(environment, url, { limitMs: limits.openMs, sleep });
    if (!release) {
      this.crowdedUntilMs = clock() + CROWDED_MS;
      throw errors.ERR_PUSH_CROWDED({ url });
    }
    try {
      const cursor = formatCursor(position);
      const connection = await openPush({ http: this.http, url, cursor, limits, clock, sleep, signal });
      // Nobody may be left who waited for it.
      if (signal.aborted) connection.close();
      signal.throwIfAborted();
      const push = new PushChannel(connection, {
        cursor: position,
        limitChars: limits.eventBytes,
        clock,
        onEnd: () => {
          release();
          if (this.#push === push) this.#push = undefined;
        },
      });
      const replaced = this.#push;
      this.#push = push;
      replaced?.closeIfUnread();
      return push;
    } catch (error) {
      release();
      throw error;
    }
  }

  #jumped(jumpMs: number): void {
    this.http.forgetClock();
    this.#push?.connection.forgetClock();
    for (const follower of this.#malsMs.keys()) follower.jumped(jumpMs);
  }

  #malChanged(): void {
    const { malMs } = this;
    if (malMs === this.#ruledBy) return;
    this.#ruledBy = malMs;
    this.planner.malMs = malMs;
    this.#budget.refillMs = this.#refillMs();
    this.changes += 1;
    this.changed.notify();
  }

  #refillMs(): number {
    return Math.max(SHORTEST_REFILL_MS, this.malMs / REQUESTS_PER_MAL);
  }
}

/**
 * Asks for the leave to open a push connection, but no longer than a time: one that comes after that is given back.
 *
 * @returns gives the leave back; `undefined` where there is none, or nobody answers
 * @throws what the environment throws
 * @see specs/mal.md MAL-89
 */
export async function takeSlot(
  environment: Pick<ClientEnvironment, 'pushSlot'>,
  url: string,
  { limitMs, sleep }: { readonly limitMs: number; readonly sleep: Sleep },
): Promise<(() => void) | undefined> {
  const answered = new AbortController();
  const asked = environment.pushSlot(url);
  const late = sleep(limitMs, answered.signal).then(() => 'late' as const);
  // It is ended by the answer.
  late.catch(() => {});
  try {
    const first = await Promise.race([asked, late]);
    if (first !== 'late') return first;
    asked.then((release) => release?.()).catch(() => {});
    return undefined;
  } finally {
    answered.abort();
  }
}
