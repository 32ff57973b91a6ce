import type { Recognition } from './recognition.ts';

type JsonObject = Readonly<Record<string, unknown>>;

/** What a text in JSON, or of lines in JSON, is; `undefined` where it is neither. */
export function recogniseJson(text: string): Recognition | undefined {
  const json = parsed(text);
  if (json !== undefined) return isObject(json) || Array.isArray(json) ? ofJson(json) : undefined;
  const lines = text.split('\n', 10).filter((line) => line.trim() !== '');
  // The last of ten lines is whole only if the text ends there, so it need not be looked at.
  const whole = lines.length === 1 ? lines : lines.slice(0, -1);
  if (whole.length === 0 || !whole.every((line) => isObject(parsed(line)))) return undefined;
  return { source: 'ndjson', because: 'each of its lines is JSON', reading: { format: 'ndjson' } };
}

function ofJson(json: JsonObject | readonly unknown[]): Recognition {
  const reading = { format: 'json' } as const;
  if (isObject(json)) {
    if (json.type === 'FeatureCollection' && Array.isArray(json.features)) {
      return { source: 'geojson', because: 'it is a FeatureCollection of GeoJSON', reading: { format: 'geojson' } };
    }
    const gbfs = ofGbfs(json);
    if (gbfs) return { ...gbfs, reading };
    const sensorThings = ofSensorThings(json);
    if (sensorThings) return { ...sensorThings, reading };
  }
  const [first] = Array.isArray(json) ? json : [json];
  if (isObject(first) && isNgsiLd(first)) return { source: 'json', because: 'it has entities of NGSI-LD', reading };
  return { source: 'json', because: 'it is JSON', reading };
}

function ofGbfs(json: JsonObject): Omit<Recognition, 'reading'> | undefined {
  const { data } = json;
  if (!isObject(data) || !('ttl' in json) || !('last_updated' in json)) return undefined;
  const isDiscovery = 'feeds' in data || Object.values(data).some((value) => isObject(value) && 'feeds' in value);
  if (isDiscovery) return { source: 'gbfs', because: 'it lists the feeds of a GBFS system', isGbfsSystem: true };
  const feed = gbfsFeed(data);
  if (feed === undefined) return undefined;
  return { source: 'gbfs', because: `it is the feed ${feed} of a GBFS system`, gbfsFeed: feed };
}

function gbfsFeed({ stations, vehicles, bikes }: JsonObject): string | undefined {
  if (Array.isArray(vehicles)) return 'vehicle_status';
  if (Array.isArray(bikes)) return 'free_bike_status';
  if (!Array.isArray(stations)) return undefined;
  return isObject(stations[0]) && 'lat' in stations[0] ? 'station_information' : 'station_status';
}

function ofSensorThings(json: JsonObject): Omit<Recognition, 'reading'> | undefined {
  const { value } = json;
  if ('@iot.id' in json && '@iot.selfLink' in json) return { source: 'sensorthings', because: 'it has an @iot.id' };
  if (!Array.isArray(value) || !isObject(value[0])) return undefined;
  if ('@iot.id' in value[0]) return { source: 'sensorthings', because: 'its values have an @iot.id' };
  const isRoot = value.some(
    (entry) => isObject(entry) && entry.name === 'Observations' && typeof entry.url === 'string',
  );
  if (!isRoot) return undefined;
  return { source: 'sensorthings', because: 'it lists what a SensorThings service has' };
}

function isNgsiLd(entity: JsonObject): boolean {
  const { id, type } = entity;
  return typeof id === 'string' && typeof type === 'string' && (id.startsWith('urn:ngsi-ld:') || '@context' in entity);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
