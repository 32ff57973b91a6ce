import { tree } from '@ldes-live/rdf-stream';
import type { CheckedDocument } from './checked-document.ts';
import { withoutFragment } from './tree-node.ts';

/** What a document is on the way to the root of a view. */
export type Entrance =
  /** It is the root, of one stream or, which is wrong, of several. */
  | { readonly kind: 'root'; readonly streams: readonly string[] }
  /** It is the root by the URL that was redirected here, and not by its own. */
  | { readonly kind: 'moved'; readonly streams: readonly string[] }
  /** It leads to the root. */
  | { readonly kind: 'leads'; readonly to: string }
  /** It leads to several. */
  | { readonly kind: 'several'; readonly views: readonly string[] }
  | { readonly kind: 'none' };

/**
 * Finds the root of a view from a document.
 *
 * @param iri - what was given: of the stream, the root, or an overview
 * @see specs/check.md
 */
export function findRoot(document: CheckedDocument, iri: string): Entrance {
  const views = document.quads.filter(({ predicate }) => predicate.value === tree.view);
  const streamsOf = (root: string) =>
    unique(views.filter(({ object }) => withoutFragment(object.value) === root).map(({ subject }) => subject.value));
  const streams = streamsOf(document.url);
  if (streams.length > 0) return { kind: 'root', streams };
  const moved = document.url === document.requestedUrl ? [] : streamsOf(document.requestedUrl);
  if (moved.length > 0) return { kind: 'moved', streams: moved };
  const own = views.filter(({ subject }) => subject.value === iri);
  const offered = unique((own.length > 0 ? own : views).map(({ object }) => object.value));
  const [to, ...others] = offered;
  if (to === undefined) return { kind: 'none' };
  return others.length > 0 && own.length === 0 ? { kind: 'several', views: offered } : { kind: 'leads', to };
}

function unique(values: readonly string[]): string[] {
  return [...new Set(values)];
}
