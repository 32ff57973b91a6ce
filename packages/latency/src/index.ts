export type { CapacityCosts, CapacityMode, CapacityNeed, CapacityQuestion } from './capacity.ts';
export {
  capacityBreakEven,
  capacityMode,
  capacityNeed,
  DEFAULT_CAPACITY_COSTS,
  DEFAULT_CDN_POPS,
  DEFAULT_PAYLOAD_BYTES,
  modeByBreakEven,
  usersServed,
} from './capacity.ts';
export type { ClockBounds, ClockSample, SampleWindow } from './measurements.ts';
export { clockOffset, intersectClockBounds, quantile, UNKNOWN_CLOCK, withSample } from './measurements.ts';
export type { Mode, ModeChoice, ModeOptions } from './mode.ts';
export { chooseMode, DEFAULT_BREAK_EVEN_SECONDS, probeAtMs, pushLagBound } from './mode.ts';
export { MIN_POLL_GAP_MS, type PollOptions, type PollPlan, planPoll, pullLagBound } from './polling.ts';
export { backoffMs, MAX_RETRY_AFTER_MS, retryAfterMs } from './retry.ts';
export type { Freshness, NextUpdate, Schedule } from './schedule.ts';
export {
  freshness,
  LEARNED_COMMITS,
  learnSchedule,
  MICRO_CACHE_SECONDS,
  nextUpdate,
  ScheduleEstimator,
} from './schedule.ts';
