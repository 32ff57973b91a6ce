import type { FindingMeaning, SourceHealth } from '@ldes-live/rdf-stream';
import type { LiveStream } from '../options.ts';

/** How long what was measured stands at least, milliseconds: as long as the catalogue is kept. */
export const QUALITY_KEPT_MS = 60_000;

/** How often something was noticed of the data of one source, when that was last judged. */
export interface QualityMeasurement {
  /** Which source. */
  readonly origin: string;
  /** What was noticed, by its name in the health of the source. */
  readonly finding: string;
  readonly count: number;
  /** When: xsd:dateTime in UTC; absent where the source does not say. */
  readonly at?: string;
  /** What it means, where that is known. */
  readonly meaning?: FindingMeaning;
}

/** What the catalogue says of the quality of data. */
export interface QualityWatch {
  /** Of the sources of a stream, by its name; by origin and name of the finding. */
  measurements(stream: string): readonly QualityMeasurement[];
  /** Equal for equal measurements of all streams. */
  version(): string;
}

/**
 * Watches what sources notice of their data, at the pace of a catalogue and not of polls: a measurement stands, with its
 * time, until a finding comes or goes or its count gains or loses a digit, and for an hour at most; and whatever comes,
 * for {@link QUALITY_KEPT_MS}.
 *
 * @param clock - epoch milliseconds
 * @see specs/documents.md DOC-72
 */
export function createQualityWatch(
  streams: readonly Pick<LiveStream, 'description' | 'sources'>[],
  clock: () => number,
): QualityWatch {
  let kept: ReadonlyMap<string, readonly QualityMeasurement[]> = new Map();
  let version = '';
  let classes: string | undefined;
  let lookedMs = Number.NEGATIVE_INFINITY;

  const look = (): void => {
    const nowMs = clock();
    // A clock that was set back is no reason to wait for it.
    if (nowMs >= lookedMs && nowMs - lookedMs < QUALITY_KEPT_MS) return;
    lookedMs = nowMs;
    const measured = streams.map(
      ({ description, sources }) => [description.name, sources().flatMap(measurementsOf).sort(inOrder)] as const,
    );
    const now = JSON.stringify(measured.map(([, measurements]) => measurements.map(classOf)));
    if (now === classes) return;
    classes = now;
    kept = new Map(measured);
    version = JSON.stringify(measured);
  };

  return {
    measurements(stream) {
      look();
      return kept.get(stream) ?? [];
    },
    version() {
      look();
      return version;
    },
  };
}

function measurementsOf({ origin, findings, noticedAt, lastGoodAt, meanings }: SourceHealth): QualityMeasurement[] {
  const at = noticedAt ?? lastGoodAt;
  return Object.entries(findings).map(([finding, count]) => {
    const meaning = meanings && Object.hasOwn(meanings, finding) ? meanings[finding] : undefined;
    return { origin, finding, count, ...(at === undefined ? {} : { at }), ...(meaning ? { meaning } : {}) };
  });
}

function inOrder(one: QualityMeasurement, other: QualityMeasurement): number {
  return compared(one.origin, other.origin) || compared(one.finding, other.finding);
}

function compared(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

const HOUR_DIGITS = '2026-01-01T00'.length;

function classOf({ origin, finding, count, at = '' }: QualityMeasurement): readonly unknown[] {
  return [origin, finding, String(count).length, at.slice(0, HOUR_DIGITS)];
}
