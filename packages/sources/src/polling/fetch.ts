/* One conditional GET within limits of time and size.
 *
 *   { url: 'https://h/feed.pb', home: 'https://h/feed.pb', headers: { 'x-key': '...' }, validators: { etag: '"1"', url }, limits }
 *     -> { kind: 'body', bytes, validators, url: 'https://h/a/feed.pb', link: undefined }, or { kind: 'unchanged' }
 *
 * Redirects are followed here, so that header fields stay with the origin that they are meant for. The request goes by
 * `node:http`, and not by the `fetch` of Node.js, which takes a compressed body that has lost its end for whole. */

import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { pipeline, Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { retryAfterMs } from '@ldes-live/latency';
import { errors } from '../errors.ts';
import { checkedNumbers, MAX_INTERVAL_MS, type NumberRange, parsedUrl, printableUrl, unescaped } from '../options.ts';
import { Slices } from '../slices.ts';
import type { Fetch, SourceEnvironment } from '../source.ts';

/** How far one GET may go. */
export interface FetchLimits {
  /**
   * Size of the body, decompressed, bytes: 1 or more.
   * @defaultValue 67108864, 64 MiB
   */
  readonly limitBytes: number;
  /**
   * From the request until the headers of the answer, redirects included, milliseconds: 1 to 86400000.
   * @defaultValue 10000
   */
  readonly limitHeadersMs: number;
  /**
   * From the headers of the answer until the end of its body, milliseconds: 1 to 86400000.
   * @defaultValue 30000
   */
  readonly limitBodyMs: number;
  /**
   * How many redirects are followed: 0 to 100.
   * @defaultValue 5
   */
  readonly limitRedirects: number;
}

const RANGES: Readonly<Record<keyof FetchLimits, NumberRange>> = {
  limitBytes: [64 * 1024 * 1024, 1],
  limitHeadersMs: [10_000, 1, MAX_INTERVAL_MS],
  limitBodyMs: [30_000, 1, MAX_INTERVAL_MS],
  limitRedirects: [5, 0, 100],
};

/**
 * Checks limits, and fills in the defaults.
 *
 * @throws {@link StreamError} `ERR_SOURCE_OPTION` - one is out of its range
 */
export function fetchLimits(given: Partial<FetchLimits>): FetchLimits {
  return checkedNumbers(RANGES, given);
}

/** One GET of a feed. */
export interface GetRequest {
  /** Absolute, http or https. */
  readonly url: string;
  /** The URL whose user becomes basic authorization, and whose origin alone gets that and `headers`. */
  readonly home: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Of the body that the caller holds; the answer is complete when absent. */
  readonly validators: Validators | undefined;
  readonly limits: FetchLimits;
}

/** What a GET brought: a body, or that the one that the caller holds is still the one. */
export type GetAnswer =
  | {
      readonly kind: 'body';
      readonly bytes: Uint8Array;
      readonly validators: Validators | undefined;
      /** Where it came from, after redirects. */
      readonly url: string;
      /** The `link` field of the answer. */
      readonly link: string | undefined;
    }
  | { readonly kind: 'unchanged' };

type FetchResponse = Awaited<ReturnType<Fetch>>;

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * Gets a feed once, by a conditional request if there are validators, compressed by gzip, deflate or br where
 * the server does that. Only a status of 200 brings a body.
 *
 * No error holds a secret: URLs are named without query and user, and reasons by their codes.
 *
 * @param signal - ends it; its reason is thrown
 * @throws {@link StreamError} `ERR_FEED_UNREACHABLE` - no connection, or closed before an answer
 * @throws {@link StreamError} `ERR_FEED_TIMEOUT` - over `limitHeadersMs` or `limitBodyMs`
 * @throws {@link StreamError} `ERR_FEED_REDIRECTS` - over `limitRedirects`, as in a loop
 * @throws {@link StreamError} `ERR_FEED_STATUS` - any status but 200, or 304 to a conditional request;
 *   `details.retryAfterMs` is what the server asked for
 * @throws {@link StreamError} `ERR_FEED_TOO_LARGE` - a body over `limitBytes`
 * @throws {@link StreamError} `ERR_FEED_CUT` - a body that is not whole
 * @see specs/gtfs-realtime.md
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-13
 */
export async function get(
  request: GetRequest,
  environment: Pick<SourceEnvironment, 'fetch' | 'clock' | 'sleep'>,
  signal: AbortSignal,
): Promise<GetAnswer> {
  signal.throwIfAborted();
  // A controller of its own for each GET: the caller's signal lives as long as the process, and what is
  // tied to it must be let go of.
  const ending = new AbortController();
  const end = () => ending.abort(signal.reason);
  signal.addEventListener('abort', end, { once: true });
  const within = async <Result>(limitMs: number, phase: 'headers' | 'body', work: Promise<Result>): Promise<Result> => {
    const done = new AbortController();
    const url = printableUrl(new URL(request.url));
    environment.sleep(limitMs, done.signal).then(
      () => ending.abort(errors.ERR_FEED_TIMEOUT({ url, phase, limitMs })),
      () => undefined,
    );
    try {
      return await work;
    } catch (thrown) {
      throw ending.signal.aborted ? ending.signal.reason : thrown;
    } finally {
      done.abort();
    }
  };
  try {
    const { limitHeadersMs, limitBodyMs, limitBytes } = request.limits;
    const { response, url } = await within(limitHeadersMs, 'headers', answerOf(request, environment, ending.signal));
    if (response.status === 304 && request.validators?.url === url.href) return { kind: 'unchanged' };
    if (response.status !== 200) throw await refusal(response, url, environment.clock());
    const bytes = await within(limitBodyMs, 'body', readBody(response, printableUrl(url), limitBytes));
    const link = response.headers.get('link') ?? undefined;
    return { kind: 'body', bytes, validators: validatorsOf(response.headers, url), url: url.href, link };
  } finally {
    signal.removeEventListener('abort', end);
  }
}

async function answerOf(
  { url: start, home, headers, validators, limits }: GetRequest,
  environment: Pick<SourceEnvironment, 'fetch' | 'clock'>,
  signal: AbortSignal,
): Promise<{ response: FetchResponse; url: URL }> {
  const { origin } = new URL(home);
  let url = new URL(start);
  for (let redirects = 0; redirects <= limits.limitRedirects; redirects += 1) {
    const fields = url.origin === origin ? { ...credentialsOf(new URL(home)), ...headers } : {};
    const response = await send(url, { ...fields, ...conditions(url, validators) }, environment, signal);
    if (!REDIRECTS.has(response.status)) return { response, url };
    const target = redirectTarget(response, url);
    if (!target) throw await refusal(response, url, environment.clock());
    await discard(response);
    url = target;
  }
  throw errors.ERR_FEED_REDIRECTS({ url: printableUrl(new URL(start)), limitRedirects: limits.limitRedirects });
}

async function send(
  url: URL,
  headers: Readonly<Record<string, string>>,
  environment: Pick<SourceEnvironment, 'fetch'>,
  signal: AbortSignal,
): Promise<FetchResponse> {
  // Some publishers refuse requests that do not say what sends them. Deflate is not asked for, since some servers send
  // it without the header that zlib wants.
  const ours = { 'accept-encoding': 'gzip, br', accept: '*/*', 'user-agent': 'ldes-live' };
  const fields = new Headers({ ...ours, ...credentialsOf(url) });
  for (const [name, value] of Object.entries(headers)) fields.set(name, value);
  try {
    return await environment.fetch(withoutUser(url), { headers: fields, redirect: 'manual', signal });
  } catch (thrown) {
    throw errors.ERR_FEED_UNREACHABLE({ url: printableUrl(url), reason: reasonCode(thrown) });
  }
}

/** The user and password of a URL as a header field. */
function credentialsOf({ username, password }: URL): Readonly<Record<string, string>> {
  if (username === '' && password === '') return {};
  const credentials = Buffer.from(`${unescaped(username)}:${unescaped(password)}`);
  return { authorization: `Basic ${credentials.toString('base64')}` };
}

// Fetch refuses URLs with a user.
function withoutUser(url: URL): string {
  const bare = new URL(url);
  bare.username = '';
  bare.password = '';
  return bare.href;
}

function redirectTarget(response: FetchResponse, url: URL): URL | undefined {
  const location = response.headers.get('location');
  const target = location === null ? undefined : parsedUrl(location, url);
  return target?.protocol === 'http:' || target?.protocol === 'https:' ? target : undefined;
}

async function refusal(response: FetchResponse, url: URL, nowMs: number): Promise<Error> {
  await discard(response);
  const waitMs = retryAfterMs(response.headers.get('retry-after'), nowMs);
  return errors.ERR_FEED_STATUS({
    url: printableUrl(url),
    status: response.status,
    ...(waitMs === undefined ? {} : { retryAfterMs: waitMs }),
  });
}

// A body that is not read to its end would keep its connection.
async function discard(response: FetchResponse): Promise<void> {
  await response.body?.cancel().catch(() => undefined);
}

/**
 * Sends a GET. The body is decompressed, and broken off by an error where its compressed form is not whole.
 *
 * @throws `Error` with the code of the system, where there is no answer
 */
export const sendGet: Fetch = (url, options) =>
  new Promise((resolve, reject) => {
    const { headers, signal } = options;
    const { request } = url.startsWith('https:') ? https : http;
    const sent = request(url, { headers: Object.fromEntries(headers), signal }, (message) =>
      resolve(responseOf(message)),
    );
    const failed = (thrown: { readonly code?: string }) => {
      // The server closed a connection that was kept just as it was used again: that says nothing of this request.
      if (sent.reusedSocket && thrown.code === 'ECONNRESET') resolve(sendGet(url, options));
      else reject(thrown);
    };
    // Some ends, as of what asks for another protocol, are no error of Node.js.
    const closed = () => reject(Object.assign(new Error('closed before an answer'), { code: 'ECONNRESET' }));
    sent.once('error', failed).once('close', closed).end();
  });

function responseOf(message: IncomingMessage): FetchResponse {
  const headers = new Headers();
  for (const [name, values] of Object.entries(message.headersDistinct)) {
    for (const value of values ?? []) headers.append(name, value);
  }
  const status = message.statusCode ?? 0;
  if (status === 204 || status === 304) {
    // What is not read to its end would keep its connection.
    message.resume();
    return { status, headers, body: null };
  }
  const body = Readable.toWeb(decompressed(message, headers.get('content-encoding') ?? ''));
  return { status, headers, body: body as NonNullable<FetchResponse['body']> };
}

const DECODERS: ReadonlyMap<string, () => NodeJS.ReadWriteStream> = new Map([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);

// What nobody here decompresses is left as it came: whoever reads it says what is wrong with it.
function decompressed(message: IncomingMessage, codings: string): Readable {
  const names = codings.toLowerCase().split(',').reverse();
  const decoders = names.flatMap((name) => DECODERS.get(name.trim())?.() ?? []);
  if (decoders.length === 0) return message;
  // Every fault is one of the last stream as well, where the reader gets it.
  return pipeline([message, ...decoders], () => undefined) as unknown as Readable;
}

/**
 * Reads the body of a response, decompressed.
 *
 * @param url - as it may be shown
 * @param limitBytes - counted while reading, so that a small body that decompresses to a huge one is
 *   stopped in time
 * @throws {@link StreamError} `ERR_FEED_TOO_LARGE` - more than `limitBytes`
 * @throws {@link StreamError} `ERR_FEED_CUT` - the body broke off or cannot be decompressed
 */
async function readBody(response: FetchResponse, url: string, limitBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let received = 0;
  try {
    for await (const chunk of response.body ?? []) {
      received += chunk.length;
      if (received > limitBytes) throw errors.ERR_FEED_TOO_LARGE({ url, limitBytes });
      chunks.push(chunk);
    }
  } catch (thrown) {
    if (received > limitBytes) throw thrown;
    throw errors.ERR_FEED_CUT({ url, received, reason: reasonCode(thrown) });
  }
  return joined(chunks, received);
}

/** As `Buffer.concat`, in slices: for 32 MiB the system takes 100 ms to make room. Lets go of the chunks. */
async function joined(chunks: Uint8Array[], length: number): Promise<Uint8Array> {
  const slices = new Slices();
  const bytes = Buffer.allocUnsafeSlow(length);
  let at = 0;
  for (const chunk of chunks.splice(0)) {
    if (slices.isOver) await slices.next();
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

/**
 * What a failed fetch tells of its reason: a system's or library's code, never a message, since messages
 * may hold header values and URLs with keys.
 */
function reasonCode(thrown: unknown): string {
  const cause = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : thrown;
  const code = (cause as { code?: unknown } | undefined)?.code;
  return typeof code === 'string' ? code : 'no reason given';
}

/** What makes a GET conditional: what an earlier answer said of the body that the caller holds. */
export interface Validators {
  /** The URL that gave it, after redirects: validators mean nothing elsewhere. */
  readonly url: string;
  /** The `etag` field. */
  readonly etag?: string | undefined;
  /** The `last-modified` field, where it tells every version from the next. */
  readonly lastModified?: string | undefined;
}

/**
 * The header fields that make a request conditional; none when the validators are of another URL.
 */
function conditions(url: URL, validators: Validators | undefined): Record<string, string> {
  if (validators?.url !== url.href) return {};
  const { etag, lastModified } = validators;
  return {
    ...(etag === undefined ? {} : { 'if-none-match': etag }),
    ...(lastModified === undefined ? {} : { 'if-modified-since': lastModified }),
  };
}

/**
 * The validators that an answer gives, if it gives any that can be relied upon.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-8.8.2.2
 */
function validatorsOf(headers: Headers, url: URL): Validators | undefined {
  const etag = headers.get('etag');
  const modified = headers.get('last-modified');
  // A body that changed within the second in which it was sent may change again in that second.
  const isPast = modified !== null && Date.parse(headers.get('date') ?? '') - Date.parse(modified) >= 1000;
  if (etag === null && !isPast) return undefined;
  return { url: url.href, etag: etag ?? undefined, lastModified: isPast ? modified : undefined };
}
