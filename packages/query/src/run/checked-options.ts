import { errors } from '../errors.ts';
import type { LiveQueryOptions } from '../live-query-options.ts';
import type { QueryLimits } from '../query-limits.ts';
import type { ResultOperator, ViewOptions } from '../view-options.ts';
import { checkWindow } from '../views/check-window.ts';
import { checkKinds, isObject } from './check-kinds.ts';

/** What a live query may cost, unless it is told otherwise. */
export const DEFAULT_LIMITS: QueryLimits = {
  limitRows: 100_000,
  limitQuads: 2_000_000,
  limitEvaluationMs: 30_000,
  limitQueryChars: 10_000,
};

/** The maximum acceptable latency, unless it is told otherwise, seconds. */
const DEFAULT_MAL_SECONDS = 1;

const NAMES: ReadonlySet<string> = new Set<keyof LiveQueryOptions>([
  'mal',
  'window',
  'output',
  'engine',
  'data',
  'signal',
  'limits',
  'clock',
  'sleep',
  'evaluators',
]);

const OPERATORS: readonly ResultOperator[] = ['delta', 'rstream', 'istream', 'dstream'];

/** Options of a live query, checked, with what holds where nothing is said. */
export interface CheckedOptions {
  readonly malMs: number;
  readonly window: ViewOptions;
  readonly output: ResultOperator;
  readonly limits: QueryLimits;
}

/**
 * Checks the options of a live query.
 *
 * @throws {@link StreamError} `ERR_QUERY_OPTION` - one has no meaning, or is out of its range
 */
export function checkedOptions(options: LiveQueryOptions): CheckedOptions {
  if (!isObject(options)) {
    const expected = 'give an object of options, such as { mal: 5 }';
    throw errors.ERR_QUERY_OPTION({ name: 'options', value: options, expected });
  }
  refuseUnknown(options, NAMES, '', 'there is no such option');
  checkKinds(options);
  const { mal = DEFAULT_MAL_SECONDS, window = { type: 'latest' }, output = 'delta', limits = {} } = options;
  if (!(typeof mal === 'number' && Number.isFinite(mal) && mal > 0)) {
    throw errors.ERR_QUERY_OPTION({ name: 'mal', value: mal, expected: 'give seconds above 0' });
  }
  if (!OPERATORS.includes(output)) {
    throw errors.ERR_QUERY_OPTION({ name: 'output', value: output, expected: `give one of ${OPERATORS.join(', ')}` });
  }
  checkWindow(window);
  // 1.001 times 1000 is just below 1001, and an evaluation of 1001 ms is within that MAL.
  const malMs = Number((mal * 1000).toPrecision(12));
  return { malMs, window, output, limits: checkedLimits(limits) };
}

function checkedLimits(limits: Partial<QueryLimits>): QueryLimits {
  refuseUnknown(limits, new Set(Object.keys(DEFAULT_LIMITS)), 'limits.', 'there is no such limit');
  const given = Object.entries(limits).filter(([, value]) => value !== undefined);
  for (const [name, value] of given) {
    if (Number.isSafeInteger(value) && value >= 1) continue;
    throw errors.ERR_QUERY_OPTION({ name: `limits.${name}`, value, expected: 'give a whole number of 1 or more' });
  }
  return { ...DEFAULT_LIMITS, ...Object.fromEntries(given) };
}

function refuseUnknown(given: object, names: ReadonlySet<string>, prefix: string, expected: string): void {
  const unknown = Object.keys(given).find((name) => !names.has(name));
  if (unknown === undefined) return;
  const value = (given as Record<string, unknown>)[unknown];
  throw errors.ERR_QUERY_OPTION({
    name: `${prefix}${unknown}`,
    value,
    expected: `${expected}: give of ${[...names].join(', ')}`,
  });
}
