import type { LogHead } from '@ldes-live/rdf-stream';

const RANDOM_LENGTH = 8;

/**
 * The head of a log that begins its life now: no members, under an epoch that no other log has.
 *
 * The epoch holds the time as well as randomness, so that even a poor source of random numbers gives a rebuilt log
 * another one.
 */
export function newHead(nowMs: number, random: () => number): LogHead {
  const drawn = Math.floor(random() * 36 ** RANDOM_LENGTH).toString(36);
  const epoch = `${Math.floor(nowMs).toString(36)}${drawn.padStart(RANDOM_LENGTH, '0')}`;
  return { cursor: { epoch, sequence: 0 }, timeMs: 0 };
}
