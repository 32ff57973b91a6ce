import { nearestKey } from '@ldes-live/rdf-stream/errors';
import { z } from 'zod';
import type { Environment } from '../expand-environment.ts';
import { documentsSchema } from './documents-schema.ts';
import { gbfsSchema } from './gbfs-schema.ts';
import { gtfsRtSchema } from './gtfs-rt-schema.ts';
import { mqttSchema } from './mqtt-schema.ts';
import { postSchema } from './post-schema.ts';
import { sensorThingsSchema } from './sensor-things-schema.ts';
import { SOURCE_KEYS, type SourceKey } from './source-kinds.ts';
import { timetableSchema } from './timetable-schema.ts';

/** Where the members of a stream come from. */
export type SourceConfig =
  | z.output<ReturnType<typeof gtfsRtSchema>>
  | z.output<ReturnType<typeof timetableSchema>>
  | z.output<ReturnType<typeof documentsSchema>>
  | z.output<ReturnType<typeof gbfsSchema>>
  | z.output<ReturnType<typeof sensorThingsSchema>>
  | z.output<ReturnType<typeof mqttSchema>>
  | z.output<ReturnType<typeof postSchema>>;

/** A source of any kind: one of its keys says which. */
export function sourceSchema(environment: Environment) {
  // Made when they are needed: making one takes longer than reading by it.
  const ofKind: Record<SourceKey, () => z.ZodType<SourceConfig>> = {
    gtfsRt: () => gtfsRtSchema(environment),
    gtfs: () => timetableSchema(environment),
    json: () => documentsSchema('json', environment),
    ndjson: () => documentsSchema('ndjson', environment),
    geojson: () => documentsSchema('geojson', environment),
    csv: () => documentsSchema('csv', environment),
    xml: () => documentsSchema('xml', environment),
    gbfs: () => gbfsSchema(environment),
    sensorThings: () => sensorThingsSchema(environment),
    mqtt: () => mqttSchema(environment),
    post: () => postSchema(environment),
  };
  const expected = `a mapping with one of ${SOURCE_KEYS.join(', ')}`;
  // No union: its mistakes would not say what is wrong within the mapping.
  return z.unknown().transform((value, context): SourceConfig => {
    const kind = kindOf(value);
    if (kind === undefined) {
      context.addIssue({ code: 'custom', message: expected });
      return z.NEVER;
    }
    const parsed = ofKind[kind]().safeParse(value);
    if (parsed.success) return parsed.data;
    for (const issue of parsed.error.issues) context.addIssue({ ...issue });
    return z.NEVER;
  });
}

/** The kind that a source says that it is, or that its misspelt key was meant to be. */
function kindOf(value: unknown): SourceKey | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const keys = Object.keys(value);
  return (
    SOURCE_KEYS.find((kind) => keys.includes(kind)) ??
    (keys.map((key) => nearestKey(key, SOURCE_KEYS)).find((kind) => kind !== undefined) as SourceKey | undefined)
  );
}
