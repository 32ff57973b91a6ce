import type { DocumentHead } from '../http/document.ts';

/** What the header of a page's last answer says of when to ask again. */
export type PageAnswer = Pick<DocumentHead, 'sentMs' | 'ageMs' | 'maxAgeMs' | 'nextUpdateMs' | 'freshUntilMs'>;

/** What is kept of an answer: the whole of it would hold on to the document. */
export function pageAnswer({ sentMs, ageMs, maxAgeMs, nextUpdateMs, freshUntilMs }: DocumentHead): PageAnswer {
  return {
    sentMs,
    ageMs,
    ...(maxAgeMs === undefined ? {} : { maxAgeMs }),
    ...(nextUpdateMs === undefined ? {} : { nextUpdateMs }),
    ...(freshUntilMs === undefined ? {} : { freshUntilMs }),
  };
}
