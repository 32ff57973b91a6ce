import { type Extent, extentOfPage, pageOf } from '@ldes-live/rdf-stream';

/** Whether an extent is one of members, and cuts no page. */
export function isWholePages({ first, last }: Extent): boolean {
  if (!Number.isSafeInteger(first) || !Number.isSafeInteger(last) || first < 1 || last < first) return false;
  return first === extentOfPage(pageOf(first)).first && last === extentOfPage(pageOf(last)).last;
}
