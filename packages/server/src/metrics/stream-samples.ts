import type { LiveStream, WatchedSources } from '../options.ts';
import type { CommitCounts } from './commit-counts.ts';
import type { MetricsSnapshot, Sample } from './metrics-snapshot.ts';

type LoggedStream = Pick<LiveStream, 'description' | 'log'>;

/** What the logs of streams hold, and how it grows. */
export function logSamples(streams: readonly LoggedStream[], commits: CommitCounts): MetricsSnapshot {
  const each = (value: (stream: LoggedStream) => number | undefined): Sample[] =>
    streams.flatMap((stream) => sampleOf({ stream: stream.description.name }, value(stream)));
  return {
    ldes_live_log_head_sequence: each(({ log }) => log.head.cursor.sequence),
    ldes_live_log_held_members: each(({ log }) => log.head.cursor.sequence - log.heldFrom + 1),
    ldes_live_log_entities: each(({ log }) => log.latest.size),
    ldes_live_log_commits_total: each(({ description }) => commits.of(description.name).commits),
    ldes_live_log_members_total: each(({ description }) => commits.of(description.name).members),
    ldes_live_log_last_commit_timestamp_seconds: each(({ log: { head } }) =>
      head.cursor.sequence === 0 ? undefined : head.timeMs / 1000,
    ),
  };
}

/**
 * How the sources of streams fare.
 *
 * @param nowMs - epoch milliseconds
 * @see specs/metrics.md PUSH-45
 */
export function sourceSamples(
  streams: readonly (Pick<LiveStream, 'description'> & Pick<WatchedSources, 'health'>)[],
  nowMs: number,
): MetricsSnapshot {
  const sources = streams.flatMap(({ description, health: healthOf }) =>
    healthOf().map((health) => ({ health, labels: { stream: description.name, origin: health.origin } })),
  );
  const named = (label: string, counts: (source: (typeof sources)[number]) => Readonly<Record<string, number>>) =>
    sources.flatMap((source) =>
      Object.entries(counts(source)).map(
        ([name, value]): Sample => ({ labels: { ...source.labels, [label]: name }, value }),
      ),
    );
  return {
    ldes_live_source_age_seconds: sources.flatMap(({ health: { lastGoodAt }, labels }) =>
      sampleOf(labels, ageSeconds(lastGoodAt, nowMs)),
    ),
    ldes_live_source_data_age_seconds: sources.flatMap(({ health: { dataAt }, labels }) =>
      sampleOf(labels, ageSeconds(dataAt, nowMs)),
    ),
    ldes_live_source_next_update_timestamp_seconds: sources.flatMap(({ health: { nextUpdateAt }, labels }) =>
      sampleOf(labels, nextUpdateAt === undefined ? undefined : Date.parse(nextUpdateAt) / 1000),
    ),
    ldes_live_source_up: sources.flatMap(({ health, labels }) => sampleOf(labels, health.state === 'ok' ? 1 : 0)),
    ldes_live_source_polls_total: named('result', ({ health }) => ({ ...health.polls })),
    ldes_live_source_errors_total: named('code', ({ health }) => health.errors),
    ldes_live_source_findings: named('finding', ({ health }) => health.findings),
  };
}

// A clock that was set back makes nothing younger than new.
function ageSeconds(time: string | undefined, nowMs: number): number | undefined {
  return time === undefined ? undefined : Math.max(0, nowMs - Date.parse(time)) / 1000;
}

function sampleOf(labels: Sample['labels'], value: number | undefined): Sample[] {
  return value === undefined ? [] : [{ labels, value }];
}
