import type { Removal } from '@ldes-live/log';
import { type Extent, extentOfPage, extentOfRange, PAGE_MEMBERS, RANGE_PAGES } from '@ldes-live/rdf-stream';

/** What has become of a page that retention removed; `undefined` of one that stands. */
export function removalOf(removals: readonly Removal[], page: number): Removal['state'] | undefined {
  const { first } = extentOfPage(page);
  let [low, high] = [0, removals.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((removals[middle] as Removal).last < first) low = middle + 1;
    else high = middle;
  }
  const found = removals[low];
  return found && found.first <= first ? found.state : undefined;
}

/** How many pages of a range were removed. */
export function removedCount(removals: readonly Removal[], range: number): number {
  return within(removals, range).reduce((count, { first, last }) => count + (last - first + 1) / PAGE_MEMBERS, 0);
}

/** Whether all pages of a range are past their time. */
export function isRangeGone(removals: readonly Removal[], range: number): boolean {
  const purged = removals.filter(({ state }) => state === 'purged');
  return removedCount(purged, range) === RANGE_PAGES;
}

/**
 * The pages of a range that stand.
 *
 * @param openPage - index of the last page that there is
 */
export function standingPages(removals: readonly Removal[], range: number, openPage: number): number[] {
  const first = range * RANGE_PAGES;
  const count = Math.min(RANGE_PAGES, openPage - first + 1);
  const pages = Array.from({ length: count }, (_, index) => first + index);
  const own = within(removals, range);
  return own.length === 0 ? pages : pages.filter((page) => removalOf(own, page) === undefined);
}

/** Which members were removed, as a text: equal for equal members. */
export function removalsText(removals: readonly Removal[]): string {
  const known = texts.get(removals);
  if (known !== undefined) return known;
  const runs: Extent[] = [];
  for (const { first, last } of removals) {
    const before = runs.at(-1);
    if (before && before.last + 1 === first) runs[runs.length - 1] = { first: before.first, last };
    else runs.push({ first, last });
  }
  const text = runs.map(({ first, last }) => `${first}-${last}`).join();
  texts.set(removals, text);
  return text;
}

// Asked for with every request, while removals are rare.
const texts = new WeakMap<readonly Removal[], string>();

function within(removals: readonly Removal[], range: number): Removal[] {
  const extent = extentOfRange(range);
  return removals
    .filter(({ first, last }) => first <= extent.last && last >= extent.first)
    .map(({ first, last, state }) => ({
      first: Math.max(first, extent.first),
      last: Math.min(last, extent.last),
      state,
    }));
}
