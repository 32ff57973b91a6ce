import { defineErrors } from '@ldes-live/rdf-stream';

/** The errors of this package. Those with a status are answers; `specs/errors.md` has them all. */
export const errors = defineErrors({
  ERR_STREAM_UNKNOWN: ({ path, known }: { path: string; known: readonly string[] }) =>
    `Nothing is published at ${path}. The streams here are: ${known.join(', ') || 'none'}.`,
  ERR_DOCUMENT_UNKNOWN: ({ path, known }: { path: string; known: readonly string[] }) =>
    `There is no document at ${path}. The stream has: ${known.join(', ')}.`,
  ERR_FORMAT_UNACCEPTABLE: ({ accept, offered }: { accept: string; offered: readonly string[] }) =>
    `None of "${accept}" is on offer. Ask for one of: ${offered.join(', ')}.`,
  ERR_ENCODING_UNACCEPTABLE: ({ acceptEncoding, offered }: { acceptEncoding: string; offered: readonly string[] }) =>
    `None of "${acceptEncoding}" is on offer. Allow one of: ${offered.join(', ')}.`,
  ERR_OVERLOADED: ({
    limitPendingBuilds,
    retryAfterSeconds,
  }: {
    limitPendingBuilds: number;
    retryAfterSeconds: number;
  }) =>
    `The server is making ${limitPendingBuilds} documents already, which is the most it makes at a time. Ask again in ${retryAfterSeconds} s.`,
  ERR_CONNECTIONS_FULL: ({
    limitConnections,
    retryAfterSeconds,
    latest,
  }: {
    limitConnections: number;
    retryAfterSeconds: number;
    latest: string;
  }) =>
    `The server has ${limitConnections} push connections, which is the most it takes. Poll ${latest} meanwhile, and ask again in ${retryAfterSeconds} s.`,
  ERR_CONNECTIONS_ADDRESS: ({
    limitConnectionsPerAddress,
    retryAfterSeconds,
    latest,
  }: {
    limitConnectionsPerAddress: number;
    retryAfterSeconds: number;
    latest: string;
  }) =>
    `Your address has ${limitConnectionsPerAddress} push connections, which is the most of one address. Close some, or poll ${latest} meanwhile, and ask again in ${retryAfterSeconds} s.`,
  ERR_ACCEPTS_WAITING: ({
    limitWaitingAccepts,
    retryAfterSeconds,
    latest,
  }: {
    limitWaitingAccepts: number;
    retryAfterSeconds: number;
    latest: string;
  }) =>
    `${limitWaitingAccepts} readers wait for a push connection, which is the most that may wait. Poll ${latest} meanwhile, and ask again in ${retryAfterSeconds} s.`,
  ERR_STOPPING: ({ retryAfterSeconds, latest }: { retryAfterSeconds: number; latest: string }) =>
    `The server is stopping and opens no push connections. Ask again in ${retryAfterSeconds} s, when another may stand in its place, or poll ${latest}.`,
  ERR_URL_TOO_LONG: ({ bytes, limitUrlBytes }: { bytes: number; limitUrlBytes: number }) =>
    `The URL has ${bytes} bytes after the host, and may have ${limitUrlBytes}. Ask for a URL that a document here names.`,
  ERR_HEADER_TOO_LARGE: ({ limitHeaderBytes }: { limitHeaderBytes: number }) =>
    `The header of the request is larger than ${limitHeaderBytes} bytes. Send fewer or shorter fields.`,
  ERR_LIMIT: ({ name, value }: { name: string; value: number }) => `${name} is ${value}: give an integer of 1 or more.`,
  ERR_CURSOR_GONE: ({ cursor, head, latest }: { cursor: string; head: string; latest: string }) =>
    `The log does not hold ${cursor}; it stands at ${head}. Start again from ${latest}.`,
  ERR_PAGE_GONE: ({ url, next, latest }: { url: string; next: string; latest: string }) =>
    `${url} was removed, as the stream's retention policy says. Read on from ${next}, or start again from ${latest}.`,
  ERR_CURSOR_MISSING: ({ example }: { example: string }) =>
    `The query lacks "after": give the cursor after which to read on, such as ${example}.`,
  ERR_STREAM_NAME: ({ name }: { name: string }) =>
    `"${name}" cannot name a stream: use a-z, 0-9 and "-", at most 64 characters, and none of the server's own paths.`,
  ERR_PUBLIC_URL: ({ publicUrl }: { publicUrl: string }) =>
    `"${publicUrl}" is no base for IRIs: give an absolute http(s) URL that ends in "/", without query or fragment.`,
  ERR_STREAM_REPEATED: ({ name }: { name: string }) => `Two streams are called "${name}": give each a name of its own.`,
  ERR_STREAM_ELSEWHERE: ({
    name,
    publicUrl,
    describedUrl,
  }: {
    name: string;
    publicUrl: string;
    describedUrl: string;
  }) =>
    `The stream "${name}" is described for ${describedUrl}, and the server is ${publicUrl}: describe it for the server that publishes it.`,
  ERR_HEARTBEAT: ({ heartbeatMs, longestMs }: { heartbeatMs: number; longestMs: number }) =>
    `A heartbeat of ${heartbeatMs} ms is not above 0 and at most ${longestMs} ms, which readers rely on: give less.`,
  ERR_QUERY_UNKNOWN: ({ name, known }: { name: string; known: readonly string[] }) =>
    `The query has "${name}", which means nothing here. What it may have is: ${known.join(', ')}.`,
  ERR_NARROWING_LIMIT: ({ values, limitNarrowing }: { values: number; limitNarrowing: number }) =>
    `The query has ${values} entities, types and boxes in all, and may have ${limitNarrowing}. Divide them among several streams, or leave them out and choose from the whole stream.`,
  ERR_NARROWING_MALFORMED: ({ name, value, expected }: { name: string; value: string; expected: string }) =>
    `"${value}" is no ${name} to narrow a stream to: give ${expected}.`,
  ERR_METHOD: ({ method, path }: { method: string; path: string }) =>
    `${method} is not for ${path}: documents are read by GET and HEAD.`,
  ERR_REQUEST: ({ reason }: { reason: string }) => `The request could not be understood: ${reason}.`,
  ERR_OWNER_LOST: ({ retryAfterSeconds }: { retryAfterSeconds: number }) =>
    `The process that has the logs does not answer. Ask again in ${retryAfterSeconds} s.`,
  ERR_OWNER_FAILED: ({ reason }: { reason: string }) =>
    `The process that has the logs failed (${reason}). Resume from the last event.`,
  ERR_INTERNAL: ({ path }: { path: string }) =>
    `The server failed on ${path}. The fault is on this side; ask again later.`,
});
