import type { Sleep } from './within.ts';

/** How far the clock may be from what was slept without being called a jump, milliseconds: timers are late at times. */
export const JUMP_MS = 2_500;

/**
 * Waits until the clock jumps: the machine slept, or the clock was set. What is known of the world is then older than
 * it seems.
 *
 * A timer that is more than {@link JUMP_MS} late looks the same, as in a program that was busy, or a browser's tab in
 * the background, whose timers go off once a minute: time was lost there too, but connections may be sound.
 *
 * @param options.watchMs - the longest time until a jump is noticed, milliseconds: the clock is looked at so often
 * @returns how far it jumped, milliseconds; negative where it was set back
 * @throws the reason of the signal when it is aborted
 * @see specs/mal.md MAL-63
 */
export async function clockJump(
  signal: AbortSignal,
  { clock, sleep, watchMs }: { readonly clock: () => number; readonly sleep: Sleep; readonly watchMs: number },
): Promise<number> {
  for (;;) {
    const startedMs = clock();
    await sleep(watchMs, signal);
    const jumpMs = clock() - startedMs - watchMs;
    if (Math.abs(jumpMs) > JUMP_MS) return jumpMs;
  }
}
