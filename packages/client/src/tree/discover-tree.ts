import { tree } from '@ldes-live/rdf-stream';
import { errors } from '../errors.ts';
import { type DocumentHead, readDocument, type StreamDocument } from '../http/document.ts';
import { type HttpClient, parsedUrl } from '../http/http-client.ts';
import { PageIndex } from './page-index.ts';
import { readTreeContext, type TreeContext } from './tree-context.ts';

/** The entry to any LDES. */
export interface TreeRoot {
  /** URL of the root node, as it was asked for. */
  readonly url: string;
  readonly context: TreeContext;
  /** The root node as it was read. */
  readonly document: DocumentHead & { readonly index: PageIndex };
}

/**
 * Finds the root node of an LDES from the IRI of the stream, the root itself, what redirects to it, or an overview
 * with one `tree:view`.
 *
 * @param document - what `url` answered
 * @throws {@link StreamError} `ERR_TREE_VIEW_AMBIGUOUS` - the document is the view of several streams, or leads to
 * several views
 * @throws {@link StreamError} `ERR_TREE_VIEW_MISSING` - it neither is a view nor leads to one; those of
 * {@link readDocument}
 * @see specs/any-ldes.md READ-1
 */
export async function discoverTree(
  http: HttpClient,
  url: string,
  document: StreamDocument,
  signal: AbortSignal,
): Promise<TreeRoot> {
  const { quads = [], ...head } = document;
  const index = new PageIndex(quads, head.url);
  const stream = streamOf(index, [head.url, url]);
  if (stream !== undefined) return rootAt(url, stream, { ...head, index });
  const view = viewOf(index, url);
  const { quads: viewQuads = [], ...viewHead } = await readDocument(http, view.url, { signal });
  const viewIndex = new PageIndex(viewQuads, viewHead.url);
  const found = streamOf(viewIndex, [viewHead.url, view.url]) ?? view.stream;
  // The stream may be described where it is named, and only there.
  const context = readTreeContext(new PageIndex([...viewQuads, ...quads], viewHead.url), found, [
    viewHead.url,
    view.url,
  ]);
  return { url: view.url, context, document: { ...viewHead, index: viewIndex } };
}

function rootAt(url: string, stream: string, document: TreeRoot['document']): TreeRoot {
  return { url, context: readTreeContext(document.index, stream, [document.url, url]), document };
}

// The one stream that has the document as its view.
function streamOf(index: PageIndex, urls: readonly string[]): string | undefined {
  for (const url of new Set(urls.map(withoutFragment))) {
    const streams = new Set<string>();
    for (const { predicate, subject, object } of index.quads) {
      if (predicate.value === tree.view && object.value === url) streams.add(subject.value);
    }
    if (streams.size > 1) throw errors.ERR_TREE_VIEW_AMBIGUOUS({ url, choices: [...streams] });
    const [stream] = streams;
    if (stream !== undefined) return stream;
  }
  return undefined;
}

function viewOf(index: PageIndex, url: string): { url: string; stream: string } {
  const stated = index.quads.filter(
    ({ predicate, object }) => predicate.value === tree.view && parsedUrl(object.value),
  );
  // What the document says of the very thing that was asked for comes first.
  const own = stated.filter(({ subject }) => subject.value === url);
  const views = new Map((own.length > 0 ? own : stated).map(({ subject, object }) => [object.value, subject.value]));
  if (views.size > 1) throw errors.ERR_TREE_VIEW_AMBIGUOUS({ url, choices: [...views.keys()] });
  const [view] = views;
  if (!view) throw errors.ERR_TREE_VIEW_MISSING({ url });
  return { url: view[0], stream: view[1] };
}

function withoutFragment(url: string): string {
  return url.split('#', 1)[0] as string;
}
