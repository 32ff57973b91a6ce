import { MIN_POLL_GAP_MS, type PollRoom } from './poll-period.ts';

/**
 * The least lag bound that polling can keep, whatever the MAL, in milliseconds: the shortest time between two
 * requests, a read, and the age that a copy may hide. Pure.
 *
 * @see specs/mal.md MAL-37
 */
export function pullLagBound({ readMs, hiddenAgeMs = 0 }: Omit<PollRoom, 'malMs'>): number {
  return MIN_POLL_GAP_MS + readMs + hiddenAgeMs;
}
