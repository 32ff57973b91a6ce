import { ldes, rdf, tree } from '@ldes-live/rdf-stream';
import { parsedUrl } from '../http/http-client.ts';
import { type Bounds, EVERYTHING, intersection, relationInterval, UNBOUNDED } from './bounds.ts';
import { orderSpan } from './order-value.ts';
import { type PageIndex, termKey } from './page-index.ts';
import { pathKey, readPath } from './property-path.ts';
import type { TreeContext } from './tree-context.ts';

/** A page that another leads to. */
export interface TreeLink {
  /** Absolute, without fragment. */
  readonly url: string;
  /** What the relations to it, all together, say of its members. */
  readonly bounds: Bounds;
}

/** What a page says of itself as a node of the tree. */
export interface TreeNode {
  /** The pages that it leads to, each once, in the order of the page. */
  readonly links: readonly TreeLink[];
  /** Whether it says that it will never change. */
  readonly isImmutable: boolean;
}

/**
 * Reads a page as a node of the tree.
 *
 * Only relations whose `tree:path` is the stream's timestampPath or sequencePath bound anything.
 *
 * @param urls - IRIs by which the page may name itself: where it came from, and where it was asked for
 * @see specs/any-ldes.md READ-10
 */
export function readNode(index: PageIndex, urls: readonly string[], context: TreeContext): TreeNode {
  const links = new Map<string, Bounds>();
  const names = new Set(urls);
  const timeKey = context.timestampPath && pathKey(context.timestampPath);
  const sequenceKey = context.sequencePath && pathKey(context.sequencePath);
  const pathOf = pathReader(index);
  for (const name of names) {
    for (const key of new Set(index.objects(name, tree.relation).map(termKey))) {
      const path = pathOf(key);
      const interval = path === undefined ? EVERYTHING : intervalOf(key, index);
      for (const target of index.objects(key, tree.node)) {
        const url = pageUrl(target.value);
        if (url === undefined) continue;
        const known = links.get(url) ?? UNBOUNDED;
        links.set(url, {
          time: path === timeKey ? intersection(known.time, interval) : known.time,
          sequence: path === sequenceKey ? intersection(known.sequence, interval) : known.sequence,
        });
      }
    }
  }
  const stated = [...names].flatMap((name) => index.objects(name, ldes.immutable));
  return {
    links: [...links].map(([url, bounds]) => ({ url, bounds })),
    isImmutable: stated.some(({ value }) => value === 'true' || value === '1'),
  };
}

// Most relations of a page are on one path.
function pathReader(index: PageIndex): (relation: string) => string | undefined {
  const keys = new Map<string, string | undefined>();
  return (relation) => {
    const [term] = index.objects(relation, tree.path);
    if (!term) return undefined;
    const name = termKey(term);
    if (!keys.has(name)) {
      const path = readPath(term, index);
      keys.set(name, path && pathKey(path));
    }
    return keys.get(name);
  };
}

function intervalOf(relation: string, index: PageIndex) {
  const values = index.objects(relation, tree.value).map(orderSpan);
  const known = values.filter((value) => value !== undefined);
  if (known.length !== values.length) return EVERYTHING;
  const types = new Set(index.objects(relation, rdf.type).map(({ value }) => value));
  return [...types].map((type) => relationInterval(type, known)).reduce(intersection, EVERYTHING);
}

function pageUrl(iri: string): string | undefined {
  if (!/^https?:/i.test(iri) || !parsedUrl(iri)) return undefined;
  return iri.split('#', 1)[0];
}
