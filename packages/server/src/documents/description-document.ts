import type { Quad } from '@rdfjs/types';
import type { StreamDocument } from './stream-document.ts';

/** For how long a document that describes is kept, seconds: a minute is soon enough for whoever looks. */
export const DESCRIPTION_MAX_AGE_SECONDS = 60;

/**
 * A document that describes and shows no state of a log: the catalogue, a vocabulary, a shape. It changes with the
 * configuration and the software, which leave no date.
 *
 * @param quads - what it says
 * @param version - equal for equal content; always the same when absent
 */
export function descriptionDocument(
  url: string,
  quads: () => readonly Quad[],
  version: () => string = () => '',
): StreamDocument {
  return {
    url,
    state: () => ({ version: version(), caching: { maxAgeSeconds: DESCRIPTION_MAX_AGE_SECONDS } }),
    build: async () => ({ quads: quads(), lastModifiedMs: 0 }),
  };
}
