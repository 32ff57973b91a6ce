import { ldes } from '@ldes-live/rdf-stream';
import type { Evidence } from './evidence.ts';

/**
 * Whether the relations of a view go by the times of publication: then it is what readers replicate and keep in step
 * with, other than views of the latest state or by place.
 */
export function isViewByTime({ nodes, stream }: Evidence): boolean {
  const path = stream?.predicate(ldes.timestampPath);
  if (path === undefined) return false;
  return nodes.some(({ relations }) => relations.some(({ paths }) => paths.some(({ value }) => value === path)));
}
