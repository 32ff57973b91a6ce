import { z } from 'zod';
import { isAbsoluteIri, prefixesAt } from './iris.ts';
import { valueCheck, valueKeys } from './value-schema.ts';

const text = z.string().min(1);
const texts = z.array(text);
const oneOrMore = z.union([text, z.array(text).min(1)], { error: 'a text, or a list of texts, was expected' });
const name = z.string().regex(/^[\p{L}\p{N}_-]+$/u, { error: 'a name of letters, digits, _ and - was expected' });

const reading = z.strictObject({
  format: z.enum(['json', 'ndjson', 'geojson', 'csv', 'xml']).optional(),
  charset: text.optional(),
  delimiter: z.string().length(1, { error: 'one character was expected' }).optional(),
  root: text.optional(),
});

const value = z.strictObject(valueKeys).check(valueCheck('exactly'));

const node: z.ZodType = z.lazy(() =>
  z.strictObject({ subject: text.optional(), type: oneOrMore.optional(), properties: z.array(property) }),
);

const property = z
  .strictObject({
    ...valueKeys,
    predicate: text,
    datatype: text.optional(),
    language: text.optional(),
    languagePath: text.optional(),
    iri: z.union([z.literal(true), text], { error: 'true, or a template, was expected' }).optional(),
    node: node.optional(),
    required: z.boolean().optional(),
  })
  .check(valueCheck('property'));

const timeZone = text.refine(isTimeZone, { error: 'the name of a time zone such as Europe/Brussels was expected' });

const lookup = z.strictObject({
  reads: reading.optional(),
  records: text.optional(),
  key: text,
  by: text,
  convert: valueKeys.convert,
});

const common = {
  reads: reading.optional(),
  prefixes: z.record(z.string(), text.refine(isNamespace, { error: 'an absolute IRI was expected' })).optional(),
  timeZone: timeZone.optional(),
  records: text.optional(),
  variables: z.record(name, value).optional(),
  kind: z.enum(['state', 'observation']).optional(),
  series: text.optional(),
  type: oneOrMore.optional(),
  versionTime: value.optional(),
  ignoreForChange: texts.optional(),
  leftOut: texts.optional(),
  documentTime: value.optional(),
  documentTtl: value.optional(),
};

const seriesCheck: z.core.CheckFn<{ kind?: string | undefined; series?: string | undefined }> = ({ value, issues }) => {
  const { kind = 'state', series } = value;
  if (kind === 'observation' && series === undefined) {
    const message = 'a template was expected: what the observations are of, such as their sensor';
    issues.push({ code: 'custom', path: ['series'], message, input: value });
  }
  if (kind === 'state' && series !== undefined) {
    issues.push({ code: 'custom', path: ['series'], message: 'it is for kind: observation only', input: value });
  }
};

/** What a mapping looks like that says property by property what is written. */
export const mappingSchema = z
  .strictObject({
    ...common,
    lookups: z
      .record(name.refine(isFree, { error: 'root, key, this and topic have a meaning of their own' }), lookup)
      .optional(),
    subject: text,
    properties: z.array(property),
    key: z.array(text).min(1).optional(),
  })
  .check(seriesCheck);

/** The keys that may stand at a place of a mapping. */
export function keysAt(path: readonly PropertyKey[], isContext: boolean): readonly string[] {
  const last = path.at(-1);
  if (last === undefined) return Object.keys((isContext ? contextMappingSchema : mappingSchema).shape);
  if (last === 'reads') return Object.keys(reading.shape);
  if (last === 'node') return ['subject', 'type', 'properties'];
  if (typeof last === 'number') return Object.keys(property.shape);
  return Object.keys(path[0] === 'lookups' ? lookup.shape : valueKeys);
}

const contextObject = z.record(z.string(), z.unknown());

/** What a mapping looks like that is a JSON-LD context. */
export const contextMappingSchema = z
  .strictObject({
    ...common,
    context: z.union([contextObject, z.array(contextObject).min(1)], {
      error: 'a JSON-LD context was expected, written out: one that stands elsewhere is not fetched',
    }),
    subject: text.optional(),
  })
  .check(seriesCheck);

function isNamespace(namespace: string): boolean {
  const somewhere = { publicUrl: 'http://a.example/', streamUrl: 'http://a.example/a' };
  return Object.values(prefixesAt({ namespace }, somewhere)).every(isAbsoluteIri);
}

function isFree(lookupName: string): boolean {
  return !['root', 'key', 'this', 'topic'].includes(lookupName);
}

function isTimeZone(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
