import type { CapacityQuestion } from './capacity-question.ts';
import type { Mode } from './choose-mode.ts';
import { MICRO_CACHE_SECONDS } from './freshness.ts';

/** How much a publisher's server has to do: requests of polling clients, or deliveries of events. */
export interface CapacityRates {
  /** While it has most to do, if the MAL is to be kept. */
  readonly peakPerSecond: number;
  /** In the long run; absent where that depends on updates that cannot be predicted. */
  readonly meanPerSecond?: number;
}

type Asked = Omit<CapacityQuestion, 'payloadBytes' | 'costs'>;

/**
 * What the publisher's server has to do for all users of one mode, a second. Pure.
 *
 * Polls are spread over the MAL, so that never more than `users / MAL` come in a second: formula (1) of the published
 * experiment. Deliveries have to be done within the MAL, and before the next update.
 *
 * @see specs/capacity.md CAP-1, CAP-2, CAP-6
 */
export function capacityRates(mode: Mode, asked: Asked): CapacityRates {
  return mode === 'pull' ? pullRates(asked) : pushRates(asked);
}

function pullRates({ users, malSeconds, intervalSeconds, cdnPops }: Asked): CapacityRates {
  const peakPerSecond = users / malSeconds;
  // What nobody can predict is asked for each time that the MAL has passed.
  const meanPerSecond = users / Math.max(malSeconds, intervalSeconds ?? 0);
  if (cdnPops === undefined) return { peakPerSecond, meanPerSecond };
  const shortestSeconds = intervalSeconds === undefined ? MICRO_CACHE_SECONDS : Math.min(malSeconds, intervalSeconds);
  return {
    peakPerSecond: Math.min(peakPerSecond, cdnPops / shortestSeconds),
    meanPerSecond: Math.min(meanPerSecond, cdnPops / (intervalSeconds ?? MICRO_CACHE_SECONDS)),
  };
}

function pushRates({ users, malSeconds, intervalSeconds }: Asked): CapacityRates {
  if (intervalSeconds === undefined) return { peakPerSecond: users / malSeconds };
  return { peakPerSecond: users / Math.min(malSeconds, intervalSeconds), meanPerSecond: users / intervalSeconds };
}
