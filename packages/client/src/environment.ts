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
  /**
   * Looks a host name up, for the option `hosts`.
   *
   * @returns its addresses; `undefined` where they cannot be known, as in a browser
   * @throws what the lookup throws, as for a name that is not known
   * @defaultValue as by `hostEnvironment`
   */
  addressesOf?(hostname: string): Promise<readonly string[] | undefined>;
}

/** What of a host's global object the client looks at; everything may be missing. */
export interface Host {
  readonly process?: { getBuiltinModule?(name: string): unknown };
  readonly navigator?: { readonly onLine?: boolean; readonly locks?: HostLocks };
  readonly performance?: { getEntriesByType?(type: string): readonly HostEntry[] };
  addEventListener?(type: string, listener: () => void): void;
  removeEventListener?(type: string, listener: () => void): void;
}

interface Dns {
  lookup(hostname: string, options: { readonly all: true }): Promise<readonly { readonly address: string }[]>;
}

/** Web Locks, which all pages of one origin share. */
interface HostLocks {
  request(name: string, options: { readonly ifAvailable: true }, held: (lock: unknown) => unknown): Promise<unknown>;
}

/** Something that was loaded, and the protocol of its connection by its ALPN name, where a page may know it. */
export interface HostEntry {
  readonly name: string;
  readonly nextHopProtocol?: string;
}

// Of the six connections that a browser opens to an origin over HTTP/1.1, two are left for requests.
const PUSH_CONNECTIONS = 4;

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
 * @see specs/mal.md MAL-60
 */
export function hostEnvironment(options: HostEnvironmentOptions = {}): Required<ClientEnvironment> {
  const { host = globalThis as Host, limitPushConnections = PUSH_CONNECTIONS } = options;
  if (!(Number.isSafeInteger(limitPushConnections) && limitPushConnections >= 1)) {
    const expected = 'give a whole number of 1 or more';
    throw errors.ERR_LIMIT_INVALID({ name: 'limitPushConnections', value: limitPushConnections, expected });
  }
  // Only a page or a worker of a browser says whether it is online.
  const isBrowser = typeof host.navigator?.onLine === 'boolean';
  return {
    addressesOf: async (hostname) => {
      // Asked of the host: an import would be an error in browsers.
      const dns = host.process?.getBuiltinModule?.('node:dns/promises') as Dns | undefined;
      return (await dns?.lookup(hostname, { all: true }))?.map(({ address }) => address);
    },
    isOnline: () => host.navigator?.onLine !== false,
    onOnline(listener) {
      // Wrapped, so that a listener that is given twice is heard twice and ended one by one.
      const heard = () => listener();
      host.addEventListener?.('online', heard);
      return () => host.removeEventListener?.('online', heard);
    },
    async pushSlot(url) {
      const { origin } = new URL(url);
      if (!isBrowser || multiplexes(host, origin)) return () => {};
      const { locks } = host.navigator ?? {};
      const here = () => takeHere(host, origin, limitPushConnections);
      // Some pages have locks that they may not use: what remains to be counted is this page.
      return locks ? await takeLock(locks, origin, limitPushConnections).catch(here) : here();
    },
  };
}

// By host, not by client: the connections of a page are shared by all clients on it.
const takenOnHosts = new WeakMap<Host, Map<string, number>>();

function takeHere(host: Host, origin: string, limit: number): (() => void) | undefined {
  const taken = takenOnHosts.get(host) ?? new Map<string, number>();
  takenOnHosts.set(host, taken);
  const count = taken.get(origin) ?? 0;
  if (count >= limit) return undefined;
  taken.set(origin, count + 1);
  let isHeld = true;
  return () => {
    if (isHeld) taken.set(origin, (taken.get(origin) as number) - 1);
    isHeld = false;
  };
}

/**
 * Whether connections to an origin are known to carry any number of requests at once, as those of HTTP/2 and HTTP/3
 * do: by the last that the page loaded from it, or the page itself. Of another origin that is known only where it allows it
 * by `Timing-Allow-Origin`.
 *
 * @see https://www.w3.org/TR/resource-timing/#dom-performanceresourcetiming-nexthopprotocol
 */
function multiplexes({ performance }: Host, origin: string): boolean {
  const loaded = ['navigation', 'resource'].flatMap((type) => performance?.getEntriesByType?.(type) ?? []);
  const last = loaded.findLast(({ name, nextHopProtocol }) => nextHopProtocol && `${name}/`.startsWith(`${origin}/`));
  return /^h[23]/.test(last?.nextHopProtocol ?? '');
}

/** Takes the first free Web Lock, and holds it until it is given back or the page is gone. Throws in a sandboxed frame. */
async function takeLock(locks: HostLocks, origin: string, limit: number): Promise<(() => void) | undefined> {
  for (let number = 1; number <= limit; number += 1) {
    const release = await new Promise<(() => void) | undefined>((resolve, reject) => {
      // A lock is held for as long as what this returns is pending.
      const held = (lock: unknown) => (lock ? new Promise<void>((free) => resolve(free)) : resolve(undefined));
      locks.request(`ldes-live push ${number} ${origin}`, { ifAvailable: true }, held).catch(reject);
    });
    if (release) return release;
  }
  return undefined;
}
