import type { Quad } from '@rdfjs/types';
import jsonld from 'jsonld';
import { Parser, type ParserOptions } from 'n3';
import { errors } from './errors.ts';
import { expandedQuads } from './expanded-quads.ts';
import { type Format, formats } from './format.ts';

/**
 * Reads a document.
 *
 * Blank nodes of one document keep their identity; labels are its own business, except that N-Quads and
 * N-Triples keep theirs. JSON-LD contexts have to be inline: nothing is fetched. How long or deep a text may
 * be is for the caller to limit.
 *
 * @param baseIri - what relative IRIs are resolved against: the document's URL, after redirects
 * @throws {@link StreamError} `ERR_RDF_MALFORMED` - the text is not of the format
 * @throws {@link StreamError} `ERR_JSONLD_CONTEXT_REFUSED` - JSON-LD that refers to a remote context
 */
export async function parseQuads(text: string, format: Format, baseIri: string): Promise<Quad[]> {
  switch (format) {
    case 'jsonld':
      return await parseJsonLd(text, baseIri);
    case 'turtle':
    case 'trig':
      return parseText(text, format, { baseIRI: baseIri });
    case 'nquads':
    case 'ntriples':
      return parseText(text, format, KEEP_LABELS);
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

function parseText(text: string, format: Format, options: ParserOptions): Quad[] {
  try {
    return new Parser({ ...options, format: formats[format].mediaType }).parse(text);
  } catch (cause) {
    throw malformed(format, cause, (cause as { context?: { line?: number } }).context?.line);
  }
}

async function parseJsonLd(text: string, baseIri: string): Promise<Quad[]> {
  const json = parseJson(text);
  let refused: unknown;
  const documentLoader = (url: string): Promise<never> => {
    refused = errors.ERR_JSONLD_CONTEXT_REFUSED({ url });
    return Promise.reject(refused);
  };
  try {
    return expandedQuads(await jsonld.expand(json, { base: baseIri, documentLoader }));
  } catch (cause) {
    // Thrown as it is: `jsonld` wraps it in an error of its own that says less.
    throw refused ?? malformed('jsonld', cause, undefined);
  }
}

function parseJson(text: string): object {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    const position = /position (\d+)/.exec((cause as Error).message)?.[1];
    throw malformed('jsonld', cause, position === undefined ? undefined : lineAt(text, Number(position)));
  }
  if (typeof json !== 'object' || json === null) {
    throw errors.ERR_RDF_MALFORMED({ format: 'jsonld', problem: 'it is neither an object nor an array.' });
  }
  return json;
}

function lineAt(text: string, position: number): number {
  return text.slice(0, position).split('\n').length;
}

function malformed(format: Format, cause: unknown, line: number | undefined): Error {
  const problem = (cause as Error).message.replace(/[^.]$/, '$&.');
  return errors.ERR_RDF_MALFORMED({ format, line, problem }, cause);
}
