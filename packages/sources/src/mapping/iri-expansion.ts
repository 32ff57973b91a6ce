import { isAbsoluteIri } from './compile-template.ts';
import { mappingPrefixes } from './mapping-prefixes.ts';

/** Schemes of IRIs that have no `//` after the colon: anything else there is taken for a prefix. */
const SCHEMES: ReadonlySet<string> = new Set(['urn', 'tag', 'did', 'doi', 'info', 'mailto', 'tel', 'data', 'ni']);

/** Makes absolute IRIs of compact ones. */
export interface IriExpansion {
  /** The IRI; what is neither compact nor absolute comes back as it is. */
  readonly expand: (compact: string) => string;
  /** What is wrong with a compact or absolute IRI, or `undefined`. */
  readonly mistakeOf: (compact: string) => string | undefined;
}

/**
 * Reads compact IRIs by the usual prefixes and those of a mapping.
 *
 * @see specs/mappings.md MAP-7
 */
export function iriExpansion(declared: Readonly<Record<string, string>> = {}): IriExpansion {
  const namespaces = new Map([...Object.entries(mappingPrefixes), ...Object.entries(declared)]);
  const expand: IriExpansion['expand'] = (compact) => {
    const colon = compact.indexOf(':');
    const namespace = compact.startsWith('//', colon + 1) ? undefined : namespaces.get(compact.slice(0, colon));
    return colon < 0 || namespace === undefined ? compact : namespace + compact.slice(colon + 1);
  };
  return {
    expand,
    mistakeOf: (compact) => {
      const iri = expand(compact);
      const [scheme = '', rest = ''] = iri.split(/:(.*)/su);
      if (!isAbsoluteIri(iri)) return `"${compact}" is no IRI and no compact IRI such as dct:title`;
      if (rest.startsWith('//') || SCHEMES.has(scheme.toLowerCase()) || iri !== compact) return undefined;
      return `"${compact}" has the prefix "${scheme}", which is not known: declare it under "prefixes"`;
    },
  };
}
