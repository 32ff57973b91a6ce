import { defineErrors, nearestKey, type StreamError } from '@ldes-live/rdf-stream/errors';

/*
 * The errors of this package: a message for each code, made of the values at fault. It says what is wrong and what to do.
 *
 *   throw errors.ERR_MAL_INVALID({ mal: -1 })  -> StreamError { code: 'ERR_MAL_INVALID', details: { mal: -1 }, message }
 */

/** The errors of this package. */
export const errors = defineErrors({
  ERR_MAL_INVALID: ({ mal }: { mal: unknown }) =>
    `The MAL is ${shown(mal)}: give the maximum acceptable latency in seconds, a number above 0, as in { mal: 10 }.`,
  ERR_LIMIT_INVALID: ({ name, value, expected }: { name: string; value: unknown; expected: string }) =>
    `${name} is ${shown(value)}: ${expected}, or leave it out for its default.`,
  ERR_OPTION_INVALID: ({ name, value, expected }: { name: string; value: unknown; expected: string }) =>
    `The option ${name} is ${shown(value)}: give ${expected}.`,
  ERR_OPTION_UNKNOWN: ({ name, meant, known }: { name: string; meant: string | undefined; known: readonly string[] }) =>
    `There is no option ${name}: ${meant === undefined ? `give one of ${known.join(', ')}` : `did you mean ${meant}?`}`,
  ERR_STREAM_URL_INVALID: ({ url }: { url: unknown }) =>
    `${shown(url)} is not the URL of a stream: give an absolute http or https URL as text, without user name or password.`,
  ERR_STATE_INVALID: ({ state, problem }: { state: unknown; problem: string }) =>
    `The saved state ${shown(state)} ${problem}: give the object that follower.state was, or leave it out.`,
  ERR_STATE_MISMATCH: ({ url, stateUrl, filter, stateFilter }: StateMismatch) => {
    const saved = followed(stateUrl, stateFilter);
    return `The saved state is that of ${saved}, not of ${followed(url, filter)}: follow ${saved}, or leave the state out.`;
  },
  ERR_RANGE_INVALID: ({ problem }: { after: unknown; before: unknown; problem: string }) =>
    `${problem} Give instants with their zone, such as 2026-03-01T12:00:00Z, the earlier one as after.`,
  ERR_FOLLOWER_BUSY: ({ url }: { url: string }) =>
    `${url} is being read by another loop over this follower: call follow() once for each loop.`,
  ERR_UNREACHABLE: ({ url, problem }: { url: string; problem: string }) =>
    `${url} could not be read (${problem}): check that the server runs and that the network leads to it.`,
  ERR_RESPONSE_TIMEOUT: ({ url, limitMs }: { url: string; limitMs: number }) =>
    `${url} was not read within ${limitMs} ms: check the server and the network, or raise limits.requestMs.`,
  ERR_RESPONSE_STATUS: ({ url, status }: { url: string; status: number; retryAfterMs?: number }) =>
    `${url} answered ${status}: ${statusRemedy(status, url)}`,
  ERR_RESPONSE_TOO_LARGE: ({ url, limitBytes, limit }: { url: string; limitBytes: number; limit: string }) =>
    `${url} has more than ${limitBytes} bytes: raise limits.${limit} if the server is to be trusted with that much memory.`,
  ERR_REDIRECT_LOOP: ({ url }: { url: string }) =>
    `${url} redirects without end: its publisher has to mend that, or give the URL it should lead to.`,
  ERR_HOST_FORBIDDEN: ({ url, hosts, problem }: { url: string; hosts: string; problem: string }) =>
    `${url} is not asked for, as ${problem} and the option hosts is "${hosts}": give hosts: "any" if the publisher may send this program to any host, of its own network too.`,
  ERR_MEDIA_TYPE_UNSUPPORTED: ({ url, mediaType }: { url: string; mediaType: string }) =>
    `${url} is ${mediaType === '' ? 'of no stated type' : `"${mediaType}"`}, not RDF: give the URL of an event stream that is served as N-Quads, TriG, Turtle, N-Triples or JSON-LD.`,
  ERR_NOT_ROOT: ({ url, rootUrl }: { url: string; rootUrl: string }) =>
    `${url} is a document of the stream whose root is ${rootUrl}: follow that.`,
  ERR_DOCUMENT_INCOMPLETE: ({ url, problem }: { url: string; problem: string }) =>
    `${url} ${problem}: it was cut or is out of date on the way; it is asked for again.`,
  ERR_CONTEXT_MALFORMED: ({ url }: { url: string }) =>
    `The JSON-LD context ${url} is no JSON object: its publisher has to mend that, or the stream has to be read in another format.`,
  ERR_CONTEXTS_TOO_MANY: ({ url, limit }: { url: string; limit: number }) =>
    `${url} would be one JSON-LD context more than the ${limit} that are read for one stream: ask its publisher for another format.`,
  ERR_PUSH_REFUSED: ({ url, problem }: { url: string; problem: string; retryAfterMs?: number }) =>
    `The push endpoint ${url} ${problem}: the stream is followed by pull, and push is tried again later.`,
  ERR_PUSH_SILENT: ({ url, limitMs }: { url: string; limitMs: number }) =>
    `The push endpoint ${url} was silent for ${limitMs} ms: the connection is opened anew.`,
  ERR_PUSH_ENDED: ({ url }: { url: string }) =>
    `The server ended the push connection ${url}: it is opened anew where it ended.`,
  ERR_PUSH_CROWDED: ({ url }: { url: string }) =>
    `There is no connection to spare for ${url}: the stream is followed by pull, and push is tried again later. Serve it by HTTP/2, or follow fewer streams by push.`,
  ERR_CURSOR_UNSUPPORTED: ({ url, from }: { url: string; from: string }) =>
    `${url} cannot be followed from the cursor "${from}", as it is not published by ldes-live: give the saved state of an earlier reading, or start, latest or now.`,
  ERR_CONTEXT_REFUSED: ({ url }: { url: string }) =>
    `The JSON-LD context ${url} is remote and is not fetched: give it inline, or give a documentLoader.`,
  ERR_OBJECT_UNMADE: ({ member, problem }: { member: string; problem: string }) =>
    `No object could be made of ${member} (${problem}): check the JSON-LD context and frame.`,
  ERR_TREE_VIEW_MISSING: ({ url }: { url: string }) =>
    `${url} is no tree:view of an event stream and leads to none: give the URL of the root node of an LDES, of its stream, or of an overview with one view.`,
  ERR_TREE_VIEW_AMBIGUOUS: ({ url, choices }: { url: string; choices: readonly string[] }) =>
    `${url} states ${choices.length} streams or views (${choices.slice(0, 10).join(', ')}): give the URL of the one to read.`,
  ERR_TREE_ORDER_UNKNOWN: ({ stream }: { stream: string }) =>
    `${stream} states neither ldes:timestampPath nor ldes:sequencePath: read it with order none.`,
  ERR_TREE_TIME_UNKNOWN: ({ stream }: { stream: string }) =>
    `${stream} states no ldes:timestampPath, so that its members cannot be chosen by time: leave out after and before.`,
  ERR_TREE_MEMBER_UNORDERED: ({ member, url }: { member: string; url: string }) =>
    `${member} on ${url} has neither the time nor the number by which members are ordered: read the stream with order none.`,
  ERR_TREE_MEMBER_TOO_LARGE: ({ member, limitQuads }: { member: string; limitQuads: number }) =>
    `${member} has more than ${limitQuads} quads: raise limits.memberQuads if the publisher is to be trusted with that much memory.`,
  ERR_TREE_PAGE_TANGLED: ({ url, quads }: { url: string; quads: number }) =>
    `${url} leads round in its ${quads} quads without end: its blank nodes, or the paths of its stream, share or repeat too much. Its publisher has to mend that.`,
  ERR_TREE_WAITING_TOO_MANY: ({ limitMembers }: { limitMembers: number }) =>
    `More than ${limitMembers} members wait for earlier ones: read the stream with order none, or raise limits.waitingMembers.`,
  ERR_TREE_STATE_INVALID: ({ version }: { version: unknown }) =>
    `The saved state is of version ${String(version)} or incomplete, not of version 1: leave it out to read the stream anew.`,
  ERR_TRANSITION_IMPOSSIBLE: ({ state, event }: { state: string; event: string }) =>
    `The event "${event}" cannot happen while ${state}: this is a defect of ldes-live, please report it.`,
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

/** A value for a message: texts in quotation marks, to tell "10" from 10, and no more of it than is needed to know it. */
function shown(value: unknown): string {
  const text = typeof value === 'object' || typeof value === 'string' ? JSON.stringify(value) : String(value);
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}...` : text;
}

function statusRemedy(status: number, url: string): string {
  if (status === 404 || status === 410) {
    return `there is no such document. Check the URL: it has to be that of a stream's root; a server of ldes-live lists its streams at its start page, such as ${new URL('/', url).href}.`;
  }
  if (status === 401 || status === 403) return 'give the credentials that it asks for by the option headers.';
  if (status === 406) return 'its server offers none of the RDF formats that the client reads.';
  return status >= 500 || status === 429 ? 'it is asked again later.' : 'check the URL and the request headers.';
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
