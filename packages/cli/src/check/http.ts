// The requests of a check: one at a time, as they go over the wire. No redirect is followed, and nothing is asked for that
// the caller did not name. What goes wrong is part of the answer.
//
//   url, headers -> polite client (rests, waits as 429 and 503 say, ends at its limits) -> sender (one socket a host) ->
//   { url: 'http://a/s', sent: { accept: 'text/turtle' }, sentMs: 1767225600000, status: 200,
//     fields: { etag: '"k3x9a-42"' }, text: '<http://a/s#stream> ...', bytes: 512 }
//
// Without a response the status is 0, and there is a `failure`, such as 'ECONNREFUSED'.

import { once } from 'node:events';
import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { retryAfterMs } from '@ldes-live/latency';
import { type ContactHosts, forbiddenAddress, publicLookup } from '../hosts.ts';

/** How far a check goes, and how gently, where nothing else is asked for. */
export const DEFAULT_CHECK_LIMITS = {
  /** The most nodes of the view to read, the root among them. */
  pages: 20,
  /** Pause before each request but the first, milliseconds. */
  pauseMs: 200,
  /** The largest document, bytes, encoded and decoded. */
  documentBytes: 16 * 1024 * 1024,
  /** The most statements of a document; of JSON-LD the values of its JSON. */
  documentQuads: 250_000,
  /** The most to receive in all, bytes, encoded or decoded, whichever is more: all is kept until it was judged. */
  totalBytes: 64 * 1024 * 1024,
  /** The most statements in all. */
  totalQuads: 500_000,
  /** The longest time for one response, milliseconds. */
  responseMs: 30_000,
  /** The longest time for the whole check, milliseconds. */
  totalMs: 300_000,
  /** The longest wait that a `Retry-After` is granted, milliseconds; beyond it the check stops. */
  retryAfterMs: 60_000,
  /** How long to wait for the first byte of a push endpoint, milliseconds. */
  pushMs: 5_000,
};

/** See {@link DEFAULT_CHECK_LIMITS}. */
export type CheckLimits = Readonly<typeof DEFAULT_CHECK_LIMITS>;

/** One request and what came of it; names of header fields are in lower case. */
export interface Exchange {
  /** Absolute, without fragment. */
  readonly url: string;
  readonly sent: Readonly<Record<string, string>>;
  readonly sentMs: number;
  /** 0 where there was no response. */
  readonly status: number;
  readonly fields: Readonly<Record<string, string>>;
  /** The content, its encoding undone. */
  readonly text: string;
  /** Length of the content as it was sent. */
  readonly bytes: number;
  /** Why there is no response, or not all of it. */
  readonly failure?: string;
}

/** What is asked for beside the URL. */
export interface Question {
  readonly headers: Readonly<Record<string, string>>;
  /** @defaultValue GET */
  readonly method?: 'GET' | 'HEAD';
  /** To stop at the first byte of the content: for what never ends. */
  readonly firstByteOnly?: boolean;
}

interface OutgoingRequest extends Question {
  readonly url: string;
  /** The largest content, encoded and decoded. */
  readonly limitBytes: number;
  /** The longest time for the whole response. */
  readonly limitMs: number;
  readonly signal: AbortSignal;
}

/** Never rejects: what goes wrong is the exchange's `failure`. */
type SendRequest = (request: OutgoingRequest) => Promise<Exchange>;

const NO_RESPONSE = 'the connection was closed without a response';
const STALE_CONNECTION = 'the connection was closed before it was used again';

/** Sends requests over one kept connection a host; `lookup` is that of the system unless given. */
export function createSendRequest(clock: () => number, hosts: ContactHosts, lookup?: LookupFunction) {
  const looked = hosts === 'public' ? publicLookup(lookup) : lookup;
  const options = { keepAlive: true, maxSockets: 1, ...(looked && { lookup: looked }) };
  const agents = { 'http:': new HttpAgent(options), 'https:': new HttpsAgent(options) };
  const attempt: SendRequest = async ({ url, headers: sent, limitBytes, ...asked }) => {
    const sentMs = clock();
    const chunks: Buffer[] = [];
    let request: ClientRequest | undefined;
    let response: IncomingMessage | undefined;
    let failure = hosts === 'public' ? forbiddenAddress(url) : undefined;
    const timer = setTimeout(() => {
      failure ??= `it took longer than ${asked.limitMs / 1000} s`;
      request?.destroy();
    }, asked.limitMs);
    try {
      if (failure === undefined) {
        const protocol = new URL(url).protocol as keyof typeof agents;
        const init = { method: asked.method, headers: sent, agent: agents[protocol], signal: asked.signal };
        request = (protocol === 'https:' ? httpsRequest : httpRequest)(url, init).end();
        // Of a switch of protocols nothing tells but the end.
        const closed = once(request, 'close').then(() => Promise.reject(new Error(NO_RESPONSE)));
        [response] = (await Promise.race([once(request, 'response'), closed])) as [IncomingMessage];
        let bytes = 0;
        // A connection whose response was not read to its end cannot be used again: the end of the loop closes it.
        for await (const chunk of response) {
          chunks.push(chunk);
          bytes += chunk.byteLength;
          if (bytes > limitBytes) failure = `it is larger than ${limitBytes} bytes`;
          if (failure !== undefined || asked.firstByteOnly) break;
        }
      }
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      // Some URLs are read by URL and refused by the request: user names with a broken escape, schemes but those of HTTP.
      if (request === undefined) failure ??= `it cannot be requested: ${message}`;
      else if (response !== undefined) failure ??= 'the connection broke within the content';
      else failure ??= request.reusedSocket ? STALE_CONNECTION : (code ?? message);
    } finally {
      clearTimeout(timer);
    }
    const content = Buffer.concat(chunks);
    const entries = Object.entries(response?.headers ?? {});
    const fields = Object.fromEntries(entries.map(([name, value]) => [name, [value].flat().join(', ')]));
    const decoded = decodeContent(content, fields['content-encoding'], limitBytes);
    if (!asked.firstByteOnly) failure ??= decoded.failure;
    const answer = { status: response?.statusCode ?? 0, fields, text: decoded.text ?? '', bytes: content.byteLength };
    return { url, sent, sentMs, ...answer, ...(failure !== undefined && { failure }) };
  };
  const send: SendRequest = async (outgoing) => {
    const first = await attempt(outgoing);
    // A kept connection may have been closed by the server just before it was used.
    return first.failure === STALE_CONNECTION ? await attempt(outgoing) : first;
  };
  const close = () => {
    for (const agent of Object.values(agents)) agent.destroy();
  };
  return { send, close };
}

const decoders = new Map([
  ['gzip', gunzipSync],
  ['x-gzip', gunzipSync],
  ['br', brotliDecompressSync],
  ['deflate', inflateSync],
]);

// An encoding that is unknown is left as it is.
function decodeContent(content: Buffer, encoding: string | undefined, limitBytes: number) {
  const decode = decoders.get(encoding?.trim().toLowerCase() ?? 'identity');
  // A HEAD request and a 304 are answered with the field, and without the content.
  if (decode === undefined || content.byteLength === 0) return { text: content.toString('utf8') };
  try {
    return { text: decode(content, { maxOutputLength: limitBytes }).toString('utf8') };
  } catch (error) {
    const isTooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    return { failure: isTooLarge ? `it is larger than ${limitBytes} bytes` : `its content is not ${encoding}` };
  }
}

interface PoliteClientOptions {
  readonly send: SendRequest;
  readonly limits: CheckLimits;
  readonly clock: () => number;
  /** Resolves after so many milliseconds; rejects when the signal is aborted. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<unknown>;
  readonly signal: AbortSignal;
  readonly userAgent: string;
  /** What is sent besides to a URL, and is not for reports. @defaultValue nothing */
  readonly ofOrigin?: (url: string) => Question['headers'];
}

/** How often a request is sent that is answered by 429 or 503. */
const ATTEMPTS = 3;

export type PoliteClient = ReturnType<typeof politeClient>;

/** Requests one at a time, with a pause before each, until the limits are reached or the server has had enough. */
export function politeClient({
  send,
  limits,
  clock,
  sleep,
  signal,
  userAgent,
  ofOrigin = () => ({}),
}: PoliteClientOptions) {
  const { totalBytes, totalMs, totalQuads, documentBytes: limitBytes, pauseMs, pushMs, responseMs } = limits;
  const startMs = clock();
  const refusals: Exchange[] = [];
  let [requests, bytes, keptBytes, quads] = [0, 0, 0, 0];
  let longWait: string | undefined;

  const whyStopped = () => {
    if (signal.aborted) return 'it was interrupted';
    if (keptBytes >= totalBytes) return `${totalBytes} bytes were received`;
    if (quads >= totalQuads) return `${totalQuads} statements were read`;
    return clock() - startMs >= totalMs ? `it took ${totalMs / 1000} s` : longWait;
  };
  /** Whether it may go on. */
  const pause = async (ms: number) => {
    if (whyStopped() !== undefined) return false;
    if (ms > 0) await sleep(ms, signal).catch(() => undefined);
    return whyStopped() === undefined;
  };
  const waitMsOf = ({ url, fields }: Exchange, attempt: number) => {
    const waitMs = retryAfterMs(fields['retry-after'] ?? null, clock()) ?? 1000 * 2 ** (attempt - 1);
    if (waitMs > limits.retryAfterMs) longWait = `${url} asks to wait ${Math.round(waitMs / 1000)} s`;
    return waitMs;
  };
  return {
    limits,
    /** The answers by 429 and 503. */
    refusals,
    /** What was asked so far, and why nothing more is; of bytes those of content, as they were sent. */
    used: () => ({ requests, bytes, seconds: (clock() - startMs) / 1000, stopped: whyStopped() }),
    /** Counts statements that were read of an answer. */
    countQuads: (count: number) => {
      quads += count;
    },
    /** Asks once, or more often where 429 or 503 answers; `undefined` when it may not ask any more. */
    ask: async (url: string, question: Question): Promise<Exchange | undefined> => {
      const limitMs = question.firstByteOnly ? pushMs : responseMs;
      const headers = { 'user-agent': userAgent, ...question.headers };
      for (let attempt = 1; ; attempt += 1) {
        if (!(await pause(requests === 0 ? 0 : pauseMs))) return undefined;
        requests += 1;
        const all = { ...headers, ...ofOrigin(url) };
        const exchange = {
          ...(await send({ ...question, url, headers: all, limitBytes, limitMs, signal })),
          sent: headers,
        };
        bytes += exchange.bytes;
        keptBytes += Math.max(exchange.bytes, exchange.text.length);
        // What was cut off says nothing about the server.
        if (signal.aborted) return undefined;
        if (exchange.status !== 429 && exchange.status !== 503) return exchange;
        refusals.push(exchange);
        if (attempt === ATTEMPTS || !(await pause(waitMsOf(exchange, attempt)))) return exchange;
      }
    },
  };
}
