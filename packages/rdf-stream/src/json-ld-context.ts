import { compactIri, type JsonLdObject, type NodeWriter } from './json-ld-node.ts';

/** The context that a document needs by now: the prefixes used so far, and the type coercions. */
export function jsonLdContext({ compactor, coercions }: NodeWriter): JsonLdObject {
  const terms = [...coercions].map(([property, type]) => [
    compactIri(property, compactor),
    { '@type': type === '@id' ? type : compactIri(type, compactor) },
  ]);
  // The prefixes last, since writing the terms uses some too.
  return { ...Object.fromEntries(compactor.used()), ...Object.fromEntries(terms) };
}
