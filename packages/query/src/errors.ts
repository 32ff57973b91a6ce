import { defineErrors, formatDuration } from '@ldes-live/rdf-stream';

/** The errors of this package. */
export const errors = defineErrors({
  ERR_QUERY_SYNTAX: ({ problem }: { problem: string; line?: number; column?: number }) =>
    `The query is not valid SPARQL: ${problem}. Correct it.`,
  ERR_QUERY_TOO_LONG: ({ chars, limitQueryChars }: { chars: number; limitQueryChars: number }) =>
    `The query has ${chars} characters, more than ${limitQueryChars}. Shorten it, or raise limitQueryChars.`,
  ERR_QUERY_UPDATE: () => 'The query is an update. Send SELECT, CONSTRUCT, DESCRIBE or ASK.',
  ERR_QUERY_UNSUPPORTED: ({ what, remedy }: { what: string; remedy: string }) =>
    `The query uses ${what}, which is not supported here: ${remedy}.`,
  ERR_SERVICE_REFUSED: ({ service }: { service: string }) =>
    `The query uses SERVICE ${service}, which is always refused. Query the streams themselves. In a program, give other data in the option data.`,
  ERR_QUERY_FAILED: ({ engine, problem }: { engine: string; problem: string }) =>
    `The engine ${engine} could not answer the query: ${problem}. Change the query, or try another engine.`,
  ERR_ANSWER_TOO_LARGE: (limit: { limitRows: number } | { limitAnswerBytes: number }) => {
    const [name, size] = Object.entries(limit)[0] as [string, number];
    const unit = name === 'limitRows' ? 'solutions' : 'bytes';
    return `The answer has more than ${size} ${unit}. Make the query more specific, add a LIMIT, or raise ${name}.`;
  },
  ERR_TEXT_TOO_LONG: ({ limitTextChars }: { limitTextChars: number }) =>
    `The query makes a string of more than ${limitTextChars} characters. Make shorter strings, or raise limitTextChars.`,
  ERR_VIEW_TOO_LARGE: ({ quads, limitQuads }: { quads: number; limitQuads: number }) =>
    `The data of the query have grown to ${quads} quads, more than ${limitQuads}. Use a shorter window or a smaller stream, or raise limitQuads.`,
  ERR_EVALUATION_TIMEOUT: ({ limitEvaluationMs }: { limitEvaluationMs: number }) =>
    `The query was not answered within ${formatDuration(limitEvaluationMs)}. Make it more specific, or raise limitEvaluationMs.`,
  ERR_STATE_LATE: ({ limitLoadingMs }: { limitLoadingMs: number }) =>
    `The latest state was not loaded within ${formatDuration(limitLoadingMs)}. Try again later, or raise limitLoadingMs.`,
  ERR_QUERY_FAULT: () => 'The server failed to answer the query. Try again later.',
  ERR_ANSWER_PASSED: ({ sequence }: { sequence: number }) =>
    `The whole answer of result ${sequence} was released, because the next result was requested. Read the answer first.`,
  ERR_QUERY_OPTION: ({ name, value, expected }: { name: string; value: unknown; expected: string }) =>
    `The option ${name} of a live query cannot be ${shownValue(value)}: ${expected}.`,
  ERR_QUERY_SOURCE: ({ url, problem }: { url?: string; problem: string }) =>
    `The source ${url === undefined ? '' : `${url} `}delivered an invalid commit: ${problem}. Deliver { cursor: { epoch, sequence }, time, members }.`,
  ERR_ENGINE_MISSING: ({ engine }: { engine: string }) =>
    `The engine ${engine} is not installed. Run npm install ${engine}.`,
  ERR_QUERY_MEMORY: ({ limitMemoryMib }: { limitMemoryMib: number }) =>
    `The query needed more than ${limitMemoryMib} MiB of memory. Make it more specific, or raise limitMemoryMib.`,
  ERR_SPARQL_REQUEST: ({ problem }: { problem: string }) =>
    `The request is not valid in the SPARQL 1.1 Protocol: ${problem}. Send ?query=... by GET, or post the query.`,
  ERR_SPARQL_METHOD: ({ method }: { method: string }) => `The method ${method} does not send a query. Use GET or POST.`,
  ERR_SPARQL_TYPE: ({ type, accepted }: { type: string; accepted: readonly string[] }) =>
    `The content has the unsupported type ${JSON.stringify(type)}. Send one of ${accepted.join(', ')}.`,
  ERR_SPARQL_ENCODING: ({ encoding }: { encoding: string }) =>
    `The content has the unsupported encoding ${JSON.stringify(encoding)}. Send it without Content-Encoding.`,
  ERR_SPARQL_CONTENT: ({ limitBytes }: { limitBytes: number }) =>
    `The content has more than ${limitBytes} bytes. Shorten the query, or raise limitQueryChars.`,
  ERR_SPARQL_FORMAT: ({ offered }: { offered: readonly string[] }) =>
    `The request does not accept a format of the answer. Accept one of ${offered.join(', ')}.`,
  ERR_LIVE_QUERIES_FULL: ({ limitLiveQueries }: { limitLiveQueries: number; retryAfterSeconds: number }) =>
    `This stream already has ${limitLiveQueries} live queries, which is the limit. Try again later, or raise limitLiveQueries.`,
  ERR_SUBSCRIBERS_FULL: ({ limitSubscribers }: { limitSubscribers: number; retryAfterSeconds: number }) =>
    `This stream already has ${limitSubscribers} readers of live queries, which is the limit. Try again later, or raise limitSubscribers.`,
  ERR_QUERIES_WAITING: ({ limitWaitingQueries }: { limitWaitingQueries: number; retryAfterSeconds: number }) =>
    `${limitWaitingQueries} queries already wait for their answer, which is the limit. Try again later, or raise limitWaitingQueries.`,
  ERR_SUBSCRIBER_SLOW: ({ limit }: { limit: string; value: number }) =>
    `The reader was too slow: it exceeded ${limit} and was disconnected. Connect again for the current answer, and read faster.`,
  ERR_QUERY_STOPPING: () => 'The server is stopping. Send the query again.',
  ERR_QUERY_BUSY: () => 'This live query is already being read. Iterate over it once, or make another.',
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
