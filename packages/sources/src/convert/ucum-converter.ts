import { isMapping } from './argument.ts';
import { ConversionProblem } from './conversion-problem.ts';
import type { Converter } from './converter.ts';
import { scalarText } from './scalar-text.ts';
import { ucumUnits, unitSpellings } from './ucum-units.ts';

const UNIT = 'http://qudt.org/vocab/unit/';
const known = new Map(Object.entries({ ...unitSpellings, ...ucumUnits }));

/** A code of UCUM as the IRI of a unit of QUDT. @see specs/mapping-values.md MAP-71 */
export const ucum: Converter = {
  make(argument, context) {
    const own = ownUnits(argument).map(([code, iri]) => [code, context.expand(iri)] as const);
    const table = new Map(own);
    return (value) => {
      const text = scalarText(value).trim();
      const unit = table.get(text) ?? unitIri(text.replace(/^ucum:/, ''));
      if (unit !== undefined) return unit;
      throw new ConversionProblem('a unit of UCUM that QUDT has was expected; name others beside ucum');
    };
  },
};

function unitIri(code: string): string | undefined {
  const plain = code.replace(/[µμ]/g, 'u').replace(/²/g, '2').replace(/³/g, '3');
  const name = known.get(plain) ?? known.get(plain.replace(/(^|[/.(]|[munk])l(?=$|[/.)])/g, '$1L'));
  return name === undefined ? undefined : UNIT + name;
}

function ownUnits(argument: unknown): readonly (readonly [code: string, iri: string])[] {
  if (argument === undefined || argument === null || argument === true) return [];
  if (!isMapping(argument)) throw new ConversionProblem('a table of codes and the IRIs of their units was expected');
  return Object.entries(argument).map(([code, iri]) => {
    if (typeof iri === 'string' && iri !== '') return [code, iri];
    throw new ConversionProblem(`an IRI was expected for ${JSON.stringify(code)}`);
  });
}
