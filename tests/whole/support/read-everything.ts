import { formatOf, formats, parseQuads } from '@ldes-live/codec';

/** Reads a server through its port, whatever its public URL is, and without anything added or undone on the way. */
export interface PathReader {
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<RawAnswer>;
}

/** What came of a request. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly content: Buffer;
}

/**
 * Finds every path that can be reached from the catalogue: by IRIs in documents, by `Link`, and by redirects.
 * Push endpoints are left out, since their answers do not end.
 *
 * @param publicUrl - ends in `/`
 * @param seeds - paths to begin with besides the catalogue
 */
export async function reachablePaths(
  reader: PathReader,
  publicUrl: string,
  seeds: readonly string[] = [],
): Promise<string[]> {
  const found = ['/', ...seeds];
  const seen = new Set(found);
  for (let index = 0; index < found.length; index += 1) {
    const path = found[index] as string;
    const { headers, content } = await reader.get(path, { accept: formats.nquads.mediaType });
    for (const iri of await namedIris(headers, content, publicUrl)) {
      const next = iri.startsWith(publicUrl) ? `/${iri.slice(publicUrl.length).replace(/#.*$/, '')}` : undefined;
      if (next === undefined || seen.has(next) || /\/events$/.test(next)) continue;
      seen.add(next);
      found.push(next);
    }
  }
  return found;
}

async function namedIris(headers: RawAnswer['headers'], content: Buffer, publicUrl: string): Promise<string[]> {
  const linked = [...(headers.link ?? '').matchAll(/<([^>]+)>/g)].map(([, iri]) => iri as string);
  const redirected = headers.location === undefined ? [] : [headers.location];
  const format = formatOf(headers['content-type'] ?? '');
  const quads = format ? await parseQuads(content.toString(), format, publicUrl) : [];
  const said = quads.flatMap(({ subject, predicate, object }) =>
    [subject, predicate, object].filter(({ termType }) => termType === 'NamedNode').map(({ value }) => value),
  );
  return [...linked, ...redirected, ...said];
}
