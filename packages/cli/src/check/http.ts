// The requests of a check: one at a time, as they go over the wire. No redirect is followed, and nothing is asked for that
// the caller did not name. What goes wrong is part of the answer.
//
//   url, headers -> PoliteClient (rests, waits as 429 and 503 say, ends at its limits) -> sender (one socket a host) ->
//   { url: 'http://a/s', sent: { accept: 'text/turtle' }, sentMs: 1767225600000, status: 200,
//     fields: { etag: '"k3x9a-42"' }, text: '<http://a/s#stream> ...', bytes: 512 }
//
// Without a response the status is 0, and there is a `failure`, such as 'ECONNREFUSED'.

import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { retryAfterMs } from '@ldes-live/latency';
import { type CheckedHosts, forbiddenAddress, publicLookup } from './public-hosts.ts';

/** How far a check goes, and how gently, where nothing else is asked for. */
export const DEFAULT_CHECK_LIMITS = {
  /** The most nodes of the view to read, the root among them. */
  pages: 20,
  /** Pause before each request but the first, milliseconds. */
  pauseMs: 200,
  /** The largest document, bytes, encoded and decoded. */
  documentBytes: 16 * 1024 * 1024,
  /** The most statements of a document; of JSON-LD the values of its JSON. */
  documentQuads: 1_000_000,
  /** The most to receive in all, bytes. */
  totalBytes: 128 * 1024 * 1024,
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

/** One request and what came of it. */
export interface Exchange {
  /** Absolute, without fragment. */
  readonly url: string;
  /** The header fields that were sent, names in lower case. */
  readonly sent: Readonly<Record<string, string>>;
  /** When the request was sent, epoch milliseconds. */
  readonly sentMs: number;
  /** 0 where there was no response. */
  readonly status: number;
  /** The header fields that came, names in lower case. */
  readonly fields: Readonly<Record<string, string>>;
  /** The content, its encoding undone. */
  readonly text: string;
  /** Length of the content as it was sent, bytes. */
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

/** Sends one request; never rejects: what goes wrong is the exchange's `failure`. */
export type SendRequest = (request: OutgoingRequest) => Promise<Exchange>;

const STALE_CONNECTION = 'the connection was closed before it was used again';

/**
 * Sends requests over one kept connection a host.
 *
 * @param clock - the present, epoch milliseconds
 * @param hosts - which may be asked
 * @param lookup - of names. @defaultValue that of the system
 */
export function createSendRequest(
  clock: () => number,
  hosts: CheckedHosts,
  lookup?: LookupFunction,
): { readonly send: SendRequest; readonly close: () => void } {
  const looked = hosts === 'public' ? publicLookup(lookup) : lookup;
  const options = { keepAlive: true, maxSockets: 1, ...(looked && { lookup: looked }) };
  const agents = { 'http:': new HttpAgent(options), 'https:': new HttpsAgent(options) };
  const attempt = async (outgoing: OutgoingRequest): Promise<Exchange> => {
    const { url, headers, limitBytes, firstByteOnly } = outgoing;
    const sentMs = clock();
    const forbidden = hosts === 'public' ? forbiddenAddress(url) : undefined;
    const transferred: Transfer = forbidden ? { failure: forbidden } : await transfer(outgoing, agents).catch(notSent);
    const { response, content = Buffer.alloc(0) } = transferred;
    const fields = fieldsOf(response);
    const decoded = decodeContent(content, fields['content-encoding'], limitBytes);
    const failure = transferred.failure ?? (firstByteOnly ? undefined : decoded.failure);
    return {
      url,
      sent: headers,
      sentMs,
      status: response?.statusCode ?? 0,
      fields,
      text: decoded.text ?? '',
      bytes: content.byteLength,
      ...(failure !== undefined && { failure }),
    };
  };
  return {
    send: async (outgoing) => {
      const first = await attempt(outgoing);
      // A kept connection may have been closed by the server just before it was used.
      return first.failure === STALE_CONNECTION ? await attempt(outgoing) : first;
    },
    close: () => {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

interface Transfer {
  readonly response?: IncomingMessage | undefined;
  /** As it was sent. */
  readonly content?: Buffer;
  readonly failure?: string | undefined;
}

function transfer(
  { method = 'GET', url, headers, limitBytes, limitMs, firstByteOnly = false, signal }: OutgoingRequest,
  agents: Readonly<{ 'http:': HttpAgent; 'https:': HttpsAgent }>,
): Promise<Transfer> {
  return new Promise((resolve) => {
    let response: IncomingMessage | undefined;
    const chunks: Buffer[] = [];
    let bytes = 0;
    const protocol = new URL(url).protocol as keyof typeof agents;
    const send = protocol === 'https:' ? httpsRequest : httpRequest;
    const request = send(url, { method, headers, agent: agents[protocol], signal });
    const end = (failure?: string) => {
      clearTimeout(timer);
      resolve({ response, content: Buffer.concat(chunks), failure });
      // A connection whose response was not read to its end cannot be used again.
      if (failure !== undefined || firstByteOnly) request.destroy();
    };
    const timer = setTimeout(() => end(`it took longer than ${limitMs / 1000} s`), limitMs);
    request.on('error', (error: NodeJS.ErrnoException) => {
      const isStale = request.reusedSocket && response === undefined;
      end(isStale ? STALE_CONNECTION : (error.code ?? error.message));
    });
    request.on('close', () => {
      // As after a switch of protocols, of which nothing else tells.
      if (response === undefined) end('the connection was closed without a response');
    });
    request.on('response', (incoming) => {
      response = incoming;
      incoming.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        bytes += chunk.byteLength;
        if (firstByteOnly) end();
        else if (bytes > limitBytes) end(`it is larger than ${limitBytes} bytes`);
      });
      incoming.on('error', () => end('the connection broke within the content'));
      incoming.on('end', () => end());
    });
    request.end();
  });
}

// Some URLs are read by URL and refused by the request: user names with a broken escape, schemes but those of HTTP.
function notSent({ message }: Error): Transfer {
  return { failure: `it cannot be asked for: ${message}` };
}

function fieldsOf(response: IncomingMessage | undefined): Record<string, string> {
  const entries = Object.entries(response?.headers ?? {});
  return Object.fromEntries(entries.map(([name, value]) => [name, [value].flat().join(', ')]));
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

/** What a {@link PoliteClient} works with. */
export interface PoliteClientOptions {
  readonly send: SendRequest;
  readonly limits: CheckLimits;
  /** The present, epoch milliseconds. */
  readonly clock: () => number;
  /** Resolves after so many milliseconds; rejects when the signal is aborted. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<unknown>;
  /** Ends it. */
  readonly signal: AbortSignal;
  readonly userAgent: string;
}

/** How often a request is sent that is answered by 429 or 503. */
const ATTEMPTS = 3;

/** Requests one at a time, with a pause before each, until the limits are reached or the server has had enough. */
export class PoliteClient {
  readonly limits: CheckLimits;
  /** Requests sent. */
  requests = 0;
  /** Bytes of content received, as they were sent. */
  bytes = 0;
  /** The answers by 429 and 503. */
  readonly refusals: Exchange[] = [];
  readonly #options: PoliteClientOptions;
  readonly #startMs: number;
  #stopped: string | undefined;

  constructor(options: PoliteClientOptions) {
    this.limits = options.limits;
    this.#options = options;
    this.#startMs = options.clock();
  }

  /** Time since the beginning. */
  get elapsedMs(): number {
    return this.#options.clock() - this.#startMs;
  }

  /** Why nothing more is asked for; absent while there is no reason. */
  get stopped(): string | undefined {
    const { totalBytes, totalMs } = this.limits;
    if (this.#options.signal.aborted) return 'it was interrupted';
    if (this.bytes >= totalBytes) return `${totalBytes} bytes were received`;
    if (this.elapsedMs >= totalMs) return `it took ${totalMs / 1000} s`;
    return this.#stopped;
  }

  /** Asks once, or more often where 429 or 503 answers; `undefined` when it may not ask any more. */
  async ask(url: string, question: Question): Promise<Exchange | undefined> {
    for (let attempt = 1; ; attempt += 1) {
      if (!(await this.#pause(this.requests === 0 ? 0 : this.limits.pauseMs))) return undefined;
      const exchange = await this.#send(url, question);
      if (exchange === undefined) return undefined;
      if (exchange.status !== 429 && exchange.status !== 503) return exchange;
      this.refusals.push(exchange);
      if (attempt === ATTEMPTS || !(await this.#pause(this.#waitMs(exchange, attempt)))) return exchange;
    }
  }

  async #send(url: string, question: Question): Promise<Exchange | undefined> {
    const { send, signal, userAgent } = this.#options;
    const { documentBytes: limitBytes, pushMs, responseMs } = this.limits;
    const headers = { 'user-agent': userAgent, ...question.headers };
    const limitMs = question.firstByteOnly ? pushMs : responseMs;
    this.requests += 1;
    const exchange = await send({ ...question, url, headers, limitBytes, limitMs, signal });
    this.bytes += exchange.bytes;
    // What was cut off says nothing about the server.
    return signal.aborted ? undefined : exchange;
  }

  #waitMs({ url, fields }: Exchange, attempt: number): number {
    const waitMs = retryAfterMs(fields['retry-after'] ?? null, this.#options.clock()) ?? 1000 * 2 ** (attempt - 1);
    if (waitMs > this.limits.retryAfterMs) {
      this.#stopped = `${url} asks to come back after ${Math.round(waitMs / 1000)} s`;
    }
    return waitMs;
  }

  // Whether it may go on.
  async #pause(ms: number): Promise<boolean> {
    if (this.stopped !== undefined) return false;
    if (ms > 0) await this.#options.sleep(ms, this.#options.signal).catch(() => undefined);
    return this.stopped === undefined;
  }
}
