import { parsedUrl } from '../http/parsed-url.ts';
import type { Host } from './host.ts';

/** Where the timeline tells a protocol: what a page has loaded, and the page itself. */
const ENTRY_TYPES = ['resource', 'navigation'];

/**
 * Whether connections to an origin are known to carry any number of requests at once, as those of HTTP/2 and HTTP/3
 * do. The last connection to it decides. Not so when nobody tells: the server of another origin has to let pages know
 * by `Timing-Allow-Origin`.
 *
 * @param origin - scheme, host and port
 * @see https://www.w3.org/TR/resource-timing/#dom-performanceresourcetiming-nexthopprotocol
 */
export function multiplexes(host: Host, origin: string): boolean {
  for (const type of ENTRY_TYPES) {
    const entries = host.performance?.getEntriesByType?.(type) ?? [];
    const told = entries.findLast(({ name, nextHopProtocol }) => nextHopProtocol && originOf(name) === origin);
    if (told) return /^h[23]/.test(told.nextHopProtocol as string);
  }
  return false;
}

function originOf(url: string): string | undefined {
  return parsedUrl(url)?.origin;
}
