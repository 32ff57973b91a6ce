import { dateTimeMs, type Member } from '@ldes-live/rdf-stream';
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
  const versionMs = by === 'version' && member.versionTime !== undefined ? dateTimeMs(member.versionTime) : Number.NaN;
  return Number.isNaN(versionMs) ? dateTimeMs(member.time) : versionMs;
}
