/* What a document of a stream is, where it stands, and in which ways it is written.
 *   a view  finds the document at a path   'pages/k3x9a/4' -> { document, counted: 'open_page' }
 *   state() what is known without making it, asked for with every request:
 *           { version: 'k3x9a-1043', cursor: { epoch: 'k3x9a', sequence: 1043 }, caching: 'scheduled', hasTail: true }
 *   build() what it says in that state; cache.ts makes bytes of it, once for each variant (a format and an encoding). */
import type { Schedule } from '@ldes-live/latency';
import {
  type Cursor,
  type Extent,
  type Format,
  formatCursor,
  formats,
  type Joined,
  type Member,
  type RetentionPolicy,
  type StreamDescription,
} from '@ldes-live/rdf-stream';
import type { Quad } from '@rdfjs/types';
import type { LiveStream } from '../options.ts';
import type { MemberTexts } from './member-texts.ts';

export interface WrittenStream extends Pick<LiveStream, 'description' | 'log'> {
  readonly texts: MemberTexts;
}

/**
 * How long a document may be kept: for ever, until the next update of its stream, or for a time of its own where it
 * changes with something else.
 *
 * @see specs/documents.md DOC-8
 */
export type Caching = 'immutable' | 'scheduled' | { readonly maxAgeSeconds: number };

export interface DocumentState {
  /** Equal for equal content: representations are made once for each. */
  readonly version: string;
  /** The newest member that the document accounts for; absent where it accounts for none. */
  readonly cursor?: Cursor;
  readonly caching: Caching;
  /** The longest that a scheduled document may be kept, seconds: of one that changes with something else too. */
  readonly longestAgeSeconds?: number;
  /** Whether the version is the entity tag, but for format and encoding; else the bytes are hashed. @defaultValue false */
  readonly isTag?: boolean;
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
   * Documents of one group are superseded together: where one is cached in another version, the others are dropped.
   * They share a part of the cache.
   */
  readonly group?: string;
  /**
   * On a sealed document whose bytes are worth keeping on disk, beside the members that it stands for.
   * The name tells it from the other documents of that extent: 1 to 40 of `a-z`, `0-9`, `.` and `-`, such as `page`.
   */
  readonly disk?: { readonly stream: string; readonly extent: Extent; readonly name: string };
}

/** The state of a document whose members follow from a cursor alone. */
export function membersState(cursor: Cursor): DocumentState {
  return { version: formatCursor(cursor), isTag: true, cursor, caching: 'scheduled', profile: true };
}

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

export interface StreamDocument {
  readonly url: string;
  state(): DocumentState;
  /**
   * Makes the content of the present state. Unless the state is one of the disk cache it must be called in the same tick
   * as {@link state}: the log answers as of the call.
   *
   * @param format - what it is made for: for JSON-LD, members whose text is cached are not read
   */
  build(format?: Format): Promise<DocumentContent>;
}

export const REQUEST_KINDS = [
  'root',
  'latest',
  'sealed_page',
  'open_page',
  'tail',
  'range',
  'tile',
  'entity',
  'events',
  'post',
  'catalog',
  'other',
] as const;
export type RequestKind = (typeof REQUEST_KINDS)[number];

/** What is at a path: a document, and what requests for it are counted as, or the URL of where it is. */
export type Found =
  | { readonly kind: 'document'; readonly document: StreamDocument; readonly counted: RequestKind }
  | { readonly kind: 'redirect'; readonly url: string };

/** The document of a view that a reader can begin at, as the catalogue names it. */
export interface EntryPoint {
  readonly url: string;
  readonly title: string;
  /** What the view keeps; everything when absent. */
  readonly retention?: RetentionPolicy;
}

/** A way through the members of a stream: some of its documents. */
export interface View {
  /** The path segment below the stream at which it stands; empty for the root, which gets what no other view has. */
  readonly path: string;
  /** Absent where there is no document to begin at. */
  readonly entry?: EntryPoint;
  /**
   * What is at a path below it, as of the call; `undefined` where there is nothing.
   *
   * @param rest - as it was asked for, undecoded; empty for the view itself
   * @throws {@link StreamError} what answers the request in its place, such as `ERR_PAGE_GONE`
   */
  find(rest: string, query: URLSearchParams): Found | undefined | Promise<Found | undefined>;
  /** Lets go of what it holds on to; absent where that is nothing. */
  close?(): void;
}

/** A stream whose documents can be made: what its members say is cached, and its schedule is known. */
export interface ViewedStream extends WrittenStream, Pick<LiveStream, 'sparqlEndpoint'> {
  readonly schedule: () => Schedule;
}

const known = new WeakMap<StreamDescription, StreamUrls>();

/** The URLs of a stream, which are asked for with every request. */
export function streamUrls(description: StreamDescription): StreamUrls {
  const urls = known.get(description) ?? urlsOf(description);
  known.set(description, urls);
  return urls;
}

/** URLs of a stream's documents. @see specs/documents.md DOC-1 */
export type StreamUrls = ReturnType<typeof urlsOf>;

function urlsOf({ url }: StreamDescription) {
  const pages = `${url}/pages`;
  return {
    root: url,
    latest: `${url}/latest`,
    events: `${url}/events`,
    pages,
    shape: `${url}/shape`,
    tiles: `${url}/tiles`,
    /** Sealed pages are kept for a year, so a log that was made anew has pages of its own. */
    page: (epoch: string, index: number) => `${pages}/${epoch}/${index}`,
    /** @param removed - how many pages retention took from it since it was sealed */
    range: (epoch: string, index: number, removed: number) =>
      `${pages}/${epoch}/range-${index}${removed === 0 ? '' : `-v${removed}`}`,
    /** The node with nothing on it, to which the URLs of removed pages lead for a while. */
    removed: (epoch: string) => `${pages}/${epoch}/removed`,
    /** The tail after a cursor: what has been published since. @see specs/documents.md DOC-60 */
    tail: ({ epoch, sequence }: Cursor) => `${pages}/${epoch}/after-${sequence}`,
  };
}

/** IRI of the view that begins at a document, as the document itself names it. */
export function viewIri(url: string): string {
  return `${url}#view`;
}

export type Encoding = 'identity' | 'gzip' | 'br';

/** What a strong entity tag ends in to tell the encodings of a document apart. */
const ENCODING_SUFFIXES: Readonly<Record<Encoding, string>> = { identity: '', gzip: '.gz', br: '.br' };

const ENCODINGS = Object.keys(ENCODING_SUFFIXES) as readonly Encoding[];
const FORMATS = Object.keys(formats) as readonly Format[];

/** One of the ways to write a document: a format and a content coding. */
export interface Variant {
  readonly format: Format;
  readonly encoding: Encoding;
  /** From 0, without gaps. */
  readonly index: number;
  readonly suffix: string;
}

export const VARIANTS: readonly Variant[] = FORMATS.flatMap((format) =>
  ENCODINGS.map((encoding) => ({
    format,
    encoding,
    suffix: `${formats[format].suffix}${ENCODING_SUFFIXES[encoding]}`,
  })),
).map((variant, index) => ({ ...variant, index }));

export function variantOf(format: Format, encoding: Encoding): Variant {
  return VARIANTS[FORMATS.indexOf(format) * ENCODINGS.length + ENCODINGS.indexOf(encoding)] as Variant;
}

/** A document in one format and encoding: its bytes, made once for each state. */
export interface Representation {
  readonly state: DocumentState;
  readonly variant: Variant;
  /** The same in all formats and encodings, where the state has it by itself. */
  readonly tag: string;
  readonly etag: string;
  /** Epoch milliseconds. */
  readonly lastModifiedMs: number;
  /** Whether the state before it is known to be of another second, so that the date tells the two apart. */
  readonly isDated: boolean;
  readonly bytes: Buffer;
}
