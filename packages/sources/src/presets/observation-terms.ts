import type { MappedProperty } from '../mapping/schema.ts';

// How observations are written alike, whatever they come from.

/** A result that is a number: as it is, and as a quantity with its unit. `absent` are numbers that mean that there is none. */
export function quantity(
  path: string,
  unit: Omit<MappedProperty, 'predicate' | 'iri'>,
  absent: readonly number[] = [],
): MappedProperty[] {
  const convert = absent.length === 0 ? 'decimal' : [{ sentinel: absent }, 'decimal'];
  return [
    { predicate: 'sosa:hasSimpleResult', path, convert, required: true },
    {
      predicate: 'sosa:hasResult',
      node: {
        type: 'qudt:QuantityValue',
        properties: [
          { predicate: 'qudt:numericValue', path, convert },
          { predicate: 'qudt:hasUnit', ...unit, iri: true },
        ],
      },
    },
  ];
}
