import { errors } from '../../errors.ts';
import type { PushSettings } from '../../options.ts';
import { RefusedCrowd, spreadSeconds } from './refused-crowd.ts';
import { TokenBucket } from './token-bucket.ts';

/** The limits on who may connect. */
export type AdmissionSettings = Pick<
  PushSettings,
  'limitConnections' | 'limitConnectionsPerAddress' | 'limitAcceptsPerSecond' | 'limitWaitingAccepts'
>;

/** A connection that was admitted, until it is closed. */
export interface Place {
  /** Makes room for another; once is enough. */
  leave(): void;
}

interface Waiter {
  readonly place: Place;
  admit(): void;
  refuse(error: unknown): void;
}

/** Below it a timer would cost more than it spreads. */
const TICK_MS = 10;

/** When a place may come free at an address that has all it may have, seconds: its readers have to leave by themselves. */
const ADDRESS_SECONDS = 25;

/** How long a server that stops may take to be replaced, seconds. */
const STOPPING_SECONDS = 1;

/**
 * Decides who may open a push connection, over all streams of a server: so many at a time, so many of one address, and so
 * many in a second. Those above the rate wait for their turn, first come, first served. Nobody who was admitted has to
 * leave for another.
 *
 * @see specs/push.md PUSH-27, PUSH-30
 */
export class Admission {
  readonly #settings: AdmissionSettings;
  readonly #random: () => number;
  readonly #bucket: TokenBucket;
  readonly #crowd: RefusedCrowd;
  readonly #ofAddress = new Map<string, number>();
  readonly #waiting = new Set<Waiter>();
  #held = 0;
  #timer: NodeJS.Timeout | undefined;
  #isStopping = false;

  /** @param edge - `clock` in milliseconds, `random` in [0, 1) */
  constructor(settings: AdmissionSettings, edge: { readonly clock: () => number; readonly random: () => number }) {
    this.#settings = settings;
    this.#random = edge.random;
    this.#bucket = new TokenBucket(settings.limitAcceptsPerSecond, edge.clock);
    this.#crowd = new RefusedCrowd(settings.limitAcceptsPerSecond, edge);
  }

  /** Connections that were admitted and are open. */
  get size(): number {
    return this.#held - this.#waiting.size;
  }

  /** How many wait for their turn. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /**
   * Gives one more connection a place: at once, or at its turn.
   *
   * @param address - what the limit of one address counts, see `peerAddress`; not counted when `undefined`
   * @param latest - URL that a reader may poll instead, for the errors
   * @param signal - gives the wait up, when the client has gone
   * @throws {@link StreamError} `ERR_CONNECTIONS_FULL` - there are as many connections as there may be
   * @throws {@link StreamError} `ERR_CONNECTIONS_ADDRESS` - the address has as many as it may have
   * @throws {@link StreamError} `ERR_ACCEPTS_WAITING` - as many wait as may wait
   * @throws {@link StreamError} `ERR_STOPPING` - {@link Admission.stop} was called; who waits is told by a rejection
   */
  admit(address: string | undefined, latest: string, signal?: AbortSignal): Place | Promise<Place> {
    signal?.throwIfAborted();
    const { limitConnections, limitConnectionsPerAddress, limitWaitingAccepts } = this.#settings;
    if (this.#isStopping) throw this.#stopping(latest);
    if (this.#held >= limitConnections) {
      throw errors.ERR_CONNECTIONS_FULL({ limitConnections, ...this.#comeBack(latest) });
    }
    if (address !== undefined && (this.#ofAddress.get(address) ?? 0) >= limitConnectionsPerAddress) {
      // Whoever tries too often from one address must not put off all the others.
      const retryAfterSeconds = spreadSeconds(ADDRESS_SECONDS, this.#random());
      throw errors.ERR_CONNECTIONS_ADDRESS({ limitConnectionsPerAddress, retryAfterSeconds, latest });
    }
    if (this.#waiting.size === 0 && this.#bucket.take()) return this.#hold(address);
    if (this.#waiting.size >= limitWaitingAccepts) {
      throw errors.ERR_ACCEPTS_WAITING({ limitWaitingAccepts, ...this.#comeBack(latest) });
    }
    return this.#wait(address, latest, signal);
  }

  /** Admits nobody any more, and refuses those who wait. */
  stop(): void {
    this.#isStopping = true;
    clearTimeout(this.#timer);
    for (const waiter of this.#waiting) waiter.refuse(undefined);
  }

  #hold(address: string | undefined): Place {
    this.#held += 1;
    if (address !== undefined) this.#ofAddress.set(address, (this.#ofAddress.get(address) ?? 0) + 1);
    let hasLeft = false;
    return {
      leave: () => {
        if (hasLeft) return;
        hasLeft = true;
        this.#held -= 1;
        if (address === undefined) return;
        const left = (this.#ofAddress.get(address) as number) - 1;
        if (left > 0) this.#ofAddress.set(address, left);
        else this.#ofAddress.delete(address);
      },
    };
  }

  #wait(address: string | undefined, latest: string, signal: AbortSignal | undefined): Promise<Place> {
    return new Promise((resolve, reject) => {
      // Held from now on: who waits must not be refused for want of room in the end.
      const place = this.#hold(address);
      const leave = () => {
        this.#waiting.delete(waiter);
        signal?.removeEventListener('abort', giveUp);
      };
      const waiter: Waiter = {
        place,
        admit: () => {
          leave();
          resolve(place);
        },
        refuse: (error) => {
          leave();
          place.leave();
          reject(error ?? this.#stopping(latest));
        },
      };
      const giveUp = () => waiter.refuse(signal?.reason);
      signal?.addEventListener('abort', giveUp);
      this.#waiting.add(waiter);
      this.#timer ??= this.#atNextTurn();
    });
  }

  #atNextTurn(): NodeJS.Timeout {
    return setTimeout(() => this.#takeTurns(), Math.max(TICK_MS, this.#bucket.waitMs())).unref();
  }

  #takeTurns(): void {
    for (const waiter of this.#waiting) {
      if (!this.#bucket.take()) break;
      waiter.admit();
    }
    this.#timer = this.#waiting.size > 0 ? this.#atNextTurn() : undefined;
  }

  #comeBack(latest: string): { retryAfterSeconds: number; latest: string } {
    return { retryAfterSeconds: this.#crowd.join(this.#waiting.size), latest };
  }

  #stopping(latest: string) {
    return errors.ERR_STOPPING({ retryAfterSeconds: spreadSeconds(STOPPING_SECONDS, this.#random()), latest });
  }
}
