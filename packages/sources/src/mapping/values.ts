/*
 * Where values of records come from, and the converters that they go through, compiled to closures. Of the record
 * `{ "seen": "1706019103" }`, `{ path: seen, convert: epoch }` visits `"2024-01-23T14:11:43Z"`.
 */

import { nearestKey } from '@ldes-live/rdf-stream/errors';
import { ConversionProblem, type Convert, type Converter, type Scalar } from '../convert/converter.ts';
import { converters } from '../convert/converters.ts';
import type { MappingPath } from '../errors.ts';
import { type Compiling, compilePath, type RecordSteps } from './compiling.ts';
import { counted, countLooks, type ParsedPath, present, RecordProblem, type Scope, type ValuePlace } from './paths.ts';
import type { Conversion, MappedValue } from './schema.ts';

/** Where a value comes from, compiled. */
export interface CompiledValue {
  /**
   * Visits each value.
   *
   * @throws RecordProblem - it is a list or a mapping, or a converter does not take it
   */
  readonly each: (scope: Scope, visit: (value: Scalar, scope: Scope) => void) => void;
  /**
   * What is visited where it is at most one, and no conversion makes a list of it: the same, but quicker.
   *
   * @throws RecordProblem - as `each`
   */
  readonly one?: ((scope: Scope) => Scalar | undefined) | undefined;
  /** Visits each value as a scope that a node is said of. */
  readonly eachScope: (scope: Scope, visit: (found: Scope) => void) => void;
  /** Whether there can be more than one. */
  readonly many: boolean;
  /** The paths that it is read by, of alternatives the first. */
  readonly paths: readonly ParsedPath[];
  /** What it is where it is the same for every record. */
  readonly constant: unknown;
  /** Whether it makes no change when it differs. */
  readonly ignored: boolean;
  /** IRI of the datatype that the converters make, where that is known. */
  readonly datatype: string | undefined;
  /** Whether every value has the form of that datatype for sure. */
  readonly assured: boolean;
  /** Where it is asked for, for reports. */
  readonly place: ValuePlace;
  /** Where the scopes begin, from one that `eachScope` visits: that one last. */
  readonly scopes: readonly RecordSteps[];
  /** Where the scopes begin, from one that `each` visits with a value. */
  readonly valueScopes: readonly RecordSteps[];
}

/** What converters make of the values that are found. */
interface Source {
  /** Of the one value that is found, where no wildcard leads to it. */
  readonly make?: (scope: Scope) => unknown;
  /** Of each that is found, with its scope. */
  readonly eachMade: (scope: Scope, visit: (made: unknown, found: Scope) => void) => void;
  readonly paths: readonly ParsedPath[];
  readonly constant?: unknown;
  readonly ignored: boolean;
  readonly scopes: readonly RecordSteps[];
}

/**
 * Compiles where a value comes from; mistakes are noted.
 *
 * @param converts - the converter where the value names none
 * @see specs/mappings.md MAP-11
 */
export function compileValue(
  value: MappedValue,
  at: MappingPath,
  compiling: Compiling,
  converts?: Conversion,
): CompiledValue {
  const kind = value.path !== undefined ? 'path' : value.paths ? 'paths' : 'value';
  const place: ValuePlace = { at: [...at, kind], path: value.path ?? value.paths?.join(', ') ?? '' };
  const conversion = compileConversion(value.convert ?? converts, { ...place, at: [...at, 'convert'] }, compiling);
  const { paths, constant, ignored, scopes, make, eachMade } = sourceOf(value, place, conversion, compiling);
  const many = make === undefined || conversion.many;
  const { scalars, nodes } = visiting(place, conversion.converts);
  return {
    each: make
      ? (scope, visit) => scalars(make(scope), scope, visit)
      : (scope, visit) => eachMade(scope, (made, found) => scalars(made, found, visit)),
    eachScope: (scope, visit) => eachMade(scope, (made, found) => nodes(made, found, visit)),
    one: many || !make ? undefined : onlyOne(make, scalars, place),
    many,
    paths,
    constant,
    ignored,
    datatype: conversion.datatype,
    assured: conversion.assured,
    place,
    scopes,
    valueScopes: make ? compiling.scopes : scopes,
  };
}

function sourceOf(
  { path: text, paths: texts, value }: MappedValue,
  place: ValuePlace,
  conversion: CompiledConversion,
  compiling: Compiling,
): Source {
  const { at } = place;
  const { apply } = conversion;
  if (text !== undefined) {
    const { many, one, each, parsed, ignored, scopes } = compilePath(text, at, compiling);
    const paths = [parsed];
    // A converter may make a long text of what was none.
    const made = (value: unknown, from: Scope) => counted(apply(value), from, place);
    const eachMade: Source['eachMade'] = conversion.converts
      ? (scope, visit) => each(scope, (found) => visit(made(found.value, found), found))
      : (scope, visit) => each(scope, (found) => visit(found.value, found));
    if (many) return { eachMade, paths, ignored, scopes };
    return { make: conversion.converts ? (scope) => made(one(scope), scope) : one, eachMade, paths, ignored, scopes };
  }
  const made = texts
    ? joined(texts, at, conversion, compiling)
    : { paths: [], ignored: false, ...constantOf(value, apply, compiling) };
  const { make } = made;
  return {
    ...made,
    eachMade: (scope, visit) => visit(make(scope), { ...scope, above: scope }),
    scopes: [...compiling.scopes, undefined],
  };
}

function joined(
  texts: readonly string[],
  at: MappingPath,
  { apply, takesList }: CompiledConversion,
  compiling: Compiling,
): Pick<Source, 'paths' | 'ignored'> & { make: (scope: Scope) => unknown } {
  const { mistakes } = compiling;
  const paths = texts.map((path, index) => compilePath(path, [...at, index], compiling));
  for (const [index, path] of paths.entries()) {
    if (path.many) mistakes.add([...at, index], '[*] is not allowed in "paths", each of which has one value');
  }
  if (!takesList) {
    mistakes.add(at, 'the values of "paths" go to a converter that takes a list: name one first in "convert"');
  }
  const make = (scope: Scope) => {
    const values = paths.map((path) => path.one(scope));
    return values.includes(undefined) ? undefined : apply(values);
  };
  return { make, paths: paths.map(({ parsed }) => parsed), ignored: paths.every((path) => path.ignored) };
}

function constantOf(
  value: unknown,
  apply: CompiledConversion['apply'],
  { mistakes }: Compiling,
): { make: (scope: Scope) => unknown; constant: unknown } {
  try {
    const constant = apply(value);
    return { make: () => constant, constant };
  } catch (error) {
    if (!(error instanceof RecordProblem)) throw error;
    mistakes.add(error.place.at, error.message);
    return { make: () => undefined, constant: undefined };
  }
}

type VisitScalars = (made: unknown, scope: Scope, visit: (value: Scalar, scope: Scope) => void) => void;

/** Visits what is made of a value: a list that a converter made stands for many, one of the document is a mistake. */
function visiting(place: ValuePlace, listsAreMany: boolean) {
  const scalar: VisitScalars = (made, scope, visit) => {
    if (made === undefined || made === null) return;
    if (typeof made !== 'object') {
      visit(made as Scalar, scope);
      return;
    }
    const what = Array.isArray(made) ? 'a list: [*] leads to each of its items' : 'a mapping: lead the path into it';
    throw new RecordProblem(place, `one value was expected, and it is ${what}, or say it by "node"`, made);
  };
  const scalars: VisitScalars = (made, scope, visit) => {
    if (!listsAreMany || !Array.isArray(made)) {
      scalar(made, scope, visit);
      return;
    }
    countLooks(made.length, scope, place);
    for (const item of made) scalar(item, scope, visit);
  };
  const nodes = (made: unknown, found: Scope, visit: (found: Scope) => void) => {
    if (made === undefined) return;
    if (!Array.isArray(made)) {
      visit(made === found.value ? found : { ...found, value: made });
      return;
    }
    if (!listsAreMany)
      throw new RecordProblem(place, 'a node needs one value, but this is a list: [*] leads to each item', made);
    countLooks(made.length, found, place);
    for (const [key, value] of made.entries()) visit({ ...found, value, key });
  };
  return { scalars, nodes };
}

function onlyOne(
  make: (scope: Scope) => unknown,
  scalars: VisitScalars,
  place: ValuePlace,
): (scope: Scope) => Scalar | undefined {
  return (scope) => {
    const made = make(scope);
    if (typeof made !== 'object') return made as Scalar | undefined;
    // A converter may make a list of one, or of none.
    let only: Scalar | undefined;
    scalars(made, scope, (found) => {
      if (only !== undefined) throw new RecordProblem(place, 'one value was expected, and there are more', made);
      only = found;
    });
    return only;
  };
}

/** The converters of a value, one after the other. */
type CompiledConversion = ReturnType<typeof compileConversion>;

interface Step {
  readonly name: string;
  readonly converter: Converter;
  readonly convert: Convert;
}

/** Converters that hand on values of whatever datatype they get. */
const PASSING: ReadonlySet<string> = new Set(['between', 'sentinel', 'default', 'item', 'split']);

/**
 * Compiles the converters of a value; mistakes are noted.
 *
 * @see specs/mappings.md MAP-11
 */
export function compileConversion(
  conversions: Conversion | readonly Conversion[] = [],
  place: ValuePlace,
  compiling: Compiling,
) {
  const steps = [conversions].flat().flatMap((conversion, index) => {
    const at = Array.isArray(conversions) ? [...place.at, index] : place.at;
    return stepOf(conversion as Conversion, at, compiling) ?? [];
  });
  const typed = steps.findLast(({ name, converter }) => converter.datatype !== undefined || !PASSING.has(name));
  return {
    /** Gives `undefined` for what is absent, a list where there are many values. @throws RecordProblem */
    apply: applying(steps, place),
    /** IRI of the datatype that it makes, where that is known. */
    datatype: typed?.converter.datatype,
    /** Whether what it makes has the form of that datatype for sure. */
    assured: steps.at(-1)?.converter.datatype !== undefined,
    takesList: steps[0]?.converter.takes === 'any',
    /** Whether it can make many values of one. */
    many: steps.some(({ name }) => name === 'split') || steps.at(-1)?.name === 'json',
    converts: steps.length > 0,
  };
}

function stepOf(conversion: Conversion, at: MappingPath, { iris, timeZone, mistakes }: Compiling): Step | undefined {
  const given = typeof conversion === 'string' ? { [conversion]: undefined } : conversion;
  const [[name, argument] = ['', undefined], ...others] = Object.entries(given);
  const converter = Object.hasOwn(converters, name) ? converters[name] : undefined;
  if (others.length > 0) {
    mistakes.add(at, `one converter was expected, but there are ${others.length + 1}: write them as a list`);
    return undefined;
  }
  if (!converter) {
    const names = Object.keys(converters).sort();
    const meant = nearestKey(name, names);
    const hint = meant === undefined ? '' : `did you mean "${meant}"? `;
    mistakes.add(at, `"${name}" is not a converter: ${hint}There are ${names.join(', ')}`);
    return undefined;
  }
  try {
    const expand = (compact: string) => {
      const mistake = iris.mistakeOf(compact);
      if (mistake !== undefined) throw new ConversionProblem(mistake);
      return iris.expand(compact);
    };
    return { name, converter, convert: converter.make(argument, { expand, timeZone }) };
  } catch (error) {
    if (!(error instanceof ConversionProblem)) throw error;
    mistakes.add(at, `${name}: ${error.message}`);
    return undefined;
  }
}

function applying(steps: readonly Step[], place: ValuePlace): Convert {
  const [first, ...others] = steps.map((step, index) => stepping(step, index > 0, place));
  if (!first) return (value) => value;
  if (others.length === 0) return first;
  return (value) => others.reduce((made, step) => step(made), first(value));
}

function stepping({ name, converter, convert }: Step, listsAreMany: boolean, place: ValuePlace): Convert {
  const step: Convert = (value) => {
    const given = present(value);
    if (given === undefined && !converter.takesAbsent) return undefined;
    if (typeof given === 'object' && converter.takes !== 'any') {
      if (!Array.isArray(given)) {
        throw new RecordProblem(place, `${name} takes no mapping: lead the path into it`, given);
      }
      // A list that a converter made stands for many values; one of the document may be a mistake.
      if (listsAreMany) return given.map(step).filter((made) => made !== undefined);
      throw new RecordProblem(place, `${name} takes no list: [*] leads to each of its items`, given);
    }
    try {
      return present(convert(given));
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      throw new RecordProblem(
        place,
        error instanceof ConversionProblem ? message : `${name} failed (${message})`,
        given,
      );
    }
  };
  return step;
}
