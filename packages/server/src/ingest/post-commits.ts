import type { Log } from '@ldes-live/log';
import { type Draft, isPublishedState, isStreamError } from '@ldes-live/rdf-stream';
import { EMPTY_TALLY, type PostTally } from './post-tally.ts';

/** How often what others append in between may make a commit be put together anew. */
const ATTEMPTS = 3;

/** Appends what is posted to a stream, one commit at a time, and leaves out what the log has. */
export class PostCommits {
  readonly #log: Log;
  #last: Promise<unknown> = Promise.resolve();

  constructor(log: Log) {
    this.#log = log;
  }

  /**
   * Appends drafts as one commit, as far as they are new.
   *
   * @param drafts - at least one, each of another entity and version
   * @throws {@link StreamError} those of {@link Log.append}
   * @see specs/ingest.md ING-20, ING-21, ING-22
   */
  commit(drafts: readonly Draft[]): Promise<PostTally> {
    // What is new is judged by the log as it is then: by another post the same might come in between.
    const committed = this.#last.then(() => this.#append(drafts, ATTEMPTS));
    this.#last = committed.catch(() => undefined);
    return committed;
  }

  async #append(drafts: readonly Draft[], attempts: number): Promise<PostTally> {
    const { latest } = this.#log;
    const versions = drafts.flatMap(({ id }) => (id === undefined ? [] : [id]));
    const known = versions.length === 0 ? new Set<string>() : await latest.hasVersions(versions);
    const isHeld = ({ id }: Draft) => id !== undefined && known.has(id);
    const isNew = (draft: Draft) => {
      // What lives may have begun anew after an end that is sent again.
      if (isHeld(draft)) return false;
      // An end too, which would end what lives by then if it was not held.
      if (draft.id !== undefined) return true;
      const entry = latest.get(draft.entity);
      return draft.kind === 'delete' ? entry !== undefined : !isPublishedState(draft, entry);
    };
    const fresh = drafts.filter(isNew);
    const counts = { held: drafts.filter(isHeld).length, stored: fresh.length };
    const tally = { ...counts, unchanged: drafts.length - counts.held - counts.stored };
    if (fresh.length === 0) return { ...EMPTY_TALLY, ...tally };
    try {
      const { cursor } = await this.#log.append(fresh);
      return { ...tally, before: { ...cursor, sequence: cursor.sequence - fresh.length }, cursor };
    } catch (error) {
      const isOvertaken = isStreamError(error, 'ERR_VERSION_HELD') || isStreamError(error, 'ERR_ENTITY_UNKNOWN');
      if (!isOvertaken || attempts === 1) throw error;
      return this.#append(drafts, attempts - 1);
    }
  }
}
