export { type BackoffOptions, backoffMs, LONGEST_RETRY_AFTER_MS } from './backoff.ts';
export { DEFAULT_BREAK_EVEN_SECONDS } from './break-even.ts';
export { chooseMode, MODE_HYSTERESIS, type Mode, type ModeChoice, type ModeCircumstances } from './choose-mode.ts';
export {
  type ClockBounds,
  type ClockSample,
  clockOffset,
  narrowClockBounds,
  UNKNOWN_CLOCK,
} from './clock-bounds.ts';
export { type Freshness, freshness, MICRO_CACHE_SECONDS } from './freshness.ts';
export { LEARNED_COMMITS, LEARNED_SHARE, learnRhythm, type Rhythm } from './learn-rhythm.ts';
export { learnSchedule, scheduleOfRhythm } from './learn-schedule.ts';
export { type NextUpdate, nextUpdate } from './next-update.ts';
export { MIN_POLL_GAP_MS, type PollCircumstances, type PollPlan, planPoll } from './plan-poll.ts';
export { type PushEvidence, pushLagBound } from './push-lag-bound.ts';
export { IRREGULAR_SPREAD, LEAST_INTERVALS, MOST_INTERVALS } from './regular-intervals.ts';
export { retryAfterMs } from './retry-after.ts';
export { quantile, SAMPLE_WINDOW_SIZE, type SampleWindow, withSample } from './sample-window.ts';
export type { Schedule } from './schedule.ts';
