import type { Exchange } from '../http/exchange.ts';
import type { PoliteClient } from '../http/polite-client.ts';
import { type CheckedDocument, checkedDocument } from './checked-document.ts';
import { withoutFragment } from './tree-node.ts';

/** How many redirects in a row are followed. */
const MOST_REDIRECTS = 10;

/**
 * Reads a URL as a document, redirects followed; `undefined` when the client may not ask any more. One that leads
 * to no URL of HTTP, or on and on, is the document, with its status as the problem.
 *
 * @param headers - for each request
 */
export async function readUrl(
  client: PoliteClient,
  url: string,
  headers: Readonly<Record<string, string>>,
  method: 'GET' | 'HEAD' = 'GET',
): Promise<CheckedDocument | undefined> {
  let target = url;
  for (let redirects = 0; ; redirects += 1) {
    const exchange = await client.ask(target, { method, headers });
    if (exchange === undefined) return undefined;
    const next = redirectTarget(exchange);
    if (next === undefined || redirects === MOST_REDIRECTS) {
      return await checkedDocument(url, exchange, client.limits.documentQuads);
    }
    target = next;
  }
}

function redirectTarget({ status, fields: { location }, url }: Exchange): string | undefined {
  const isRedirect = [301, 302, 303, 307, 308].includes(status) && location !== undefined;
  return isRedirect ? withoutFragment(location, url) : undefined;
}
