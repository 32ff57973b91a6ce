import { setTimeout as delay } from 'node:timers/promises';
import { createLiveClient } from '@ldes-live/client';
import type { ClientReport, ClientSpec } from './client-messages.ts';
import { DeliveryWatch } from './delivery-watch.ts';
import { RequestWatch } from './request-watch.ts';

/** A client that follows a stream from now on while it is watched. */
export interface WatchedClient {
  /** Whether it has read something, so that it can say how late it may be. */
  readonly isReady: boolean;
  readonly problem: string | undefined;
  begin(): void;
  report(): ClientReport;
}

/**
 * Starts a client after a while.
 *
 * @param random - what it draws its phase from
 */
export function watchClient(
  spec: ClientSpec,
  edge: { readonly random: () => number; readonly afterMs: number; readonly signal: AbortSignal },
): WatchedClient {
  const malMs = spec.malSeconds * 1000;
  const requests = new RequestWatch({ fetch: globalThis.fetch, clock: Date.now });
  const deliveries = new DeliveryWatch(malMs);
  const client = createLiveClient({ mal: spec.malSeconds, fetch: requests.fetch, random: edge.random });
  const follower = client.follow(spec.url, { from: 'now', signal: edge.signal });
  let problem: string | undefined;
  let toldBefore = 0;
  const read = async () => {
    await delay(edge.afterMs, undefined, { signal: edge.signal });
    for await (const change of follower) {
      if (change.kind === 'gap') {
        deliveries.gap();
        continue;
      }
      const { sequence, time } = change.member;
      const publishedMs = Date.parse(time);
      deliveries.note({ sequence, publishedMs, nowMs: Date.now(), toldLagMs: change.lagMs });
    }
    problem = 'it ended by itself';
  };
  read().catch((error: unknown) => {
    if (!edge.signal.aborted) problem = String(error);
  });
  return {
    get isReady() {
      return Number.isFinite(follower.status.lagBoundMs);
    },
    get problem() {
      return problem;
    },
    begin: () => {
      toldBefore = follower.status.malMisses;
      requests.begin();
      deliveries.begin(Date.now());
    },
    report: () => {
      const { mode, malMisses, lagBoundMs } = follower.status;
      return {
        ...spec,
        ...deliveries.tally,
        ...requests.tally,
        mode,
        told: malMisses - toldBefore,
        lagBoundMs: Math.min(lagBoundMs, Number.MAX_SAFE_INTEGER),
        ...(problem !== undefined && { problem }),
      };
    },
  };
}
