import type { DocumentState } from './stream-document.ts';
import type { Variant } from './variant.ts';

/** A document in one format and encoding: its bytes, made once for each state. */
export interface Representation {
  /** The state that it shows. */
  readonly state: DocumentState;
  readonly variant: Variant;
  /** Entity tag, quoted. */
  readonly etag: string;
  /** Epoch milliseconds. */
  readonly lastModifiedMs: number;
  /** Whether the state before it is known to be of another second, so that the date tells the two apart. */
  readonly isDated: boolean;
  readonly bytes: Buffer;
}
