import type { RequestRound } from './request-loop.ts';

/** A stretch of time, in tenths of all, in which something was answered. */
interface Stretch {
  readonly tenths: number;
  readonly served: number;
}

/**
 * How many requests a second a server bears that come evenly, from what it served a closed loop in each tenth of the time:
 * their harmonic mean.
 *
 * Who waits for an answer asks less while answers are slow, so that the average of a closed loop is of fast moments more than
 * of slow ones. Clients that ask by the clock, as those of formula 1, ask as many in both: N requests in each tenth take as
 * long as N take at the rate of that tenth.
 *
 * @returns 0 where nothing was answered
 */
export function evenlyServedPerSecond({
  servedInTenths,
  wallMicros,
}: Pick<RequestRound, 'servedInTenths' | 'wallMicros'>): number {
  const stretches = stretchesOf(servedInTenths);
  const tenths = servedInTenths.length;
  const tenthSeconds = wallMicros / 1e6 / tenths;
  if (stretches.some(({ served }) => served === 0)) return 0;
  const perRequest = stretches.reduce((sum, stretch) => sum + (stretch.tenths ** 2 * tenthSeconds) / stretch.served, 0);
  return tenths / perRequest;
}

/** A tenth without answers is one with the next: what came in it was answered then. At the end, with the one before. */
function stretchesOf(servedInTenths: readonly number[]): readonly Stretch[] {
  const stretches: Stretch[] = [];
  for (const [tenth, served] of servedInTenths.entries()) {
    const last = stretches.at(-1);
    const isJoined =
      last !== undefined && (last.served === 0 || (served === 0 && !servedInTenths.slice(tenth).some(Boolean)));
    if (isJoined) stretches[stretches.length - 1] = { tenths: last.tenths + 1, served: last.served + served };
    else stretches.push({ tenths: 1, served });
  }
  return stretches;
}
