/*
 * What the schemas of a configuration are made of. Each key says, in one place, what it may be, what its receiver calls
 * it, and what editors and the reference say of it:
 *
 *   heartbeat: ['heartbeatMs', duration('1s', '15s'), 'time between two comments on a silent connection | `15s` | 10s']
 *
 *   zod          { heartbeat: '10s' } -> { heartbeatMs: 10000 }, or "a duration from 1s to 15s with its unit"
 *   JSON Schema  { "type": "string", "pattern": "...", "examples": ["10s"], "default": "15s", "description":
 *                "time between ... connection: a duration from `1s` to `15s` (`heartbeatMs`). Default: `15s`." }
 */
import { parse as parseYaml } from 'yaml';
import { z } from 'zod';
import { DURATION, isUrl, parseDuration } from './forms.ts';

/** A duration with its unit, both ends of its range included, read as milliseconds. */
export function duration(min: string, max = '24h') {
  const expected = `a duration from ${min} to ${max} with its unit (ms, s, m, h or d)`;
  const [minMs, maxMs] = [min, max].map(parseDuration) as [number, number];
  const isInRange = (durationMs = -1) => durationMs >= minMs && durationMs <= maxMs;
  return z
    .string({ error: expected })
    .refine((value) => isInRange(parseDuration(value)), expected)
    .transform((value) => parseDuration(value) as number)
    .meta({ pattern: DURATION.source, description: `a duration from \`${min}\` to \`${max}\`` });
}

export function integer(minimum: number, maximum = Number.MAX_SAFE_INTEGER) {
  const isOpen = maximum === Number.MAX_SAFE_INTEGER;
  const expected = isOpen ? `an integer of at least ${minimum}` : `an integer from ${minimum} to ${maximum}`;
  return z
    .number({ error: expected })
    .refine((value) => Number.isSafeInteger(value) && value >= minimum && value <= maximum, expected)
    .meta({ type: 'integer', minimum, ...(!isOpen && { maximum }), description: expected });
}

/** What is said of every text in which `${NAME}` is filled in. */
export const VARIABLE = '`$' + '{NAME}` stands for an environment variable';

export const flag = z.boolean({ error: 'true or false' }).meta({ description: '`true` or `false`' });

export function matching(pattern: RegExp, expected: string) {
  return z.string({ error: expected }).regex(pattern, expected);
}

/** A text of a pattern in which `${NAME}` may stand for an environment variable. It is filled in before this is asked. */
export function expanded(pattern: RegExp, expected: string) {
  return matching(pattern, expected).meta({ pattern: `${pattern.source}|\\$\\{[A-Za-z_][A-Za-z0-9_]*\\}` });
}

/** A text for people: not only blanks, and without control characters but for the line ends of paragraphs. */
export function words(expected: string) {
  return matching(/^(?=\s*\S)(?:\P{Cc}|\n)*$/u, expected);
}

export function absoluteUrl(expected: string, schemes = ['http', 'https']) {
  return z
    .string({ error: expected })
    .refine((value) => isUrl(value, schemes), expected)
    .refine(
      (value) => !value.includes('${'),
      'a URL without variables: a secret belongs in headers, username or password',
    )
    .meta({ pattern: `^(?:${schemes.join('|')}):` });
}

/**
 * A mapping without other keys than those of its shape, which its message lists for unknown ones. `rules` is what JSON Schema
 * can say of keys that belong together; zod has to be told by itself.
 */
export function object<Shape extends z.ZodRawShape>(id: string, expected: string, shape: Shape, rules: object = {}) {
  const known = Object.keys(shape).join(', ');
  return z
    .strictObject(shape, { error: ({ code }) => (code === 'unrecognized_keys' ? known : expected) })
    .meta({ id, ...rules });
}

/** A key that has to be there. A row is `what it says | an example in YAML`. */
export function required<Schema extends z.ZodType>(schema: Schema, row: string): Schema {
  const [about = '', example] = row.split(' | ');
  return schema.meta({ description: described(schema, about), example });
}

/**
 * A key that may be left out. A row is `what it says | what holds where it is left out | an example`; a default in backticks
 * is a value.
 */
export function optional<Schema extends z.ZodType>(schema: Schema, row: string, option?: string) {
  const [about = '', fallback, example] = row.split(' | ');
  const description = described(schema, about) + (option === undefined ? '' : ` (\`${option}\`)`);
  return schema.exactOptional().meta({ description, fallback, example }) as z.ZodExactOptional<Schema>;
}

function described({ description }: z.ZodType, about: string): string {
  return description === undefined ? about : `${about}: ${description}`;
}

/** A key that its receiver calls otherwise: its name there, what it may be, and what is said of it. */
type Limit<Options> = {
  readonly [Option in keyof Options & string]: readonly [Option, z.ZodType<NonNullable<Options[Option]>>, row: string];
}[keyof Options & string];

export type LimitTable<Options> = Readonly<Record<string, Limit<Options>>>;

/** A mapping of keys that may all be left out, read as the options of its receiver. */
export function limits<Options extends object>(id: string, table: LimitTable<Options>, rules: object = {}) {
  const keys = Object.entries(table).map(([key, [option, schema, row]]) => [key, optional(schema, row, option)]);
  const shape: Record<string, z.ZodType> = Object.fromEntries(keys);
  return object(id, anyOf(table), shape, rules).transform((values) => {
    const named = Object.entries(values).map(([key, value]) => [table[key]?.[0], value]);
    return Object.fromEntries(named) as Partial<Options>;
  });
}

export function anyOf(table: object): string {
  return `a mapping with any of ${Object.keys(table).join(', ')}`;
}

/**
 * One of several alternatives, by what picks them: `text`, `list` or `mapping`, or the value itself as a text. Not a union:
 * its mistakes would not say what is wrong within the one that was meant.
 */
export function either<Alternatives extends Readonly<Record<string, z.ZodType>>>(
  alternatives: Alternatives,
  expected: string,
  pick: (value: unknown) => string | undefined = kindOf,
) {
  type Output = z.output<Alternatives[keyof Alternatives]>;
  const schema = z.unknown().transform((value, context): Output => {
    const picked = pick(value) ?? '';
    const alternative = Object.hasOwn(alternatives, picked) ? alternatives[picked] : undefined;
    if (!alternative) {
      context.addIssue({ code: 'custom', message: expected, input: value });
      return z.NEVER;
    }
    // Not safeParse: what has an unknown key still has a value, and others of its mistakes are still to be found.
    const payload = alternative._zod.run({ value, issues: [] }, {}) as z.core.ParsePayload;
    // Whatever looks across several sources has to wait until each of them is right.
    context.issues.push(...payload.issues.map((issue) => ({ ...issue, continue: undefined })));
    return payload.value as Output;
  });
  return schema.meta({ alternatives: Object.values(alternatives) });
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'object' && value !== null) return 'mapping';
  return typeof value === 'string' ? 'text' : String(value);
}

/** The JSON Schema (draft 2020-12) of what a schema takes. It takes more: rules that go across keys are zod's. */
export function jsonSchemaOf(schema: z.ZodType): z.core.JSONSchema.JSONSchema {
  const known = new Map<z.ZodType, z.core.JSONSchema.JSONSchema>();
  const definitions: Record<string, z.core.JSONSchema.JSONSchema> = {};
  const convert = (one: z.ZodType) => {
    const { $schema: _, $defs, ...json } = known.get(one) ?? z.toJSONSchema(one, { io: 'input', override: finish });
    Object.assign(definitions, $defs);
    known.set(one, json);
    return json;
  };
  const finish = ({ jsonSchema }: { readonly jsonSchema: z.core.JSONSchema.BaseSchema }) => {
    const { alternatives, fallback, example, ...json } = jsonSchema as FieldSchema;
    for (const key of Object.keys(jsonSchema)) delete jsonSchema[key];
    const [, value] = /^`([^`]*)`$/.exec(fallback ?? '') ?? [];
    Object.assign(jsonSchema, {
      ...json,
      ...(fallback !== undefined && { description: `${json.description}. Default: ${fallback}.` }),
      ...(alternatives && { anyOf: alternatives.map(convert) }),
      ...(value !== undefined && { default: parseYaml(value) }),
      ...(example !== undefined && { examples: [parseYaml(example)] }),
    });
  };
  return { ...convert(schema), $defs: definitions };
}

interface FieldSchema extends z.core.JSONSchema.BaseSchema {
  readonly alternatives?: readonly z.ZodType[];
  readonly fallback?: string;
  readonly example?: string;
}
