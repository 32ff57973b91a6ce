import type { Extent } from '@ldes-live/rdf-stream';

/** Whole pages that retention has taken, or is about to take, out of a log. */
export interface Removal extends Extent {
  /**
   * `unlinked`: no document leads there any more, and its members can still be read. `emptied`: its members are
   * gone, and whoever still asks for it is told so gently. `gone`: the time for that is over.
   */
  readonly state: 'unlinked' | 'emptied' | 'gone';
}
