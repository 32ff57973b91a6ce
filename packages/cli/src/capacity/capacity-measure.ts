/*
 * What a server of this machine answers: it is asked for some seconds by some connections. Another one is only looked at.
 *
 *   http://localhost:3000/vehicles -> its latest state, plain and in gzip -> 16 connections for 3 s -> { requestsPerSecond: 4200,
 *     payloadBytes: 5000, compressedBytes: 700, intervalSeconds: 20, breakEvenSeconds: 10, ownShare: 0.85, ... }
 *
 * It follows no redirect, and asks nothing more once it is answered by 429 or 503.
 */
import { setMaxListeners } from 'node:events';
import { MICRO_CACHE_SECONDS, retryAfterMs } from '@ldes-live/latency';
import {
  BREAK_EVEN_ATTRIBUTE,
  EVENT_STREAM_MEDIA_TYPE,
  findLink,
  httpFields,
  parseLinks,
  relations,
} from '@ldes-live/rdf-stream';
import { isLoopback } from '../config/forms.ts';
import type { Environment } from '../environment.ts';
import { errors } from '../errors.ts';

interface MeasureEnvironment extends Pick<Environment, 'clock' | 'interrupted' | 'cpuUsage'> {
  readonly fetch: typeof fetch;
  /** Resolves after so many milliseconds; rejects when the signal is aborted. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<unknown>;
  readonly userAgent: string;
  /** CPU time of all processes of this machine, and its cores. */
  readonly machine: () => { readonly busySeconds: number; readonly cores: number };
}

/** What was measured. */
export type Measured = Awaited<ReturnType<typeof measureUrl>>;

/** What measuring a server of this machine may cost at most: enough to see what it can do. */
export const LOOPBACK_LIMITS = {
  /** All requests, those that look at the answer included. */
  requests: 100_000,
  /** Requests under way at a time. */
  connections: 16,
  /** How long to go on asking. */
  askMs: 3000,
  /** Between an answer and the next request of the same connection. */
  pauseMs: 0,
  /** After which everything is given up. */
  totalMs: 15_000,
  /** The largest answer. */
  answerBytes: 64 * 1024 ** 2,
};

/** Of another one: no more than a reader or two would ask. */
const REMOTE_LIMITS: typeof LOOPBACK_LIMITS = {
  requests: 5,
  connections: 1,
  askMs: 20_000,
  pauseMs: 1000,
  totalMs: 30_000,
  answerBytes: 16 * 1024 ** 2,
};

/** How long the machine is watched before it is asked, and again after that. */
const WATCH_MS = 250;
/** What has to be free of the cores that a server and this program can use, a core each: with less the rate is too low. */
const FREE_SHARE = 0.85;

/** The share of answers that may fail before a measurement says nothing. */
const MAX_FAILED_SHARE = 0.01;

/**
 * Measures what answers a URL gives, and how many a second, within limits.
 *
 * @throws {@link StreamError} `ERR_MEASURE` - it does not answer by 200, or more than 1 % of the answers failed
 * @see specs/capacity.md CAP-9, CAP-10
 */
export async function measureUrl(
  given: string,
  environment: MeasureEnvironment,
  limits = isLoopback(given) ? LOOPBACK_LIMITS : REMOTE_LIMITS,
) {
  const { clock, sleep, cpuUsage, interrupted, machine } = environment;
  const cpuSeconds = () => Object.values(cpuUsage?.() ?? {}).reduce((sum, micros) => sum + micros, 0) / 1e6;
  const over = new AbortController();
  const signal = AbortSignal.any([interrupted, over.signal]);
  // Each request listens to it until it is collected, which would be warned of.
  setMaxListeners(0, signal);
  sleep(limits.totalMs, signal).then(
    () => over.abort(new Error('it does not answer in time')),
    () => undefined,
  );
  let [requests, failed, lastFailure, isRefused] = [0, 0, '', false];
  const responseMs: number[] = [];

  const ask = async (url: string, encoding: string) => {
    if (limits.pauseMs > 0 && requests > 0) await sleep(limits.pauseMs, signal);
    requests += 1;
    const sentMs = clock();
    const headers = { 'accept-encoding': encoding, 'user-agent': environment.userAgent };
    const response = await environment.fetch(url, { headers, redirect: 'manual', signal });
    if (isEventStream(response)) {
      // It would never end.
      await response.body?.cancel().catch(() => undefined);
      const remedy = 'give the URL of the stream, or of its latest state';
      throw new Error(`it is a stream of events (${EVENT_STREAM_MEDIA_TYPE}): ${remedy}`);
    }
    let bytes = 0;
    for await (const chunk of response.body ?? []) {
      bytes += (chunk as Uint8Array).byteLength;
      if (bytes > limits.answerBytes) throw new Error(`an answer is larger than ${limits.answerBytes} bytes`);
    }
    if (response.status === 200) return { headers: response.headers, bytes, ms: clock() - sentMs };
    const problem = new Error(statusText(response, clock()));
    isRefused ||= response.status === 429 || response.status === 503;
    if (isRefused) over.abort(problem);
    throw problem;
  };
  const reasonOf = (error: unknown) => {
    if (interrupted.aborted) return 'it was interrupted';
    const { message, cause } = error as Error & { readonly cause?: Partial<NodeJS.ErrnoException> };
    return cause?.code ?? cause?.message ?? message;
  };
  /** Asks on one connection, each time that the last answer has come. */
  const askOn = async (url: string, startedMs: number) => {
    while (requests < limits.requests && clock() - startedMs < limits.askMs && !signal.aborted) {
      try {
        responseMs.push((await ask(url, 'identity')).ms);
      } catch (error) {
        failed += 1;
        lastFailure = reasonOf(error);
      }
    }
  };
  /** How many cores others keep busy while nothing is asked: of the server nobody knows what it takes meanwhile. */
  const busyCores = async () => {
    const [startedMs, busySeconds, ownSeconds] = [clock(), machine().busySeconds, cpuSeconds()];
    await sleep(WATCH_MS, signal).catch(() => undefined);
    const othersSeconds = machine().busySeconds - busySeconds - (cpuSeconds() - ownSeconds);
    return Math.max(0, (othersSeconds * 1000) / Math.max(clock() - startedMs, 1));
  };

  let url = given;
  try {
    const first = await ask(given, 'identity');
    url = latestUrl(given, first.headers) ?? given;
    const latest = url === given ? first : await ask(url, 'identity');
    const stated = { ...statedBy(given, first.headers, clock()), ...statedBy(url, latest.headers, clock()) };
    const { headers } = await ask(url, 'gzip');
    const compressedBytes = Number(headers.get('content-length') ?? Number.NaN);
    const isCompressed = /gzip/i.test(headers.get('content-encoding') ?? '') && compressedBytes > 0;
    const isRemote = !isLoopback(url);
    const busyBefore = isRemote ? 0 : await busyCores();
    const [startedMs, cpuBefore] = [clock(), cpuSeconds()];
    await Promise.all(Array.from({ length: limits.connections }, () => askOn(url, startedMs)));
    const seconds = Math.max(clock() - startedMs, 1) / 1000;
    const ownShare = (cpuSeconds() - cpuBefore) / seconds;
    const othersCores = isRemote ? 0 : (busyBefore + (await busyCores())) / 2;
    if (interrupted.aborted || isRefused) signal.throwIfAborted();
    const asked = responseMs.length + failed;
    if (failed > asked * MAX_FAILED_SHARE || asked === 0) {
      throw new Error(`${failed} of ${asked} answers failed, the last: ${lastFailure}`);
    }
    const { cores } = machine();
    const usable = Math.min(cores, 2);
    const areTooFew = Math.min(cores - othersCores, usable) < usable * FREE_SHARE;
    return {
      /** From one update to the next, and the break-even that the publisher advertises, where header fields tell. */
      ...stated,
      /** What was asked for: the document that polling clients ask for, where the URL given names it. */
      url,
      isRemote,
      requests,
      connections: limits.connections,
      seconds,
      /** Share of a core that this process took meanwhile. */
      ownShare,
      /** Answers with all connections; absent of another machine, as it is the network that was measured there. */
      ...(!isRemote && { requestsPerSecond: responseMs.length / seconds }),
      /** From a request to the last byte of its answer, the median. */
      responseMs: responseMs.sort((left, right) => left - right)[Math.floor(responseMs.length / 2)] ?? 0,
      /** Length of the content, not compressed. */
      payloadBytes: latest.bytes,
      /** Where the server compresses, and tells. */
      ...(isCompressed && { compressedBytes }),
      /** How many cores other programs took just before and after; absent where they left enough of them. */
      ...(areTooFew && { otherLoad: { busyCores: othersCores, cores } }),
    };
  } catch (error) {
    throw errors.ERR_MEASURE({ url, reason: reasonOf(error) }, error);
  } finally {
    over.abort();
  }
}

function isEventStream({ status, headers }: Response): boolean {
  const mediaType = headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
  return status === 200 && mediaType === EVENT_STREAM_MEDIA_TYPE;
}

function statusText({ status, headers }: Response, nowMs: number): string {
  const to = headers.get('location');
  if (status >= 300 && status < 400 && to !== null) return `it redirects to ${to}: give that URL`;
  const waitMs = retryAfterMs(headers.get('retry-after'), nowMs);
  return `it answers with status ${status}${waitMs === undefined ? '' : `, to come back after ${Math.ceil(waitMs / 1000)} s`}`;
}

// The interval is the time from the last update (`Last-Modified`) to the next one (`Next-Update`, else what `max-age` leaves);
// where the last one is not named, what is left until the next, which is less. A document that may be kept for no more than a
// second states no interval.
function statedBy(url: string, headers: Headers, nowMs: number) {
  const answeredMs = instantOf(headers.get('date')) ?? nowMs;
  const maxAge = Number(/(?:^|[\s,])max-age="?(\d+)/i.exec(headers.get('cache-control') ?? '')?.[1]);
  const freshUntilMs = maxAge > MICRO_CACHE_SECONDS ? answeredMs + maxAge * 1000 : undefined;
  const nextMs = instantOf(headers.get(httpFields.nextUpdate)) ?? freshUntilMs;
  const lastMs = instantOf(headers.get('last-modified')) ?? answeredMs;
  const intervalSeconds = nextMs === undefined ? 0 : (nextMs - Math.min(lastMs, answeredMs)) / 1000;
  const links = parseLinks(headers.get('link') ?? '', url);
  const stated = links.find(({ parameters }) => BREAK_EVEN_ATTRIBUTE in parameters)?.parameters[BREAK_EVEN_ATTRIBUTE];
  const breakEvenSeconds = Number(stated || Number.NaN);
  return {
    ...(intervalSeconds > 0 && { intervalSeconds }),
    ...(Number.isFinite(breakEvenSeconds) && breakEvenSeconds >= 0 && { breakEvenSeconds }),
  };
}

/** Where the latest state is, if on the same server, which on this machine may have several names: no other may be asked. */
function latestUrl(url: string, headers: Headers): string | undefined {
  const link = findLink(parseLinks(headers.get('link') ?? '', url), relations.latest)?.target;
  if (link === undefined) return undefined;
  const [target, asked] = [new URL(link), new URL(url)];
  const isSamePort = target.protocol === asked.protocol && target.port === asked.port;
  if (isSamePort && isLoopback(url) && isLoopback(link)) target.host = asked.host;
  return target.origin === asked.origin ? target.href : undefined;
}

function instantOf(field: string | null): number | undefined {
  const ms = Date.parse(field ?? '');
  return Number.isNaN(ms) ? undefined : ms;
}
