import { defineErrors } from '@ldes-live/rdf-stream';

/** The errors of this package. */
export const errors = defineErrors({
  ERR_MAL_INVALID: ({ mal }: { mal: unknown }) =>
    `The MAL is ${String(mal)}: give the maximum acceptable latency in seconds, a number above 0 such as 10 or 0.5.`,
  ERR_LIMIT_INVALID: ({ name, value }: { name: string; value: unknown }) =>
    `The limit ${name} is ${String(value)}: give a number above 0, or leave it out for its default.`,
  ERR_STREAM_URL_INVALID: ({ url }: { url: string }) =>
    `"${url}" is not the URL of a stream: give an absolute http or https URL without user name or password.`,
  ERR_STATE_MISMATCH: ({ url, stateUrl }: { url: string; stateUrl: string }) =>
    `The saved state is that of ${stateUrl}, not of ${url}: follow ${stateUrl}, or leave the state out.`,
  ERR_FOLLOWER_BUSY: ({ url }: { url: string }) =>
    `${url} is being read by another loop over this follower: call follow() once for each loop.`,
  ERR_UNREACHABLE: ({ url, problem }: { url: string; problem: string }) =>
    `${url} could not be read (${problem}): check that the server runs and that the network leads to it.`,
  ERR_RESPONSE_TIMEOUT: ({ url, limitMs }: { url: string; limitMs: number }) =>
    `${url} was not read within ${limitMs} ms: check the server and the network, or raise limits.requestMs.`,
  ERR_RESPONSE_STATUS: ({ url, status }: { url: string; status: number; retryAfterMs?: number }) =>
    `${url} answered ${status}: ${statusRemedy(status)}`,
  ERR_RESPONSE_TOO_LARGE: ({ url, limitBytes }: { url: string; limitBytes: number }) =>
    `${url} has more than ${limitBytes} bytes: raise limits.documentBytes if the server is to be trusted with that much memory.`,
  ERR_REDIRECT_LOOP: ({ url }: { url: string }) =>
    `${url} redirects without end: its publisher has to mend that, or give the URL it should lead to.`,
  ERR_MEDIA_TYPE_UNSUPPORTED: ({ url, mediaType }: { url: string; mediaType: string }) =>
    `${url} is ${mediaType === '' ? 'of no stated type' : `"${mediaType}"`}, not RDF: give the URL of an event stream that is served as N-Quads, TriG, Turtle, N-Triples or JSON-LD.`,
  ERR_NOT_LIVE: ({ url, missing }: { url: string; missing: string }) =>
    `${url} lacks ${missing}, which a live stream states: give the root URL of a stream that an ldes-live server publishes.`,
  ERR_NOT_ROOT: ({ url, rootUrl }: { url: string; rootUrl: string }) =>
    `${url} is a document of the stream whose root is ${rootUrl}: follow that.`,
  ERR_DOCUMENT_INCOMPLETE: ({ url, problem }: { url: string; problem: string }) =>
    `${url} ${problem}: it was cut or is out of date on the way; it is asked for again.`,
  ERR_PUSH_REFUSED: ({ url, problem }: { url: string; problem: string; retryAfterMs?: number }) =>
    `The push endpoint ${url} ${problem}: the stream is followed by pull, and push is tried again later.`,
  ERR_PUSH_SILENT: ({ url, limitMs }: { url: string; limitMs: number }) =>
    `The push endpoint ${url} was silent for ${limitMs} ms: the connection is opened anew.`,
  ERR_PUSH_ENDED: ({ url }: { url: string }) =>
    `The server ended the push connection ${url}: it is opened anew where it ended.`,
  ERR_TRANSITION_IMPOSSIBLE: ({ state, event }: { state: string; event: string }) =>
    `The event "${event}" cannot happen while ${state}: this is a defect of ldes-live, please report it.`,
});

function statusRemedy(status: number): string {
  if (status === 404 || status === 410) return 'check the URL; the root of the server lists its streams.';
  if (status === 401 || status === 403) return 'give the credentials that it asks for by the option headers.';
  if (status === 406) return 'its server offers none of the RDF formats that the client reads.';
  return status >= 500 || status === 429 ? 'it is asked again later.' : 'check the URL and the request headers.';
}
