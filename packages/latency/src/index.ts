export { type BackoffOptions, backoffMs, LONGEST_RETRY_AFTER_MS } from './backoff.ts';
export { DEFAULT_BREAK_EVEN_SECONDS } from './break-even.ts';
export { type CapacityMode, capacityBreakEven, capacityMode, modeByBreakEven } from './capacity-break-even.ts';
export { DEFAULT_CAPACITY_COSTS, DEFAULT_CDN_POPS, DEFAULT_PAYLOAD_BYTES } from './capacity-defaults.ts';
export { type CapacityNeed, capacityNeed, usersServed } from './capacity-need.ts';
export type { CapacityCosts, CapacityQuestion } from './capacity-question.ts';
export { type CapacityRates, capacityRates } from './capacity-rates.ts';
export { chooseMode, MODE_HYSTERESIS, type Mode, type ModeChoice, type ModeCircumstances } from './choose-mode.ts';
export {
  type ClockBounds,
  type ClockSample,
  clockOffset,
  narrowClockBounds,
  UNKNOWN_CLOCK,
} from './clock-bounds.ts';
export { DOUBT_SHARE, type DoubtCircumstances, doubtAtMs, MOST_DOUBT_DOUBLINGS } from './doubt-at.ts';
export { type Freshness, freshness, MICRO_CACHE_SECONDS } from './freshness.ts';
export { LEARNED_COMMITS, LEARNED_SHARE, learnRhythm, type Rhythm } from './learn-rhythm.ts';
export { learnSchedule, scheduleOfRhythm } from './learn-schedule.ts';
export { type NextUpdate, nextUpdate } from './next-update.ts';
export { type PollCircumstances, type PollPlan, planPoll } from './plan-poll.ts';
export { MIN_POLL_GAP_MS, type PollRoom, pollPeriodMs } from './poll-period.ts';
export { pullLagBound } from './pull-lag-bound.ts';
export { type PushEvidence, pushLagBound } from './push-lag-bound.ts';
export { IRREGULAR_SPREAD, LEAST_INTERVALS, MOST_INTERVALS } from './regular-intervals.ts';
export { retryAfterMs } from './retry-after.ts';
export { quantile, SAMPLE_WINDOW_SIZE, type SampleWindow, withSample } from './sample-window.ts';
export type { Schedule } from './schedule.ts';
