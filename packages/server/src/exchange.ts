/** One request on its way to an answer, and what it is refused for. */
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { StreamError } from '@ldes-live/rdf-stream';
import { entryPoints } from './documents/catalog.ts';
import { shapeUrl } from './documents/descriptions.ts';
import { type RequestKind, streamUrls } from './documents/document.ts';
import { errors } from './errors.ts';
import type { Answer } from './http/answer.ts';
import { mergedFields, privateFields, recordOf } from './http/caching.ts';
import { pathOf, statusOf, writeProblem } from './http/problem.ts';
import type { RequestCounts } from './metrics.ts';
import type { OpenStream } from './streams.ts';

/** One request on its way to an answer. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  extraFields: OutgoingHttpHeaders | undefined;
  /** Where its answer is counted. */
  readonly counts: RequestCounts;
  kind: RequestKind;
}

/** An answer, or nothing where what was asked writes its own. */
export type Given = Answer | Promise<Answer | undefined> | undefined;

/**
 * The answer for who may read a stream, such that no cache gives it to anybody else.
 *
 * @param stream - absent of what is beside the streams
 * @throws {@link StreamError} `ERR_READ_REFUSED` - where another process may know better
 * @see specs/documents.md DOC-90, DOC-91
 */
export function permittedAnswer(
  exchange: Exchange,
  stream: OpenStream | undefined,
  answer: (exchange: Exchange) => Given,
): Given {
  if (!stream?.refusal) return answer(exchange);
  const answered = (refused: StreamError | undefined): Given => {
    // A worker knows the tokens too: no crowd is passed on.
    if (refused && 'tokenHashes' in (stream.readers ?? {})) return refuse(exchange, refused);
    if (refused) throw refused;
    const given = answer(exchange);
    return given instanceof Promise ? given.then((made) => privately(exchange, made)) : privately(exchange, given);
  };
  const refused = stream.refusal(exchange.request.headers);
  return refused instanceof Promise ? refused.then(answered) : answered(refused);
}

function refuse({ response, extraFields, counts, kind }: Exchange, refused: StreamError): undefined {
  writeProblem(response, refused, extraFields);
  counts.add(kind, statusOf(refused));
}

// With what an app around says: that goes before what the answer says, also of caches.
function privately(exchange: Exchange, answer: Answer | undefined): Answer | undefined {
  if (!answer) return undefined;
  const fields = privateFields(mergedFields(recordOf(answer.fields), exchange.extraFields ?? {}));
  exchange.extraFields = undefined;
  return { ...answer, fields: Object.entries(fields).flat() as string[] };
}

export function isGone(response: ServerResponse): boolean {
  // Of HTTP/2, where the response does not know.
  if ('stream' in response) return (response.stream as { readonly destroyed: boolean }).destroyed;
  return response.destroyed || response.socket === null;
}

export function unknownDocument(url: string, stream: OpenStream) {
  const { events } = streamUrls(stream.description);
  const known = [...entryPoints(stream).map((entry) => entry.url), shapeUrl(stream.description), events];
  return errors.ERR_DOCUMENT_UNKNOWN({ path: pathOf(url), known });
}
