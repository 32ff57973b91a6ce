import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Pages } from '../options.ts';
import { mergedFields } from './caching.ts';
import { normalPath, prefersHtml } from './negotiate.ts';

/** A request that a page may answer. */
interface Asked {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly extraFields: OutgoingHttpHeaders | undefined;
  /** Where its answer is counted. */
  readonly counts: { add(kind: 'other', status: number): void };
}

/** What is of the pages, whatever is asked for. */
const OF_PAGES = /^\/(?:status$|view$|web\/)/;

/**
 * Answers who prefers HTML by the page of a stream or the catalogue, where there are pages.
 *
 * @returns whether it did
 */
export function answersByPage(pages: Pages | undefined, asked: Asked, path: string): boolean {
  return pages !== undefined && prefersHtml(asked.request.headers.accept) && writePage(pages, asked, path);
}

/**
 * Answers a request for a URL at which there is nothing else.
 *
 * @param withoutBase - takes the path of the public URL from a path
 * @returns whether it did
 */
export function answersOfPages(pages: Pages | undefined, asked: Asked, withoutBase: (path: string) => string): boolean {
  const { method, url = '' } = asked.request;
  if (!pages || (method !== 'GET' && method !== 'HEAD')) return false;
  const path = normalPath(url);
  return [...new Set([withoutBase(path), path])].some((one) => OF_PAGES.test(one) && writePage(pages, asked, one));
}

function writePage(pages: Pages, { request, response, extraFields = {}, counts }: Asked, path: string): boolean {
  for (const [name, value] of Object.entries(mergedFields({}, extraFields))) {
    if (value !== undefined) response.setHeader(name, value);
  }
  const isAnswered = pages(request, response, path);
  if (isAnswered) counts.add('other', response.statusCode);
  return isAnswered;
}
