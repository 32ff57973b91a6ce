// The requests of a check: one at a time, as they go over the wire. No redirect is followed, and nothing is asked for that
// the caller did not name. What goes wrong is part of the answer.
//
//   url, headers -> PoliteClient (rests, waits as 429 and 503 say, ends at its limits) -> sender (one socket a host) ->
//   { url: 'http://a/s', sent: { accept: 'text/turtle' }, sentMs: 1767225600000, status: 200,
//     fields: { etag: '"k3x9a-42"' }, text: '<http://a/s#stream> ...', bytes: 512 }
//
// Without a response the status is 0, and there is a `failure`, such as 'ECONNREFUSED'.

import { lookup as lookupName } from 'node:dns';
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { isPublicAddress } from '@ldes-live/client';
import { retryAfterMs } from '@ldes-live/latency';

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

/** Which hosts a check asks: any, or none of a private network. */
export type CheckedHosts = 'any' | 'public';

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

/** Sends one request; never rejects: what goes wrong is the exchange's `failure`. */
type SendRequest = (request: OutgoingRequest) => Promise<Exchange>;

interface Transfer {
  readonly response?: IncomingMessage | undefined;
  /** As it was sent. */
  readonly content?: Buffer;
  readonly failure?: string | undefined;
}

const STALE_CONNECTION = 'the connection was closed before it was used again';

/** Sends requests over one kept connection a host; `lookup` is that of the system unless given. */
export function createSendRequest(clock: () => number, hosts: CheckedHosts, lookup?: LookupFunction) {
  const looked = hosts === 'public' ? publicLookup(lookup) : lookup;
  const options = { keepAlive: true, maxSockets: 1, ...(looked && { lookup: looked }) };
  const agents = { 'http:': new HttpAgent(options), 'https:': new HttpsAgent(options) };
  const attempt: SendRequest = async (outgoing) => {
    const { url, headers, limitBytes, firstByteOnly } = outgoing;
    const sentMs = clock();
    const forbidden = hosts === 'public' ? forbiddenAddress(url) : undefined;
    const transferred: Transfer = forbidden ? { failure: forbidden } : await transfer(outgoing, agents).catch(notSent);
    const { response, content = Buffer.alloc(0) } = transferred;
    const entries = Object.entries(response?.headers ?? {});
    const fields = Object.fromEntries(entries.map(([name, value]) => [name, [value].flat().join(', ')]));
    const decoded = decodeContent(content, fields['content-encoding'], limitBytes);
    const failure = transferred.failure ?? (firstByteOnly ? undefined : decoded.failure);
    const { statusCode: status = 0 } = response ?? {};
    const answer = { status, fields, text: decoded.text ?? '', bytes: content.byteLength };
    return { url, sent: headers, sentMs, ...answer, ...(failure !== undefined && { failure }) };
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

/**
 * The hosts to ask where nothing else was said: what is on the public internet has no reason to lead into the network
 * that the check runs in, what is inside may lead anywhere. A name that cannot be looked up counts as public.
 */
export function hostsOf(url: string, lookup: LookupFunction = lookupName): Promise<CheckedHosts> {
  const hostname = bareHost(url);
  if (isIP(hostname)) return Promise.resolve(isPublicAddress(hostname) ? 'public' : 'any');
  return new Promise((resolve) => {
    lookup(hostname, { all: true }, (error, found) => {
      resolve(error || privateAmong(found) === undefined ? 'public' : 'any');
    });
  });
}

/** Looks names up for connections, and fails where one of the addresses is not public: what is connected to was checked. */
export function publicLookup(lookup: LookupFunction = lookupName): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      const addresses = typeof found === 'string' ? [] : found;
      const forbidden = privateAmong(found);
      const [first] = addresses;
      if (error) callback(error, '');
      else if (forbidden !== undefined) callback(new Error(notPublic(forbidden)), '');
      else if (options.all) callback(null, addresses);
      else callback(null, first?.address ?? '', first?.family);
    });
  };
}

// Of a URL with an address; names are judged when they are looked up.
function forbiddenAddress(url: string): string | undefined {
  const hostname = bareHost(url);
  return isIP(hostname) && !isPublicAddress(hostname) ? notPublic(hostname) : undefined;
}

function privateAmong(found: Parameters<Parameters<LookupFunction>[2]>[1]): string | undefined {
  if (typeof found === 'string') return isPublicAddress(found) ? undefined : found;
  return found?.find(({ address }) => !isPublicAddress(address))?.address;
}

function bareHost(url: string): string {
  return new URL(url).hostname.replace(/^\[|\]$/g, '');
}

function notPublic(address: string): string {
  return `${address} is not a public address, and was not asked (--hosts any asks all)`;
}

/** What a {@link PoliteClient} works with. */
interface PoliteClientOptions {
  readonly send: SendRequest;
  readonly limits: CheckLimits;
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
  /** Requests sent. */
  requests = 0;
  /** Bytes of content received, as they were sent. */
  bytes = 0;
  /** The answers by 429 and 503. */
  readonly refusals: Exchange[] = [];
  readonly limits: CheckLimits;
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
    const { send, signal, userAgent } = this.#options;
    const { pauseMs, documentBytes: limitBytes, pushMs, responseMs } = this.limits;
    const limitMs = question.firstByteOnly ? pushMs : responseMs;
    const headers = { 'user-agent': userAgent, ...question.headers };
    for (let attempt = 1; ; attempt += 1) {
      if (!(await this.#pause(this.requests === 0 ? 0 : pauseMs))) return undefined;
      this.requests += 1;
      const exchange = await send({ ...question, url, headers, limitBytes, limitMs, signal });
      this.bytes += exchange.bytes;
      // What was cut off says nothing about the server.
      if (signal.aborted) return undefined;
      if (exchange.status !== 429 && exchange.status !== 503) return exchange;
      this.refusals.push(exchange);
      if (attempt === ATTEMPTS || !(await this.#pause(this.#waitMs(exchange, attempt)))) return exchange;
    }
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
