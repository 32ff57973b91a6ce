/*
 * The streams that a server offers, as its catalogue says in DCAT. Whatever host the catalogue names, a stream is
 * followed below the page's own base: the page may have come through another name of the same server.
 *
 *   http://h/ (N-Triples) -> [{ name: 'vehicles', title: 'Vehicle positions', keywords: [...], sparql: true, ... }]
 */
import { dcat, dct, foaf } from '@ldes-live/rdf-stream/vocabulary';
import { signal } from '@preact/signals';
import type { Quad } from '@rdfjs/types';

export interface CatalogStream {
  readonly name: string;
  readonly title: string;
  readonly description?: string;
  readonly licence?: string;
  readonly publisher?: string;
  readonly keywords: readonly string[];
  /** Whether it takes queries. */
  readonly sparql: boolean;
  /** Where its publisher states one. */
  readonly intervalSeconds?: number;
}

interface Catalog {
  readonly streams: readonly CatalogStream[];
  /** Who publishes all of them, where that is one. */
  readonly publisher?: string;
  /** Address of the server as its publisher writes it. */
  readonly publicUrl: string;
}

const POLLING_INTERVAL = 'https://w3id.org/ldes#pollingInterval';
const SPARQL_ENDPOINT = 'http://rdfs.org/ns/void#sparqlEndpoint';

/** Reads the catalogue of a server. @throws where it cannot be had: what `fetch` throws, or an error with the status */
async function readCatalog(url: string, signal: AbortSignal): Promise<Catalog> {
  const response = await fetch(url, { headers: { accept: 'application/n-triples' }, signal });
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
  const { parseNQuads } = await import('@ldes-live/rdf-stream');
  return catalogOf(parseNQuads(await response.text()));
}

export function catalogOf(quads: readonly Quad[]): Catalog {
  const values = (subject: string, predicate: string) =>
    quads
      .filter((quad) => quad.subject.value === subject && quad.predicate.value === predicate)
      .map(({ object }) => object.value);
  const [catalog] = quads.filter(({ object }) => object.value === dcat.Catalog);
  const publicUrl = catalog?.subject.value ?? '';
  const publisherOf = (subject: string) => values(subject, dct.publisher).flatMap((iri) => values(iri, foaf.name))[0];
  const optional = <Key extends string>(key: Key, value: string | undefined) =>
    (value === undefined ? {} : { [key]: value }) as { readonly [Name in Key]?: string };
  const streams = values(publicUrl, dcat.dataset).map((iri): CatalogStream => {
    const [interval] = values(iri, POLLING_INTERVAL);
    const url = iri.split('#', 1)[0] as string;
    return {
      name: url.slice(url.lastIndexOf('/') + 1),
      title: values(iri, dct.title)[0] ?? url,
      ...optional('description', values(iri, dct.description)[0]),
      ...optional('licence', values(iri, dct.license)[0]),
      ...optional('publisher', publisherOf(iri)),
      keywords: values(iri, dcat.keyword),
      sparql: values(iri, SPARQL_ENDPOINT).length > 0,
      ...(interval !== undefined && { intervalSeconds: Number(interval) }),
    };
  });
  return { streams, publicUrl, ...optional('publisher', publisherOf(publicUrl)) };
}

/** The catalogue, or why there is none; read once for all pages. */
export const catalog = signal<Catalog | Error | undefined>(undefined);

const RETRY_MS = 5000;
const LIMIT_RETRY_MS = 60_000;
let retry: ReturnType<typeof setTimeout> | undefined;

/** Reads the catalogue; where that fails, again after growing waits. */
export async function loadCatalog(url: string, waitMs = RETRY_MS): Promise<void> {
  clearTimeout(retry);
  try {
    catalog.value = await readCatalog(url, AbortSignal.timeout(30_000));
  } catch (error) {
    catalog.value = error as Error;
    retry = setTimeout(() => void loadCatalog(url, Math.min(waitMs * 2, LIMIT_RETRY_MS)), waitMs);
  }
}
