import { defineErrors, formatDuration, nearestKey, type StreamError } from '@ldes-live/rdf-stream/errors';

/*
 * The errors of this package: a message for each code, made of the values at fault. It says what is wrong and what to do.
 *
 *   throw errors.ERR_MAL_INVALID({ mal: -1 })  -> StreamError { code: 'ERR_MAL_INVALID', details: { mal: -1 }, message }
 */

/** The errors of this package. */
export const errors = defineErrors({
  ERR_MAL_INVALID: ({ mal }: { mal: unknown }) =>
    `The MAL ${shown(mal)} is not a number above 0. Give the maximum acceptable latency in seconds, such as { mal: 10 }.`,
  ERR_LIMIT_INVALID: ({ name, value, expected }: { name: string; value: unknown; expected: string }) =>
    `${name} is ${shown(value)}: ${expected}, or omit it to use the default.`,
  ERR_OPTION_INVALID: ({ name, value, expected }: { name: string; value: unknown; expected: string }) =>
    `The option ${name} is ${shown(value)}: give ${expected}.`,
  ERR_OPTION_UNKNOWN: ({ name, meant, known }: { name: string; meant: string | undefined; known: readonly string[] }) =>
    `Unknown option ${name}. ${meant === undefined ? `Give one of ${known.join(', ')}.` : `Did you mean ${meant}?`}`,
  ERR_STREAM_URL_INVALID: ({ url }: { url: unknown }) =>
    `${shown(url)} is not the URL of a stream. Give an absolute http or https URL as a string, without user name and password.`,
  ERR_STATE_INVALID: ({ state, problem }: { state: unknown; problem: string }) =>
    `The saved state ${shown(state)} ${problem}. Give a value of follower.state, or omit the state.`,
  ERR_STATE_MISMATCH: ({ url, stateUrl, filter, stateFilter }: StateMismatch) => {
    const saved = followed(stateUrl, stateFilter);
    return `The saved state belongs to ${saved}, not to ${followed(url, filter)}. Follow ${saved}, or omit the state.`;
  },
  ERR_RANGE_INVALID: ({ problem }: { after: unknown; before: unknown; problem: string }) =>
    `${problem} Give times with a time zone, such as 2026-03-01T12:00:00Z. The earlier one is after.`,
  ERR_FOLLOWER_BUSY: ({ url }: { url: string }) =>
    `Another loop already reads ${url} with this follower. Call follow() once for each loop.`,
  ERR_UNREACHABLE: ({ url, problem }: { url: string; problem: string }) =>
    `${url} could not be read (${problem}). Check that the server runs and that this machine can reach it.`,
  ERR_RESPONSE_TIMEOUT: ({ url, limitMs }: { url: string; limitMs: number }) =>
    `${url} was not read within ${formatDuration(limitMs)}. Check the server and the network, or raise limits.requestMs.`,
  ERR_RESPONSE_STATUS: ({ url, status }: { url: string; status: number; retryAfterMs?: number }) =>
    `${url} answered with status ${status}: ${statusRemedy(status, url)}`,
  ERR_RESPONSE_TOO_LARGE: ({ url, limitBytes, limit }: { url: string; limitBytes: number; limit: string }) =>
    `${url} has more than ${limitBytes} bytes. If you trust the server with more memory, raise limits.${limit}.`,
  ERR_REDIRECT_LOOP: ({ url }: { url: string }) =>
    `${url} redirects in a loop. Give the URL of the final document, or ask the publisher to fix the redirects.`,
  ERR_HOST_FORBIDDEN: ({ url, hosts, problem }: { url: string; hosts: string; problem: string }) =>
    `${url} was not requested: the option hosts is "${hosts}", and ${problem}. Give hosts: "any" to allow every host, private networks included.`,
  ERR_MEDIA_TYPE_UNSUPPORTED: ({ url, mediaType }: { url: string; mediaType: string }) =>
    `${url} is not RDF: its media type is ${mediaType === '' ? 'missing' : `"${mediaType}"`}. Give the URL of an event stream in N-Quads, TriG, Turtle, N-Triples or JSON-LD.`,
  ERR_NOT_ROOT: ({ url, rootUrl }: { url: string; rootUrl: string }) =>
    `${url} is not the root of a stream. Follow its root, ${rootUrl}.`,
  ERR_DOCUMENT_INCOMPLETE: ({ url, problem }: { url: string; problem: string }) =>
    `${url} ${problem}. A cache or proxy cut it or served an old copy. The client requests it again.`,
  ERR_CONTEXT_MALFORMED: ({ url }: { url: string }) =>
    `The JSON-LD context ${url} is not a JSON object. Ask its publisher to correct it, or to offer another format.`,
  ERR_CONTEXTS_TOO_MANY: ({ url, limit }: { url: string; limit: number }) =>
    `The stream refers to more than ${limit} JSON-LD contexts, the last one ${url}. Ask its publisher for another format.`,
  ERR_PUSH_REFUSED: ({ url, problem }: { url: string; problem: string; retryAfterMs?: number }) =>
    `The push endpoint ${url} ${problem}. The client polls instead and tries push again later.`,
  ERR_PUSH_SILENT: ({ url, limitMs }: { url: string; limitMs: number }) =>
    `The push endpoint ${url} sent nothing for ${formatDuration(limitMs)}. The client opens a new connection.`,
  ERR_PUSH_ENDED: ({ url }: { url: string }) =>
    `The server ended the push connection ${url}. The client opens a new one and resumes after the last event.`,
  ERR_PUSH_CROWDED: ({ url }: { url: string }) =>
    `No free connection for push from ${url}. The client polls instead and tries push again later. Serve the stream over HTTP/2, or follow fewer streams by push.`,
  ERR_CURSOR_UNSUPPORTED: ({ url, from }: { url: string; from: string }) =>
    `${url} has no cursor "${from}": ldes-live does not publish this stream. Give a saved state, or start, latest or now.`,
  ERR_CONTEXT_REFUSED: ({ url }: { url: string }) =>
    `The remote JSON-LD context ${url} is not fetched. Give the context inline, or give a documentLoader.`,
  ERR_OBJECT_UNMADE: ({ member, problem }: { member: string; problem: string }) =>
    `${member} could not be converted to an object (${problem}). Check the JSON-LD context and frame.`,
  ERR_TREE_VIEW_MISSING: ({ url }: { url: string }) =>
    `${url} is not a tree:view of an event stream and does not link to one. Give the URL of the root node of an LDES, of its stream, or of an overview with one view.`,
  ERR_TREE_VIEW_AMBIGUOUS: ({ url, choices }: { url: string; choices: readonly string[] }) =>
    `${url} has ${choices.length} streams or views. Give the URL of the one to read: ${choices.slice(0, 10).join(', ')}.`,
  ERR_TREE_ORDER_UNKNOWN: ({ stream }: { stream: string }) =>
    `${stream} has no order: it states neither ldes:timestampPath nor ldes:sequencePath. Read it with order none.`,
  ERR_TREE_TIME_UNKNOWN: ({ stream }: { stream: string }) =>
    `${stream} states no ldes:timestampPath, so its members have no time. Omit after and before.`,
  ERR_TREE_MEMBER_UNORDERED: ({ member, url }: { member: string; url: string }) =>
    `${member} on ${url} lacks the time or sequence number that orders the stream. Read the stream with order none.`,
  ERR_TREE_MEMBER_TOO_LARGE: ({ member, limitQuads }: { member: string; limitQuads: number }) =>
    `${member} has more than ${limitQuads} quads. If you trust the publisher with more memory, raise limits.memberQuads.`,
  ERR_TREE_PAGE_TANGLED: ({ url, quads }: { url: string; quads: number }) =>
    `${url} is too entangled to read (${quads} quads): its members share blank nodes too often, or a property path loops. Ask its publisher to correct it.`,
  ERR_TREE_WAITING_TOO_MANY: ({ limitMembers }: { limitMembers: number }) =>
    `More than ${limitMembers} members wait for earlier members. Read the stream with order none, or raise limits.waitingMembers.`,
  ERR_TREE_WAITING_TOO_LARGE: ({ limitQuads }: { limitQuads: number }) =>
    `The members that wait have more than ${limitQuads} quads. Read the stream with order none from the start, or raise limits.waitingQuads.`,
  ERR_TREE_PAGES_TOO_MANY: ({ url, limitPages }: { url: string; limitPages: number }) =>
    `The tree at ${url} leads to more than ${limitPages} pages that are not final. If you trust the publisher, raise limits.knownPages.`,
  ERR_TREE_STATE_INVALID: ({ version }: { version: unknown }) =>
    `The saved state has version ${String(version)}, not 1, or is incomplete. Omit it to read the stream from the beginning.`,
  ERR_TRANSITION_IMPOSSIBLE: ({ state, event }: { state: string; event: string }) =>
    `The event "${event}" cannot happen in the state "${state}". This is a defect of ldes-live: please report it.`,
});

interface StateMismatch {
  url: string;
  stateUrl: string;
  filter?: unknown;
  stateFilter?: unknown;
}

function followed(url: string, filter: unknown): string {
  return filter === undefined ? url : `${url} filtered by ${shown(filter)}`;
}

const SHOWN_CHARACTERS = 100;

/** A value for a message: texts in quotation marks, to tell "10" from 10, shortened. */
function shown(value: unknown): string {
  const text = typeof value === 'object' || typeof value === 'string' ? JSON.stringify(value) : String(value);
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}...` : text;
}

function statusRemedy(status: number, url: string): string {
  if (status === 404 || status === 410) {
    return `the document does not exist. Give the URL of the root of a stream. A server of ldes-live lists its streams on its start page, ${new URL('/', url).href}.`;
  }
  if (status === 401 || status === 403) return 'give the credentials in the option headers.';
  if (status === 406) return 'the server does not offer an RDF format that the client reads.';
  return status >= 500 || status === 429 ? 'the client tries again later.' : 'check the URL and the request headers.';
}

/** Refuses an option that there is not, as one that is misspelt. */
export function checkNames(given: object, names: Readonly<Record<string, true>>): void {
  const known = Object.keys(names);
  for (const name of Object.keys(given)) {
    if (!Object.hasOwn(names, name)) throw errors.ERR_OPTION_UNKNOWN({ name, meant: nearestKey(name, known), known });
  }
}

/** The wait that an error carries as the server's wish, milliseconds. */
export function retryAfterOf({ details }: StreamError): number | undefined {
  return typeof details.retryAfterMs === 'number' ? details.retryAfterMs : undefined;
}
