import { ConversionProblem, type Convert, type Converter, type Scalar } from '../convert/converter.ts';
import type { MappingPath } from '../errors.ts';
import { nearestKey } from '../options.ts';
import { type CompiledPath, type Compiling, compilePath, type RecordSteps } from './compiling.ts';
import { present, RecordProblem, type Scope, type ValuePlace } from './paths.ts';
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
  readonly one?: (scope: Scope) => Scalar | undefined;
  /** Visits each value as a scope that a node is said of. */
  readonly eachScope: (scope: Scope, visit: (found: Scope) => void) => void;
  /** Whether there can be more than one. */
  readonly many: boolean;
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
  const common = { datatype: conversion.datatype, assured: conversion.assured, place };
  if (value.path !== undefined) {
    const path = compilePath(value.path, place.at, compiling);
    const { ignored, scopes } = path;
    const valueScopes = path.many ? scopes : compiling.scopes;
    const many = path.many || conversion.many;
    return {
      ...common,
      ...readingPath(path, conversion, place),
      many,
      constant: undefined,
      ignored,
      scopes,
      valueScopes,
    };
  }
  const made = value.paths
    ? readingPaths(value.paths, conversion, place, compiling)
    : { ignored: false, ...readingConstant(value.value, conversion, compiling) };
  return {
    constant: undefined,
    ...common,
    ...made,
    each: (scope, visit) => visitScalars(made.make(scope), scope, visit, place, true),
    eachScope: (scope, visit) => visitScopes(made.make(scope), { ...scope, above: scope }, visit, place, true),
    many: conversion.many,
    scopes: [...compiling.scopes, undefined],
    valueScopes: compiling.scopes,
  };
}

function readingPath(
  path: CompiledPath,
  { apply, takesAbsent, steps, many }: CompiledConversion,
  place: ValuePlace,
): Pick<CompiledValue, 'each' | 'eachScope' | 'one'> {
  const converted = steps > 0;
  const eachScope: CompiledValue['eachScope'] = (scope, visit) =>
    path.each(scope, (found) => visitScopes(apply(found.value), found, visit, place, converted));
  if (path.many) {
    return {
      each: (scope, visit) =>
        path.each(scope, (found) => visitScalars(apply(found.value), found, visit, place, converted)),
      eachScope,
    };
  }
  return {
    each: (scope, visit) => {
      const value = path.one(scope);
      if (value !== undefined || takesAbsent) visitScalars(apply(value), scope, visit, place, converted);
    },
    ...(many
      ? {}
      : {
          one: (scope) => {
            const value = path.one(scope);
            if (value === undefined && !takesAbsent) return undefined;
            const made = converted ? apply(value) : value;
            return typeof made === 'object' ? onlyItem(made, place, converted) : (made as Scalar | undefined);
          },
        }),
    eachScope,
  };
}

/** A converter may make a list of one, or of none. */
function onlyItem(made: unknown, place: ValuePlace, converted: boolean): Scalar | undefined {
  let only: Scalar | undefined;
  visitScalars(
    made,
    undefined as never,
    (found) => {
      if (only !== undefined) throw new RecordProblem(place, 'one value was expected, and there are more', made);
      only = found;
    },
    place,
    converted,
  );
  return only;
}

function readingPaths(
  texts: readonly string[],
  { apply, takesList }: CompiledConversion,
  { at }: ValuePlace,
  compiling: Compiling,
): { make: (scope: Scope) => unknown; ignored: boolean } {
  const paths = texts.map((path, index) => compilePath(path, [...at, index], compiling));
  for (const [index, path] of paths.entries()) {
    if (path.many) compiling.mistakes.add([...at, index], '[*] cannot stand in "paths", each of which has one value');
  }
  if (!takesList) {
    compiling.mistakes.add(
      at,
      'the values of "paths" go to a converter that takes a list: name one first in "convert"',
    );
  }
  const make = (scope: Scope) => {
    const values = paths.map((path) => path.one(scope));
    return values.includes(undefined) ? undefined : apply(values);
  };
  return { make, ignored: paths.every((path) => path.ignored) };
}

function readingConstant(
  value: unknown,
  { apply }: CompiledConversion,
  { mistakes }: Compiling,
): { make: () => unknown; constant: unknown } {
  try {
    const constant = apply(value);
    return { make: () => constant, constant };
  } catch (error) {
    if (!(error instanceof RecordProblem)) throw error;
    mistakes.add(error.place.at, error.message);
    return { make: () => undefined, constant: undefined };
  }
}

function visitScalars(
  made: unknown,
  scope: Scope,
  visit: (value: Scalar, scope: Scope) => void,
  place: ValuePlace,
  converted: boolean,
): void {
  if (made === undefined) return;
  if (typeof made !== 'object') {
    visit(made as Scalar, scope);
    return;
  }
  if (!converted || !Array.isArray(made)) {
    const what = Array.isArray(made) ? 'a list: [*] leads to each of its items' : 'a mapping: lead the path into it';
    throw new RecordProblem(place, `one value was expected, and it is ${what}, or say it by "node"`, made);
  }
  for (const item of made) visitScalars(item ?? undefined, scope, visit, place, false);
}

function visitScopes(
  made: unknown,
  found: Scope,
  visit: (found: Scope) => void,
  place: ValuePlace,
  converted: boolean,
): void {
  if (made === undefined) return;
  if (!Array.isArray(made)) {
    visit(made === found.value ? found : { ...found, value: made });
    return;
  }
  if (!converted)
    throw new RecordProblem(place, 'a node is said of one value, and it is a list: [*] leads to each item', made);
  for (const [key, value] of made.entries()) visit({ ...found, value, key });
}

/** The converters of a value, one after the other. */
export interface CompiledConversion {
  /**
   * Converts a value, which may be absent.
   *
   * @returns `undefined` when it is absent, a list when there are many values
   * @throws RecordProblem - a converter does not take it
   */
  readonly apply: (value: unknown) => unknown;
  /** IRI of the datatype that it makes, where that is known. */
  readonly datatype: string | undefined;
  /** Whether what it makes has the form of that datatype for sure. */
  readonly assured: boolean;
  /** Whether it makes something of an absent value. */
  readonly takesAbsent: boolean;
  /** Whether the first converter takes a list. */
  readonly takesList: boolean;
  /** Whether it can make many values of one. */
  readonly many: boolean;
  /** How many there are. */
  readonly steps: number;
}

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
 * @see specs/mappings.md MAP-12
 */
export function compileConversion(
  conversions: Conversion | readonly Conversion[] | undefined,
  place: ValuePlace,
  compiling: Compiling,
): CompiledConversion {
  const isOne = !Array.isArray(conversions);
  const list = conversions === undefined ? [] : isOne ? [conversions as Conversion] : (conversions as Conversion[]);
  const steps = list.flatMap((conversion, index) => {
    const step = stepOf(conversion, isOne ? place.at : [...place.at, index], compiling);
    return step ? [step] : [];
  });
  const takes = steps[0]?.converter.takes ?? 'scalar';
  return {
    apply: applying(steps, place),
    datatype: datatypeOf(steps),
    assured: steps.at(-1)?.converter.datatype !== undefined,
    takesAbsent: steps.some(({ converter }) => converter.takesAbsent === true),
    takesList: takes !== 'scalar',
    many: steps.some(({ name }) => name === 'split') || steps.at(-1)?.name === 'json',
    steps: steps.length,
  };
}

function stepOf(
  conversion: Conversion,
  at: MappingPath,
  { converters, iris, timeZone, mistakes }: Compiling,
): Step | undefined {
  const [[name, argument] = ['', undefined], ...others] =
    typeof conversion === 'string' ? [[conversion, undefined] as const] : Object.entries(conversion);
  if (others.length > 0) {
    mistakes.add(at, `one converter was expected, and there are ${others.length + 1}: write them as a list`);
    return undefined;
  }
  const converter = Object.hasOwn(converters, name) ? (converters[name] as Converter) : undefined;
  if (!converter) {
    const names = Object.keys(converters).sort();
    const meant = nearestKey(name, names);
    const hint = meant === undefined ? '' : `did you mean "${meant}"? `;
    mistakes.add(at, `"${name}" is no converter: ${hint}There are ${names.join(', ')}`);
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

function datatypeOf(steps: readonly Step[]): string | undefined {
  return steps.findLast(({ name, converter }) => converter.datatype !== undefined || !PASSING.has(name))?.converter
    .datatype;
}

function applying(steps: readonly Step[], place: ValuePlace): (value: unknown) => unknown {
  if (steps.length === 0) return (value) => value;
  const [only, ...others] = steps.map((step, index) => stepping(step, index > 0, place));
  if (others.length === 0) return only as Convert;
  return (value) => others.reduce((made, step) => step(made), (only as Convert)(value));
}

function stepping({ name, converter, convert }: Step, listsAreMany: boolean, place: ValuePlace): Convert {
  const takes = converter.takes ?? 'scalar';
  const step: Convert = (value) => {
    const given = present(value);
    if (given === undefined && !converter.takesAbsent) return undefined;
    if (typeof given === 'object' && takes !== 'any') {
      if (!Array.isArray(given))
        throw new RecordProblem(place, `${name} takes no mapping: lead the path into it`, given);
      if (takes === 'scalar') {
        // A list that a converter made stands for many values; one of the document may be a mistake.
        if (listsAreMany) return given.map(step).filter((made) => made !== undefined);
        throw new RecordProblem(place, `${name} takes no list: [*] leads to each of its items`, given);
      }
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
