/** Microseconds of the clock that never goes back and that all processes of a machine share. */
export function monotonicMicros(): number {
  return Number(process.hrtime.bigint() / 1000n);
}
