import { checkFeedUrl } from '../check-option.ts';
import { errors } from '../errors.ts';
import type { Paging } from '../get-pages.ts';
import { createPolledSource } from '../polled-source.ts';
import type { PolledLookup } from '../refresh-lookup.ts';
import { type Source, type SourceEnvironment, systemEnvironment } from '../source.ts';
import { DEFAULT_LIMIT_PAGES, documentFeed, documentLimitsOf, documentLookup } from './document-feed.ts';
import type { HttpSourceOptions } from './http-source-options.ts';
import { pageLinks } from './page-links.ts';

/**
 * Makes the source of a document that is polled over HTTP and mapped: JSON, NDJSON, GeoJSON, CSV or XML.
 *
 * @param edge - the world as the source sees it; where parts are absent, as it is
 * @throws {@link StreamError} `ERR_SOURCE_OPTION` - an option out of its range, a lookup of the mapping without a URL,
 *   or one that the mapping does not have
 * @example
 * ```ts
 * const mapping = compileMapping(parseMapping(yaml), { publicUrl, streamUrl });
 * const source = createHttpSource({ url: 'https://city.example/garages.json', intervalMs: 60_000, mapping });
 * for await (const batch of source.drafts(log.latest, signal)) await log.append(batch);
 * ```
 * @see specs/sources.md SRC-1
 */
export function createHttpSource(options: HttpSourceOptions, edge: Partial<SourceEnvironment> = {}): Source {
  const url = checkFeedUrl('url', options.url);
  const feed = documentFeed(url, options);
  const paging = pagingOf(options);
  const place = { url: url.href, lookups: lookupsOf(options) };
  return createPolledSource({ ...feed, place, ...(paging && { paging }) }, { ...systemEnvironment, ...edge });
}

function pagingOf({ pages, mapping, limits = {}, ...options }: HttpSourceOptions): Paging | undefined {
  if (pages === undefined) return undefined;
  return {
    limitPages: limits.limitPages ?? DEFAULT_LIMIT_PAGES,
    // What of a state is left unread would look as if it had ended; an observation cannot.
    needsAll: mapping.kind === 'state',
    next: pageLinks(pages, mapping.reading, documentLimitsOf({ ...options, limits })),
  };
}

function lookupsOf(options: HttpSourceOptions): Readonly<Record<string, PolledLookup>> {
  const { lookups = {}, mapping } = options;
  for (const name of Object.keys(lookups)) {
    if (Object.hasOwn(mapping.lookups, name)) continue;
    const expected = `one of the lookups of the mapping (${Object.keys(mapping.lookups).join(', ') || 'it has none'})`;
    throw errors.ERR_SOURCE_OPTION({ option: 'lookups', value: `"${name}"`, expected });
  }
  return Object.fromEntries(
    Object.keys(mapping.lookups).map((name) => {
      const lookup = Object.hasOwn(lookups, name) ? lookups[name] : undefined;
      if (lookup) return [name, documentLookup(name, lookup, options)];
      const expected = 'the URL of the document that the mapping looks things up in';
      throw errors.ERR_SOURCE_OPTION({ option: `lookups["${name}"]`, value: 'missing', expected });
    }),
  );
}
