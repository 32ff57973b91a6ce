import { nodeQuads } from '@ldes-live/rdf-stream';
import type { LiveStream } from '../options.ts';
import type { StreamDocument } from './stream-document.ts';

/** How long an emptied page may be kept: it goes altogether before long. */
const EMPTIED_MAX_AGE_SECONDS = 60;

/**
 * What stands for a while where a page or range was that retention removed: a node with nothing on it, and without a
 * cursor, since it does not account for the members that it had.
 *
 * @see specs/documents.md DOC-28
 */
export function emptiedDocument({ log }: Pick<LiveStream, 'log'>, url: string): StreamDocument {
  return {
    url,
    state: () => ({ version: `emptied ${log.heldFrom}`, caching: { maxAgeSeconds: EMPTIED_MAX_AGE_SECONDS } }),
    build: async () => {
      const { heldFrom, head } = log;
      // Later than everything that was removed, and the same on every server over the same log.
      const [held] = await log.read(heldFrom - 1, 1);
      return { quads: nodeQuads({ url, sealed: false }), lastModifiedMs: held ? Date.parse(held.time) : head.timeMs };
    },
  };
}
