import type { DeliveryTally } from './delivery-watch.ts';
import type { RequestTally } from './request-watch.ts';

/** One client of a load, and what it follows. */
export interface ClientSpec {
  /** What it is counted under in reports. */
  readonly group: string;
  readonly url: string;
  readonly malSeconds: number;
}

/** Clients that one process has. */
export interface ClientLoadPlan {
  readonly clients: readonly ClientSpec[];
  /** Over how long they begin, milliseconds. */
  readonly openingMs: number;
  readonly seed: number;
}

/** What the process is told to do: each order is answered before the next one. */
export type ClientOrder = 'ready' | 'begin' | 'report' | 'stop';

/** How many clients have read something, and what is wrong with those that ended. */
export interface ClientReadiness {
  readonly ready: number;
  readonly problems: readonly string[];
}

/** How one client fared since the beginning. */
export interface ClientReport extends ClientSpec, DeliveryTally, RequestTally {
  readonly mode: 'pull' | 'push';
  /** Misses that its status tells of. */
  readonly told: number;
  /** What its status says about how late the next update may be, milliseconds; 2 ** 53 - 1 for never. */
  readonly lagBoundMs: number;
  /** What its following ended with; absent while it goes on. */
  readonly problem?: string;
}

/** How all clients of a process fared since the beginning. */
export interface ClientLoadReport {
  readonly clients: readonly ClientReport[];
  /** When it began and when this was asked for, epoch milliseconds. */
  readonly beganMs: number;
  readonly endedMs: number;
  /** CPU time of the process, microseconds. */
  readonly cpuMicros: number;
  /** Bytes that its connections received and sent. */
  readonly wireBytes: number;
}
