import { type Spread, spread } from '../spread.ts';

/** The spread of whole numbers, whose median is one too: there is no half of a row or of a connection. */
export function countSpread(values: readonly number[]): Spread | undefined {
  if (values.length === 0) return undefined;
  const all = spread(values);
  return { ...all, median: Math.floor(all.median) };
}
