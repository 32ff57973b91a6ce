import type { Cursor } from '@ldes-live/rdf-stream';
import type { Quad } from '@rdfjs/types';

/** What is known of a document without building it. */
export interface DocumentState {
  /** Equal for equal content: representations are made once for each. */
  readonly version: string;
  /** The newest member that the document accounts for. */
  readonly cursor: Cursor;
  /** Never changes again. */
  readonly sealed: boolean;
  /** The entity tag but for the format, where the state has one by itself; else the bytes are hashed. */
  readonly tag?: string;
  /** URL of the page after this one, on a sealed page. */
  readonly nextPage?: string;
}

/** What a document says. */
interface DocumentContent {
  readonly quads: readonly Quad[];
  /** When it came to say this, epoch milliseconds. */
  readonly lastModifiedMs: number;
}

/** A document of a stream. */
export interface StreamDocument {
  readonly url: string;
  /** The present state. */
  state(): DocumentState;
  /**
   * Makes the content of the present state. It must be called in the same tick as {@link state}: the log
   * answers as of the call.
   */
  build(): Promise<DocumentContent>;
}
