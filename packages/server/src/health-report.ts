import { formatCursor, type SourceHealth } from '@ldes-live/rdf-stream';
import type { LiveStream, WatchedSources } from './options.ts';

/** What `/health` tells. */
export interface HealthReport {
  /**
   * `degraded` as long as one source fails, or has never worked: the streams are served all the same. `stopping` from the
   * moment in which the server was told to stop: new readers should go to another.
   */
  readonly status: 'ok' | 'degraded' | 'stopping';
  readonly streams: Readonly<Record<string, StreamHealth>>;
}

/** How one stream fares. */
export interface StreamHealth {
  readonly cursor: string;
  readonly entities: number;
  /** Sequence of the first member from which on all are held: 1 while retention has removed none. */
  readonly heldFrom: number;
  readonly pushConnections: number;
  readonly sources: readonly SourceHealth[];
}

/** What a report says beyond what the streams tell themselves. */
export interface HealthFacts {
  /** Open push connections of a stream. */
  readonly pushConnections: (name: string) => number;
  /** Whether the server was told to stop. */
  readonly isStopping: () => boolean;
}

/**
 * How the streams and their sources fare.
 *
 * @see specs/documents.md DOC-17
 * @see specs/push.md PUSH-34
 */
export function healthReport(
  streams: readonly (Pick<LiveStream, 'description' | 'log'> & Pick<WatchedSources, 'health'>)[],
  { pushConnections, isStopping }: HealthFacts,
): HealthReport {
  const reports = streams.map(({ description, log, health }): [string, StreamHealth] => [
    description.name,
    {
      cursor: formatCursor(log.head.cursor),
      entities: log.latest.size,
      heldFrom: log.heldFrom,
      pushConnections: pushConnections(description.name),
      sources: health(),
    },
  ]);
  const isFailing = reports.some(([, { sources }]) => sources.some(isTroubled));
  const served = isFailing ? 'degraded' : 'ok';
  return { status: isStopping() ? 'stopping' : served, streams: Object.fromEntries(reports) };
}

function isTroubled({ state, lastError }: SourceHealth): boolean {
  return state === 'failing' || (state === 'starting' && lastError !== undefined);
}
