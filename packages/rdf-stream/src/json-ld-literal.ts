import type { Literal } from '@rdfjs/types';
import { xsd } from './vocabulary.ts';

/** A scalar or value object of JSON-LD. */
export type JsonLdValue = string | number | boolean | { readonly [keyword: `@${string}`]: string };

/**
 * The JSON value that reads as this integer or boolean with the very same lexical form; `undefined` for any
 * other literal.
 */
export function nativeValue({ value, datatype }: Literal): number | boolean | undefined {
  if (datatype.value === xsd.boolean && (value === 'true' || value === 'false')) return value === 'true';
  if (datatype.value !== xsd.integer) return undefined;
  const number = Number(value);
  // -0 prints as 0, and so fails the comparison; empty and padded texts do too.
  return Number.isSafeInteger(number) && String(number) === value ? number : undefined;
}

/**
 * Writes a literal for a property.
 *
 * @param coercion - what the context says of the property: a datatype, `@id`, or nothing
 * @param compactIri - writes a datatype
 */
export function jsonLdLiteral(
  literal: Literal,
  coercion: string | undefined,
  compactIri: (iri: string) => string,
): JsonLdValue {
  const { value, language, datatype } = literal;
  if (language !== '') return { '@value': value, '@language': language };
  if (coercion !== undefined) return value;
  if (datatype.value === xsd.string) return value;
  return nativeValue(literal) ?? { '@value': value, '@type': compactIri(datatype.value) };
}
