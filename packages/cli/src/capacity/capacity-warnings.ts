import { type CapacityNeed, type CapacityQuestion, DEFAULT_PAYLOAD_BYTES, type Mode } from '@ldes-live/latency';
import { formatBytes } from '../follow/view/format-amount.ts';
import type { Measured } from './measure-url.ts';

/** A state that is so many times larger or smaller than the one of the measurement takes a core other work. */
const OTHER_SIZE = 2;

/** 10 Gbit/s. */
const MOST_BYTES_PER_CORE_SECOND = 1.25e9;

const SENDS: Readonly<Record<Mode, string>> = { push: 'push', pull: 'polling' };

/**
 * Where the figures do not hold, in words for a person. Pure.
 *
 * @param measured - where the rate of polls was measured
 * @see specs/capacity.md CAP-16
 */
export function capacityWarnings(
  { payloadBytes }: CapacityQuestion,
  needs: Readonly<Record<Mode, CapacityNeed>>,
  measured?: Pick<Measured, 'payloadBytes'>,
): string[] {
  const withBytes = measured?.payloadBytes ?? DEFAULT_PAYLOAD_BYTES;
  const isLarger = payloadBytes > withBytes * OTHER_SIZE;
  const isSmaller = payloadBytes < withBytes / OTHER_SIZE;
  const found = measured ? 'measured with' : 'those of a state of';
  return [
    ...(isLarger || isSmaller
      ? [
          `the rates are ${found} ${formatBytes(withBytes)}; of ${formatBytes(payloadBytes)} a core does ${isLarger ? 'fewer' : 'more'}: measure your own.`,
        ]
      : []),
    ...(['push', 'pull'] as const).flatMap((mode) => {
      const { cores, peakBytesPerSecond } = needs[mode];
      const each = peakBytesPerSecond / cores;
      return each <= MOST_BYTES_PER_CORE_SECOND
        ? []
        : [
            `by ${SENDS[mode]} a core would send ${formatBytes(each)}/s at its peak, not compressed: more than 10 Gbit/s.`,
          ];
    }),
  ];
}
