import type { PushSettings } from '../options.ts';
import { CLOSE_REASONS, type PushCounters, REFUSE_REASONS } from '../push/counters.ts';
import type { MetricsSnapshot, Sample } from './metrics-snapshot.ts';

/** What the push of one process can tell. */
export interface PushParts {
  /** What it has done, by the name of the stream. */
  readonly counters: ReadonlyMap<string, PushCounters>;
  /** Who has a place, and who waits for one; absent where this process takes no connections. */
  readonly admission?: { readonly size: number; readonly waiting: number };
}

/** What push does and has done in one process. */
export function pushSamples({ counters, admission }: PushParts): MetricsSnapshot {
  const each = (value: (counters: PushCounters) => Sample['value']): Sample[] =>
    [...counters].map(([stream, own]) => ({ labels: { stream }, value: value(own) }));
  const eachBy = <Key extends string>(
    label: string,
    keys: readonly Key[],
    value: (counters: PushCounters, key: Key) => number,
  ) =>
    [...counters].flatMap(([stream, own]) =>
      keys.map((key): Sample => ({ labels: { stream, [label]: key }, value: value(own, key) })),
    );
  return {
    ldes_live_push_connections: eachBy('state', ['live', 'behind'], ({ live, catchingUp }, state) =>
      state === 'live' ? live : catchingUp,
    ),
    ...(admission && {
      ldes_live_push_admitted_connections: [{ labels: {}, value: admission.size }],
      ldes_live_push_waiting_accepts: [{ labels: {}, value: admission.waiting }],
    }),
    ldes_live_push_accepted_total: each(({ accepted }) => accepted),
    ldes_live_push_refused_total: eachBy('reason', REFUSE_REASONS, ({ refused }, reason) => refused[reason]),
    ldes_live_push_closed_total: eachBy('reason', CLOSE_REASONS, ({ closed }, reason) => closed[reason]),
    ldes_live_push_commits_total: each(({ commits }) => commits),
    ldes_live_push_deliveries_total: each(({ deliveries }) => deliveries),
    ldes_live_push_sent_bytes_total: each(({ bytes }) => bytes),
    ldes_live_push_heartbeats_total: each(({ heartbeats }) => heartbeats),
    ldes_live_push_conflations_total: each(({ conflations }) => conflations),
    ldes_live_push_gaps_total: each(({ gaps }) => gaps),
    ldes_live_push_replays_total: each(({ replays }) => replays),
    ldes_live_push_queue_bytes: each(({ queueBytes }) => queueBytes),
    // A copy, since a snapshot stands still.
    ldes_live_push_fan_out_seconds: each(({ fanOutCounts, fanOutSeconds }) => ({
      counts: [...fanOutCounts],
      sum: fanOutSeconds,
    })),
  };
}

/** The limits of push as they are set, of all processes together. */
export function limitSamples(settings: PushSettings): MetricsSnapshot {
  const limits: Readonly<Record<string, number>> = {
    queue_bytes: settings.limitQueueBytes,
    stall_seconds: settings.limitStallMs / 1000,
    frame_bytes: settings.limitFrameBytes,
    replay_members: settings.limitReplayMembers,
    narrowing: settings.limitNarrowing,
    connections: settings.limitConnections,
    connections_per_address: settings.limitConnectionsPerAddress,
    accepts_per_second: settings.limitAcceptsPerSecond,
    waiting_accepts: settings.limitWaitingAccepts,
    age_seconds: settings.limitAgeMs / 1000,
  };
  return { ldes_live_push_limit: Object.entries(limits).map(([limit, value]) => ({ labels: { limit }, value })) };
}
