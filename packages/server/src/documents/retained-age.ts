import type { StreamDescription } from '@ldes-live/rdf-stream';

/** How long what leads to pages may be kept where retention takes some away: no longer than they stand unlinked. */
const RETAINED_AGE_SECONDS = 60;

/** The longest that the root or an open range of a stream may be kept. @see specs/documents.md DOC-48 */
export function retainedAge({ retention }: StreamDescription): { longestAgeSeconds?: number } {
  return retention ? { longestAgeSeconds: RETAINED_AGE_SECONDS } : {};
}
