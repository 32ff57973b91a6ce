/* The body of a post: what it may be, and its bytes as text, piece by piece.
 *
 *   header fields -> postedFormat, postedEncoding
 *   request       -> requestBytes (asked for, in time, whole) -> bodyBytes (gunzipped, counted) -> bodyText (UTF-8)
 *   what is refused in the middle -> drainRequest
 *
 * A connection has one body at a time. Who finds that it ended in the middle tells the body by its socket (breakOffPost):
 * the post can still be answered then. */

import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { type Format, formatOf, formats, isStreamError } from '@ldes-live/rdf-stream';
import { errors } from '../errors.ts';

/** What a body may be: a format of RDF, or a JSON-LD document a line. */
export type PostedFormat = Format | 'ndjson';

const NDJSON = 'application/x-ndjson';

/** The media types that a stream takes, as `Accept-Post` lists them. @see https://www.w3.org/TR/ldp/#header-accept-post */
export const ACCEPT_POST = [...Object.values(formats).map(({ mediaType }) => mediaType), NDJSON].join(', ');

/** The format that a `Content-Type` field names; `undefined` when it is not one that is taken. @see specs/ingest.md ING-4 */
export function postedFormat(contentType: string): PostedFormat | undefined {
  const [mediaType = '', ...parameters] = contentType.split(';');
  // All of them are UTF-8.
  const charsets = parameters.flatMap((parameter) => {
    const [name = '', value = ''] = parameter.split('=');
    return name.trim().toLowerCase() === 'charset' ? value.trim() : [];
  });
  if (charsets.length > 1 || charsets.some((charset) => !/^"?utf-?8"?$/i.test(charset))) return undefined;
  return mediaType.trim().toLowerCase() === NDJSON ? 'ndjson' : formatOf(contentType);
}

export type PostedEncoding = 'identity' | 'gzip';

/** As `Accept-Encoding` lists them. @see https://www.rfc-editor.org/rfc/rfc9110#section-12.5.3 */
export const ACCEPTED_ENCODINGS = 'gzip';

/** The encoding that a `Content-Encoding` field names; `undefined` when it is not one that is taken. */
export function postedEncoding(field = 'identity'): PostedEncoding | undefined {
  const encoding = field.trim().toLowerCase();
  if (encoding === 'identity' || encoding === '') return 'identity';
  return encoding === 'gzip' || encoding === 'x-gzip' ? 'gzip' : undefined;
}

const awaited = new WeakSet<IncomingMessage>();

/**
 * Has a server answer those who wait to be asked for their body (`Expect: 100-continue`) as it answers others: who is
 * refused by the header need not send it.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-10.1.1
 * @see specs/ingest.md ING-42
 */
export function letBodiesWait(server: Server, listener: RequestListener): Server {
  return server.on('checkContinue', (request, response) => {
    awaited.add(request);
    listener(request, response);
  });
}

/** Whether a request has a body that nobody has asked for yet. */
export function isBodyAwaited(request: IncomingMessage): boolean {
  return awaited.has(request);
}

/** Asks for the body of a request that waits for that. */
export function askForBody(request: IncomingMessage, response: ServerResponse): void {
  if (awaited.delete(request)) response.writeContinue();
}

// By connection, since who finds that one has ended in the middle of a request knows nothing else.
const readings = new WeakMap<Socket, () => void>();

/** Tells the post that is read from a connection that nothing more will come, so it answers. Says whether there is one. */
export function breakOffPost(socket: Socket): boolean {
  const notify = readings.get(socket);
  notify?.();
  return notify !== undefined;
}

/** Has who reads from a connection notified when it ends in the middle of a request; gives what ends that. */
export function onBreakOff(socket: Socket, notify: () => void): () => void {
  readings.set(socket, notify);
  return () => {
    if (readings.get(socket) === notify) readings.delete(socket);
  };
}

/** Resolves after so many milliseconds, or rejects once the signal is aborted. */
export type Sleep = (durationMs: number, signal: AbortSignal) => Promise<unknown>;

interface BodyOptions {
  readonly limits: { readonly limitSilenceMs: number; readonly limitPostMs: number };
  /** Epoch milliseconds. */
  readonly clock: () => number;
  readonly sleep: Sleep;
  /** Ends it, also while it waits: with its reason. What goes wrong aborts it. */
  readonly ending: AbortController;
}

/**
 * Why what a post waits for is given up when nobody waits for it any more: as `abort()` gives it. Made once, since
 * making one takes the stack, which is a good part of what a small post costs.
 */
export const ENDED: DOMException = new DOMException('This operation was aborted', 'AbortError');

/** After any of these there is more to read, or nothing will come. */
const PROGRESS_EVENTS = ['readable', 'end', 'close', 'error'];

/**
 * The bytes of a body as they come, as fast as they are asked for. The connection stays, whatever becomes of them, and
 * nothing is left on the request that would keep the rest from being dropped.
 *
 * @throws {@link StreamError} `ERR_POST_BROKEN_OFF`, `ERR_POST_LATE`
 * @see specs/ingest.md ING-43
 */
export async function* requestBytes(request: IncomingMessage, options: BodyOptions): AsyncIterable<Buffer> {
  const { clock, sleep, ending } = options;
  const { limitSilenceMs, limitPostMs } = options.limits;
  const { signal } = ending;
  const fromMs = clock();
  let bytes = 0;
  let wake: () => void = () => undefined;
  const notify = () => wake();
  const brokenOff = () => errors.ERR_POST_BROKEN_OFF({ bytes });
  const late = (limit: string, value: number) => errors.ERR_POST_LATE({ limit, value });
  // It may come while what came before is still worked on.
  const endNotice = onBreakOff(request.socket, () => ending.abort(brokenOff()));
  for (const event of PROGRESS_EVENTS) request.on(event, notify);
  signal.addEventListener('abort', notify);
  try {
    for (;;) {
      signal.throwIfAborted();
      const piece: Buffer | null = request.read();
      if (piece) {
        if (clock() - fromMs > limitPostMs) throw late('limitPostMs', limitPostMs);
        bytes += piece.length;
        yield piece;
        continue;
      }
      if (request.readableEnded) return;
      if (request.destroyed) throw brokenOff();
      const silence = new AbortController();
      const endLate = () => ending.abort(late('limitSilenceMs', limitSilenceMs));
      sleep(limitSilenceMs, silence.signal).then(endLate, () => undefined);
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
      silence.abort(ENDED);
    }
  } finally {
    endNotice();
    signal.removeEventListener('abort', notify);
    for (const event of PROGRESS_EVENTS) request.off(event, notify);
  }
}

/** Bytes of what is decompressed at a time. */
const CHUNK_BYTES = 65_536;

/**
 * The bytes of a body once decompressed.
 *
 * @throws {@link StreamError} `ERR_POST_TOO_LARGE`, `ERR_POST_BROKEN_OFF`, `ERR_POST_MALFORMED`
 * @see specs/ingest.md ING-5, ING-40
 */
export async function* bodyBytes(
  sent: AsyncIterable<Buffer>,
  encoding: PostedEncoding,
  limitBodyBytes: number,
): AsyncIterable<Buffer> {
  let bytes = 0;
  for await (const piece of encoding === 'gzip' ? decompressed(sent) : sent) {
    bytes += piece.length;
    if (bytes > limitBodyBytes) throw errors.ERR_POST_TOO_LARGE({ limit: 'limitBodyBytes', value: limitBodyBytes });
    yield piece;
  }
}

async function* decompressed(sent: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  const gunzip = createGunzip({ chunkSize: CHUNK_BYTES });
  try {
    yield* pipeline(sent, gunzip, () => undefined) as AsyncIterable<Buffer>;
  } catch (cause) {
    if (isStreamError(cause)) throw cause;
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code === 'Z_BUF_ERROR') throw errors.ERR_POST_BROKEN_OFF({ bytes: gunzip.bytesWritten }, cause);
    throw errors.ERR_POST_MALFORMED({ format: 'gzip', problem: `${message}.` }, cause);
  }
}

/** The text of bytes, piece by piece. @throws {@link StreamError} `ERR_POST_CHARSET` */
export async function* bodyText(pieces: AsyncIterable<Buffer>): AsyncIterable<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let bytes = 0;
  const decode = (piece?: Buffer) => {
    try {
      return piece ? decoder.decode(piece, { stream: true }) : decoder.decode();
    } catch (cause) {
      throw errors.ERR_POST_CHARSET({ byte: bytes }, cause);
    }
  };
  for await (const piece of pieces) {
    bytes += piece.length;
    const text = decode(piece);
    if (text !== '') yield text;
  }
  // What is left is half a character.
  decode();
}

/** Enough for those who look for an answer only when they have sent all, and bounded for those who never have. */
const DRAIN_BYTES = 64 * 1024 * 1024;
const DRAIN_SILENCE_MS = 5000;
const DRAIN_MS = 30_000;

/** Drops what a request brings that means nothing by it; unless that waits to be asked for, which it never is. */
export function dropContent(request: IncomingMessage, response: ServerResponse, sleep: Sleep): void {
  const { 'content-length': length, 'transfer-encoding': coding } = request.headers;
  const hasContent = (length !== undefined && length !== '0') || coding !== undefined;
  if (hasContent && !isBodyAwaited(request)) drainRequest(request, response, sleep);
}

/**
 * Reads and drops what is still sent of a body that gets its answer before its end. Who sends finds the answer then, and can
 * use the connection again: were it closed at once, what is on its way would have the answer thrown away. Past a limit the
 * connection is cut.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9112#section-9.6
 * @see specs/ingest.md ING-45
 */
export function drainRequest(request: IncomingMessage, response: ServerResponse, sleep: Sleep): void {
  if (request.readableEnded || request.destroyed || request.readableFlowing) return;
  const done = new AbortController();
  const endNotice = onBreakOff(request.socket, () => {
    // Nothing more can come: the answer is the last that is written.
    const end = () => request.socket.destroySoon();
    if (response.writableFinished) end();
    else response.once('finish', end);
  });
  for (const event of ['end', 'close', 'error']) {
    request.once(event, () => {
      endNotice();
      done.abort();
    });
  }
  let bytes = 0;
  request.on('data', (piece: Buffer) => {
    bytes += piece.length;
    if (bytes > DRAIN_BYTES) request.destroy();
  });
  const untilSilent = async () => {
    for (let before = -1; before !== bytes; ) {
      before = bytes;
      await sleep(DRAIN_SILENCE_MS, done.signal);
    }
  };
  // Whichever comes first, unless all has come before.
  Promise.race([untilSilent(), sleep(DRAIN_MS, done.signal)]).then(
    () => request.destroy(),
    () => undefined,
  );
  request.resume();
}
