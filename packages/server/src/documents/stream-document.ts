import type { Cursor, Extent, Format, Joined, Member, StreamDescription } from '@ldes-live/rdf-stream';
import type { Quad } from '@rdfjs/types';

/**
 * How long a document may be kept: for ever, until the next update of its stream, or for a time of its own where it
 * changes with something else.
 *
 * @see specs/documents.md DOC-8
 */
export type Caching = 'immutable' | 'scheduled' | { readonly maxAgeSeconds: number };

/** Where the bytes of a sealed document are kept beside its members. */
interface Shelved {
  /** The members that it stands for. */
  readonly extent: Extent;
  /** Tells it from the other documents of that extent: 1 to 40 of `a-z`, `0-9`, `.` and `-`, such as `page`. */
  readonly name: string;
}

/** What is known of a document without building it. */
export interface DocumentState {
  /** Equal for equal content: representations are made once for each. */
  readonly version: string;
  /** The newest member that the document accounts for; absent where it accounts for none. */
  readonly cursor?: Cursor;
  readonly caching: Caching;
  /** The longest that a scheduled document may be kept, seconds: of one that changes with something else too. */
  readonly longestAgeSeconds?: number;
  /** The entity tag but for format and encoding, where the state has one by itself; else the bytes are hashed. */
  readonly tag?: string;
  /**
   * Whether what it says of itself comes before its members, and each member's quads follow its `tree:member`
   * statement: the TREE profile, in the formats that keep an order.
   *
   * @see https://w3id.org/tree/specification/profile
   */
  readonly profile?: boolean;
  /** URL of the page after this one, on a sealed page. */
  readonly nextPage?: string;
  /** Whether it leads to the tail after its cursor. @defaultValue false */
  readonly hasTail?: boolean;
  /**
   * Documents that say the same here are superseded together: where one is kept in another version, the others are
   * dropped. They share a part of what may be kept.
   */
  readonly family?: string;
  /** On a sealed document whose bytes are worth keeping. */
  readonly shelved?: Shelved;
}

/** What a document says. */
export interface DocumentContent {
  /** What comes first: what it says of itself and where it leads. */
  readonly quads: readonly Quad[];
  /** The members that it holds, each after its `tree:member` statement, behind the quads. */
  readonly members?: { readonly description: StreamDescription; readonly list: readonly Member[] } | undefined;
  /** In JSON-LD, the quads and the members in place of both. */
  readonly joined?: Joined | undefined;
  /** When it came to say this, epoch milliseconds. */
  readonly lastModifiedMs: number;
  /**
   * When it came to say what it said before this, epoch milliseconds, where the log tells. A date in whole seconds is a
   * validator only where this is of another second.
   */
  readonly previouslyModifiedMs?: number;
}

/** A document of a stream. */
export interface StreamDocument {
  readonly url: string;
  /** The present state. It is asked for with every request, so it has to be quick. */
  state(): DocumentState;
  /**
   * Makes the content of the present state. Unless the state is shelved it must be called in the same tick as
   * {@link state}: the log answers as of the call.
   *
   * @param format - what it is made for: for JSON-LD, members whose text is kept are not read
   */
  build(format?: Format): Promise<DocumentContent>;
}
