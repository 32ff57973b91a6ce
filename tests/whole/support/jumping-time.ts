import { type ScaledTime, scaledTime } from '../../support/scaled-time.ts';

/** Time of which the clock can be set, while waits take as long as they take: as when a laptop slept. */
export interface JumpingTime extends ScaledTime {
  /** Sets the clock forward, or back by a negative number of milliseconds. */
  jump(byMs: number): void;
}

/** Time that runs `scale` times as fast, with a clock that can be set. */
export function jumpingTime(scale: number, time: ScaledTime = scaledTime(scale)): JumpingTime {
  let jumpedMs = 0;
  return {
    clock: () => time.clock() + jumpedMs,
    sleep: time.sleep,
    jump: (byMs) => {
      jumpedMs += byMs;
    },
  };
}
