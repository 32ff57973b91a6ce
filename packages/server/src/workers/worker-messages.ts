import type { Cursor, ErrorCode, ErrorDetails, StreamDescription } from '@ldes-live/rdf-stream';
import type { LinkTargets } from '../http/caching.ts';
import type { MetricsSnapshot } from '../metrics/metrics-snapshot.ts';
import type { PushSettings } from '../options.ts';

/** A stream as a worker has to know it. */
export interface WorkerStream {
  readonly description: StreamDescription;
  /** As of the tick in which it was told; every commit after it follows as a packet. */
  readonly head: Cursor;
  readonly heldFrom: number;
}

/** All that a worker needs to push: it reads no configuration of its own. */
export interface WorkerHello {
  readonly streams: readonly WorkerStream[];
  /** Its share of what all processes may hold together. */
  readonly settings: PushSettings;
  readonly links: LinkTargets;
  readonly limitUrlBytes: number;
  /** How long a request may take to arrive, milliseconds. */
  readonly requestTimeoutMs: number;
}

/** How a worker fares. */
export interface WorkerReport {
  /** Open push connections, by the name of the stream. */
  readonly connections: Readonly<Record<string, number>>;
  readonly metrics: MetricsSnapshot;
}

/** What a worker asks of the owner. */
export type WorkerQuestion =
  | { readonly kind: 'read'; readonly stream: string; readonly after: number }
  | { readonly kind: 'state'; readonly stream: string; readonly after: number };

/**
 * What the owner tells a worker. Packets are bytes, which are made once for all workers; `heldFrom` goes along wherever
 * it may have moved.
 */
export type ToWorker =
  | { readonly kind: 'hello'; readonly hello: WorkerHello }
  | { readonly kind: 'commit'; readonly stream: string; readonly heldFrom: number; readonly packet: Uint8Array }
  | {
      readonly kind: 'packets';
      readonly id: number;
      readonly heldFrom: number;
      readonly packets: readonly Uint8Array[];
    }
  | { readonly kind: 'state'; readonly id: number; readonly to: number; readonly length: number }
  | { readonly kind: 'part'; readonly id: number; readonly index: number; readonly packet: Uint8Array }
  | { readonly kind: 'refused'; readonly id: number; readonly heldFrom: number; readonly error: CarriedError }
  | { readonly kind: 'echo' }
  | { readonly kind: 'report' }
  | { readonly kind: 'drain' };

/** What a worker tells the owner. */
export type ToOwner =
  | { readonly kind: 'ask'; readonly id: number; readonly question: WorkerQuestion }
  // Answered by one: since messages keep their order, all that was told before it has come then.
  | { readonly kind: 'echo' }
  | { readonly kind: 'report'; readonly report: WorkerReport }
  | { readonly kind: 'drained' };

/** An error of another process. */
export interface CarriedError {
  /** Absent where it was none of ours. */
  readonly code?: ErrorCode;
  readonly message: string;
  readonly details: ErrorDetails;
}
