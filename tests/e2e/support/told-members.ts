import { parseQuads } from '@ldes-live/codec';
import { type Cursor, describeStream, formatCursor } from '@ldes-live/rdf-stream';
import { expect, vi } from 'vitest';
import type { ReadEvent } from './event-reader.ts';

/** Waits until the last event that was read has a cursor as its id. */
export function reaches(events: readonly ReadEvent[], cursor: Cursor): Promise<void> {
  return vi.waitFor(() => expect(events.at(-1)?.id).toBe(formatCursor(cursor)), { timeout: 20_000, interval: 5 });
}

/** The numbers of the members that the updates among events tell of, in their order. */
export async function toldMembers(events: readonly ReadEvent[], publicUrl: string): Promise<number[]> {
  const { sequencePath } = describeStream({ publicUrl, name: 'vehicles' });
  const told: number[] = [];
  for (const { event, data } of events) {
    if (event !== 'update') continue;
    const quads = await parseQuads(data, 'jsonld', publicUrl);
    const numbers = quads
      .filter(({ predicate }) => predicate.value === sequencePath)
      .map(({ object }) => Number(object.value));
    told.push(...numbers.sort((left, right) => left - right));
  }
  return told;
}

/** The numbers of all members after one, up to another. */
export function membersBetween(after: number, last: number): number[] {
  return Array.from({ length: last - after }, (_, index) => after + index + 1);
}
