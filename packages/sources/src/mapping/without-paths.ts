import type { PathStep } from './paths.ts';

/** A copy of a record without what paths lead to. */
export function withoutPaths(record: unknown, paths: readonly (readonly PathStep[])[]): unknown {
  return paths.reduce(withoutPath, record);
}

function withoutPath(value: unknown, [step, ...rest]: readonly PathStep[]): unknown {
  if (step === undefined || typeof value !== 'object' || value === null) return value;
  const leads = (key: string) => step === 'each' || key === String('item' in step ? step.item : step.field);
  const kept = Object.entries(value)
    .filter(([key]) => rest.length > 0 || !leads(key))
    .map(([key, item]) => [key, leads(key) ? withoutPath(item, rest) : item] as const);
  return Array.isArray(value) ? kept.map(([, item]) => item) : Object.fromEntries(kept);
}
