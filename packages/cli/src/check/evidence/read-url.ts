import type { PoliteClient } from '../http/polite-client.ts';
import { type CheckedDocument, checkedDocument } from './checked-document.ts';

/** How many redirects in a row are followed. */
const MOST_REDIRECTS = 10;

/**
 * Reads a URL as a document, redirects followed; `undefined` when the client may not ask any more.
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
    const location = exchange.fields.location ?? '';
    const isRedirect = [301, 302, 303, 307, 308].includes(exchange.status) && URL.canParse(location, target);
    if (!isRedirect || redirects === MOST_REDIRECTS) return await checkedDocument(url, exchange);
    const next = new URL(location, target);
    next.hash = '';
    target = next.href;
  }
}
