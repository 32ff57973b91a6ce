import type { Quad } from '@rdfjs/types';
import type { JsonLd, RemoteDocument } from 'jsonld/jsonld-spec.d.ts';
import { errors } from './errors.ts';
import { expandedQuads } from './expanded-quads.ts';
import { loadJsonLd } from './load-json-ld.ts';

/** A node at the top of a JSON-LD document, with all that the document says within it. */
export interface JsonLdNode {
  /** As it stands, absolute or not; `undefined` for a blank node. */
  readonly id: string | undefined;
  readonly quads: readonly Quad[];
}

/**
 * Reads JSON-LD node by node: each node at its top, or in its `@graph` where it is nothing but one, with what is nested
 * within it. Nothing is resolved: relative IRIs are refused. How deep it may be is for the caller to limit.
 *
 * @param json - a document, parsed
 * @param loadContext - loads the JSON-LD document at a URL, parsed; what it throws is thrown
 * @param onDropped - called for each part of the document that says nothing that its context defines, and so is no node:
 * with its `@id`, if it has one
 * @throws {@link StreamError} `ERR_RDF_MALFORMED` - it is not JSON-LD
 * @throws {@link StreamError} `ERR_TERM_UNSUPPORTED` - an IRI is relative or ill-formed, or a literal one that
 * no text can say, as by its language tag
 * @throws {@link StreamError} `ERR_JSONLD_UNAVAILABLE` - what reads JSON-LD could not be loaded
 */
export async function jsonLdNodes(
  json: object,
  loadContext: (url: string) => Promise<object>,
  onDropped: (id: string | undefined) => void = () => undefined,
): Promise<JsonLdNode[]> {
  const jsonld = await loadJsonLd();
  let failed: unknown;
  const documentLoader = async (url: string): Promise<RemoteDocument> => {
    try {
      return { document: (await loadContext(url)) as JsonLd, documentUrl: url };
    } catch (error) {
      failed ??= error;
      throw error;
    }
  };
  let expanded: readonly Readonly<Record<string, unknown>>[];
  try {
    const options = { base: '', documentLoader, eventHandler: dropHandler(onDropped) };
    // Its types offer a callback beside the promise, and do not know of events.
    expanded = await (jsonld.expand(json as JsonLd, options) as Promise<typeof expanded>);
  } catch (cause) {
    // Thrown as it is: `jsonld` wraps it in an error of its own that says less.
    if (failed !== undefined) throw failed;
    throw errors.ERR_RDF_MALFORMED({ format: 'jsonld', problem: problemOf(cause as Error) }, cause);
  }
  return expanded.map((node) => ({
    id: (node['@id'] ?? undefined) as string | undefined,
    quads: quadsOf(node),
  }));
}

const DROPPED: ReadonlySet<string> = new Set([
  'empty object',
  'free-floating scalar',
  'object with only @id',
  'object with only @list',
  'object with only @value',
]);

interface ExpansionEvent {
  readonly event: { readonly code: string; readonly details: { readonly value?: unknown } };
}

function dropHandler(onDropped: (id: string | undefined) => void): (told: ExpansionEvent) => void {
  return ({ event: { code, details } }) => {
    if (!DROPPED.has(code)) return;
    const id = (details.value as { readonly '@id'?: unknown } | null | undefined)?.['@id'];
    onDropped(typeof id === 'string' ? id : undefined);
  };
}

function quadsOf(node: Readonly<Record<string, unknown>>): Quad[] {
  try {
    return expandedQuads([node]);
  } catch (cause) {
    throw errors.ERR_TERM_UNSUPPORTED(
      { term: (cause as Error).message.replace(/ is not (?:an absolute IRI|a literal of RDF 1\.1)\.$/, '') },
      cause,
    );
  }
}

function problemOf({ message }: Error): string {
  return message.replace(/[^.]$/, '$&.');
}
