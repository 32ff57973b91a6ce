/*
 * The errors of this package, which `specs/errors.md` has too, and the answers to requests that they are.
 *
 *   errors.ERR_STREAM_UNKNOWN({ path: '/trams', known: [...] }) -> StreamError: "Nothing is published at /trams. ..."
 *   answers.get('ERR_STREAM_UNKNOWN') -> { status: 404, title: 'Unknown stream' }
 */
import { defineErrors, type ErrorCode, formatDuration } from '@ldes-live/rdf-stream';

/** A limit of this name was reached; the request may be repeated. */
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
    `Unknown stream ${path}. This server has: ${known.join(', ') || 'none'}.`,
  ERR_DOCUMENT_UNKNOWN: ({ path, known }: { path: string; known: readonly string[] }) =>
    `Unknown document ${path}. The stream has: ${known.join(', ')}.`,
  ERR_FORMAT_UNACCEPTABLE: ({ accept, offered }: { accept: string; offered: readonly string[] }) =>
    `The server does not offer the format "${accept}". Ask for one of: ${offered.join(', ')}.`,
  ERR_ENCODING_UNACCEPTABLE: ({ acceptEncoding, offered }: { acceptEncoding: string; offered: readonly string[] }) =>
    `The server does not offer the encoding "${acceptEncoding}". Allow one of: ${offered.join(', ')}.`,
  ERR_OVERLOADED: ({ limitPendingBuilds, retryAfterSeconds }: Again<'limitPendingBuilds'>) =>
    `The server already makes ${limitPendingBuilds} documents, which is the limit. Try again in ${retryAfterSeconds} s.`,
  ERR_CONNECTIONS_FULL: (at: PushAgain<'limitConnections'>) =>
    `The server has ${at.limitConnections} push connections, which is the limit. Poll ${at.latest} meanwhile, and try again in ${at.retryAfterSeconds} s.`,
  ERR_CONNECTIONS_ADDRESS: (at: PushAgain<'limitConnectionsPerAddress'>) =>
    `Your address has ${at.limitConnectionsPerAddress} push connections, which is the limit for one address. Close some, or poll ${at.latest} meanwhile, and try again in ${at.retryAfterSeconds} s.`,
  ERR_ACCEPTS_WAITING: (at: PushAgain<'limitWaitingAccepts'>) =>
    `${at.limitWaitingAccepts} readers already wait for a push connection, which is the limit. Poll ${at.latest} meanwhile, and try again in ${at.retryAfterSeconds} s.`,
  ERR_REPLAYS_FULL: (at: PushAgain<'limitReplayBytes'>) =>
    `Readers that catch up use ${at.limitReplayBytes} bytes of events, which is the limit. Read ${at.latest} meanwhile, and try again in ${at.retryAfterSeconds} s.`,
  ERR_STOPPING: ({ retryAfterSeconds, latest }: { retryAfterSeconds: number; latest: string }) =>
    `The server is stopping and opens no push connections. Try again in ${retryAfterSeconds} s, or poll ${latest}.`,
  ERR_URL_TOO_LONG: ({ bytes, limitUrlBytes }: { bytes: number; limitUrlBytes: number }) =>
    `The URL has ${bytes} bytes after the host, more than ${limitUrlBytes}. Use the URLs that the documents of this server contain.`,
  ERR_HEADER_TOO_LARGE: ({ limitHeaderBytes }: { limitHeaderBytes: number }) =>
    `The header of the request has more than ${limitHeaderBytes} bytes. Send fewer or shorter fields.`,
  ERR_LIMIT: ({ name, value }: { name: string; value: number }) => `${name} is ${value}: give an integer of 1 or more.`,
  ERR_CURSOR_GONE: ({ cursor, head, latest }: { cursor: string; head: string; latest: string }) =>
    `The log does not contain the cursor ${cursor}; its newest is ${head}. Start again from ${latest}.`,
  ERR_PAGE_GONE: ({ url, next, latest }: { url: string; next: string; latest: string }) =>
    `The retention policy of the stream removed ${url}. Continue from ${next}, or start again from ${latest}.`,
  ERR_CURSOR_MISSING: ({ example }: { example: string }) =>
    `The query lacks "after". Give the cursor of the last member that you read, such as ${example}.`,
  ERR_STREAM_NAME: ({ name }: { name: string }) =>
    `"${name}" is not a valid name of a stream. Use 1 to 64 of a-z, 0-9 and "-", but not a path of the server itself or the first part of the path of publicUrl.`,
  ERR_PUBLIC_URL: ({ publicUrl }: { publicUrl: string }) =>
    `"${publicUrl}" is not a base URL. Give an absolute http or https URL that ends in "/", without query or fragment.`,
  ERR_STREAM_REPEATED: ({ name }: { name: string }) =>
    `Two streams have the name "${name}". Give each stream its own name.`,
  ERR_STREAM_ELSEWHERE: ({ name, publicUrl, describedUrl }: Record<'name' | 'publicUrl' | 'describedUrl', string>) =>
    `The stream "${name}" is described for ${describedUrl}, but the publicUrl of the server is ${publicUrl}. Describe the stream for this server.`,
  ERR_STREAM_SOURCES: ({ name, problem }: { name: string; problem: string }) =>
    `The sources of the stream "${name}" cannot be used (${problem}). Give an array of sources, each with its own origin and a function "drafts", or omit them.`,
  ERR_SERVER_CLOSED: () => 'The server is closed or closing. Create another one to listen or to set streams.',
  ERR_SOURCE_ENDED: ({ origin }: { origin: string }) =>
    `The source ${origin} ended its drafts before its signal was aborted. The server calls it again. Make the source continue until the signal is aborted.`,
  ERR_SOURCE_FAILED: ({ origin, reason }: { origin: string; reason: string }) =>
    `The source ${origin} failed with an error without a code (${reason}). The server calls it again. The log of the server has the whole error.`,
  ERR_HEARTBEAT: ({ heartbeatMs, longestMs }: { heartbeatMs: number; longestMs: number }) =>
    `The heartbeat ${heartbeatMs} ms is out of range. Give more than 0 and at most ${longestMs} ms, because readers rely on it.`,
  ERR_QUERY_UNKNOWN: ({ name, known }: { name: string; known: readonly string[] }) =>
    `Unknown query parameter "${name}". Use: ${known.join(', ')}.`,
  ERR_METHOD: ({ method, path }: { method: string; path: string }) =>
    `The method ${method} is not allowed for ${path}. Read documents with GET or HEAD. Send members with POST to a stream that accepts posts.`,
  ERR_REQUEST: ({ reason }: { reason: string }) => `The request is malformed: ${reason}.`,
  ERR_TOKEN_HASH: ({ stream, problem }: { stream: string; problem: string }) =>
    `The tokens of stream "${stream}" cannot be used (${problem}). Give the SHA-256 of at least one token as 64 hexadecimal digits.`,
  ERR_TOKEN_MISSING: ({ stream }: { stream: string }) =>
    `Posts to stream "${stream}" need a token. Send the header "Authorization: Bearer TOKEN".`,
  ERR_TOKEN_UNKNOWN: ({ stream }: { stream: string }) =>
    `The token is not valid for stream "${stream}". Ask its publisher for a token.`,
  ERR_TOKEN_STREAM: ({ stream }: { stream: string }) =>
    `The token belongs to another stream than "${stream}". Post to that stream, or ask for a token for this one.`,
  ERR_TLS_UNUSABLE: ({ part, reason }: { part: 'cert' | 'key'; reason: string }) =>
    `The ${part} of \`tls\` cannot be used: ${reason}. Give a certificate chain and its private key, both as PEM.`,
  ERR_READ_REFUSED: ({ stream }: { stream: string; isTokenSent: boolean }) =>
    `Stream "${stream}" is private. Send the header "Authorization: Bearer TOKEN" with a token that may read it.`,
  ERR_SHAPE_UNUSABLE: ({ stream, reason }: { stream: string; reason: string }) =>
    `The shape of stream "${stream}" cannot be used for validation: ${reason}. Correct the shape.`,
  ERR_POST_TYPE: ({ contentType, offered }: { contentType: string; offered: string }) =>
    `The media type "${contentType}" is not supported. Send one of: ${offered}, in UTF-8.`,
  ERR_POST_ENCODING: ({ contentEncoding, offered }: { contentEncoding: string; offered: string }) =>
    `The encoding "${contentEncoding}" is not supported. Send the body without encoding, or with: ${offered}.`,
  ERR_POST_KEY: ({ problem }: { problem: string }) =>
    `The Idempotency-Key ${problem}. Give 1 to 255 visible ASCII characters, and a new key for each body.`,
  ERR_POST_KEY_REUSED: ({ key }: { key: string }) =>
    `The Idempotency-Key "${key}" was already used with another body. Give each body its own key.`,
  ERR_POST_KEY_BUSY: ({ key, retryAfterSeconds }: { key: string; retryAfterSeconds: number }) =>
    `A post with the Idempotency-Key "${key}" is still in progress. Send it again in ${retryAfterSeconds} s to get its answer.`,
  ERR_POSTS_WAITING: ({ limitWaitingPosts, retryAfterSeconds }: Again<'limitWaitingPosts'>) =>
    `${limitWaitingPosts} posts to this stream already wait, which is the limit. Send the body again in ${retryAfterSeconds} s, or send more members in one body.`,
  ERR_POST_TOO_LARGE: ({ limit, value }: { limit: string; value: number }) =>
    `The body exceeds ${limit} (${value}). Divide it among several posts.`,
  ERR_POST_MEMBER_TOO_LARGE: ({ member, limit, value }: { member: string; limit: string; value: number }) =>
    `The member ${member} exceeds ${limit} (${value}). Make the member smaller, or ask the publisher to raise the limit.`,
  ERR_POST_TOO_DEEP: ({ line, limitDepth }: { line: number; limitDepth: number }) =>
    `The JSON is nested deeper than ${limitDepth} levels (line ${line}). Send JSON with fewer levels.`,
  ERR_POST_CHARSET: ({ byte }: { byte?: number }) =>
    byte === undefined
      ? 'The body has an escape of half a character (an unpaired surrogate). Escape both halves, or send the character itself.'
      : `The body is not UTF-8 (before byte ${byte}). Send it in UTF-8.`,
  ERR_POST_MALFORMED: ({ format, line, problem }: { format: string; line?: number | undefined; problem: string }) =>
    `The body is not ${format}${line === undefined ? '' : ` (line ${line})`}: ${problem} Correct it, or send it with its real media type.`,
  ERR_POST_RELATIVE_IRI: ({ iri }: { iri: string }) =>
    `The IRI ${iri} is relative, and a body has no base URL. Write the IRI in full.`,
  ERR_POST_TERM: ({ term }: { term: string }) =>
    `${term} is not a valid term. Give literals and blank nodes of RDF 1.1, well-formed language tags (BCP 47), and IRIs (RFC 3987) of at most 4,096 characters without spaces.`,
  ERR_POST_CONTEXT: ({ url, known }: { url: string; known: readonly string[] }) =>
    `The JSON-LD context ${url} is not fetched. Put it into the document, or refer to a context that the server knows: ${known.join(', ') || 'none'}.`,
  ERR_POST_CONTEXT_TOO_LARGE: ({ limit, value }: { limit: string; value: number }) =>
    `The JSON-LD contexts for one node exceed ${limit} (${value}). Send smaller contexts, without contexts inside terms or nodes. Or ask the publisher to configure them on the server.`,
  ERR_POST_BLANK_NODE: ({ member, label, problem }: { member: string; label: string; problem: string }) =>
    `In the member ${member} the blank node ${label} ${problem}. Describe each blank node next to the one member that refers to it.`,
  ERR_POST_SPLIT: ({ member }: { member: string }) =>
    `The body has statements of ${member} in several places. Put them together. If they are several states, send versions with their own IRIs, or send NDJSON.`,
  ERR_POST_SUBJECT: ({ member, subject }: { member: string; subject: string }) =>
    `The member ${member} has a statement with another subject, ${subject}. Use a blank node, or send the subject as its own member.`,
  ERR_POST_NO_IRI: ({ place }: { place: string }) =>
    `A member has no IRI (${place}). Give every member an IRI: the IRI of its entity, or its own as a version.`,
  ERR_POST_VERSION: ({ member, problem }: { member: string; problem: string }) =>
    `The member ${member} ${problem}. Give a version its own IRI and one entity in dct:isVersionOf.`,
  ERR_POST_OWN_IRI: ({ member, iri, problem }: { member: string; iri: string; problem: string }) =>
    `The member ${member} cannot have the IRI ${iri}, ${problem}. Give it an IRI of your own.`,
  ERR_POST_TIME: ({ member, value }: { member: string; value: string }) =>
    `The sosa:resultTime of the member ${member} is not one xsd:dateTime (${value}). Give one, such as "2026-01-01T12:00:00Z", or omit it.`,
  ERR_POST_NOTHING_SAID: ({ node, line, problem }: NothingSaid) =>
    `${node}${line === undefined ? '' : ` (line ${line})`} has no content: ${problem}.`,
  ERR_POST_EMPTY: () => 'The body has no members. Send at least one.',
  ERR_POST_INVALID: ({ member, violations }: { member: string; violations: readonly Violation[] }) =>
    `The member ${member} does not match the shape of the stream. Correct it: ${violations.map(({ path, message }) => `${path}: ${message}`).join('; ')}.`,
  ERR_POST_UNCHECKABLE: ({ member }: { member: string }) =>
    `The member ${member} has a chain of nodes that is too long to validate with the shape of the stream. Use fewer nodes in a row.`,
  ERR_POST_BROKEN_OFF: ({ bytes }: { bytes: number }) =>
    `The body ended early, after ${bytes} bytes. Send it again: stored members are not stored twice.`,
  ERR_POST_LATE: ({ limit, value }: { limit: string; value: number }) =>
    `The body did not arrive in time: ${limit} is ${formatDuration(value)}. Send it again, or divide it among several posts.`,
  ERR_POST_NOT_STORED: ({ reason, retryAfterSeconds }: { reason: string; retryAfterSeconds: number }) =>
    `The members could not be stored (${reason}). Send the body again in ${retryAfterSeconds} s.`,
  ERR_POST_STOPPING: ({ retryAfterSeconds }: { retryAfterSeconds: number }) =>
    `The server is stopping and did not read the whole body. Send it again in ${retryAfterSeconds} s: stored members are not stored twice.`,
  ERR_OWNER_LOST: ({ retryAfterSeconds }: { retryAfterSeconds: number }) =>
    `The process that owns the logs does not answer. Try again in ${retryAfterSeconds} s.`,
  ERR_WRITER_UNKNOWN: ({ problem, retryAfterSeconds }: Unwritten) =>
    `No node accepts posts now: ${problem}. Send the body again in ${retryAfterSeconds} s: stored members are not stored twice.`,
  ERR_NODE_BEHIND: (at: { cursor: string; head: string; retryAfterSeconds: number }) =>
    `This node is at ${at.head} and does not know yet whether other nodes published up to ${at.cursor}. Try again in ${at.retryAfterSeconds} s.`,
  ERR_INTERNAL: ({ path }: { path: string }) => `The server failed to answer ${path}. Try again later.`,
});

/** Status and title of each error that is an answer, those of other packages among them. */
const ANSWERS: readonly (readonly [status: number, code: ErrorCode, title: string])[] = [
  [400, 'ERR_CURSOR_MALFORMED', 'Malformed cursor'],
  [400, 'ERR_CURSOR_MISSING', 'Missing cursor'],
  [400, 'ERR_NARROWING_LIMIT', 'Too many filter values'],
  [400, 'ERR_NARROWING_MALFORMED', 'Malformed filter value'],
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
  [400, 'ERR_POST_BROKEN_OFF', 'Incomplete body'],
  [401, 'ERR_TOKEN_MISSING', 'Token missing'],
  [401, 'ERR_TOKEN_UNKNOWN', 'Unknown token'],
  [401, 'ERR_READ_REFUSED', 'Private stream'],
  [403, 'ERR_TOKEN_STREAM', 'Token of another stream'],
  [404, 'ERR_STREAM_UNKNOWN', 'Unknown stream'],
  [404, 'ERR_DOCUMENT_UNKNOWN', 'Unknown document'],
  [405, 'ERR_METHOD', 'Method not allowed'],
  [406, 'ERR_FORMAT_UNACCEPTABLE', 'No acceptable format'],
  [406, 'ERR_ENCODING_UNACCEPTABLE', 'No acceptable encoding'],
  [408, 'ERR_POST_LATE', 'Body too late'],
  [409, 'ERR_POST_KEY_BUSY', 'Idempotency key in use'],
  [410, 'ERR_PAGE_GONE', 'Page removed'],
  [410, 'ERR_CURSOR_GONE', 'Cursor no longer available'],
  [413, 'ERR_POST_TOO_LARGE', 'Body too large'],
  [413, 'ERR_POST_MEMBER_TOO_LARGE', 'Member too large'],
  [413, 'ERR_POST_CONTEXT_TOO_LARGE', 'Context too large'],
  [414, 'ERR_URL_TOO_LONG', 'URL too long'],
  [415, 'ERR_POST_TYPE', 'Unsupported media type'],
  [415, 'ERR_POST_ENCODING', 'Unsupported encoding'],
  [422, 'ERR_POST_KEY_REUSED', 'Idempotency key reused'],
  [422, 'ERR_POST_BLANK_NODE', 'Blank node without member'],
  [422, 'ERR_POST_SPLIT', 'Member in several places'],
  [422, 'ERR_POST_SUBJECT', 'Statement of another subject'],
  [422, 'ERR_POST_NO_IRI', 'Member without IRI'],
  [422, 'ERR_POST_VERSION', 'Malformed version'],
  [422, 'ERR_POST_OWN_IRI', 'IRI of the server'],
  [422, 'ERR_POST_TIME', 'Malformed time'],
  [422, 'ERR_POST_NOTHING_SAID', 'No content'],
  [422, 'ERR_POST_UNCHECKABLE', 'Member that cannot be validated'],
  [422, 'ERR_POST_INVALID', 'Invalid member'],
  [429, 'ERR_POSTS_WAITING', 'Too many posts'],
  [429, 'ERR_OVERLOADED', 'Overloaded'],
  [431, 'ERR_HEADER_TOO_LARGE', 'Header too large'],
  [500, 'ERR_INTERNAL', 'Internal error'],
  [500, 'ERR_STORE_DAMAGED', 'Damaged member'],
  [503, 'ERR_POST_NOT_STORED', 'Not stored'],
  [503, 'ERR_ACCEPTS_WAITING', 'Too many waiting'],
  [503, 'ERR_CONNECTIONS_ADDRESS', 'Too many connections of one address'],
  [503, 'ERR_CONNECTIONS_FULL', 'Too many connections'],
  [503, 'ERR_REPLAYS_FULL', 'Too many replays'],
  [503, 'ERR_OWNER_LOST', 'Documents unavailable'],
  [503, 'ERR_WRITER_UNKNOWN', 'No writer'],
  [503, 'ERR_NODE_BEHIND', 'Node catching up'],
  [503, 'ERR_LOG_CLOSED', 'Shutting down'],
  [503, 'ERR_POST_STOPPING', 'Stopping'],
  [503, 'ERR_STOPPING', 'Stopping'],
];

/** What answers an error by its code; errors that are not in it are faults of the server. */
export const answers: ReadonlyMap<string, { readonly status: number; readonly title: string }> = new Map(
  ANSWERS.map(([status, code, title]) => [code, { status, title }]),
);
