import type { RetentionPolicy } from '@ldes-live/rdf-stream';
import type { WrittenStream } from '../documents/member-texts.ts';
import type { StreamDocument } from '../documents/stream-document.ts';
import type { RequestKind } from '../metrics/request-counts.ts';
import type { ScheduledStream } from '../options.ts';

/** What is at a path: a document, and what requests for it are counted as, or the URL of where it is. */
export type Found =
  | { readonly kind: 'document'; readonly document: StreamDocument; readonly counted: RequestKind }
  | { readonly kind: 'redirect'; readonly url: string };

/** The document of a view that a reader can begin at, as the catalogue names it. */
export interface EntryPoint {
  readonly url: string;
  /** For people, in English. */
  readonly title: string;
  /** What the view keeps; everything when absent. */
  readonly retention?: RetentionPolicy;
}

/**
 * A way through the members of a stream: some of its documents.
 *
 * To add one, write a {@link ViewMaker} in a file of its own beside this one and put it into the list of `views.ts`; its
 * documents are then negotiated, cached and answered as all others are. A view that leads elsewhere than the one by
 * time is a search tree of its own: its first document says that it is a view of the stream, and what it keeps, as
 * `tileQuads` of `@ldes-live/rdf-stream` does.
 */
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

/** Makes a view of a stream. */
export type ViewMaker = (stream: ScheduledStream & WrittenStream) => View;
