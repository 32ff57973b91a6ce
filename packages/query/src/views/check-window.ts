import { errors } from '../errors.ts';
import type { TimeWindowOptions, ViewOptions } from '../view-options.ts';

/** The longest `range`, `step` and `allowedLateness`, in seconds: 100 years. */
export const LONGEST_SECONDS = 3_155_760_000;

/**
 * Checks what a query is to be asked over.
 *
 * @throws {@link StreamError} `ERR_QUERY_OPTION` - `range` or `step` is not from 0.001 to {@link LONGEST_SECONDS},
 * `allowedLateness` not from 0, `originMs` no instant, `members` no whole number of 1 or more, or a word none of its values
 * @see specs/query.md QUERY-42
 */
export function checkWindow(options: ViewOptions): void {
  // Callers without types give anything.
  const isObject = typeof options === 'object' && options !== null;
  refuseUnless(isObject, 'window', options, "give an object, such as { type: 'time', range: 60 } for a minute");
  const type: unknown = options.type;
  if (type === 'latest' || type === 'all') return;
  if (options.type === 'count') {
    const isCount = Number.isSafeInteger(options.members) && options.members >= 1;
    refuseUnless(isCount, 'window.members', options.members, 'give a whole number of 1 or more');
  } else if (options.type === 'time') checkTimeWindow(options);
  else refuseUnless(false, 'window.type', type, 'give one of latest, time, count, all');
}

function checkTimeWindow({ range, step, time, allowedLateness, originMs }: TimeWindowOptions): void {
  const length = `give seconds from 0.001 to ${LONGEST_SECONDS}`;
  refuseUnless(isWithin(range, 0.001), 'window.range', range, length);
  refuseUnless(step === undefined || isWithin(step, 0.001), 'window.step', step, length);
  const isTime = time === undefined || time === 'published' || time === 'version';
  refuseUnless(isTime, 'window.time', time, 'give published or version');
  const isLateness = allowedLateness === undefined || isWithin(allowedLateness, 0);
  const lateness = `give seconds from 0 to ${LONGEST_SECONDS}`;
  refuseUnless(isLateness, 'window.allowedLateness', allowedLateness, lateness);
  // What a Date can be.
  const isInstant = originMs === undefined || (Number.isInteger(originMs) && Math.abs(originMs) <= 8.64e15);
  refuseUnless(isInstant, 'window.originMs', originMs, 'give whole milliseconds from -8.64e15 to 8.64e15');
}

function isWithin(seconds: unknown, least: number): boolean {
  return typeof seconds === 'number' && seconds >= least && seconds <= LONGEST_SECONDS;
}

function refuseUnless(isRight: boolean, name: string, value: unknown, expected: string): void {
  if (!isRight) throw errors.ERR_QUERY_OPTION({ name, value, expected });
}
