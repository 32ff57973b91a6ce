/** The kinds of sources, by the key that says where their data is. */
export const SOURCE_KEYS = [
  'gtfsRt',
  'gtfs',
  'json',
  'ndjson',
  'geojson',
  'csv',
  'xml',
  'gbfs',
  'sensorThings',
  'mqtt',
  'post',
] as const;

/** The key of a kind of source. */
export type SourceKey = (typeof SOURCE_KEYS)[number];
