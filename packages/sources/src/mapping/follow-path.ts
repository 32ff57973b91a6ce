import type { ParsedPath, PathStart, PathStep } from './parse-path.ts';
import { RecordProblem, type ValuePlace } from './record-problem.ts';
import type { Scope } from './scope.ts';

/** A path, compiled. */
export interface FollowedPath {
  /** Whether it has a wildcard, so that it can lead to many values. */
  readonly many: boolean;
  /** The value that it leads to, `undefined` when absent. Only of a path without a wildcard. */
  readonly one: (scope: Scope) => unknown;
  /** Each that it leads to and that is not absent, as a scope. */
  readonly each: (scope: Scope, visit: (found: Scope) => void) => void;
}

/** How lists and mappings are told apart. */
export interface PathReading {
  /**
   * Whether a child that could be repeated stands alone, as in XML: then `[*]` over a mapping takes the mapping itself,
   * and not its values.
   */
  readonly aloneIsItem: boolean;
}

/**
 * Compiles a path to closures, which throw nothing but {@link RecordProblem}.
 *
 * @see specs/mappings.md MAP-4
 */
export function followPath(path: ParsedPath, place: ValuePlace, reading: PathReading): FollowedPath {
  const begin = beginning(path.start);
  if (path.ofKey) return single((scope) => begin(scope)?.key, begin);
  const at = path.steps.indexOf('each');
  if (at < 0) {
    const walk = walking(path.steps, place);
    if (path.start.from === 'record') return single((scope) => present(walk(scope.value)), begin);
    return single((scope) => {
      const from = begin(scope);
      return from && present(walk(from.value));
    }, begin);
  }
  const visitAll = visiting(path.steps, at, place, reading);
  return {
    many: true,
    one: () => undefined,
    each: (scope, visit) => {
      const from = begin(scope);
      if (from) visitAll(from, visit);
    },
  };
}

/** A value, unless it is absent: missing, null, or the empty text. */
export function present(value: unknown): unknown {
  return value === null || value === '' ? undefined : value;
}

function single(one: (scope: Scope) => unknown, begin: (scope: Scope) => Scope | undefined): FollowedPath {
  return {
    many: false,
    one,
    each: (scope, visit) => {
      const value = one(scope);
      const above = value === undefined ? undefined : begin(scope);
      if (above) visit({ value, key: above.key, above, run: scope.run });
    },
  };
}

function beginning(start: PathStart): (scope: Scope) => Scope | undefined {
  if (start.from === 'root') return (scope) => scope.run.root;
  if (start.from === 'lookup') return (scope) => scope.run.lookup(start.name);
  if (start.from === 'topic') return ({ run }) => ({ value: run.topic, key: undefined, above: undefined, run });
  if (start.from !== 'above') return (scope) => scope;
  return (scope) => {
    let found: Scope | undefined = scope;
    for (let level = 0; level < start.levels; level += 1) found = found?.above;
    return found;
  };
}

type Walk = (value: unknown) => unknown;

function walking(steps: readonly PathStep[], place: ValuePlace): Walk {
  const [first, second, ...more] = steps.map((step) => stepping(step, place));
  if (!first) return (value) => value;
  if (!second) return first;
  if (more.length === 0) return (value) => second(first(value));
  return (value) => more.reduce((reached, walk) => walk(reached), second(first(value)));
}

function stepping(step: PathStep, place: ValuePlace): Walk {
  if (step === 'each') throw new TypeError('A wildcard is no single step.');
  return 'item' in step ? toItem(step.item) : intoField(step.field, place);
}

function intoField(name: string, place: ValuePlace): Walk {
  // What an element of XML or a value of JSON-LD is besides its attributes may stand there without them.
  const ofScalars = name === '#text' || name === '@value';
  // Only names such as `constructor` are there unasked, and to ask whose a field is takes longer than to read it.
  const isOfAll = name in Object.prototype;
  return (value) => {
    if (typeof value !== 'object' || value === null) return ofScalars ? value : undefined;
    if (Array.isArray(value)) {
      throw new RecordProblem(
        place,
        `a list has no field "${name}": [*] leads to each of its items, [0] to the first`,
        value,
      );
    }
    return isOfAll && !Object.hasOwn(value, name) ? undefined : (value as Record<string, unknown>)[name];
  };
}

function toItem(index: number): Walk {
  return (value) => {
    if (Array.isArray(value)) return value[index];
    return index === 0 ? value : undefined;
  };
}

type Visit = (found: Scope) => void;

/** Follows steps of which that at `at` is the first wildcard. */
function visiting(
  steps: readonly PathStep[],
  at: number,
  place: ValuePlace,
  reading: PathReading,
): (from: Scope, visit: Visit) => void {
  const toContainer = walking(steps.slice(0, at), place);
  const rest = steps.slice(at + 1);
  const next = rest.indexOf('each');
  const further = next < 0 ? atEnd(rest, place) : visiting(rest, next, place, reading);
  return (from, visit) => {
    const container = present(toContainer(from.value));
    if (container === undefined) return;
    const onto = (value: unknown, key: string | number) => {
      if (present(value) !== undefined) further({ value, key, above: from, run: from.run }, visit);
    };
    if (Array.isArray(container)) {
      for (let index = 0; index < container.length; index += 1) onto(container[index], index);
    } else if (typeof container !== 'object' || reading.aloneIsItem) {
      onto(container, 0);
    } else {
      const values = container as Record<string, unknown>;
      // The order of keys says nothing, so nothing may follow from it.
      for (const key of Object.keys(values).sort()) onto(values[key], key);
    }
  };
}

function atEnd(rest: readonly PathStep[], place: ValuePlace): (from: Scope, visit: Visit) => void {
  if (rest.length === 0) return (from, visit) => visit(from);
  const walk = walking(rest, place);
  return (from, visit) => {
    const value = present(walk(from.value));
    if (value !== undefined) visit({ value, key: from.key, above: from, run: from.run });
  };
}
