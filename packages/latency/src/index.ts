export {
  type CapacityCosts,
  type CapacityMode,
  type CapacityNeed,
  type CapacityQuestion,
  capacityBreakEven,
  capacityMode,
  capacityNeed,
  DEFAULT_CAPACITY_COSTS,
  DEFAULT_CDN_POPS,
  DEFAULT_PAYLOAD_BYTES,
  modeByBreakEven,
  usersServed,
} from './capacity.ts';
export {
  type ClockBounds,
  type ClockSample,
  clockOffset,
  narrowClockBounds,
  quantile,
  type SampleWindow,
  UNKNOWN_CLOCK,
  withSample,
} from './measurements.ts';
export {
  chooseMode,
  DEFAULT_BREAK_EVEN_SECONDS,
  type Mode,
  type ModeChoice,
  type ModeOptions,
  probeAtMs,
  pushLagBound,
} from './mode.ts';
export { MIN_POLL_GAP_MS, type PollOptions, type PollPlan, planPoll, pullLagBound } from './polling.ts';
export { backoffMs, MAX_RETRY_AFTER_MS, retryAfterMs } from './retry.ts';
export {
  type Freshness,
  freshness,
  LEARNED_COMMITS,
  learnSchedule,
  MICRO_CACHE_SECONDS,
  type NextUpdate,
  nextUpdate,
  type Schedule,
  ScheduleEstimator,
} from './schedule.ts';
