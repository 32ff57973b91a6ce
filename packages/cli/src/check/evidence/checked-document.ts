import { type Format, formatOf, isStreamError, ldes, parseQuads } from '@ldes-live/rdf-stream';
import type { Quad } from '@rdfjs/types';
import type { Exchange } from '../http/exchange.ts';
import { type CacheControl, readCacheControl } from './cache-control.ts';

/** Why a document cannot be read. */
export interface DocumentProblem {
  readonly kind: 'unanswered' | 'status' | 'media-type' | 'content' | 'remote-context';
  /** What was seen, for people. */
  readonly saw: string;
}

/** A document that was asked for, with what it says as far as it can be read. */
export interface CheckedDocument {
  /** What was asked for, without fragment. */
  readonly requestedUrl: string;
  /** What answered, after redirects: the base IRI. */
  readonly url: string;
  /** The last exchange, after redirects. */
  readonly exchange: Exchange;
  readonly format?: Format;
  /** In the order of the text, except of JSON-LD, which has none. */
  readonly quads: readonly Quad[];
  readonly problem?: DocumentProblem;
  readonly caching: CacheControl;
  /** Whether it says of itself `ldes:immutable true`. */
  readonly saysImmutable: boolean;
  /** Whether its Cache-Control says `immutable`. */
  readonly isSentImmutable: boolean;
}

/** Reads what a URL was answered with, up to a number of statements. */
export async function checkedDocument(
  requestedUrl: string,
  exchange: Exchange,
  limitQuads: number,
): Promise<CheckedDocument> {
  const { url } = exchange;
  const content = await read(exchange, limitQuads);
  const caching = readCacheControl(exchange.fields['cache-control']);
  return {
    requestedUrl,
    url,
    exchange,
    quads: [],
    ...content,
    caching,
    saysImmutable: immutability(content.quads ?? [], url).includes('true'),
    isSentImmutable: caching.directives.has('immutable'),
  };
}

/** Whether a document may change, by all that it says. */
export function isMutable(document: CheckedDocument): boolean {
  return !document.saysImmutable && !document.isSentImmutable;
}

/** What a document says of its own immutability: `true` and `false`, as often as they stand. */
export function immutability(quads: readonly Quad[], url: string): string[] {
  return quads
    .filter(({ subject, predicate }) => predicate.value === ldes.immutable && subject.value === url)
    .map(({ object }) => (object.value === '1' ? 'true' : object.value === '0' ? 'false' : object.value));
}

type Content = Partial<Pick<CheckedDocument, 'format' | 'quads' | 'problem'>>;

async function read({ status, fields, text, url, failure }: Exchange, limitQuads: number): Promise<Content> {
  if (failure !== undefined) {
    const saw = status === 0 ? `no response: ${failure}` : `status ${status}, but ${failure}`;
    return { problem: { kind: 'unanswered', saw } };
  }
  if (status !== 200) {
    const saw = fields.location === undefined ? `status ${status}` : `status ${status} to ${fields.location}`;
    return { problem: { kind: 'status', saw } };
  }
  const type = fields['content-type'];
  const format = type === undefined ? undefined : formatOf(type);
  if (format === undefined) {
    return { problem: { kind: 'media-type', saw: type === undefined ? 'no Content-Type' : `Content-Type: ${type}` } };
  }
  try {
    return { format, quads: await parseQuads(text, format, url, { limitQuads }) };
  } catch (error) {
    if (!isStreamError(error)) throw error;
    const kind = isStreamError(error, 'ERR_JSONLD_CONTEXT_REFUSED') ? 'remote-context' : 'content';
    return { format, problem: { kind, saw: error.message } };
  }
}
