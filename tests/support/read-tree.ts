import { type Format, formatOf, formats, type Member, parseQuads, tree } from '@ldes-live/rdf-stream';

/** A statement, as a parsed document has it. */
export type Quad = Member['quads'][number];

/** A document as it was answered. */
export interface ReadDocument {
  readonly url: string;
  readonly status: number;
  readonly headers: Headers;
  readonly quads: readonly Quad[];
}

/** Reads one document, redirects followed; without quads where it is none. */
export async function readDocument(url: string, format: Format = 'nquads'): Promise<ReadDocument> {
  const response = await fetch(url, { headers: { accept: formats[format].mediaType } });
  const text = await response.text();
  const read = formatOf(response.headers.get('content-type') ?? '');
  const quads = read && response.ok ? await parseQuads(text, read, response.url) : [];
  return { url: response.url, status: response.status, headers: response.headers, quads };
}

/** Where a document leads to, each once. */
function linkedNodes(document: Pick<ReadDocument, 'quads'>): string[] {
  return [
    ...new Set(document.quads.filter((quad) => quad.predicate.value === tree.node).map((quad) => quad.object.value)),
  ];
}

/** Whether caches may keep it for ever. */
export function isImmutable(document: Pick<ReadDocument, 'headers'>): boolean {
  return /\bimmutable\b/.test(document.headers.get('cache-control') ?? '');
}

/** Reads a whole search tree: its root first, then what is reached from it, each once. */
export async function readTree(root: string): Promise<ReadDocument[]> {
  const documents: ReadDocument[] = [];
  const found = [root];
  const seen = new Set(found);
  for (let url = found.shift(); url !== undefined; url = found.shift()) {
    const document = await readDocument(url);
    documents.push(document);
    for (const node of linkedNodes(document)) {
      if (!seen.has(node)) found.push(node);
      seen.add(node);
    }
  }
  return documents;
}
