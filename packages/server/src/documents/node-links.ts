import type { ReadableLog } from '@ldes-live/log';
import type { NodeLink } from '@ldes-live/rdf-stream';
import { type Extent, isSealed } from '@ldes-live/rdf-stream';

/**
 * What a relation says of the pages or ranges it leads to: when their first and, once sealed, their last
 * member was published.
 *
 * The bounds of sealed extents never change, so they are read from the log once.
 */
export class NodeLinks {
  readonly #log: ReadableLog;
  readonly #sealed = new Map<string, NodeLink>();

  constructor(log: ReadableLog) {
    this.#log = log;
  }

  /** The links for consecutive extents from the first on, as of the call. */
  async of(extents: readonly (Extent & { readonly url: string })[]): Promise<NodeLink[]> {
    const headSequence = this.#log.head.cursor.sequence;
    return Promise.all(
      extents.map((extent) => this.#sealed.get(extent.url) ?? this.#read(extent, isSealed(extent, headSequence))),
    );
  }

  async #read(extent: Extent & { readonly url: string }, sealed: boolean): Promise<NodeLink> {
    const { url } = extent;
    const [[first], [last]] = await Promise.all([
      this.#log.read(extent.first - 1, 1),
      sealed ? this.#log.read(extent.last - 1, 1) : [],
    ]);
    if (!first) return { url };
    if (!last) return { url, firstTime: first.time };
    const link = { url, firstTime: first.time, lastTime: last.time };
    if (this.#sealed.size >= LIMIT_KEPT_LINKS) this.#sealed.clear();
    this.#sealed.set(url, link);
    return link;
  }
}

/** The newest time that relations state: when the node that has them last changed. Epoch milliseconds. */
export function newestBound(links: readonly NodeLink[]): number {
  return Math.max(0, ...links.map((link) => Date.parse(link.lastTime ?? link.firstTime ?? '') || 0));
}

// Enough for the pages of many ranges; past it they are read again, which costs two look-ups each.
const LIMIT_KEPT_LINKS = 10_000;
