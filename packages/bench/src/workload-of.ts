import type { Report } from './report/report.ts';

type Value = Report['workload'][string];

/**
 * The sizes of measurements as a report names them: `clients` of the measurement `slow` is `slow clients`; of the only
 * measurement that there is, `clients`.
 *
 * @param names - of the measurements that were run
 */
export function workloadOf<Plan extends object>(plan: Plan, names: readonly (keyof Plan)[]): Report['workload'] {
  const isAlone = Object.keys(plan).length === 1;
  const entries = names.flatMap((name) => entriesOf(isAlone ? '' : `${String(name)} `, plan[name]));
  return Object.fromEntries(entries);
}

function entriesOf(prefix: string, sizes: unknown): (readonly [string, Value])[] {
  return Object.entries(sizes as object).map(([key, size]) => [`${prefix}${key}`, sizeValue(size)] as const);
}

/** What is neither a number nor text is told as JSON. */
function sizeValue(size: unknown): Value {
  if (typeof size === 'number' || typeof size === 'string') return size;
  if (Array.isArray(size) && size.every((item) => typeof item === 'number')) return size;
  return JSON.stringify(size);
}
