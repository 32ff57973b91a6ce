import { SharedDeflate } from '@ldes-live/rdf-stream/push';

/**
 * Whether the connections that share compression start anew together, and take on those beside them.
 *
 * Those beside are sent larger blocks; a restart costs each member one. So it is due as soon as the ones have taken as
 * many, added up, as there are members.
 *
 * @param waited - commits that gzip connections have taken beside the group since its start, added up
 * @see specs/push.md PUSH-17
 */
export function isRestartDue(waited: number, members: number): boolean {
  return waited >= members;
}

// Once for all: what it costs more than a lower level is nothing beside what all are spared.
const LEVEL = 9;

/** The compression that the gzip connections of a stream share. */
export class SharedGroup {
  readonly #deflate = new SharedDeflate({ level: LEVEL });
  #waited = 0;

  /**
   * Compresses the events of commits once for all members.
   *
   * @param size.commits - how many commits it is
   * @param size.members - how many are in the group
   * @param size.beside - gzip connections that are not
   * @returns the block, and whether everyone joins by it
   */
  async commit(
    events: Uint8Array,
    { commits, members, beside }: { readonly commits: number; readonly members: number; readonly beside: number },
  ): Promise<{ readonly block: Uint8Array; readonly joins: boolean }> {
    this.#waited += beside * commits;
    const joins = beside > 0 && isRestartDue(this.#waited, members);
    if (joins) this.#waited = 0;
    return { joins, block: await this.#deflate.write(events, joins) };
  }

  /** Compresses what is no commit, such as a comment, once for all members. */
  comment(text: string): Promise<Uint8Array> {
    return this.#deflate.write(Buffer.from(text), false);
  }

  close(): void {
    this.#deflate.close();
  }
}
