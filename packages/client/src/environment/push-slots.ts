import { type Host, isBrowser } from './host.ts';
import { multiplexes } from './multiplexes.ts';
import { takeLock } from './take-lock.ts';

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
