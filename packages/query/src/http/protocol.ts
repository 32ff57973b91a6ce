/*
 * The SPARQL Protocol without effects: what a request asks, in which formats it accepts the answer, what the endpoint says of
 * itself, and the problem document of an error.
 *
 *   GET /vehicles/sparql?query=ASK+%7B%7D&mal=2 -> askedQuery -> { sparql: 'ASK {}', mal: 2 }
 *   Accept: text/csv -> negotiate -> { bindings: 'text/csv', boolean: 'text/csv' }
 *   ERR_QUERY_SYNTAX -> problemOf -> { status: 400, text: '{"type":"https://.../errors.md#err_query_syntax",...}' }
 */
import {
  type ErrorCode,
  EVENT_STREAM_MEDIA_TYPE,
  formatOf,
  formats,
  isStreamError,
  namedNode,
  prefixes,
  problemDocument,
  quad,
  rdf,
  type StreamError,
  sd,
  writeQuads,
} from '@ldes-live/rdf-stream';
import Negotiator from 'negotiator';
import { errors } from '../errors.ts';
import { type Accepted, FORMS, offeredFor } from './formats.ts';

export interface AskedQuery {
  readonly sparql: string;
  /** The maximum acceptable latency of a live query, seconds. */
  readonly mal: number;
}

/** Seconds. */
const DEFAULT_MAL = 1;

const QUERY_TYPE = 'application/sparql-query';
const FORM_TYPE = 'application/x-www-form-urlencoded';

/** The media types of the content of a post. */
export const POSTED_TYPES = [QUERY_TYPE, FORM_TYPE] as const;

/** Other parameters, such as `format` and `output`, are ignored. */
const PARAMETERS = ['query', 'mal', 'update'];

/** They name other data than the stream: to ignore them would answer another question. */
const GRAPH_PARAMETERS = ['default-graph-uri', 'named-graph-uri'];

/** The media types of answers, those of live queries included. */
export const EVERY_FORMAT: readonly string[] = [...new Set(FORMS.flatMap(offeredFor)), EVENT_STREAM_MEDIA_TYPE];

export const CORS_FIELDS: Readonly<Record<string, string>> = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'Age, Date, ETag, LDES-Cursor, LDES-Source, Link, Next-Update, Retry-After',
  'timing-allow-origin': '*',
};

/**
 * @param url - path and query
 * @param posted - of a `POST`, the value of `Content-Type` and the content
 * @throws {@link StreamError} `ERR_SPARQL_TYPE` - content of another type
 * @throws {@link StreamError} `ERR_SPARQL_REQUEST`, `ERR_QUERY_OPTION`, `ERR_QUERY_UPDATE`, `ERR_QUERY_UNSUPPORTED` - the
 *   request is malformed, or is not answered here
 * @see https://www.w3.org/TR/sparql11-protocol/#query-operation
 */
export function askedQuery(url: string, posted?: { type: string | undefined; content: string }): AskedQuery {
  const parameters = new URLSearchParams(url.includes('?') ? url.slice(url.indexOf('?')) : '');
  if (posted) {
    const { type = '', content } = posted;
    const mediaType = type.split(';', 1)[0]?.trim().toLowerCase();
    if (mediaType === QUERY_TYPE) {
      if (parameters.has('query')) throw refused('it has one query in its content and one in its URL');
      parameters.append('query', content);
    } else if (mediaType === FORM_TYPE) {
      for (const [name, value] of new URLSearchParams(content)) parameters.append(name, value);
    } else throw errors.ERR_SPARQL_TYPE({ type, accepted: POSTED_TYPES });
  }
  for (const name of PARAMETERS) {
    if (parameters.getAll(name).length > 1) throw refused(`it has the parameter ${name} more than once`);
  }
  for (const what of GRAPH_PARAMETERS) {
    const remedy = 'a query always covers the whole stream. Omit it';
    if (parameters.getAll(what).some(Boolean)) throw errors.ERR_QUERY_UNSUPPORTED({ what, remedy });
  }
  const sparql = parameters.get('query');
  if (sparql === null && parameters.has('update')) throw errors.ERR_QUERY_UPDATE(undefined);
  if (sparql === null) throw refused('the parameter query is missing');
  const mal = parameters.get('mal');
  // Some editors begin a file by it, and SPARQL has no such character there.
  return { sparql: sparql.replace(/^\uFEFF/, ''), mal: mal === null ? DEFAULT_MAL : secondsOf(mal) };
}

function secondsOf(value: string): number {
  const mal = /^\d{1,6}(\.\d{1,3})?$/.test(value) ? Number(value) : 0;
  if (mal > 0) return mal;
  const expected = 'give a number of seconds above 0, such as 2.5';
  throw errors.ERR_QUERY_OPTION({ name: 'mal', value: value.slice(0, 80), expected });
}

function refused(problem: string) {
  return errors.ERR_SPARQL_REQUEST({ problem });
}

// Parameters other than the weight, such as charset, ask for variants that do not exist.
const PARAMETER = /;\s*(?!q\s*=)[^\s=;,]+\s*=\s*(?:"(?:[^"\\]|\\.)*"|[^;,]*)/gi;

/**
 * The media type that suits an `Accept` field best; `undefined` when none does.
 *
 * @param offered - in order of preference
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-12.5.1
 */
export function preferred(accept: string | undefined, offered: readonly string[]): string | undefined {
  const headers = accept ? { accept: accept.replace(PARAMETER, '') } : {};
  return new Negotiator({ headers }).mediaTypes([...offered])[0];
}

/** Media types that are asked for by another name. */
const ALIASES: Readonly<Record<string, string>> = { 'application/json': 'application/sparql-results+json' };

/** The formats for an `Accept` field: the form of the answer is not known yet. */
export function negotiate(accept: string | undefined): Accepted {
  const chosen = FORMS.map((form) => {
    const offered = offeredFor(form);
    const aliases = Object.keys(ALIASES).filter((alias) => offered.includes(ALIASES[alias] as string));
    const found = preferred(accept, [...offered, ...aliases]);
    return [form, found && (ALIASES[found] ?? found)] as const;
  });
  return Object.fromEntries(chosen.filter(([, mediaType]) => mediaType !== undefined));
}

const RESULT_FORMATS = [
  ...['SPARQL_Results_JSON', 'SPARQL_Results_XML', 'SPARQL_Results_CSV', 'SPARQL_Results_TSV'],
  ...['Turtle', 'N-Triples', 'N-Quads', 'JSON-LD', 'RDF_XML'],
].map((name) => `http://www.w3.org/ns/formats/${name}`);

/**
 * What the endpoint can do, in the format that an `Accept` field prefers.
 *
 * @throws {@link StreamError} `ERR_SPARQL_FORMAT` - none of the formats will do
 * @see specs/query.md QUERY-109
 */
export function serviceDescription(accept: string | undefined, endpoint: string): { mediaType: string; text: string } {
  const offered = (['turtle', 'jsonld', 'ntriples', 'nquads', 'trig'] as const).map(
    (format) => formats[format].mediaType,
  );
  const mediaType = preferred(accept, offered);
  const format = mediaType === undefined ? undefined : formatOf(mediaType);
  if (mediaType === undefined || format === undefined) throw errors.ERR_SPARQL_FORMAT({ offered });
  const service = namedNode(endpoint);
  const quads = [
    [rdf.type, sd.Service] as const,
    [sd.endpoint, endpoint] as const,
    [sd.supportedLanguage, sd.SPARQL11Query] as const,
    ...RESULT_FORMATS.map((iri) => [sd.resultFormat, iri] as const),
  ].map(([predicate, object]) => quad(service, namedNode(predicate), namedNode(object)));
  return { mediaType, text: writeQuads(quads, format, prefixes) };
}

const STATUS: Readonly<Record<ErrorCode, { readonly status: number; readonly title: string }>> = {
  ERR_SPARQL_REQUEST: { status: 400, title: 'Malformed SPARQL request' },
  ERR_QUERY_SYNTAX: { status: 400, title: 'Malformed query' },
  ERR_QUERY_UPDATE: { status: 400, title: 'Update, not a query' },
  ERR_QUERY_OPTION: { status: 400, title: 'Malformed option' },
  ERR_SERVICE_REFUSED: { status: 403, title: 'Federation refused' },
  ERR_SPARQL_METHOD: { status: 405, title: 'Method not allowed' },
  ERR_SPARQL_FORMAT: { status: 406, title: 'No acceptable format' },
  ERR_QUERY_TOO_LONG: { status: 413, title: 'Query too long' },
  ERR_SPARQL_CONTENT: { status: 413, title: 'Content too large' },
  ERR_SPARQL_TYPE: { status: 415, title: 'Unsupported media type' },
  ERR_SPARQL_ENCODING: { status: 415, title: 'Unsupported content encoding' },
  ERR_QUERY_UNSUPPORTED: { status: 422, title: 'Unsupported query' },
  ERR_ANSWER_TOO_LARGE: { status: 422, title: 'Answer too large' },
  ERR_TEXT_TOO_LONG: { status: 422, title: 'Text too long' },
  ERR_VIEW_TOO_LARGE: { status: 422, title: 'View too large' },
  ERR_QUERY_MEMORY: { status: 422, title: 'Out of memory' },
  ERR_QUERY_FAILED: { status: 500, title: 'Query failed' },
  ERR_QUERY_FAULT: { status: 500, title: 'Internal error' },
  // Of the log.
  ERR_STORE_DAMAGED: { status: 500, title: 'Damaged member' },
  ERR_LIVE_QUERIES_FULL: { status: 503, title: 'Too many live queries' },
  ERR_SUBSCRIBERS_FULL: { status: 503, title: 'Too many readers' },
  ERR_QUERIES_WAITING: { status: 503, title: 'Too many queries' },
  ERR_SUBSCRIBER_SLOW: { status: 503, title: 'Reader too slow' },
  ERR_QUERY_STOPPING: { status: 503, title: 'Stopping' },
  ERR_EVALUATION_TIMEOUT: { status: 504, title: 'Query took too long' },
  ERR_STATE_LATE: { status: 504, title: 'State not ready' },
};

/** Whether these routes answer an error; the app around them handles others. */
export function isQueryError(error: unknown): error is StreamError {
  return isStreamError(error) && error.code in STATUS;
}

/**
 * The problem document for an error. Other errors than those of queries are faults of the server, and show no details.
 *
 * @see specs/errors.md ERR-2
 */
export function problemOf(thrown: unknown): { status: number; text: string } {
  const error = isQueryError(thrown) ? thrown : errors.ERR_QUERY_FAULT(undefined, thrown);
  const { status, title } = STATUS[error.code] as (typeof STATUS)[ErrorCode];
  return { status, text: problemDocument(error, status, title) };
}
