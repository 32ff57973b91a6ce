import type { LatestView } from '@ldes-live/rdf-stream';
import type { LatestIndex } from './latest-index.ts';

/**
 * What others see of the latest state of a log.
 *
 * @param held - asks the store, since IRIs of versions are not kept in memory
 */
export function latestView(index: LatestIndex, held: LatestView['held']): LatestView {
  return {
    get size() {
      return index.size;
    },
    get: (entity) => index.get(entity),
    entriesOf: (origin) => index.entriesOf(origin),
    held,
  };
}
