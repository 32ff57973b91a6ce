import { type Draft, literal, namedNode, quad, rdf, type UpsertDraft, xsd } from '@ldes-live/rdf-stream';
import { stamp } from '../load/stamp.ts';

/** Base of the IRIs of what is published here. */
export const PUBLIC_URL = 'http://bench.invalid/';

const EX = 'http://example.org/parking#';

/** IRI of an entity of these workloads. */
export function entityIri(publicUrl: string, number: number): string {
  return `${publicUrl}vehicles/entities/${String(number).padStart(6, '0')}`;
}

/**
 * A new state of an entity: how many places a car park has left, and when that was published.
 *
 * @param noteBytes - length of a remark, by which the size of the event can be chosen
 */
export function stampedState(publicUrl: string, number: number, stampMicros: number, noteBytes = 0): UpsertDraft {
  const iri = entityIri(publicUrl, number);
  const subject = namedNode(iri);
  const text = stamp(stampMicros);
  return {
    kind: 'upsert',
    entity: iri,
    origin: 'bench',
    fingerprint: text,
    quads: [
      quad(subject, namedNode(rdf.type), namedNode(`${EX}CarPark`)),
      quad(subject, namedNode(`${EX}name`), literal(`Car park ${String(number).padStart(6, '0')}`)),
      quad(subject, namedNode(`${EX}spaces`), literal('1000', xsd.integer)),
      quad(subject, namedNode(`${EX}vacant`), literal(String(100 + ((number * 37 + stampMicros) % 900)), xsd.integer)),
      quad(subject, namedNode(`${EX}publishedAt`), literal(text)),
      ...(noteBytes > 0 ? [quad(subject, namedNode(`${EX}note`), literal('-'.repeat(noteBytes)))] : []),
    ],
  };
}

/** A state of each of so many entities; the first has a remark of so many bytes. */
export function stampedCommit(publicUrl: string, entities: number, stampMicros: number, noteBytes: number): Draft[] {
  return Array.from({ length: entities }, (_, number) =>
    stampedState(publicUrl, number, stampMicros, number === 0 ? noteBytes : 1),
  );
}

/** How to make commits whose event has a size. */
export interface CommitSize {
  readonly entities: number;
  readonly noteBytes: number;
}

/**
 * How many entities, and how long a remark, make an event of a size.
 *
 * @param measure - the size of an event of so many entities with remarks of one byte
 */
export async function sizeCommits(
  eventBytes: number,
  measure: (size: CommitSize) => Promise<number>,
): Promise<CommitSize> {
  const [two, three] = [await measure({ entities: 2, noteBytes: 1 }), await measure({ entities: 3, noteBytes: 1 })];
  const entities = Math.max(2, Math.floor((eventBytes - two) / (three - two)) + 2);
  const left = eventBytes - (two + (entities - 2) * (three - two));
  return { entities, noteBytes: 1 + Math.max(0, left) };
}
