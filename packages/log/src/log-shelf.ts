import type { Extent } from '@ldes-live/rdf-stream';
import type { DocumentShelf } from './document-shelf.ts';

/** The shelf of a log as the log itself has it. */
export interface LogShelf extends DocumentShelf {
  /** Drops the documents that stand for any member of an extent. */
  erase(extent: Extent): Promise<void>;
  /** Keeps nothing from now on, not even what waits to be; resolves when what is being written is. Cannot fail. */
  close(): Promise<void>;
}
