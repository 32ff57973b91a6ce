/** What of a host's global object the client looks at; everything may be missing. */
export interface Host {
  readonly navigator?: { readonly onLine?: boolean; readonly locks?: HostLocks };
  readonly performance?: { getEntriesByType?(type: string): readonly HostEntry[] };
  addEventListener?(type: string, listener: () => void): void;
  removeEventListener?(type: string, listener: () => void): void;
}

/** Web Locks, which all pages of one origin share. */
export interface HostLocks {
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

/** The host that this runs in. */
export function thisHost(): Host {
  return globalThis as Host;
}

/** Whether a host is a browser, a page or a worker of it: those alone say whether they are online. */
export function isBrowser(host: Host): boolean {
  return typeof host.navigator?.onLine === 'boolean';
}
