import type { MappingPath } from '../errors.ts';
import { type CompiledConversion, compileConversion } from './compile-conversion.ts';
import { type CompiledPath, type Compiling, compilePath, type RecordSteps } from './compiling.ts';
import { RecordProblem, type ValuePlace } from './record-problem.ts';
import type { Conversion, MappedValue } from './schema.ts';
import type { Scope } from './scope.ts';

/** What a value is that something can be said by. */
export type Scalar = string | number | boolean;

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
