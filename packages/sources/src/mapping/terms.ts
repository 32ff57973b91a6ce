/*
 * Values as RDF terms: literals of a datatype, whose form is checked, texts of a language, or IRIs. The value `51.50` with
 * `datatype: xsd:decimal` becomes `"51.5"^^xsd:decimal`, one that says nothing gets the datatype that it looks like.
 */
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
import { languageTag } from '../gtfs/to-rdf.ts';
import { type Compiling, compilePath, expandIri } from './compiling.ts';
import { isAbsoluteIri } from './iris.ts';
import { type ParsedPath, RecordProblem, type Scope, type ValuePlace } from './paths.ts';
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
  /** The paths that its template is made by. */
  readonly paths?: readonly ParsedPath[];
}

const BY_VALUE = [xsd.integer, xsd.decimal, xsd.boolean, xsd.string].map((datatype) => namedNode(datatype));
const [INTEGER, DECIMAL, BOOLEAN, STRING] = BY_VALUE as [NamedNode, NamedNode, NamedNode, NamedNode];

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
    const { expand, paths } = template(property.iri, [...at, 'iri'], 'value');
    const make: CompiledTerm['make'] = (value, scope) => {
      const text = textOf(value);
      const iri = text === undefined ? undefined : expand(scope, text);
      return iri === undefined ? undefined : namedNode(iri);
    };
    return { make, kind: '', values: { nodeKindIri: true }, paths };
  }
  const { language, languagePath } = property;
  if (language === '$key' || languagePath !== undefined) {
    if (property.value !== undefined) {
      compiling.mistakes.add(
        [...at, 'value'],
        'a constant cannot take its language from the data: give the tag as "language"',
      );
      return literalTerm(place);
    }
    const besideAt = [...at, 'languagePath'];
    return taggedTerm(
      languagePath === undefined ? tagOfKey(place) : tagBeside(languagePath, besideAt, compiling),
      place,
    );
  }
  if (language !== undefined) {
    const tag = languageTag(language);
    if (tag === undefined)
      compiling.mistakes.add([...at, 'language'], `"${language}" is not a language tag such as nl`);
    const make: CompiledTerm['make'] = (value) => languageLiteral(textIn(value, place), tag ?? 'und');
    return { make, kind: tag, values: { datatypes: [rdf.langString] } };
  }
  if (property.datatype !== undefined) {
    const datatype = expandIri(property.datatype, [...at, 'datatype'], compiling);
    if (isDatatypeOfLanguage(datatype))
      compiling.mistakes.add(
        [...at, 'datatype'],
        `${property.datatype} cannot be given as a datatype: give the language`,
      );
    return typedTerm(datatype, place);
  }
  if (converted !== undefined) return typedTerm(converted, place, assured);
  return literalTerm(place);
}

/** Of values that nothing is said of. */
function literalTerm(place: ValuePlace): CompiledTerm {
  const make: CompiledTerm['make'] = (value) => literal(textIn(value, place), datatypeOf(value));
  return { make, kind: undefined, values: { datatypes: BY_VALUE.map(({ value }) => value) } };
}

type TagOf = (scope: Scope) => string | undefined;

function taggedTerm(tagOf: TagOf, place: ValuePlace): CompiledTerm {
  const make: CompiledTerm['make'] = (value, scope) => {
    const tag = tagOf(scope);
    const said = textIn(value, place);
    return tag === undefined ? literal(said, xsd.string) : languageLiteral(said, tag);
  };
  return { make, kind: undefined, values: { datatypes: [rdf.langString, xsd.string] } };
}

/** What stands alone or in a list has no key that could be a tag. */
function tagOfKey(place: ValuePlace): TagOf {
  return ({ key }) => (typeof key === 'string' ? tagIn(key, place) : undefined);
}

function tagBeside(text: string, at: MappingPath, compiling: Compiling): TagOf {
  const path = compilePath(text, at, { ...compiling, scopes: compiling.scopes.slice(0, -1) });
  return ({ above }) => {
    // Where a value stands alone, as a name without translations, nothing stands beside it.
    const found = above && path.one(above);
    return found === undefined ? undefined : tagIn(found, { at, path: text });
  };
}

function tagIn(found: unknown, place: ValuePlace): string {
  const tag = typeof found === 'string' ? languageTag(found) : undefined;
  if (tag === undefined) throw new RecordProblem(place, 'a language tag such as fi was expected', found);
  return tag;
}

/** @param assured - whether values have the form of the datatype for sure */
function typedTerm(datatype: string, place: ValuePlace, assured = false): CompiledTerm {
  const lexical = forms.get(datatype);
  const node = namedNode(datatype);
  // What a finite number is written as need not be looked at.
  const ofNumbers =
    datatype === xsd.integer ? Number.isInteger : (_: number) => datatype === xsd.decimal || datatype === xsd.double;
  const make: CompiledTerm['make'] = (value) => {
    if (!lexical) return literal(textIn(value, place), node);
    const text = decimalOrText(value, place);
    if (!assured && !(typeof value === 'number' && ofNumbers(value)) && !lexical[0].test(text))
      throw new RecordProblem(place, `${lexical[1]} was expected`, value);
    return literal(text, node);
  };
  return { make, kind: datatype, values: { datatypes: [datatype] } };
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
  if (typeof value === 'string') return STRING;
  if (typeof value === 'boolean') return BOOLEAN;
  return Number.isInteger(value) ? INTEGER : DECIMAL;
}

const DATE = '-?(?:[1-9]\\d{3,}|0\\d{3})-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])';
const TIME = '(?:(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:\\.\\d+)?|24:00:00(?:\\.0+)?)';
const ZONE = '(?:Z|[+-](?:(?:0\\d|1[0-3]):[0-5]\\d|14:00))';

const FLOATING = /^(?:[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[Ee][+-]?\d+)?|[+-]?INF|NaN)$/;

/** What the texts of a datatype look like, and what to call them. @see https://www.w3.org/TR/xmlschema11-2/ */
const forms = new Map<string, readonly [form: RegExp, name: string]>(
  Object.entries({
    [xsd.boolean]: [/^(?:true|false|1|0)$/, 'true or false'],
    [xsd.integer]: [/^[+-]?\d+$/, 'an integer'],
    [xsd.decimal]: [/^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/, 'a decimal number'],
    [xsd.double]: [FLOATING, 'a number'],
    [`${prefixes.xsd}float`]: [FLOATING, 'a number'],
    [`${prefixes.xsd}nonNegativeInteger`]: [/^(?:\+?\d+|-0+)$/, 'an integer that is not negative'],
    [xsd.dateTime]: [new RegExp(`^${DATE}T${TIME}${ZONE}?$`), 'a time such as 2026-11-21T09:00:00Z'],
    [`${prefixes.xsd}date`]: [new RegExp(`^${DATE}${ZONE}?$`), 'a date such as 2026-11-21'],
    [`${prefixes.xsd}time`]: [new RegExp(`^${TIME}${ZONE}?$`), 'a time of day such as 09:00:00'],
    [`${prefixes.xsd}gYear`]: [/^-?(?:[1-9]\d{3,}|0\d{3})(?:Z|[+-]\d\d:\d\d)?$/, 'a year'],
    [xsd.duration]: [
      /^-?P(?=\d|T\d)(?:\d+Y)?(?:\d+M)?(?:\d+D)?(?:T(?=\d)(?:\d+H)?(?:\d+M)?(?:\d+(?:\.\d+)?S)?)?$/,
      'a duration such as PT5M',
    ],
  }),
);

/** An instant: a time with its zone. */
const INSTANT = new RegExp(`^${DATE}T${TIME}${ZONE}$`);

/** The epoch milliseconds of an xsd:dateTime that has a zone; `undefined` for anything else. */
export function instantOf(text: string): number | undefined {
  const timeMs = INSTANT.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(timeMs) ? undefined : timeMs;
}

/**
 * Notes compact IRIs that a converter gives where IRIs are meant, and that nobody would expand: they would be published
 * as they are, as IRIs of a scheme that there is not.
 *
 * @see specs/mappings.md MAP-7
 */
function noteCompactResults(
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
