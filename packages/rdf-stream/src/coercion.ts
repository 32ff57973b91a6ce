import type { Quad } from '@rdfjs/types';
import { nativeValue } from './json-ld-literal.ts';
import { rdf, xsd } from './vocabulary.ts';

/**
 * The type coercions for the context of a JSON-LD document: by property, `@id` or the datatype that all its
 * values share. Properties whose values plain JSON says exactly need none.
 *
 * @param quads - those whose objects are written as values or references
 */
export function coercionsOf(quads: readonly Quad[]): ReadonlyMap<string, string> {
  const coercions = new Map<string, string>();
  for (const [property, { type, native }] of commonTypes(quads)) {
    if (type !== undefined && !native && !PLAIN.has(type)) coercions.set(property, type);
  }
  return coercions;
}

const LANGUAGE = '@language';
const PLAIN: ReadonlySet<string> = new Set([LANGUAGE, xsd.string]);

interface CommonType {
  /** What the values have in common; `undefined` when they differ. */
  type: string | undefined;
  /** Whether plain JSON values can stand for all of them. */
  native: boolean;
}

function commonTypes(quads: readonly Quad[]): Map<string, CommonType> {
  const types = new Map<string, CommonType>();
  for (const { predicate, object } of quads) {
    const isLiteral = object.termType === 'Literal';
    if (!isLiteral && predicate.value === rdf.type) continue; // Written as @type.
    const type = !isLiteral ? '@id' : object.language === '' ? object.datatype.value : LANGUAGE;
    const native = isLiteral && nativeValue(object) !== undefined;
    const known = types.get(predicate.value);
    if (!known) types.set(predicate.value, { type, native });
    else {
      if (known.type !== type) known.type = undefined;
      known.native &&= native;
    }
  }
  return types;
}
