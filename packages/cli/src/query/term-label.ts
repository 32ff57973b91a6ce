import { prefixes } from '@ldes-live/rdf-stream';
import type { Term } from '@rdfjs/types';
import { plainText } from '../terminal/plain-text.ts';

/** Datatypes whose values speak for themselves. */
const PLAIN =
  /^http:\/\/www\.w3\.org\/2001\/XMLSchema#(?:string|integer|decimal|double|float|boolean|dateTime|date|time)$/;

/** Makes short texts of terms for people. */
export class TermLabels {
  readonly #namespaces: readonly (readonly [string, string])[];

  /**
   * @param sparql - its prefixes are what its writer knows the terms by
   * @param urls - of the streams: what stands below them is named from there, and else what stands at their host
   */
  constructor(sparql: string, urls: readonly string[]) {
    const own = [...sparql.matchAll(/\bPREFIX\s+([\w.-]*):\s*<([^<>\s]+)>/gi)].map(
      ([, name = '', iri = '']) => [iri, `${name}:`] as const,
    );
    const known = Object.entries(prefixes).map(([name, iri]) => [iri, `${name}:`] as const);
    const places = urls.map((url) => [`${url.replace(/\/$/, '')}/`, ''] as const);
    const origins = [...new Set(urls.filter((url) => URL.canParse(url)).map((url) => new URL(url).origin))];
    // With several a path alone would not say of which.
    const hosts = origins.map(
      (origin) => [`${origin}/`, origins.length > 1 ? `${new URL(origin).host}/` : '/'] as const,
    );
    // The longest first: it says the most.
    this.#namespaces = [...own, ...known, ...places, ...hosts].sort(([left], [right]) => right.length - left.length);
  }

  /** The text of a term; empty where there is none. */
  label(term: Term | undefined): string {
    return term === undefined ? '' : plainText(this.#text(term));
  }

  #text(term: Term): string {
    switch (term.termType) {
      case 'NamedNode':
        return this.#iri(term.value);
      case 'BlankNode':
        return `_:${term.value}`;
      case 'Literal':
        if (term.language) return `${term.value}@${term.language}`;
        return PLAIN.test(term.datatype.value) ? term.value : `${term.value} (${this.#iri(term.datatype.value)})`;
      case 'Quad':
        return `<<( ${[term.subject, term.predicate, term.object].map((part) => this.#text(part)).join(' ')} )>>`;
      default:
        return term.value;
    }
  }

  #iri(iri: string): string {
    const found = this.#namespaces.find(([namespace]) => iri.length > namespace.length && iri.startsWith(namespace));
    return found ? `${found[1]}${iri.slice(found[0].length)}` : `<${iri}>`;
  }
}
