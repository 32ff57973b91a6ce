import type { Transport } from './transport.ts';

/** A published maximum: of another machine, with eight and more cores for either side. */
export interface PublishedMost {
  readonly rowsPerSecond: number;
  /** The batch or the number of connections that it was reached at. */
  readonly level?: number;
  /** Shares of a core. */
  readonly clientShare?: number;
  readonly serverShare?: number;
}

/** What was published of tests I and II. */
export const PUBLISHED_MOST: Readonly<
  Record<'batch' | 'connections', Partial<Readonly<Record<Transport, PublishedMost>>>>
> = {
  batch: {
    websocket: { rowsPerSecond: 4e6, level: 800, clientShare: 1.75, serverShare: 0.7 },
    sse: { rowsPerSecond: 3.1e6, level: 450, clientShare: 1.65, serverShare: 0.75 },
  },
  connections: {
    websocket: { rowsPerSecond: 2.4e6 },
    sse: { rowsPerSecond: 2.7e6, level: 60 },
  },
};

interface PublishedShares {
  readonly clientShare: number;
  readonly serverShare: number;
}

/** What was published of test III, by the number of connections. */
export const PUBLISHED_FIXED: Readonly<Record<number, Partial<Readonly<Record<Transport, PublishedShares>>>>> = {
  20: {
    websocket: { clientShare: 0.35, serverShare: 0.06 },
    sse: { clientShare: 0.23, serverShare: 0.08 },
  },
  100: {
    websocket: { clientShare: 0.3, serverShare: 0.12 },
    sse: { clientShare: 0.3, serverShare: 0.11 },
  },
};
