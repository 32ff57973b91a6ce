import { errors } from '../errors.ts';
import type { LiveQueryOptions } from '../live-query-options.ts';

/** What each option is, to who has given something else: whether a value is one, and what to give. */
const KINDS: Readonly<Partial<Record<keyof LiveQueryOptions, readonly [(value: unknown) => boolean, string]>>> = {
  engine: [isEngine, 'give comunica() or oxigraph(), called'],
  data: [isIterable, 'give an iterable of RDF/JS quads, such as a parser makes of a file'],
  signal: [isSignal, 'give an AbortSignal, such as the signal of an AbortController'],
  limits: [isObject, 'give an object of limits, such as { limitRows: 1000 }'],
  clock: [isFunction, 'give a function'],
  sleep: [isFunction, 'give a function'],
  evaluators: [isFunction, 'give evaluateInWorker(), called, or another function of a task'],
};

/**
 * Checks that options are of their kind at all.
 *
 * @throws {@link StreamError} `ERR_QUERY_OPTION` - one is not
 */
export function checkKinds(options: LiveQueryOptions): void {
  for (const [name, [isKind, expected]] of Object.entries(KINDS)) {
    const value: unknown = options[name as keyof LiveQueryOptions];
    if (value !== undefined && !isKind(value)) throw errors.ERR_QUERY_OPTION({ name, value, expected });
  }
}

/** Whether a value has properties by name: what options and limits are given in. */
export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isFunction(value: unknown): boolean {
  return typeof value === 'function';
}

function isEngine(value: unknown): boolean {
  return (
    isObject(value) && 'name' in value && typeof value.name === 'string' && 'open' in value && isFunction(value.open)
  );
}

/** A text is an iterable too, of characters. */
function isIterable(value: unknown): boolean {
  return typeof value === 'object' && value !== null && (Symbol.iterator in value || Symbol.asyncIterator in value);
}

/** Of any realm. */
function isSignal(value: unknown): boolean {
  return isObject(value) && 'aborted' in value && 'addEventListener' in value && isFunction(value.addEventListener);
}
