import type { Host, HostEntry } from '../../src/environment.ts';

/** Web Locks, as all pages of one origin share them. */
export class SharedLocks {
  readonly held = new Set<string>();

  async request<Result>(
    name: string,
    _options: { readonly ifAvailable: true },
    callback: (lock: unknown) => Result | Promise<Result>,
  ): Promise<Result> {
    await Promise.resolve();
    if (this.held.has(name)) return await callback(null);
    this.held.add(name);
    try {
      return await callback({ name });
    } finally {
      this.held.delete(name);
    }
  }
}

/** A page of a browser, as far as the client looks at it. */
export class BrowserHost extends EventTarget implements Host {
  readonly navigator: { onLine: boolean; locks?: NonNullable<Host['navigator']>['locks'] & object };
  readonly performance = { getEntriesByType: (type: string) => this.entries[type] ?? [] };
  entries: Record<string, HostEntry[]> = {};

  constructor(locks?: NonNullable<Host['navigator']>['locks']) {
    super();
    this.navigator = { onLine: true, ...(locks ? { locks } : {}) };
  }

  /** Puts the network on or off. */
  goOnline(onLine: boolean): void {
    this.navigator.onLine = onLine;
    this.dispatchEvent(new Event(onLine ? 'online' : 'offline'));
  }

  /** Notes that something was loaded. */
  loaded(type: 'resource' | 'navigation', name: string, nextHopProtocol: string): void {
    const entries = this.entries[type] ?? [];
    this.entries[type] = [...entries, { name, nextHopProtocol }];
  }
}
