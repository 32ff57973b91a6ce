import { MICRO_CACHE_SECONDS } from '@ldes-live/latency';
import { BREAK_EVEN_ATTRIBUTE, findLink, httpFields, parseLinks, relations } from '@ldes-live/rdf-stream';
import { isLoopback } from './is-loopback.ts';

/** What the header fields of an answer tell of its stream. */
export interface AnswerFacts {
  /** From one update to the next, seconds; absent where nothing tells. */
  readonly intervalSeconds?: number;
  /** The break-even that the publisher advertises, seconds. */
  readonly breakEvenSeconds?: number;
  /** URL of the document that polling clients ask for, where the answer names one at the same place. */
  readonly latestUrl?: string;
}

/**
 * Reads the header fields of an answer. Pure.
 *
 * The interval is the time from the last update (`Last-Modified`) to the next one (`Next-Update`, else what `max-age` leaves); where
 * the last one is not named, what is left until the next, which is less. A document that may be kept for no more than a
 * second states no interval.
 *
 * @param url - of the document
 * @param nowMs - the present, epoch milliseconds, for answers without `Date`
 */
export function answerFacts(url: string, headers: Headers, nowMs: number): AnswerFacts {
  const answeredMs = instantOf(headers.get('date')) ?? nowMs;
  const maxAge = Number(/(?:^|[\s,])max-age="?(\d+)/i.exec(headers.get('cache-control') ?? '')?.[1]);
  const nextMs =
    instantOf(headers.get(httpFields.nextUpdate)) ??
    (maxAge > MICRO_CACHE_SECONDS ? answeredMs + maxAge * 1000 : undefined);
  const lastMs = instantOf(headers.get('last-modified')) ?? answeredMs;
  const intervalSeconds = nextMs === undefined ? 0 : (nextMs - Math.min(lastMs, answeredMs)) / 1000;
  const links = parseLinks(headers.get('link') ?? '', url);
  const stated = links.find(({ parameters }) => BREAK_EVEN_ATTRIBUTE in parameters)?.parameters[BREAK_EVEN_ATTRIBUTE];
  const breakEven = Number(stated || Number.NaN);
  const latest = findLink(links, relations.latest)?.target;
  const latestUrl = latest === undefined ? undefined : sameServer(latest, url);
  return {
    ...(intervalSeconds > 0 && { intervalSeconds }),
    ...(Number.isFinite(breakEven) && breakEven >= 0 && { breakEvenSeconds: breakEven }),
    ...(latestUrl !== undefined && { latestUrl }),
  };
}

/** A link of a document, where it leads to the same server, which on this machine may have several names; no other was asked for. */
function sameServer(link: string, url: string): string | undefined {
  const [target, asked] = [new URL(link), new URL(url)];
  const { protocol, port } = asked;
  if (isLoopback(url) && /^https?:$/.test(target.protocol) && isLoopback(target.href)) {
    if (target.protocol === protocol && target.port === port) target.host = asked.host;
  }
  return target.origin === asked.origin ? target.href : undefined;
}

function instantOf(field: string | null): number | undefined {
  const ms = Date.parse(field ?? '');
  return Number.isNaN(ms) ? undefined : ms;
}
