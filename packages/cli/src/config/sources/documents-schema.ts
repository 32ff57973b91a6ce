import type { HttpSourcePages } from '@ldes-live/sources';
import { z } from 'zod';
import { durationSchema } from '../duration-schema.ts';
import type { Environment } from '../expand-environment.ts';
import { strictMapping } from '../strict-mapping.ts';
import { documentLimitsSchema } from './document-limits-schema.ts';
import { endpointsSchema, withBeside } from './endpoints.ts';
import { checked, httpUrl, requestShape } from './http-fields.ts';
import { mappingChoice, mappingShape } from './mapping-choice.ts';

/** What documents are written in, as the key of their source. */
export const DOCUMENT_KEYS = ['json', 'ndjson', 'geojson', 'csv', 'xml'] as const;

/** Documents over HTTP: one or several of one mapping, polled at one interval. */
export function documentsSchema(format: (typeof DOCUMENT_KEYS)[number], environment: Environment) {
  const shape = documentShape(environment);
  return strictMapping(`a mapping with ${format}, every and mapping`, {
    [format as 'json']: endpointsSchema(shape, { leadsTo: 'a document', noun: 'document' }),
    every: durationSchema({ least: '100ms', example: '60s' }),
    ...mappingShape(),
    lookups: lookupsSchema().exactOptional(),
    pages: pagesSchema().exactOptional(),
    ...shape,
  }).transform(
    ({ [format as 'json']: documents, every: everyMs, mapping, preset, lookups, pages, ...beside }, context) => ({
      kind: 'documents' as const,
      format,
      documents: withBeside(documents, beside, { key: format, noun: 'document' }, context),
      everyMs,
      mapping: mappingChoice({ mapping, preset }, context),
      ...(lookups && { lookups }),
      ...(pages !== undefined && { pages }),
    }),
  );
}

/** What a configuration may say of a document besides its URL. */
export function documentShape(environment: Environment) {
  return { ...requestShape(environment), limits: documentLimitsSchema().exactOptional() };
}

/** The other documents that a mapping looks things up in, by their names in it. */
export function lookupsSchema() {
  const lookup = strictMapping('the URL of a document, or a mapping with its url', {
    url: httpUrl('an http or https URL of a document'),
    every: durationSchema({ least: '100ms', example: '1h' }).exactOptional(),
  }).transform(({ url, every }) => ({ url, ...(every !== undefined && { intervalMs: every }) }));
  return z.record(
    checked(/^\w{1,64}$/, 'the name of a lookup of the mapping'),
    z.preprocess((value) => (typeof value === 'string' ? { url: value } : value), lookup),
    { error: 'a mapping of names of lookups to URLs' },
  );
}

/** Where a document says that there is more of it. */
export function pagesSchema() {
  const expected = '"link", or a mapping with next such as { next: paging.next }';
  const byPath = strictMapping(expected, {
    next: z.string({ error: 'the path in the document to the URL of its next page' }).min(1, 'a path'),
  });
  // No union: its mistakes would not say what is wrong within the mapping.
  return z.unknown().transform((value, context): HttpSourcePages => {
    const schema = typeof value === 'object' && value !== null ? byPath : z.literal('link', { error: expected });
    const parsed = schema.safeParse(value);
    if (parsed.success) return parsed.data;
    for (const issue of parsed.error.issues) context.addIssue({ ...issue });
    return z.NEVER;
  });
}
