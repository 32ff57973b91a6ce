import type { Quad } from '@rdfjs/types';
import type { JsonLd, RemoteDocument } from 'jsonld/jsonld-spec.d.ts';
import { Parser, type ParserOptions } from 'n3';
import { errors } from './errors.ts';
import { expandedQuads } from './expanded-quads.ts';
import { lineQuads } from './line-quads.ts';
import { loadJsonLd } from './load-json-ld.ts';
import { type Format, formats } from './protocol.ts';

/**
 * Reads a document.
 *
 * Blank nodes of one document keep their identity; labels are its own business, except that N-Quads and
 * N-Triples keep theirs. Nothing is fetched: JSON-LD contexts have to be inline, unless the caller loads others. How long or
 * deep a text may be is for the caller to limit.
 *
 * @param baseIri - what relative IRIs are resolved against: the document's URL, after redirects
 * @throws {@link StreamError} `ERR_RDF_MALFORMED` - the text is not of the format
 * @param loadContext - loads the JSON-LD document at a URL, parsed; what it throws is thrown. @defaultValue refuses
 * @throws {@link StreamError} `ERR_JSONLD_CONTEXT_REFUSED` - JSON-LD that refers to a remote context, which nobody loads
 * @throws {@link StreamError} `ERR_JSONLD_UNAVAILABLE` - what reads JSON-LD could not be loaded
 */
export async function parseQuads(
  text: string,
  format: Format,
  baseIri: string,
  loadContext: (url: string) => Promise<object> = refuseContext,
): Promise<Quad[]> {
  switch (format) {
    case 'jsonld':
      return await parseJsonLd(text, baseIri, loadContext);
    case 'turtle':
    case 'trig':
      return parseText(text, format, { baseIRI: baseIri }, baseIri);
    case 'nquads':
    case 'ntriples':
      return lineQuads(text, format === 'nquads') ?? parseText(text, format, KEEP_LABELS, baseIri);
  }
}

/**
 * Reads N-Quads at once, blank node labels as they stand.
 *
 * @throws {@link StreamError} `ERR_RDF_MALFORMED` - the text is not N-Quads
 */
export function parseNQuads(text: string): Quad[] {
  return parseText(text, 'nquads', KEEP_LABELS);
}

// Safe in the line formats only: they have no anonymous nodes that a label could collide with.
const KEEP_LABELS: ParserOptions = { blankNodePrefix: '' };

function parseText(text: string, format: Format, options: ParserOptions, url?: string): Quad[] {
  try {
    return new Parser({ ...options, format: formats[format].mediaType }).parse(text);
  } catch (cause) {
    const { line } = (cause as { context?: { line?: number } }).context ?? {};
    throw malformed({ url, format, line }, cause);
  }
}

async function refuseContext(url: string): Promise<never> {
  throw errors.ERR_JSONLD_CONTEXT_REFUSED({ url });
}

async function parseJsonLd(
  text: string,
  baseIri: string,
  loadContext: (url: string) => Promise<object>,
): Promise<Quad[]> {
  const json = parseJson(text, baseIri);
  const jsonld = await loadJsonLd();
  let failed: unknown;
  const documentLoader = async (url: string): Promise<RemoteDocument> => {
    try {
      return { document: (await loadContext(url)) as JsonLd, documentUrl: url };
    } catch (error) {
      failed = error;
      throw error;
    }
  };
  try {
    // Its types offer a callback beside the promise.
    const expanded: readonly unknown[] = await (jsonld.expand(json, { base: baseIri, documentLoader }) as Promise<
      unknown[]
    >);
    return expandedQuads(expanded);
  } catch (cause) {
    // Thrown as it is: `jsonld` wraps it in an error of its own that says less.
    throw failed ?? malformed({ url: baseIri, format: 'jsonld' }, cause);
  }
}

function parseJson(text: string, url: string): object {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    const position = /position (\d+)/.exec((cause as Error).message)?.[1];
    const line = position === undefined ? undefined : lineAt(text, Number(position));
    throw malformed({ url, format: 'jsonld', line }, cause);
  }
  if (typeof json !== 'object' || json === null) {
    throw errors.ERR_RDF_MALFORMED({ url, format: 'jsonld', problem: 'it is neither an object nor an array.' });
  }
  return json;
}

function lineAt(text: string, position: number): number {
  return text.slice(0, position).split('\n').length;
}

interface TextPlace {
  readonly url?: string | undefined;
  readonly format: Format;
  readonly line?: number | undefined;
}

function malformed(place: TextPlace, cause: unknown): Error {
  const problem = (cause as Error).message.replace(/[^.]$/, '$&.');
  return errors.ERR_RDF_MALFORMED({ ...place, problem }, cause);
}
