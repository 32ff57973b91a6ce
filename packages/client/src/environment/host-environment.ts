import { errors } from '../errors.ts';
import type { ClientEnvironment } from './client-environment.ts';
import { type Host, thisHost } from './host.ts';
import { PushSlots } from './push-slots.ts';

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
  const { host = thisHost(), limitPushConnections = PUSH_CONNECTIONS } = options;
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
