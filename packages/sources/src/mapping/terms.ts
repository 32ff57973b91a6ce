import {
  isDatatypeOfLanguage,
  languageLiteral,
  literal,
  namedNode,
  type PropertyShape,
  prefixes,
  rdf,
  xsd,
} from '@ldes-live/rdf-stream';
import type { NamedNode, Quad_Object } from '@rdfjs/types';
import { isMapping, type Scalar, textOf } from '../convert/converter.ts';
import type { MappingPath } from '../errors.ts';
import { languageTag } from '../gtfs/published-text.ts';
import { type Compiling, compilePath, expandIri } from './compiling.ts';
import { isAbsoluteIri } from './iris.ts';
import { RecordProblem, type Scope, type ValuePlace } from './paths.ts';
import type { Conversion, MappedProperty } from './schema.ts';
import type { SubjectTemplate } from './templates.ts';
import type { CompiledValue } from './values.ts';

/** Makes RDF terms of values. */
export interface CompiledTerm {
  /**
   * The term of a value; `undefined` when a template lacks another value.
   *
   * @throws RecordProblem - the value has no such term
   */
  readonly make: (value: Scalar, scope: Scope) => Quad_Object | undefined;
  /** The language or the datatype of its terms, where all have the same; empty for IRIs. */
  readonly kind: string | undefined;
  /** What a shape says of the terms. */
  readonly values: Pick<PropertyShape, 'datatypes' | 'nodeKindIri' | 'in'>;
}

/** The datatypes of values that nothing is said of. */
const byValue = {
  integer: namedNode(xsd.integer),
  decimal: namedNode(xsd.decimal),
  boolean: namedNode(xsd.boolean),
  string: namedNode(xsd.string),
};
const TAGGED_OR_PLAIN = { datatypes: [rdf.langString, xsd.string] };
const BY_VALUE = Object.values(byValue).map(({ value }) => value);

/**
 * Compiles what the values of a property are written as.
 *
 * @see specs/mappings.md MAP-13
 */
export function compileTerm(
  property: MappedProperty,
  at: MappingPath,
  { place, datatype: converted, assured }: Pick<CompiledValue, 'place' | 'datatype' | 'assured'>,
  template: SubjectTemplate,
  compiling: Compiling,
): CompiledTerm {
  if (property.iri === true) {
    noteCompactResults(property.convert, [...at, 'convert'], compiling);
    return iriTerm(place, compiling);
  }
  if (property.iri !== undefined) {
    const { expand } = template(property.iri, [...at, 'iri'], 'value');
    const make: CompiledTerm['make'] = (value, scope) => {
      const text = textOf(value);
      const iri = text === undefined ? undefined : expand(scope, text);
      return iri === undefined ? undefined : namedNode(iri);
    };
    return { make, kind: '', values: { nodeKindIri: true } };
  }
  if (property.language === '$key') return keyedTerm(place);
  if (property.language !== undefined) {
    const tag = languageTag(property.language);
    if (tag === undefined)
      compiling.mistakes.add([...at, 'language'], `"${property.language}" is no language tag such as nl`);
    const make: CompiledTerm['make'] = (value) => languageLiteral(textIn(value, place), tag ?? 'und');
    return { make, kind: tag, values: { datatypes: [rdf.langString] } };
  }
  if (property.languagePath !== undefined) {
    return taggedTerm(property.languagePath, [...at, 'languagePath'], place, compiling);
  }
  if (property.datatype !== undefined) {
    const datatype = expandIri(property.datatype, [...at, 'datatype'], compiling);
    if (isDatatypeOfLanguage(datatype))
      compiling.mistakes.add([...at, 'datatype'], `${property.datatype} is not a datatype to state: give the language`);
    return typedTerm(datatype, place);
  }
  if (converted !== undefined) return assured ? convertedTerm(converted, place) : typedTerm(converted, place);
  const make: CompiledTerm['make'] = (value) => literal(textIn(value, place), datatypeOf(value));
  return { make, kind: undefined, values: { datatypes: BY_VALUE } };
}

/** Texts by the keys that a wildcard took them from. What stands alone or in a list has no key that could be a tag. */
function keyedTerm(place: ValuePlace): CompiledTerm {
  const make: CompiledTerm['make'] = (value, { key }) => {
    const said = textIn(value, place);
    if (typeof key !== 'string') return literal(said, xsd.string);
    const tag = languageTag(key);
    if (tag !== undefined) return languageLiteral(said, tag);
    throw new RecordProblem(place, 'a key that is a language tag, such as fi, was expected', key);
  };
  return { make, kind: undefined, values: TAGGED_OR_PLAIN };
}

function taggedTerm(text: string, at: MappingPath, place: ValuePlace, compiling: Compiling): CompiledTerm {
  const path = compilePath(text, at, { ...compiling, scopes: compiling.scopes.slice(0, -1) });
  const make: CompiledTerm['make'] = (value, scope) => {
    // Where a value stands alone, as a name without translations, nothing stands beside it.
    const found = scope.above && path.one(scope.above);
    const tag = typeof found === 'string' ? languageTag(found) : undefined;
    const said = textIn(value, place);
    return tag === undefined ? literal(said, xsd.string) : languageLiteral(said, tag);
  };
  return { make, kind: undefined, values: TAGGED_OR_PLAIN };
}

function typedTerm(datatype: string, place: ValuePlace): CompiledTerm {
  const lexical = lexicalForm(datatype);
  const node = namedNode(datatype);
  // What a finite number is written as need not be looked at.
  const ofNumbers =
    datatype === xsd.integer ? Number.isInteger : (_: number) => datatype === xsd.decimal || datatype === xsd.double;
  const make: CompiledTerm['make'] = (value) => {
    if (!lexical) return literal(textIn(value, place), node);
    const text = decimalOrText(value, place);
    if (!(typeof value === 'number' && ofNumbers(value)) && !lexical.form.test(text))
      throw new RecordProblem(place, `${lexical.expected} was expected`, value);
    return literal(text, node);
  };
  return { make, kind: datatype, values: { datatypes: [datatype] } };
}

/** What a converter makes has the form of its datatype. */
function convertedTerm(datatype: string, place: ValuePlace): CompiledTerm {
  const node = namedNode(datatype);
  const text = lexicalForm(datatype) ? decimalOrText : textIn;
  return { make: (value) => literal(text(value, place), node), kind: datatype, values: { datatypes: [datatype] } };
}

function iriTerm(place: ValuePlace, { iris }: Compiling): CompiledTerm {
  const make: CompiledTerm['make'] = (value) => {
    // A constant may be compact; values of the source are never taken for that.
    const iri = place.at.at(-1) === 'value' ? iris.expand(String(value)) : String(value);
    if (!isAbsoluteIri(iri)) throw new RecordProblem(place, 'an absolute IRI was expected', value);
    return namedNode(iri);
  };
  return { make, kind: '', values: { nodeKindIri: true } };
}

/** The text of a value in whole characters. */
function textIn(value: Scalar, place: ValuePlace): string {
  // Half a pair of UTF-16 would be written as another character.
  if (typeof value === 'string' && !value.isWellFormed())
    throw new RecordProblem(place, 'a text of whole Unicode characters was expected', value);
  return decimalOrText(value, place);
}

/** The same where a form is asked for that has no other characters. */
function decimalOrText(value: Scalar, place: ValuePlace): string {
  const text = textOf(value);
  if (text === undefined) throw new RecordProblem(place, 'a finite number was expected', String(value));
  return text;
}

function datatypeOf(value: Scalar): NamedNode {
  if (typeof value === 'string') return byValue.string;
  if (typeof value === 'boolean') return byValue.boolean;
  return Number.isInteger(value) ? byValue.integer : byValue.decimal;
}

const DATE = '-?(?:[1-9]\\d{3,}|0\\d{3})-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])';
const TIME = '(?:(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:\\.\\d+)?|24:00:00(?:\\.0+)?)';
const ZONE = '(?:Z|[+-](?:(?:0\\d|1[0-3]):[0-5]\\d|14:00))';

/** What the texts of a datatype look like, and what to call them. @see https://www.w3.org/TR/xmlschema11-2/ */
const forms: Readonly<Record<string, readonly [form: RegExp, name: string]>> = {
  [xsd.boolean]: [/^(?:true|false|1|0)$/, 'true or false'],
  [xsd.integer]: [/^[+-]?\d+$/, 'an integer'],
  [xsd.decimal]: [/^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/, 'a decimal number'],
  [xsd.double]: [/^(?:[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[Ee][+-]?\d+)?|[+-]?INF|NaN)$/, 'a number'],
  [`${prefixes.xsd}float`]: [/^(?:[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[Ee][+-]?\d+)?|[+-]?INF|NaN)$/, 'a number'],
  [`${prefixes.xsd}nonNegativeInteger`]: [/^(?:\+?\d+|-0+)$/, 'an integer that is not negative'],
  [xsd.dateTime]: [new RegExp(`^${DATE}T${TIME}${ZONE}?$`), 'a time such as 2026-11-21T09:00:00Z'],
  [`${prefixes.xsd}date`]: [new RegExp(`^${DATE}${ZONE}?$`), 'a date such as 2026-11-21'],
  [`${prefixes.xsd}time`]: [new RegExp(`^${TIME}${ZONE}?$`), 'a time of day such as 09:00:00'],
  [`${prefixes.xsd}gYear`]: [/^-?(?:[1-9]\d{3,}|0\d{3})(?:Z|[+-]\d\d:\d\d)?$/, 'a year'],
  [xsd.duration]: [
    /^-?P(?=\d|T\d)(?:\d+Y)?(?:\d+M)?(?:\d+D)?(?:T(?=\d)(?:\d+H)?(?:\d+M)?(?:\d+(?:\.\d+)?S)?)?$/,
    'a duration such as PT5M',
  ],
};

/** An instant: a time with its zone. */
const INSTANT = new RegExp(`^${DATE}T${TIME}${ZONE}$`);

/** What texts of a datatype look like: `undefined` for one whose texts are not checked. */
export function lexicalForm(datatype: string): { readonly form: RegExp; readonly expected: string } | undefined {
  const found = Object.hasOwn(forms, datatype) ? forms[datatype] : undefined;
  return found && { form: found[0], expected: found[1] };
}

/** The epoch milliseconds of an xsd:dateTime that has a zone; `undefined` for anything else. */
export function instantOf(text: string): number | undefined {
  const timeMs = INSTANT.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(timeMs) ? undefined : timeMs;
}

/**
 * Notes compact IRIs that a converter gives where IRIs are meant, and that nobody would expand: they would be published
 * as they are, as IRIs of a scheme that there is not.
 *
 * @see specs/mappings.md MAP-45
 */
export function noteCompactResults(
  conversions: Conversion | readonly Conversion[] | undefined,
  at: MappingPath,
  { iris, mistakes }: Compiling,
): void {
  const last = (Array.isArray(conversions) ? conversions : [conversions]).at(-1) as Conversion | undefined;
  if (!isMapping(last)) return;
  const compact = [...resultsOf(last.enum), last.default].find(
    (result): result is string => typeof result === 'string' && iris.expand(result) !== result,
  );
  if (compact === undefined) return;
  const remedy = last.enum === undefined ? 'write it out' : 'add iri: true to the table, or write it out';
  mistakes.add(at, `"${compact}" is compact, and would be published so: ${remedy}, as ${iris.expand(compact)}`);
}

/** What a table of `enum` gives as it stands. */
function resultsOf(table: unknown): readonly unknown[] {
  if (!isMapping(table) || table.iri === true) return [];
  return [...Object.values(isMapping(table.values) ? table.values : table), table.otherwise];
}
