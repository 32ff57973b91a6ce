import type { CivilTime } from './civil-time.ts';
import { ConversionProblem } from './conversion-problem.ts';
import type { ZoneOffset } from './zone-offset.ts';

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** Which instant a reading means that the clocks show twice, when they go back. */
export type Overlap = 'earlier' | 'later';

/**
 * A local reading as xsd:dateTime: the reading itself, with the zone's offset at that instant.
 *
 * @throws ConversionProblem - the clocks were put forward over this reading: it never was
 * @see specs/mapping-values.md MAP-62
 */
export function localTime(reading: CivilTime, offsetAt: ZoneOffset, overlap: Overlap): string {
  const { asUtcMs } = reading;
  // No zone changes its clocks twice within two days, nor by more than a day: one of these holds at the reading.
  const offsets = [...new Set([offsetAt(asUtcMs - DAY_MS), offsetAt(asUtcMs + DAY_MS)])];
  const meant = offsets.filter((offsetMs) => offsetAt(asUtcMs - offsetMs) === offsetMs).sort((a, b) => b - a);
  const offsetMs = overlap === 'earlier' ? meant[0] : meant.at(-1);
  if (offsetMs === undefined) {
    throw new ConversionProblem('a time that the clocks show was expected: they were put forward over this one');
  }
  return `${reading.date}T${reading.time}${reading.fraction}${offsetText(offsetMs)}`;
}

function offsetText(offsetMs: number): string {
  const minutes = Math.abs(offsetMs) / MINUTE_MS;
  // Before standard time, places had offsets of seconds, which xsd:dateTime cannot say.
  if (!Number.isInteger(minutes)) throw new ConversionProblem('a time since the zone has standard time was expected');
  const two = (part: number) => String(Math.trunc(part)).padStart(2, '0');
  return `${offsetMs < 0 ? '-' : '+'}${two(minutes / 60)}:${two(minutes % 60)}`;
}
