import type { Member } from '@ldes-live/rdf-stream';
import type { TimeWindowOptions } from '../view-options.ts';

/**
 * The instant of a member by which it belongs to time windows: epoch milliseconds, `NaN` where it has none that can be read.
 *
 * @param by - `version` falls back to the publication time
 */
export function memberTimeMs(
  member: Pick<Member, 'time' | 'versionTime'>,
  by: NonNullable<TimeWindowOptions['time']>,
): number {
  const versionMs = by === 'version' && member.versionTime !== undefined ? instantMs(member.versionTime) : Number.NaN;
  return Number.isNaN(versionMs) ? instantMs(member.time) : versionMs;
}

// A date and time without a zone is one of UTC: what the machine's own zone is must not matter.
function instantMs(text: string): number {
  const isLocal = text.includes('T') && !/(?:Z|[+-]\d\d:?\d\d)$/.test(text);
  return Date.parse(isLocal ? `${text}Z` : text);
}
