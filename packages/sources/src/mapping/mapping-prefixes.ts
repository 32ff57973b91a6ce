import { prefixes } from '@ldes-live/rdf-stream';

/**
 * The prefixes that a mapping need not declare: those of the framework, and those of vocabularies for what cities and
 * sensors publish.
 *
 * @see specs/mappings.md MAP-7
 */
export const mappingPrefixes: Readonly<Record<string, string>> = {
  ...prefixes,
  mv: 'http://schema.mobivoc.org/#',
  owl: 'http://www.w3.org/2002/07/owl#',
  qudt: 'http://qudt.org/schema/qudt/',
  unit: 'http://qudt.org/vocab/unit/',
};

/** What a namespace may begin with besides a scheme. */
const PLACES = /^\{\+(base|stream)\}/;

/**
 * The namespaces of prefixes where a mapping is used: what begins with `{+base}` or `{+stream}` moves with these.
 *
 * @see specs/mappings.md MAP-44
 */
export function prefixesAt(
  prefixes: Readonly<Record<string, string>> | undefined,
  { publicUrl, streamUrl }: { readonly publicUrl: string; readonly streamUrl: string },
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(prefixes ?? {}).map(([prefix, namespace]) => [
      prefix,
      namespace.replace(PLACES, (_, place) => (place === 'base' ? publicUrl : streamUrl)),
    ]),
  );
}
