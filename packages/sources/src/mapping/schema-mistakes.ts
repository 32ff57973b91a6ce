import type { z } from 'zod';
import { nearestKey } from '../options.ts';
import type { MappingMistake } from './mapping-mistake.ts';
import { contextMappingSchema, keysAt, mappingSchema } from './mapping-schema.ts';

/** What is wrong with the form of a mapping. */
export interface SchemaMistakes {
  readonly mistakes: readonly MappingMistake[];
  /** Whether it can be read nevertheless, since it has keys too many at the most. */
  readonly isReadable: boolean;
}

/** Tells what in a value is no mapping: unknown keys, missing ones, and values of another kind. */
export function schemaMistakes(value: unknown): SchemaMistakes {
  const has = (key: string) => typeof value === 'object' && value !== null && Object.hasOwn(value, key);
  const isContext = has('context');
  if (has('@context') && !isContext) {
    const message = 'a mapping that is a JSON-LD context has it as "context", without the "@"';
    return { mistakes: [{ path: ['@context'], message }], isReadable: false };
  }
  const { error } = (isContext ? contextMappingSchema : mappingSchema).safeParse(value);
  const issues = error?.issues ?? [];
  return {
    mistakes: issues.flatMap((issue) => mistakesOf(issue, value, isContext)),
    isReadable: issues.every(({ code }) => code === 'unrecognized_keys'),
  };
}

const kinds: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a mapping',
  record: 'a mapping',
};

function mistakesOf(issue: z.core.$ZodIssue, value: unknown, isContext: boolean): MappingMistake[] {
  const path = issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part));
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ path: [...path, key], message: unknownKey(key, path, isContext) }));
  }
  const missing = issue.code === 'invalid_type' && path.length > 0 && valueAt(value, path) === undefined;
  return [{ path, message: missing ? `it is missing: ${messageOf(issue)}` : messageOf(issue) }];
}

function unknownKey(key: string, path: readonly PropertyKey[], isContext: boolean): string {
  if (isContext && path.length === 0 && keysAt(path, false).includes(key)) {
    return 'it cannot stand beside "context": say what is published by one or the other';
  }
  const meant = nearestKey(key, keysAt(path, isContext));
  return `there is no such key${meant === undefined ? '' : `: did you mean "${meant}"?`}`;
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce((found, part) => (found as Readonly<Record<PropertyKey, unknown>> | undefined)?.[part], value);
}

function messageOf(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type') return `${kinds[issue.expected] ?? issue.expected} was expected`;
  if (issue.code === 'invalid_value') return `one of ${issue.values.map(String).join(', ')} was expected`;
  if (issue.code === 'invalid_key') return issue.issues[0]?.message ?? 'another key was expected';
  if (issue.code === 'too_small')
    return issue.origin === 'string' ? 'a text that is not empty was expected' : 'at least one was expected';
  return issue.message;
}
