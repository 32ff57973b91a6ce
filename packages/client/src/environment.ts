/*
 * What the surroundings of a client allow it: whether there is a network, and how many push connections.
 *
 * A browser opens six connections to an origin over HTTP/1.1. A push connection holds one for as long as it lasts, so
 * that all tabs of a site share four slots by Web Locks, named such as `ldes-live push 1 https://example.org`.
 */
import { errors } from './errors.ts';

/**
 * What the surroundings of a client allow it. {@link hostEnvironment} finds out by itself; programs that know better
 * give one of their own.
 *
 * @see specs/mal.md MAL-60
 */
export interface ClientEnvironment {
  /** Whether there is a network at all, as far as is known: `true` where nobody says. */
  isOnline(): boolean;
  /**
   * Listens for the network coming back.
   *
   * @returns ends the listening
   */
  onOnline(listener: () => void): () => void;
  /**
   * Asks for the leave to hold a push connection open, for as long as that connection lasts.
   *
   * @param url - of the push endpoint: what counts is its origin
   * @returns gives the leave back, once however often it is called; `undefined` where none is free
   */
  pushSlot(url: string): Promise<(() => void) | undefined>;
}

/** What of a host's global object the client looks at; everything may be missing. */
export interface Host {
  readonly navigator?: { readonly onLine?: boolean; readonly locks?: HostLocks };
  readonly performance?: { getEntriesByType?(type: string): readonly HostEntry[] };
  addEventListener?(type: string, listener: () => void): void;
  removeEventListener?(type: string, listener: () => void): void;
}

/** Web Locks, which all pages of one origin share. */
interface HostLocks {
  request<Result>(
    name: string,
    options: { readonly ifAvailable: true },
    held: (lock: unknown) => Result | Promise<Result>,
  ): Promise<Result>;
}

/** An entry of the performance timeline: something that was loaded. */
export interface HostEntry {
  readonly name: string;
  /** The protocol of the connection by its ALPN name; empty where its server does not let pages know. */
  readonly nextHopProtocol?: string;
}

/** Whether a host is a browser, a page or a worker of it: those alone say whether they are online. */
function isBrowser(host: Host): boolean {
  return typeof host.navigator?.onLine === 'boolean';
}

/** How many push connections a browser gets for each origin over HTTP/1.1: of its six, two are left for requests. */
export const PUSH_CONNECTIONS = 4;

/** Options of {@link hostEnvironment}. */
export interface HostEnvironmentOptions {
  /**
   * Push connections to one server origin at once over HTTP/1.1, over all clients of a page and, where the browser has
   * Web Locks, all tabs of one site. A whole number of 1 and more; browsers open six connections in all. @defaultValue 4
   */
  readonly limitPushConnections?: number;
  /** Where features are looked for. @defaultValue `globalThis` */
  readonly host?: Host;
}

/**
 * The environment that the host offers, by what it has: a page or worker of a browser, or anything else, such as Node,
 * which counts as always online and has push connections without limit.
 *
 * @throws {@link StreamError} `ERR_LIMIT_INVALID` - `limitPushConnections` is not a whole number of 1 and more
 * @see specs/mal.md MAL-60, MAL-61, MAL-62
 */
export function hostEnvironment(options: HostEnvironmentOptions = {}): ClientEnvironment {
  const { host = globalThis as Host, limitPushConnections = PUSH_CONNECTIONS } = options;
  if (!(Number.isSafeInteger(limitPushConnections) && limitPushConnections >= 1)) {
    const expected = 'give a whole number of 1 or more';
    throw errors.ERR_LIMIT_INVALID({ name: 'limitPushConnections', value: limitPushConnections, expected });
  }
  const slots = new PushSlots(host, limitPushConnections);
  return {
    isOnline: () => host.navigator?.onLine !== false,
    onOnline(listener) {
      // Wrapped, so that a listener that is given twice is heard twice and ended one by one.
      const heard = () => listener();
      host.addEventListener?.('online', heard);
      return () => host.removeEventListener?.('online', heard);
    },
    pushSlot: (url) => slots.take(url),
  };
}

/** Counts the push connections to each origin, and lends no more than there may be. */
export class PushSlots {
  readonly #host: Host;
  readonly #limit: number;
  readonly #taken: Map<string, number>;

  /** @param limit - push connections to one origin at once, where each is a connection of its own */
  constructor(host: Host, limit: number) {
    this.#host = host;
    this.#limit = limit;
    this.#taken = takenOf(host);
  }

  /**
   * Takes a slot.
   *
   * @returns gives it back, once however often it is called; `undefined` where none is free
   */
  async take(url: string): Promise<(() => void) | undefined> {
    const { origin } = new URL(url);
    if (!isBrowser(this.#host) || multiplexes(this.#host, origin)) return () => {};
    const locks = this.#host.navigator?.locks;
    if (!locks) return this.#takeHere(origin);
    const names = Array.from({ length: this.#limit }, (_, index) => `ldes-live push ${index + 1} ${origin}`);
    try {
      return await takeLock(locks, names);
    } catch {
      // Some pages have locks that they may not use: what remains to be counted is this page.
      return this.#takeHere(origin);
    }
  }

  #takeHere(origin: string): (() => void) | undefined {
    const taken = this.#taken.get(origin) ?? 0;
    if (taken >= this.#limit) return undefined;
    this.#taken.set(origin, taken + 1);
    let isHeld = true;
    return () => {
      if (isHeld) this.#taken.set(origin, (this.#taken.get(origin) as number) - 1);
      isHeld = false;
    };
  }
}

// By host, not by client: the connections of a page are shared by all clients on it.
const takenOnHosts = new WeakMap<Host, Map<string, number>>();

function takenOf(host: Host): Map<string, number> {
  const known = takenOnHosts.get(host);
  if (known) return known;
  const taken = new Map<string, number>();
  takenOnHosts.set(host, taken);
  return taken;
}

/** Where the timeline tells a protocol: what a page has loaded, and the page itself. */
const ENTRY_TYPES = ['resource', 'navigation'];

/**
 * Whether connections to an origin are known to carry any number of requests at once, as those of HTTP/2 and HTTP/3
 * do. The last connection to it decides. Not so when nobody tells: the server of another origin has to let pages know
 * by `Timing-Allow-Origin`.
 *
 * @param origin - scheme, host and port
 * @see https://www.w3.org/TR/resource-timing/#dom-performanceresourcetiming-nexthopprotocol
 */
export function multiplexes(host: Host, origin: string): boolean {
  for (const type of ENTRY_TYPES) {
    const entries = host.performance?.getEntriesByType?.(type) ?? [];
    const told = entries.findLast(
      ({ name, nextHopProtocol }) => nextHopProtocol && `${name}/`.startsWith(`${origin}/`),
    );
    if (told) return /^h[23]/.test(told.nextHopProtocol as string);
  }
  return false;
}

/**
 * Takes the first free one of some Web Locks, and holds it until it is given back or the page is gone.
 *
 * @returns gives the lock back; `undefined` where all are taken
 * @throws what the browser throws where a page may not have locks, such as one in a sandboxed frame
 */
async function takeLock(locks: HostLocks, names: readonly string[]): Promise<(() => void) | undefined> {
  for (const name of names) {
    const release = await tryLock(locks, name);
    if (release) return release;
  }
  return undefined;
}

function tryLock(locks: HostLocks, name: string): Promise<(() => void) | undefined> {
  return new Promise((resolve, reject) => {
    const request = locks.request(name, { ifAvailable: true }, (lock) => {
      // A lock is held for as long as this promise is pending.
      if (lock) return new Promise<void>((release) => resolve(release));
      resolve(undefined);
      return undefined;
    });
    request.catch(reject);
  });
}
