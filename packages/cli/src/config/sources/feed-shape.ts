import type { IriTemplates } from '@ldes-live/sources';
import { z } from 'zod';
import type { Environment } from '../expand-environment.ts';
import { limitsSchema } from '../limits-schema.ts';
import { strictMapping } from '../strict-mapping.ts';
import { requestShape } from './http-fields.ts';

/** What a configuration may say of a GTFS-Realtime feed, besides its URL. */
export function feedShape(environment: Environment) {
  return {
    ...requestShape(environment),
    keys: strictMapping('a mapping with trip or vehicle', { trip: keyFields(), vehicle: keyFields() }).exactOptional(),
    limits: limitsSchema().exactOptional(),
    iris: irisSchema().exactOptional(),
    timetable: z.string({ error: 'the name of a stream whose source is a timetable' }).exactOptional(),
    publishLicensePlates: z.boolean({ error: 'true or false' }).exactOptional(),
  };
}

function keyFields() {
  const expected = 'a list of field names, such as [trip_id, start_date]';
  return z
    .array(z.string({ error: 'the name of a field' }).min(1, 'the name of a field'), { error: expected })
    .min(1, expected)
    .exactOptional();
}

function irisSchema() {
  const template = z
    .string({ error: 'an IRI template in quotes, such as "https://agency.example/stops/{id}"' })
    .exactOptional();
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
    shape: template,
    vehicle: template,
    agency: template,
  } satisfies Record<keyof IriTemplates, z.ZodType>);
}
