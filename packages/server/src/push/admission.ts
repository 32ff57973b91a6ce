/* Who may open a push connection, over all streams of a server: so many at a time, so many of one address, so many a second.
 *   request -> peerAddress -> Admission.admit -> Slot, at once or in its turn; else an error that says when to come back
 *   "203.0.113.7", "2001:db8:1:2::/64"      // addresses as they are counted
 * Those above the rate wait, first come, first served. Nobody who was admitted has to leave for another. */
import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import type { StreamError } from '@ldes-live/rdf-stream';
import ipaddr from 'ipaddr.js';
import { errors } from '../errors.ts';
import type { PushSettings } from '../options.ts';

export type AdmissionSettings = Pick<
  PushSettings,
  'limitConnections' | 'limitConnectionsPerAddress' | 'limitAcceptsPerSecond' | 'limitWaitingAccepts'
>;

/** A connection that was admitted, until it is closed. */
export interface Slot {
  /** Makes room for another; once is enough. */
  release(): void;
}

/** The shortest and the longest `Retry-After`, seconds. */
const MIN_RETRY_SECONDS = 5;
const MAX_RETRY_SECONDS = 600;

/** Below it a timer would cost more than it spreads. */
const TICK_MS = 10;

/** When a slot may come free at an address that has all it may have, seconds: its readers have to leave by themselves. */
const ADDRESS_SECONDS = 25;

/** How long a server that stops may take to be replaced, seconds. */
const STOPPING_SECONDS = 1;

/** The limits for which connections are refused: the code of the error, the reason as it is counted, and the name. */
export const REFUSALS = [
  ['ERR_CONNECTIONS_FULL', 'connections', 'limitConnections'],
  ['ERR_CONNECTIONS_ADDRESS', 'address', 'limitConnectionsPerAddress'],
  ['ERR_ACCEPTS_WAITING', 'rate', 'limitWaitingAccepts'],
  ['ERR_REPLAYS_FULL', 'replays', 'limitReplayBytes'],
] as const;

/** Why push connections are refused. */
export const REFUSE_REASONS = [...REFUSALS.map(([, reason]) => reason), 'stopping', 'behind'] as const;

/**
 * Decides who may open a push connection.
 *
 * @see specs/push.md PUSH-27
 */
export class Admission {
  readonly #settings: AdmissionSettings;
  readonly #random: () => number;
  /** Accepts, of which a tenth of a second's may come at once. */
  readonly #accepts: Backlog;
  /** Those who were rejected: half of the rate serves them, and the other half is left for newcomers. */
  readonly #rejected: Backlog;
  readonly #ofAddress = new Map<string, number>();
  /** Those who wait, each by what ends its wait: with a slot, or with an error; and by what the error names. */
  readonly #waiting = new Map<(error?: unknown) => void, string>();
  #held = 0;
  #timer: NodeJS.Timeout | undefined;
  #isStopping = false;

  /**
   * @param clock - milliseconds
   * @param random - in [0, 1)
   */
  constructor(settings: AdmissionSettings, { clock, random }: { clock: () => number; random: () => number }) {
    this.#settings = settings;
    this.#random = random;
    const perSecond = settings.limitAcceptsPerSecond;
    this.#accepts = new Backlog(perSecond, Math.max(1, perSecond / 10), clock);
    // The longest wait is twice the time of a turn.
    this.#rejected = new Backlog(perSecond / 2, (perSecond / 2) * (MAX_RETRY_SECONDS / 2), clock);
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
   * Gives one more connection a slot: at once, or at its turn.
   *
   * @param address - what the limit of one address counts, see `peerAddress`; not counted when `undefined`
   * @param latest - URL that a reader may poll instead, for the errors
   * @param signal - gives the wait up, when the client has gone
   * @throws {@link StreamError} `ERR_CONNECTIONS_FULL` - there are as many connections as there may be
   * @throws {@link StreamError} `ERR_CONNECTIONS_ADDRESS` - the address has as many as it may have
   * @throws {@link StreamError} `ERR_ACCEPTS_WAITING` - as many wait as may wait
   * @throws {@link StreamError} `ERR_STOPPING` - {@link Admission.stop} was called; those who wait get it as a rejection
   */
  admit(address: string | undefined, latest: string, signal?: AbortSignal): Slot | Promise<Slot> {
    signal?.throwIfAborted();
    const { limitConnections, limitConnectionsPerAddress, limitWaitingAccepts } = this.#settings;
    if (this.#isStopping) throw this.#stopping(latest);
    if (this.#held >= limitConnections) {
      throw errors.ERR_CONNECTIONS_FULL({ limitConnections, ...this.#comeBack(latest) });
    }
    if (address !== undefined && (this.#ofAddress.get(address) ?? 0) >= limitConnectionsPerAddress) {
      // Whoever tries too often from one address must not put off all the others.
      const retryAfterSeconds = this.#spread(ADDRESS_SECONDS);
      throw errors.ERR_CONNECTIONS_ADDRESS({ limitConnectionsPerAddress, retryAfterSeconds, latest });
    }
    if (this.#waiting.size === 0 && this.#accepts.take()) return this.#hold(address);
    if (this.#waiting.size >= limitWaitingAccepts) {
      throw errors.ERR_ACCEPTS_WAITING({ limitWaitingAccepts, ...this.#comeBack(latest) });
    }
    return this.#wait(address, latest, signal);
  }

  /** Why a reader is rejected who lacks more than there is memory for now. */
  replaysFull(limitReplayBytes: number, latest: string): StreamError {
    return errors.ERR_REPLAYS_FULL({ limitReplayBytes, ...this.#comeBack(latest) });
  }

  /** Admits nobody any more, and rejects those who wait. */
  stop(): void {
    this.#isStopping = true;
    clearTimeout(this.#timer);
    for (const [settle, latest] of this.#waiting) settle(this.#stopping(latest));
  }

  #hold(address: string | undefined): Slot {
    this.#held += 1;
    if (address !== undefined) this.#ofAddress.set(address, (this.#ofAddress.get(address) ?? 0) + 1);
    let isReleased = false;
    return {
      release: () => {
        if (isReleased) return;
        isReleased = true;
        this.#held -= 1;
        if (address === undefined) return;
        const left = (this.#ofAddress.get(address) as number) - 1;
        if (left > 0) this.#ofAddress.set(address, left);
        else this.#ofAddress.delete(address);
      },
    };
  }

  #wait(address: string | undefined, latest: string, signal: AbortSignal | undefined): Promise<Slot> {
    return new Promise((resolve, reject) => {
      // Held from now on: those who wait must not be rejected for want of room in the end.
      const slot = this.#hold(address);
      const settle = (error?: unknown) => {
        this.#waiting.delete(settle);
        signal?.removeEventListener('abort', giveUp);
        if (error === undefined) return resolve(slot);
        slot.release();
        reject(error);
      };
      const giveUp = () => settle(signal?.reason);
      signal?.addEventListener('abort', giveUp);
      this.#waiting.set(settle, latest);
      this.#timer ??= this.#atNextTurn();
    });
  }

  #atNextTurn(): NodeJS.Timeout {
    return setTimeout(() => this.#takeTurns(), Math.max(TICK_MS, this.#accepts.waitMs())).unref();
  }

  #takeTurns(): void {
    for (const settle of this.#waiting.keys()) {
      if (!this.#accepts.take()) break;
      settle();
    }
    this.#timer = this.#waiting.size > 0 ? this.#atNextTurn() : undefined;
  }

  /**
   * The more are rejected, the later each comes back, so that they stay below their half of the rate however often they try.
   *
   * @see specs/push.md PUSH-27
   */
  #comeBack(latest: string): { retryAfterSeconds: number; latest: string } {
    const ahead = this.#rejected.add() + this.#waiting.size;
    return { retryAfterSeconds: this.#spread(ahead / (this.#settings.limitAcceptsPerSecond / 2)), latest };
  }

  #stopping(latest: string): StreamError {
    return errors.ERR_STOPPING({ retryAfterSeconds: this.#spread(STOPPING_SECONDS), latest });
  }

  /** Whole seconds between a turn and twice as late: a second more or less would keep a crowd of minutes together. */
  #spread(turnSeconds: number): number {
    const min = Math.min(MIN_RETRY_SECONDS + turnSeconds, MAX_RETRY_SECONDS / 2);
    return Math.floor(min * (1 + this.#random()));
  }
}

/** What is dealt with at a rate; so much of it can be there at most. */
class Backlog {
  readonly #perSecond: number;
  readonly #limit: number;
  readonly #clock: () => number;
  #size = 0;
  #asOfMs: number;

  constructor(perSecond: number, limit: number, clock: () => number) {
    this.#perSecond = perSecond;
    this.#limit = limit;
    this.#clock = clock;
    this.#asOfMs = clock();
  }

  /** Adds one, or fills up to the limit; returns how much there is then. */
  add(): number {
    this.#size = Math.min(this.#left() + 1, this.#limit);
    return this.#size;
  }

  /** Adds one, where there is room for it. */
  take(): boolean {
    const hasRoom = this.#left() + 1 <= this.#limit;
    if (hasRoom) this.#size += 1;
    return hasRoom;
  }

  /** How long until there is room for one, milliseconds. */
  waitMs(): number {
    return Math.max(0, Math.ceil(((this.#left() + 1 - this.#limit) * 1000) / this.#perSecond));
  }

  #left(): number {
    const nowMs = this.#clock();
    // A step backwards delays, and does no more harm.
    this.#size = Math.max(0, this.#size - (Math.max(0, nowMs - this.#asOfMs) * this.#perSecond) / 1000);
    this.#asOfMs = nowMs;
    return this.#size;
  }
}

/** The part of a request, of HTTP/1 or HTTP/2, that says who it is from. */
interface PeerRequest {
  readonly socket: { readonly remoteAddress?: string | undefined };
  readonly headers: IncomingHttpHeaders;
}

/** Addresses that many machines may have, each in a network of its own: there stand proxies, containers and tests. */
const LOCAL = ['unspecified', 'loopback', 'private', 'carrierGradeNat', 'linkLocal', 'uniqueLocal'];

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/**
 * The address by which the connections of one client are counted; `undefined` where they are not to be.
 *
 * That is the address at the other end of the connection if it is a public one: whatever such a client writes into its
 * header fields is not believed. If it is a local one (loopback, private, link-local, shared) or a Unix socket, a proxy
 * stands there, and the client is the last public address of `X-Forwarded-For`, to which each proxy adds whom it is
 * connected to: what a client wrote there itself stands before it. So neither nginx, Varnish nor Docker on this machine
 * or in its network has to be configured here. Only clients within the network can evade the count. Where a proxy has a
 * public address, its clients are counted as one.
 *
 * @returns an IPv4 address; the first 64 bits of an IPv6 address, since that is what one subscriber has
 * @see specs/push.md PUSH-28
 */
export function peerAddress(request: PeerRequest): string | undefined {
  const peer = parseAddress(request.socket.remoteAddress ?? '');
  if (peer && !isLocal(peer)) return keyOf(peer);
  // Node joins repeated fields by commas, whatever its types say.
  const fields = String(request.headers['x-forwarded-for'] ?? '').split(',');
  for (const field of fields.reverse()) {
    const address = parseAddress(field.trim());
    // Who does not say whom it is connected to does not vouch for what stands before it either.
    if (!address) return undefined;
    if (!isLocal(address)) return keyOf(address);
  }
  return undefined;
}

/** Reads an address, with a port or without; what stands for an IPv4 address is one. */
function parseAddress(text: string): Address | undefined {
  const [, bracketed, withPort] = /^(?:\[([^\]]+)\](?::\d{1,5})?|([\d.]+):\d{1,5})$/.exec(text) ?? [];
  const [bare = ''] = (bracketed ?? withPort ?? text).split('%', 1);
  // The library takes `1.2.3` and `01.2.3.4` for addresses too.
  if (isIP(bare) === 0) return undefined;
  const address = ipaddr.process(bare);
  // Those of RFC 6052, 2.1 are all of one network, so that its 64 bits would tell nobody from anybody.
  return address.range() === 'rfc6052' ? new ipaddr.IPv4(address.toByteArray().slice(12)) : address;
}

function isLocal(address: Address): boolean {
  return LOCAL.includes(address.range());
}

function keyOf(address: Address): string {
  if (address instanceof ipaddr.IPv4) return address.toString();
  const network = address.parts.slice(0, 4).map((group) => group.toString(16));
  return `${network.join(':')}::/64`;
}
