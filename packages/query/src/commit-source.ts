import type { Commit, Member } from '@ldes-live/rdf-stream';

/** What a source of a live query hands out, one after the other. Each is applied whole or not at all. */
export type SourceEvent = Commit | StateEvent;

/** The whole state at once: whatever was known of this source before is forgotten. A reader starts so, and goes on so after a gap. */
export interface StateEvent {
  readonly kind: 'state';
  /** `<epoch>-<sequence>`: where it stands. */
  readonly cursor: string;
  /** The newest version of every living entity. */
  readonly members: readonly Member[];
}

/**
 * Where a live query reads: any async iterable of commits.
 *
 * @example
 * ```ts
 * const source: CommitSource = {
 *   url: 'https://example.org/trams',
 *   async *[Symbol.asyncIterator]() {
 *     const [time, id] = [new Date().toISOString(), 'https://example.org/trams/1#1'];
 *     const quads = [quad(namedNode(id), namedNode('https://example.org/speed'), literal('30'))];
 *     const member = { id, entity: 'https://example.org/trams/1', kind: 'upsert', sequence: 1, time, quads } as const;
 *     yield { cursor: { epoch: 'a', sequence: 1 }, time, members: [member] };
 *   },
 * };
 * ```
 */
export interface CommitSource extends AsyncIterable<SourceEvent> {
  /** The stream's IRI, by which `FROM NAMED WINDOW ... ON <IRI>` means it. */
  readonly url?: string;
  /**
   * The instant up to which nothing published is missing in what was handed out, epoch milliseconds; `undefined` while that is
   * not known. Where there is no such method, the publication time of the last commit is all that is claimed.
   */
  completeToMs?(): number | undefined;
  /** What keeps it from bringing anything, in words for people, as long as that lasts: it is expected to pass. */
  trouble?(): string | undefined;
}
