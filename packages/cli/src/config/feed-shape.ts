import type { IriTemplates } from '@ldes-live/sources';
import { z } from 'zod';
import { type Environment, expandEnvironment } from './expand-environment.ts';
import { limitsSchema } from './limits-schema.ts';
import { strictMapping } from './strict-mapping.ts';

const ORIGIN = /^[^\s\p{C}]{1,100}$/u;
const FIELD_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const FIELD_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** What a configuration may say of a feed, besides its URL. */
export function feedShape(environment: Environment) {
  return {
    origin: checked(ORIGIN, 'a name of 1 to 100 visible characters without spaces').exactOptional(),
    headers: z
      .record(checked(FIELD_NAME, 'the name of an HTTP header field'), fieldValue(environment), {
        error: 'a mapping of HTTP header fields',
      })
      .exactOptional(),
    keys: strictMapping('a mapping with trip or vehicle', { trip: keyFields(), vehicle: keyFields() }).exactOptional(),
    limits: limitsSchema().exactOptional(),
    iris: irisSchema().exactOptional(),
    publishLicensePlates: z.boolean({ error: 'true or false' }).exactOptional(),
  };
}

function checked(pattern: RegExp, expected: string) {
  return z.string({ error: expected }).regex(pattern, expected);
}

function keyFields() {
  const expected = 'a list of field names, such as [trip_id, start_date]';
  return z
    .array(z.string({ error: 'the name of a field' }).min(1, 'the name of a field'), { error: expected })
    .min(1, expected)
    .exactOptional();
}

function irisSchema() {
  const template = z.string({ error: 'an IRI template in quotes, such as "{+base}id/stops/{id}"' }).exactOptional();
  return strictMapping('a mapping of names of IRI templates to templates', {
    vehiclePosition: template,
    tripUpdate: template,
    alert: template,
    addedShape: template,
    addedStop: template,
    tripModifications: template,
    trip: template,
    tripInstance: template,
    route: template,
    stop: template,
    vehicle: template,
    agency: template,
  } satisfies Record<keyof IriTemplates, z.ZodType>);
}

function fieldValue(environment: Environment) {
  const expected = 'the text of an HTTP header field';
  return z.string({ error: expected }).transform((value, context) => {
    const { text, missing } = expandEnvironment(value, environment);
    for (const name of missing) {
      context.addIssue({ code: 'custom', message: `the environment variable ${name} to be set`, input: value });
    }
    if (!FIELD_VALUE.test(text)) context.addIssue({ code: 'custom', message: expected, input: value });
    return text;
  });
}
