import { defineErrors } from '@ldes-live/rdf-stream';

/** The errors of this package. */
export const errors = defineErrors({
  ERR_QUERY_SYNTAX: ({ problem }: { problem: string; line?: number; column?: number }) =>
    `The query is no SPARQL: ${problem}. Correct it.`,
  ERR_QUERY_TOO_LONG: ({ chars, limitQueryChars }: { chars: number; limitQueryChars: number }) =>
    `The query has ${chars} characters, more than ${limitQueryChars}: shorten it, or raise limitQueryChars.`,
  ERR_QUERY_UPDATE: () => 'This is an update: a live query is SELECT, CONSTRUCT, DESCRIBE or ASK.',
  ERR_QUERY_UNSUPPORTED: ({ what, remedy }: { what: string; remedy: string }) =>
    `The query uses ${what}, which is not answered here: ${remedy}.`,
  ERR_SERVICE_REFUSED: ({ service }: { service: string }) =>
    `The query asks ${service} by SERVICE, which is always refused: ask the streams themselves; in a program, give other data by the option data.`,
  ERR_QUERY_FAILED: ({ engine, problem }: { engine: string; problem: string }) =>
    `The engine ${engine} could not answer the query: ${problem}. Change the query, or try another engine.`,
  ERR_ANSWER_TOO_LARGE: ({ limitRows }: { limitRows: number }) =>
    `The answer has more than ${limitRows} solutions: narrow the query, add a LIMIT, or raise limitRows.`,
  ERR_TEXT_TOO_LONG: ({ limitTextChars }: { limitTextChars: number }) =>
    `The query makes a text of more than ${limitTextChars} characters: have it make shorter ones, or raise limitTextChars.`,
  ERR_VIEW_TOO_LARGE: ({ quads, limitQuads }: { quads: number; limitQuads: number }) =>
    `The query's view has grown to ${quads} quads, more than ${limitQuads}: take a shorter window or a smaller stream, or raise limitQuads.`,
  ERR_EVALUATION_TIMEOUT: ({ limitEvaluationMs }: { limitEvaluationMs: number }) =>
    `The query was not answered within ${limitEvaluationMs} ms: narrow it, or raise limitEvaluationMs.`,
  ERR_STATE_LATE: ({ limitLoadingMs }: { limitLoadingMs: number }) =>
    `The latest state was not ready to be asked within ${limitLoadingMs} ms: ask again later, or raise limitLoadingMs.`,
  ERR_QUERY_FAULT: () => 'The query could not be answered because of a fault of the server: ask again later.',
  ERR_ANSWER_PASSED: ({ sequence }: { sequence: number }) =>
    `The whole answer of result ${sequence} is gone, since a later one was asked for: take it before the next.`,
  ERR_QUERY_OPTION: ({ name, value, expected }: { name: string; value: unknown; expected: string }) =>
    `The option ${name} of a live query cannot be ${shownValue(value)}: ${expected}.`,
  ERR_QUERY_SOURCE: ({ url, problem }: { url?: string; problem: string }) =>
    `What the source ${url === undefined ? '' : `${url} `}brought is no commit: ${problem}. Have it bring { cursor: { epoch, sequence }, time, members }.`,
  ERR_ENGINE_MISSING: ({ engine }: { engine: string }) =>
    `The engine ${engine} is not installed: npm install ${engine}.`,
  ERR_QUERY_MEMORY: ({ limitMemoryMib }: { limitMemoryMib: number }) =>
    `The query took more than ${limitMemoryMib} MiB of memory: narrow it, or raise limitMemoryMib.`,
  ERR_SPARQL_REQUEST: ({ problem }: { problem: string }) =>
    `The request is none of the SPARQL 1.1 Protocol: ${problem}. Send ?query=... by GET, or post the query.`,
  ERR_SPARQL_METHOD: ({ method }: { method: string }) => `Queries are not sent by ${method}: use GET or POST.`,
  ERR_SPARQL_TYPE: ({ type, accepted }: { type: string; accepted: readonly string[] }) =>
    `The posted content is of type ${JSON.stringify(type)}: send one of ${accepted.join(', ')}.`,
  ERR_SPARQL_ENCODING: ({ encoding }: { encoding: string }) =>
    `The posted content is encoded as ${JSON.stringify(encoding)}: send it as it is, without Content-Encoding.`,
  ERR_SPARQL_CONTENT: ({ limitBytes }: { limitBytes: number }) =>
    `The posted content has more than ${limitBytes} bytes: shorten the query, or raise limitQueryChars.`,
  ERR_SPARQL_FORMAT: ({ offered }: { offered: readonly string[] }) =>
    `None of the formats that the answer can have is accepted: accept one of ${offered.join(', ')}.`,
  ERR_LIVE_QUERIES_FULL: ({ limitLiveQueries }: { limitLiveQueries: number; retryAfterSeconds: number }) =>
    `There are ${limitLiveQueries} live queries on this stream, as many as may be: try again later, or raise limitLiveQueries.`,
  ERR_SUBSCRIBERS_FULL: ({ limitSubscribers }: { limitSubscribers: number; retryAfterSeconds: number }) =>
    `${limitSubscribers} readers follow live queries on this stream, as many as may be: try again later, or raise limitSubscribers.`,
  ERR_QUERIES_WAITING: ({ limitWaitingQueries }: { limitWaitingQueries: number; retryAfterSeconds: number }) =>
    `${limitWaitingQueries} queries wait for their answer, as many as may be: try again later, or raise limitWaitingQueries.`,
  ERR_SUBSCRIBER_SLOW: ({ limit }: { limit: string; value: number }) =>
    `The reader has fallen further behind than ${limit} allows, and is cut: come back for the present answer, and read faster.`,
  ERR_QUERY_STOPPING: () => 'The server stops: ask again, and another will answer.',
  ERR_QUERY_BUSY: () => 'This live query is being read already: iterate over it once, or make another.',
});

/** As much of a value as a message shows, characters. */
const SHOWN_CHARS = 80;

/** Any value as a message names it: short, and without fail. */
function shownValue(value: unknown): string {
  const shown = written(value);
  return shown.length > SHOWN_CHARS ? `${shown.slice(0, SHOWN_CHARS)}...` : shown;
}

function written(value: unknown): string {
  if (typeof value === 'function') return 'a function';
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value !== 'string' && (typeof value !== 'object' || value === null)) return String(value);
  try {
    return JSON.stringify(value) ?? typeof value;
  } catch {
    return 'an object';
  }
}
