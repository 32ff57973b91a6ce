/**
 * A value as it goes into an IRI, before it is percent-encoded: with a tilde before what would read as something
 * else, so that two values never have one IRI. That is `-`, which stands for a value that is not set; `.` and `..`,
 * which URL parsers take as steps even when they are percent-encoded; and what starts with a tilde.
 *
 * @see specs/gtfs-realtime.md GTFS-12
 * @see specs/mappings.md MAP-9
 */
export function iriSegment(value: string | undefined): string {
  if (value === undefined) return '-';
  return /^(?:~.*|\.{1,2}|-)$/su.test(value) ? `~${value}` : value;
}
