/*
 * Every converter by its name, and those of texts, of choices and of what is packed into a text: `split` makes
 * `['a', 'b']` of `"a, b"`, `enum` what its table has for `"open"`, `json` the mapping of `"{\"level\": 0}"`.
 */
import { readFileSync } from 'node:fs';
import { isStreamError, xsd } from '@ldes-live/rdf-stream';
import { parseJson } from '../documents/json.ts';
import {
  ConversionProblem,
  type Convert,
  type Converter,
  type ConverterContext,
  integerArgument,
  isMapping,
  isNameAlone,
  optionsOf,
  plainConverter,
  scalarText,
} from './converter.ts';
import { numberConverters, shortestNumeral } from './numbers.ts';
import { placeConverters } from './places.ts';
import { timeConverters } from './times.ts';

const TRUE = ['true', 't', 'yes', 'y', '1'];
const FALSE = ['false', 'f', 'no', 'n', '0'];

/** How deep JSON in a string may nest, and how deep a mapping may let it. */
const LIMIT_EMBEDDED_DEPTH = 16;
const MAX_EMBEDDED_DEPTH = 64;
/** How many items a list of JSON in a string may have, or fields a mapping. */
const LIMIT_EMBEDDED_ITEMS = 10_000;
/** How many parts a text may have: no record has more statements. */
const LIMIT_PARTS = 20_000;
const MAX_INDEX = 1_000_000;

function ofText(change: (text: string) => string | undefined, datatype?: string): Converter {
  return plainConverter((value) => change(scalarText(value)), datatype);
}

/** The parts of a text between separators, as many values. @see specs/mapping-values.md MAP-55 */
const split: Converter = {
  make(argument) {
    const separator = argument ?? ',';
    if (typeof separator !== 'string' || separator === '') {
      throw new ConversionProblem('a separator, such as ",", was expected');
    }
    return (value) => {
      const pieces = scalarText(value).split(separator, LIMIT_PARTS + 1);
      if (pieces.length > LIMIT_PARTS) throw new ConversionProblem(`at most ${LIMIT_PARTS} parts were expected`);
      const parts = pieces.map((part) => part.trim()).filter((part) => part !== '');
      return parts.length === 0 ? undefined : parts;
    };
  },
};

/** Words for yes and no: the usual ones, or those of its argument. @see specs/mapping-values.md MAP-55 */
const boolean: Converter = {
  datatype: xsd.boolean,
  make(argument) {
    if (isNameAlone(argument)) return (value) => truthOf(value, scalarText(value).trim().toLowerCase(), TRUE, FALSE);
    const words = optionsOf(argument, 'true', 'false');
    const [yes, no] = [wordsOf(words.true), wordsOf(words.false)];
    const twice = yes.find((word) => no.includes(word));
    if (twice !== undefined) throw new ConversionProblem(`${JSON.stringify(twice)} cannot be both true and false`);
    return (value) => truthOf(value, scalarText(value).trim(), yes, no);
  },
};

function truthOf(value: unknown, text: string, yes: readonly string[], no: readonly string[]): boolean {
  if (typeof value === 'boolean') return value;
  if (yes.includes(text)) return true;
  if (no.includes(text)) return false;
  throw new ConversionProblem(`one of ${[...yes, ...no].map((word) => JSON.stringify(word)).join(', ')} was expected`);
}

function wordsOf(given: unknown): readonly string[] {
  if (given === undefined || given === null) return [];
  return (Array.isArray(given) ? given : [given]).map(scalarText);
}

/** What stands for a value in a table. @see specs/mapping-values.md MAP-55 */
const enumeration: Converter = {
  make(argument, context) {
    const { values, otherwise, iri } = tableOf(argument);
    const resultOf = (to: unknown) => {
      if (to === null) return undefined;
      const text = scalarText(to);
      return iri ? context.expand(text) : to;
    };
    const table = new Map(Object.entries(values).map(([from, to]) => [from, resultOf(to)]));
    const fallback = otherwise === 'error' || otherwise === 'absent' ? undefined : resultOf(otherwise);
    return (value) => {
      const text = scalarText(value);
      if (table.has(text)) return table.get(text);
      if (otherwise !== 'error') return fallback;
      throw new ConversionProblem(`one of ${shown([...table.keys()])} was expected`);
    };
  },
};

function tableOf(argument: unknown) {
  if (!isMapping(argument)) throw new ConversionProblem('a table of values and their replacements was expected');
  const { otherwise = 'error', iri = false, ...rest } = argument;
  if (typeof iri !== 'boolean') throw new ConversionProblem('true or false was expected as iri');
  const values = isMapping(rest.values) ? rest.values : rest;
  const unknown = values === rest ? undefined : Object.keys(rest).find((name) => name !== 'values');
  if (unknown !== undefined) {
    throw new ConversionProblem(`${JSON.stringify(unknown)} is not allowed next to values: only otherwise and iri are`);
  }
  if (Object.keys(values).length === 0) throw new ConversionProblem('the table is empty');
  return { values, otherwise, iri };
}

function shown(words: readonly string[]): string {
  const first = words.slice(0, 10).map((word) => JSON.stringify(word));
  return words.length > first.length ? `${first.join(', ')} or ${words.length - first.length} more` : first.join(', ');
}

/** Values that mean that there is none. @see specs/mapping-values.md MAP-55 */
const sentinel: Converter = {
  make(argument) {
    const given = Array.isArray(argument) ? argument : [argument];
    if (argument === undefined || argument === null || given.length === 0) {
      throw new ConversionProblem('a list of the values that mean "no value" was expected');
    }
    const absent = new Set(given.map(comparable));
    return (value) => (absent.has(comparable(value)) ? undefined : value);
  },
};

// -999999 and "-999999.00" are the same number; what is not a number is compared as it is.
function comparable(value: unknown): string {
  const text = scalarText(value);
  try {
    return shortestNumeral(text);
  } catch {
    return text;
  }
}

/** A value for where there is none. @see specs/mapping-values.md MAP-55 */
const fallbackValue: Converter = {
  takes: 'any',
  takesAbsent: true,
  make(argument) {
    scalarText(argument);
    return (value) => (value === undefined || value === null || value === '' ? argument : value);
  },
};

/** What the JSON in a string says. @see specs/mapping-values.md MAP-69 */
const json: Converter = {
  takes: 'any',
  make(argument) {
    const { limitDepth = LIMIT_EMBEDDED_DEPTH } = optionsOf(argument, 'limitDepth');
    const depth = integerArgument(limitDepth, 1, MAX_EMBEDDED_DEPTH);
    const limits = { limitDepth: depth, limitRecords: LIMIT_EMBEDDED_ITEMS };
    return (value) => {
      if (typeof value !== 'string') return value;
      try {
        return parseJson(value, limits) ?? undefined;
      } catch (problem) {
        if (!isStreamError(problem)) throw problem;
        throw new ConversionProblem(`JSON in a string was expected: ${problem.message}`);
      }
    };
  },
};

/** One item of a list, or one field of a mapping. @see specs/mapping-values.md MAP-69 */
const item: Converter = {
  takes: 'any',
  make(argument) {
    const steps = (Array.isArray(argument) ? argument : [argument]).map((step) =>
      typeof step === 'string' ? step : integerArgument(step, -MAX_INDEX, MAX_INDEX),
    );
    if (steps.length === 0) throw new ConversionProblem('the number of an item, or the name of a field, was expected');
    return (value) => steps.reduce<unknown>((from, step) => (from === undefined ? undefined : at(from, step)), value);
  },
};

function at(from: unknown, step: number | string): unknown {
  if (typeof step === 'number') {
    if (Array.isArray(from)) return from.at(step) ?? undefined;
    throw new ConversionProblem('a list was expected');
  }
  if (isMapping(from)) return Object.hasOwn(from, step) ? (from[step] ?? undefined) : undefined;
  throw new ConversionProblem('a mapping was expected');
}

const UNIT = 'http://qudt.org/vocab/unit/';
const OF_QUDT = /^https?:\/\/(?:www\.)?qudt\.org\/vocab\/unit[/#]([A-Za-z][\w-]*)$/;

/**
 * Units of QUDT by their codes of UCUM, of what cities and sensors measure, and by spellings that are not UCUM; codes by
 * English names in the singular. Read as a file: to import JSON warns on Node.js 20.
 */
const units: Readonly<Record<'codes' | 'spellings' | 'names', Readonly<Record<string, string>>>> = JSON.parse(
  readFileSync(new URL('../../data/ucum.json', import.meta.url), 'utf8'),
);
const unitOfCode = new Map(Object.entries({ ...units.spellings, ...units.codes }));
const codeOfName = new Map(Object.entries(units.names));

/** A code of UCUM, or a name of a unit, as the IRI of a unit of QUDT. @see specs/mapping-values.md MAP-69 */
const ucum: Converter = {
  takes: 'any',
  make(argument, context) {
    const own = new Map(ownUnits(argument).map(([code, iri]) => [code, context.expand(iri)]));
    return (value) => {
      // A unit of SensorThings says the same in three ways.
      const stated = isMapping(value) ? [value.definition, value.symbol, value.name] : [value];
      for (const one of stated) {
        const text = one === undefined || one === null ? '' : scalarText(one).trim();
        const unit = own.get(text) ?? unitIri(text.replace(/^ucum:/, ''));
        if (unit !== undefined) return unit;
      }
      throw new ConversionProblem('a unit of UCUM that QUDT has was expected: give other units in the table of ucum');
    };
  },
};

function unitIri(text: string): string | undefined {
  const plain = text.replace(/[µμ]/g, 'u').replace(/²/g, '2').replace(/³/g, '3');
  const code = codeOfName.get(singular(text)) ?? plain;
  const name =
    unitOfCode.get(code) ??
    unitOfCode.get(code.replace(/(^|[/.(]|[munk])l(?=$|[/.)])/g, '$1L')) ??
    OF_QUDT.exec(text)?.[1];
  return name === undefined ? undefined : UNIT + name;
}

/** `Metres per second` and `meters per second` as `metre per second`; Celsius and siemens are no plurals. */
function singular(name: string): string {
  const lower = name.toLowerCase().replace(/(met|lit)er(?=s?\b)/g, '$1re');
  return lower.replace(/(?<=ch)es\b|(?<=[delmrty])s\b/g, '');
}

function ownUnits(argument: unknown): readonly (readonly [code: string, iri: string])[] {
  if (isNameAlone(argument)) return [];
  if (!isMapping(argument)) throw new ConversionProblem('a table of codes and the IRIs of their units was expected');
  return Object.entries(argument).map(([code, iri]) => {
    if (typeof iri === 'string' && iri !== '') return [code, iri];
    throw new ConversionProblem(`an IRI was expected for ${JSON.stringify(code)}`);
  });
}

const named: Readonly<Record<string, Converter>> = {
  ...numberConverters,
  ...timeConverters,
  ...placeConverters,
  /** 0 and 1 as false and true. @see specs/mapping-values.md MAP-55 */
  bool01: plainConverter((value) => truthOf(value, scalarText(value).trim(), ['1'], ['0']), xsd.boolean),
  boolean,
  default: fallbackValue,
  enum: enumeration,
  item,
  json,
  /** Case by the rules of no language. @see specs/mapping-values.md MAP-55 */
  lower: ofText((text) => text.toLowerCase()),
  upper: ofText((text) => text.toUpperCase()),
  sentinel,
  split,
  string: ofText((text) => text, xsd.string),
  trim: ofText((text) => text.trim() || undefined),
  ucum,
};

/**
 * Another converter, named as its argument, and nothing where that does not take the value: for what a record is no
 * worse without.
 *
 * @see specs/mapping-values.md MAP-55
 */
const ifPossible: Converter = {
  takes: 'any',
  make(argument, context) {
    const convert = namedConvert(argument, context);
    return (value) => {
      try {
        return convert(value);
      } catch (error) {
        if (error instanceof ConversionProblem) return undefined;
        throw error;
      }
    };
  },
};

function namedConvert(argument: unknown, context: ConverterContext): Convert {
  const given = typeof argument === 'string' ? { [argument]: undefined } : argument;
  const [[name, inner] = ['', undefined], ...others] = isMapping(given) ? Object.entries(given) : [];
  const converter = Object.hasOwn(named, name) ? named[name] : undefined;
  if (converter && others.length === 0) return converter.make(inner, context);
  throw new ConversionProblem('the name of one converter was expected');
}

/** Every converter by the name that mappings give it. @see specs/mapping-values.md MAP-50 */
export const converters: Readonly<Record<string, Converter>> = { ...named, ifPossible };
