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

/** What measuring a URL works with. */
export interface MeasureEnvironment extends Pick<Environment, 'clock' | 'interrupted' | 'cpuUsage'> {
  readonly fetch: typeof fetch;
  /** Resolves after so many milliseconds; rejects when the signal is aborted. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<unknown>;
  /** Of the `User-Agent` field. */
  readonly userAgent: string;
  /** CPU time of all processes of this machine, and its cores. */
  readonly machine: () => { readonly busySeconds: number; readonly cores: number };
}

/** What was measured. */
export interface Measured {
  /** What was asked for: the document that polling clients ask for, where the URL given names it. */
  readonly url: string;
  readonly isRemote: boolean;
  /** All requests that were sent. */
  readonly requests: number;
  readonly connections: number;
  readonly seconds: number;
  /** Answers a second with all connections; absent of another machine, as it is the network that was measured there. */
  readonly requestsPerSecond?: number;
  /** Share of a core that this process took meanwhile. */
  readonly ownShare: number;
  /** From a request to the last byte of its answer, the median. */
  readonly responseMs: number;
  /** Length of the content, not compressed. */
  readonly payloadBytes: number;
  /** Length of the content compressed, where the server does that and tells. */
  readonly compressedBytes?: number;
  /** From one update to the next; absent where the header fields do not tell. */
  readonly intervalSeconds?: number;
  /** The break-even that the publisher advertises. */
  readonly breakEvenSeconds?: number;
  /** How many cores other programs took just before and after; absent where they left enough of them. */
  readonly otherLoad?: { readonly busyCores: number; readonly cores: number };
}

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
 * @see specs/capacity.md CAP-9 to CAP-13
 */
export async function measureUrl(
  given: string,
  environment: MeasureEnvironment,
  limits = isLoopback(given) ? LOOPBACK_LIMITS : REMOTE_LIMITS,
): Promise<Measured> {
  const { clock, sleep, cpuUsage, interrupted, machine } = environment;
  const cpuSeconds = () => Object.values(cpuUsage?.() ?? {}).reduce((sum, micros) => sum + micros, 0) / 1e6;
  const over = new AbortController();
  const signal = AbortSignal.any([interrupted, over.signal]);
  // Each request listens to it until it is collected, which would be warned of.
  setMaxListeners(0, signal);
  sleep(limits.totalMs, signal).then(
    () => over.abort(),
    () => undefined,
  );
  let [requests, failed, lastFailure] = [0, 0, ''];
  /** Why the server wants to be asked no more. */
  let refusal: string | undefined;
  const responseMs: number[] = [];

  const ask = async (url: string, encoding: string) => {
    requests += 1;
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
    if (response.status === 200) return { headers: response.headers, bytes };
    const reason = statusText(response, clock());
    if (response.status === 429 || response.status === 503) {
      refusal ??= reason;
      over.abort();
    }
    throw new Error(reason);
  };
  const reasonOf = (error: unknown) => {
    if (refusal !== undefined) return refusal;
    if (over.signal.aborted && (error as Error).name === 'AbortError') return 'it does not answer in time';
    const { message, cause } = error as Error & { readonly cause?: Partial<NodeJS.ErrnoException> };
    return cause?.code ?? cause?.message ?? message;
  };
  const pause = async () => {
    if (limits.pauseMs > 0) await sleep(limits.pauseMs, signal).catch(() => undefined);
  };
  /** Asks on one connection, each time that the last answer has come. */
  const askOn = async (url: string, startedMs: number) => {
    for (;;) {
      await pause();
      const sentMs = clock();
      if (requests >= limits.requests || sentMs - startedMs >= limits.askMs || signal.aborted) return;
      try {
        await ask(url, 'identity');
        responseMs.push(clock() - sentMs);
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
    const { latestUrl, ...firstStated } = statedBy(given, first.headers, clock());
    url = latestUrl ?? given;
    if (url !== given) await pause();
    const latest = url === given ? first : await ask(url, 'identity');
    await pause();
    const zipped = await ask(url, 'gzip');
    const isRemote = !isLoopback(url);
    const busyBefore = isRemote ? 0 : await busyCores();
    const [startedMs, cpuBefore] = [clock(), cpuSeconds()];
    await Promise.all(Array.from({ length: limits.connections }, () => askOn(url, startedMs)));
    const seconds = Math.max(clock() - startedMs, 1) / 1000;
    const ownShare = (cpuSeconds() - cpuBefore) / seconds;
    const othersCores = isRemote ? 0 : (busyBefore + (await busyCores())) / 2;
    const asked = responseMs.length + failed;
    if (interrupted.aborted) throw new Error('it was interrupted');
    if (refusal !== undefined) throw new Error(refusal);
    if (failed > asked * MAX_FAILED_SHARE || asked === 0) {
      throw new Error(`${failed} of ${asked} answers failed, the last: ${lastFailure}`);
    }
    const compressedBytes = Number(zipped.headers.get('content-length') ?? Number.NaN);
    const isCompressed = /gzip/i.test(zipped.headers.get('content-encoding') ?? '') && compressedBytes > 0;
    const { latestUrl: _, ...stated } = statedBy(url, latest.headers, clock());
    const { cores } = machine();
    return {
      ...firstStated,
      ...stated,
      url,
      isRemote,
      requests,
      connections: limits.connections,
      seconds,
      ownShare,
      ...(!isRemote && { requestsPerSecond: responseMs.length / seconds }),
      responseMs: responseMs.sort((left, right) => left - right)[Math.floor(responseMs.length / 2)] ?? 0,
      payloadBytes: latest.bytes,
      ...(isCompressed && { compressedBytes }),
      ...(leavesTooFew(othersCores, cores) && { otherLoad: { busyCores: othersCores, cores } }),
    };
  } catch (error) {
    throw errors.ERR_MEASURE({ url, reason: reasonOf(error) }, error);
  } finally {
    over.abort();
  }
}

function leavesTooFew(busyCores: number, cores: number): boolean {
  const usable = Math.min(cores, 2);
  return Math.min(cores - busyCores, usable) < usable * FREE_SHARE;
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
  const latest = findLink(links, relations.latest)?.target;
  const latestUrl = latest === undefined ? undefined : onSameServer(latest, url);
  return {
    ...(intervalSeconds > 0 && { intervalSeconds }),
    ...(Number.isFinite(breakEvenSeconds) && breakEvenSeconds >= 0 && { breakEvenSeconds }),
    ...(latestUrl !== undefined && { latestUrl }),
  };
}

/** A link, where it leads to the same server, which on this machine may have several names: no other may be asked. */
function onSameServer(link: string, url: string): string | undefined {
  const [target, asked] = [new URL(link), new URL(url)];
  const isSamePort = target.protocol === asked.protocol && target.port === asked.port;
  if (isSamePort && isLoopback(url) && isLoopback(link)) target.host = asked.host;
  return target.origin === asked.origin ? target.href : undefined;
}

function instantOf(field: string | null): number | undefined {
  const ms = Date.parse(field ?? '');
  return Number.isNaN(ms) ? undefined : ms;
}
