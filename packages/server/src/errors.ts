/*
 * The errors of this package, which `specs/errors.md` has too, and the answers to requests that they are.
 *
 *   errors.ERR_STREAM_UNKNOWN({ path: '/trams', known: [...] }) -> StreamError: "Nothing is published at /trams. ..."
 *   answers.get('ERR_STREAM_UNKNOWN') -> { status: 404, title: 'Unknown stream' }
 */
import { defineErrors, type ErrorCode } from '@ldes-live/rdf-stream';

/** What is asked for beyond a limit of this name may be asked for again. */
type Again<Limit extends string> = Readonly<Record<Limit | 'retryAfterSeconds', number>>;
/** The same of push, whose readers may poll the latest state meanwhile. */
type PushAgain<Limit extends string> = Again<Limit> & { readonly latest: string };

interface NothingSaid {
  readonly node: string;
  readonly line?: number | undefined;
  readonly number?: number | undefined;
  readonly problem: string;
}
/** Of the node that was asked, where one was: its name, its URL, and what became of the request. */
interface Unwritten extends Partial<Readonly<Record<'node' | 'url' | 'reason', string>>> {
  readonly problem: string;
  readonly retryAfterSeconds: number;
}
type Violation = Readonly<Record<'path' | 'message', string>>;

export const errors = defineErrors({
  ERR_STREAM_UNKNOWN: ({ path, known }: { path: string; known: readonly string[] }) =>
    `Nothing is published at ${path}. The streams here are: ${known.join(', ') || 'none'}.`,
  ERR_DOCUMENT_UNKNOWN: ({ path, known }: { path: string; known: readonly string[] }) =>
    `There is no document at ${path}. The stream has: ${known.join(', ')}.`,
  ERR_FORMAT_UNACCEPTABLE: ({ accept, offered }: { accept: string; offered: readonly string[] }) =>
    `None of "${accept}" is on offer. Ask for one of: ${offered.join(', ')}.`,
  ERR_ENCODING_UNACCEPTABLE: ({ acceptEncoding, offered }: { acceptEncoding: string; offered: readonly string[] }) =>
    `None of "${acceptEncoding}" is on offer. Allow one of: ${offered.join(', ')}.`,
  ERR_OVERLOADED: ({ limitPendingBuilds, retryAfterSeconds }: Again<'limitPendingBuilds'>) =>
    `The server is making ${limitPendingBuilds} documents already, which is the most it makes at a time. Ask again in ${retryAfterSeconds} s.`,
  ERR_CONNECTIONS_FULL: (at: PushAgain<'limitConnections'>) =>
    `The server has ${at.limitConnections} push connections, which is the most it takes. Poll ${at.latest} meanwhile, and ask again in ${at.retryAfterSeconds} s.`,
  ERR_CONNECTIONS_ADDRESS: (at: PushAgain<'limitConnectionsPerAddress'>) =>
    `Your address has ${at.limitConnectionsPerAddress} push connections, which is the most of one address. Close some, or poll ${at.latest} meanwhile, and ask again in ${at.retryAfterSeconds} s.`,
  ERR_ACCEPTS_WAITING: (at: PushAgain<'limitWaitingAccepts'>) =>
    `${at.limitWaitingAccepts} readers wait for a push connection, which is the most that may wait. Poll ${at.latest} meanwhile, and ask again in ${at.retryAfterSeconds} s.`,
  ERR_REPLAYS_FULL: (at: PushAgain<'limitReplayBytes'>) =>
    `Readers who catch up hold ${at.limitReplayBytes} bytes of events, which is the most they may. Read ${at.latest} meanwhile, and ask again in ${at.retryAfterSeconds} s.`,
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
    `"${name}" cannot name a stream: use a-z, 0-9 and "-", at most 64 characters, no path of the server's own, nor the first part of that of publicUrl.`,
  ERR_PUBLIC_URL: ({ publicUrl }: { publicUrl: string }) =>
    `"${publicUrl}" is no base for IRIs: give an absolute http(s) URL that ends in "/", without query or fragment.`,
  ERR_STREAM_REPEATED: ({ name }: { name: string }) => `Two streams are called "${name}": give each a name of its own.`,
  ERR_STREAM_ELSEWHERE: ({ name, publicUrl, describedUrl }: Record<'name' | 'publicUrl' | 'describedUrl', string>) =>
    `The stream "${name}" is described for ${describedUrl}, and the server is ${publicUrl}: describe it for the server that publishes it.`,
  ERR_STREAM_SOURCES: ({ name, problem }: { name: string; problem: string }) =>
    `The sources of the stream "${name}" cannot be used (${problem}): give an array of sources, each with an origin of its own and a function "drafts", or leave them out.`,
  ERR_SERVER_CLOSED: () =>
    'The server is closed, or is being closed: it neither listens nor takes streams. Make another.',
  ERR_SOURCE_ENDED: ({ origin }: { origin: string }) =>
    `The source ${origin} ended its drafts without being told to, and is asked for them again: have it go on until its signal is aborted.`,
  ERR_SOURCE_FAILED: ({ origin, reason }: { origin: string; reason: string }) =>
    `The source ${origin} failed by an error without a code (${reason}), and is asked for its drafts again: the log of the server has the error itself.`,
  ERR_HEARTBEAT: ({ heartbeatMs, longestMs }: { heartbeatMs: number; longestMs: number }) =>
    `A heartbeat of ${heartbeatMs} ms is not above 0 and at most ${longestMs} ms, which readers rely on: give less.`,
  ERR_QUERY_UNKNOWN: ({ name, known }: { name: string; known: readonly string[] }) =>
    `The query has "${name}", which means nothing here. What it may have is: ${known.join(', ')}.`,
  ERR_METHOD: ({ method, path }: { method: string; path: string }) =>
    `${method} is not for ${path}: documents are read by GET and HEAD, and members posted to a stream that takes them.`,
  ERR_REQUEST: ({ reason }: { reason: string }) => `The request could not be understood: ${reason}.`,
  ERR_TOKEN_HASH: ({ stream, problem }: { stream: string; problem: string }) =>
    `The tokens of stream "${stream}" cannot be used (${problem}): give the SHA-256 of each as 64 hexadecimal digits, of one at least.`,
  ERR_TOKEN_MISSING: ({ stream }: { stream: string }) =>
    `Posts to "${stream}" need a token: send it as "Authorization: Bearer TOKEN".`,
  ERR_TOKEN_UNKNOWN: ({ stream }: { stream: string }) => `The token is none of "${stream}": ask its publisher for one.`,
  ERR_TOKEN_STREAM: ({ stream }: { stream: string }) =>
    `The token is of another stream than "${stream}": post to that one, or ask for a token of this one.`,
  ERR_SHAPE_UNUSABLE: ({ stream, reason }: { stream: string; reason: string }) =>
    `Nothing can be validated against the shape of stream "${stream}": ${reason}. Correct the shape.`,
  ERR_POST_TYPE: ({ contentType, offered }: { contentType: string; offered: string }) =>
    `A body of type "${contentType}" is not taken. Send one of: ${offered}, in UTF-8.`,
  ERR_POST_ENCODING: ({ contentEncoding, offered }: { contentEncoding: string; offered: string }) =>
    `A body in the encoding "${contentEncoding}" is not taken. Send it as it is, or in: ${offered}.`,
  ERR_POST_KEY: ({ problem }: { problem: string }) =>
    `The Idempotency-Key ${problem}: give 1 to 255 visible ASCII characters, new for each body.`,
  ERR_POST_KEY_REUSED: ({ key }: { key: string }) =>
    `The Idempotency-Key "${key}" came with another body before: give each body a key of its own.`,
  ERR_POST_KEY_BUSY: ({ key, retryAfterSeconds }: { key: string; retryAfterSeconds: number }) =>
    `A post with the Idempotency-Key "${key}" is being taken. Ask for its answer again in ${retryAfterSeconds} s.`,
  ERR_POSTS_WAITING: ({ limitWaitingPosts, retryAfterSeconds }: Again<'limitWaitingPosts'>) =>
    `${limitWaitingPosts} posts to this stream wait already, which is the most that may wait. Send it again in ${retryAfterSeconds} s, or send more members in one body.`,
  ERR_POST_TOO_LARGE: ({ limit, value }: { limit: string; value: number }) =>
    `The body is past ${limit}, which is ${value}. Divide it among several posts.`,
  ERR_POST_MEMBER_TOO_LARGE: ({ member, limit, value }: { member: string; limit: string; value: number }) =>
    `The member ${member} is past ${limit}, which is ${value}. Say less of it, or ask the publisher to raise the limit.`,
  ERR_POST_TOO_DEEP: ({ line, limitDepth }: { line: number; limitDepth: number }) =>
    `The JSON is nested deeper than ${limitDepth} (line ${line}). Send it flatter.`,
  ERR_POST_CHARSET: ({ byte }: { byte?: number }) =>
    byte === undefined
      ? 'The body has half a character by an escape, which UTF-8 cannot say. Escape both halves, or send it unescaped.'
      : `The body is not UTF-8 (before byte ${byte}). Send it in UTF-8.`,
  ERR_POST_MALFORMED: ({ format, line, problem }: { format: string; line?: number | undefined; problem: string }) =>
    `The body is not ${format}${line === undefined ? '' : ` (line ${line})`}: ${problem} Correct it, or send it as the type that it is.`,
  ERR_POST_RELATIVE_IRI: ({ iri }: { iri: string }) =>
    `The IRI ${iri} is relative: write it in full, since a body has no base of its own.`,
  ERR_POST_TERM: ({ term }: { term: string }) =>
    `${term} cannot be taken: IRIs have no spaces, none of <>"{}|^\`\\, and 4,096 characters at most; literals and blank nodes are those of RDF 1.1.`,
  ERR_POST_CONTEXT: ({ url, known }: { url: string; known: readonly string[] }) =>
    `The JSON-LD context ${url} is not fetched. Put it into the document, or refer to one that is known here: ${known.join(', ') || 'none'}.`,
  ERR_POST_CONTEXT_TOO_LARGE: ({ limit, value }: { limit: string; value: number }) =>
    `The JSON-LD contexts for one node are past ${limit}, which is ${value}. Send those that it needs, and none within terms or nodes, or ask the publisher to have them known there.`,
  ERR_POST_BLANK_NODE: ({ member, label, problem }: { member: string; label: string; problem: string }) =>
    `At the member ${member} the blank node ${label} ${problem}. Each belongs to the one member that refers to it, and is told of beside it.`,
  ERR_POST_SPLIT: ({ member }: { member: string }) =>
    `What the body says of ${member} stands in several places. Put it together; if these are several states, send each as a version with an IRI of its own, or by NDJSON.`,
  ERR_POST_SUBJECT: ({ member, subject }: { member: string; subject: string }) =>
    `The member ${member} says something of ${subject}, which is another member or none. Use a blank node, or send it as a member of its own.`,
  ERR_POST_NO_IRI: ({ place }: { place: string }) =>
    `What ${place} says is of no IRI. Give every member an IRI: its entity's, or its own as a version.`,
  ERR_POST_VERSION: ({ member, problem }: { member: string; problem: string }) =>
    `The member ${member} ${problem}. A version has an IRI of its own, and names one entity by dct:isVersionOf.`,
  ERR_POST_OWN_IRI: ({ member, iri, problem }: { member: string; iri: string; problem: string }) =>
    `The member ${member} cannot be taken with the IRI ${iri}, ${problem}. Give it one of your own.`,
  ERR_POST_TIME: ({ member, value }: { member: string; value: string }) =>
    `The sosa:resultTime of the member ${member} is not one xsd:dateTime (${value}): give one, such as "2026-01-01T12:00:00Z", or none.`,
  ERR_POST_NOTHING_SAID: ({ node, line, problem }: NothingSaid) =>
    `${node}${line === undefined ? '' : ` (line ${line})`} says nothing: ${problem}.`,
  ERR_POST_EMPTY: () => 'The body has no members. Send one at least.',
  ERR_POST_INVALID: ({ member, violations }: { member: string; violations: readonly Violation[] }) =>
    `The member ${member} is not as the stream's shape says: ${violations.map(({ path, message }) => `${path}: ${message}`).join('; ')}.`,
  ERR_POST_UNCHECKABLE: ({ member }: { member: string }) =>
    `The member ${member} refers from node to node in longer chains than the shape of the stream can be followed along. Say it with fewer nodes in a row.`,
  ERR_POST_BROKEN_OFF: ({ bytes }: { bytes: number }) =>
    `The body broke off after ${bytes} bytes. Send it again: what is stored is not stored twice.`,
  ERR_POST_LATE: ({ limit, value }: { limit: string; value: number }) =>
    `The body did not come in time: ${limit} is ${value} ms. Send it again, or in several posts.`,
  ERR_POST_NOT_STORED: ({ reason, retryAfterSeconds }: { reason: string; retryAfterSeconds: number }) =>
    `The store did not take the members (${reason}). Send the body again in ${retryAfterSeconds} s.`,
  ERR_POST_STOPPING: ({ retryAfterSeconds }: { retryAfterSeconds: number }) =>
    `The server is stopping, and reads no further. Send the body again in ${retryAfterSeconds} s: what is stored is not stored twice.`,
  ERR_OWNER_LOST: ({ retryAfterSeconds }: { retryAfterSeconds: number }) =>
    `The process that has the logs does not answer. Ask again in ${retryAfterSeconds} s.`,
  ERR_WRITER_UNKNOWN: ({ problem, retryAfterSeconds }: Unwritten) =>
    `No node takes posts now: ${problem}. Send the body again in ${retryAfterSeconds} s: what is stored is not stored twice.`,
  ERR_NODE_BEHIND: (at: { cursor: string; head: string; retryAfterSeconds: number }) =>
    `This node stands at ${at.head}, and has not heard yet whether others published up to ${at.cursor}. Ask again in ${at.retryAfterSeconds} s.`,
  ERR_INTERNAL: ({ path }: { path: string }) =>
    `The server failed on ${path}. The fault is on this side; ask again later.`,
});

/** Status and title of each error that is an answer, those of other packages among them. */
const ANSWERS: readonly (readonly [status: number, code: ErrorCode, title: string])[] = [
  [400, 'ERR_CURSOR_MALFORMED', 'Malformed cursor'],
  [400, 'ERR_CURSOR_MISSING', 'Missing cursor'],
  [400, 'ERR_NARROWING_LIMIT', 'Too many values to narrow by'],
  [400, 'ERR_NARROWING_MALFORMED', 'Malformed value to narrow by'],
  [400, 'ERR_QUERY_UNKNOWN', 'Unknown query parameter'],
  [400, 'ERR_REQUEST', 'Malformed request'],
  [400, 'ERR_POST_KEY', 'Malformed idempotency key'],
  [400, 'ERR_POST_TOO_DEEP', 'Nested too deep'],
  [400, 'ERR_POST_CHARSET', 'Not UTF-8'],
  [400, 'ERR_POST_MALFORMED', 'Malformed body'],
  [400, 'ERR_POST_RELATIVE_IRI', 'Relative IRI'],
  [400, 'ERR_POST_TERM', 'Unsupported term'],
  [400, 'ERR_POST_CONTEXT', 'Unknown context'],
  [400, 'ERR_POST_EMPTY', 'No members'],
  [400, 'ERR_POST_BROKEN_OFF', 'Body broken off'],
  [401, 'ERR_TOKEN_MISSING', 'Token missing'],
  [401, 'ERR_TOKEN_UNKNOWN', 'Unknown token'],
  [403, 'ERR_TOKEN_STREAM', 'Token of another stream'],
  [404, 'ERR_STREAM_UNKNOWN', 'Unknown stream'],
  [404, 'ERR_DOCUMENT_UNKNOWN', 'Unknown document'],
  [405, 'ERR_METHOD', 'Method not allowed'],
  [406, 'ERR_FORMAT_UNACCEPTABLE', 'No acceptable format'],
  [406, 'ERR_ENCODING_UNACCEPTABLE', 'No acceptable encoding'],
  [408, 'ERR_POST_LATE', 'Body too late'],
  [409, 'ERR_POST_KEY_BUSY', 'Idempotency key in use'],
  [410, 'ERR_PAGE_GONE', 'Page removed'],
  [410, 'ERR_CURSOR_GONE', 'Cursor no longer held'],
  [413, 'ERR_POST_TOO_LARGE', 'Body too large'],
  [413, 'ERR_POST_MEMBER_TOO_LARGE', 'Member too large'],
  [413, 'ERR_POST_CONTEXT_TOO_LARGE', 'Context too large'],
  [414, 'ERR_URL_TOO_LONG', 'URL too long'],
  [415, 'ERR_POST_TYPE', 'Unsupported media type'],
  [415, 'ERR_POST_ENCODING', 'Unsupported encoding'],
  [422, 'ERR_POST_KEY_REUSED', 'Idempotency key reused'],
  [422, 'ERR_POST_BLANK_NODE', 'Blank node of no member'],
  [422, 'ERR_POST_SPLIT', 'Member in several places'],
  [422, 'ERR_POST_SUBJECT', 'Statement of another subject'],
  [422, 'ERR_POST_NO_IRI', 'Member without IRI'],
  [422, 'ERR_POST_VERSION', 'Malformed version'],
  [422, 'ERR_POST_OWN_IRI', 'IRI of the server'],
  [422, 'ERR_POST_TIME', 'Malformed time'],
  [422, 'ERR_POST_NOTHING_SAID', 'Nothing said'],
  [422, 'ERR_POST_UNCHECKABLE', 'Member that cannot be validated'],
  [422, 'ERR_POST_INVALID', 'Invalid member'],
  [429, 'ERR_POSTS_WAITING', 'Too many posts'],
  [429, 'ERR_OVERLOADED', 'Overloaded'],
  [431, 'ERR_HEADER_TOO_LARGE', 'Header too large'],
  [500, 'ERR_INTERNAL', 'Internal error'],
  [503, 'ERR_POST_NOT_STORED', 'Not stored'],
  [503, 'ERR_ACCEPTS_WAITING', 'Too many waiting'],
  [503, 'ERR_CONNECTIONS_ADDRESS', 'Too many connections of one address'],
  [503, 'ERR_CONNECTIONS_FULL', 'Too many connections'],
  [503, 'ERR_REPLAYS_FULL', 'Too many replays'],
  [503, 'ERR_OWNER_LOST', 'Documents unavailable'],
  [503, 'ERR_WRITER_UNKNOWN', 'No writer'],
  [503, 'ERR_NODE_BEHIND', 'Behind other nodes'],
  [503, 'ERR_LOG_CLOSED', 'Shutting down'],
  [503, 'ERR_POST_STOPPING', 'Stopping'],
  [503, 'ERR_STOPPING', 'Stopping'],
];

/** What answers an error by its code; errors that are not in it are faults of the server. */
export const answers: ReadonlyMap<string, { readonly status: number; readonly title: string }> = new Map(
  ANSWERS.map(([status, code, title]) => [code, { status, title }]),
);
