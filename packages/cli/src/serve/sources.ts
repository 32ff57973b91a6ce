/*
 * The sources of a stream, as its plan has them. Nothing is asked for yet.
 *
 *   { kind: 'gtfsRt', feeds: [{ url: 'https://agency.example/vp.pb?key=1' }], everyMs: 20000 }
 *     -> [createGtfsRtSource({ url, origin: 'https://agency.example/vp.pb', intervalMs: 20000, publicUrl, streamUrl })]
 */
import { createHash } from 'node:crypto';
import { isStreamError, StreamError } from '@ldes-live/rdf-stream';
import {
  type CompiledMapping,
  createGbfsSource,
  createGtfsRtSource,
  createHttpSource,
  createMqttSource,
  createSensorThingsSource,
  createTimetableSource,
  type Source,
} from '@ldes-live/sources';
import type { StreamPlan } from './plan.ts';

/** Where what sources bring is published. */
interface SourcesPlace {
  readonly publicUrl: string;
  readonly streamUrl: string;
}

/**
 * Makes the sources of a stream; nothing is asked for yet. A stream that takes posts has none.
 *
 * @throws {@link StreamError} those of the sources' options, with stream and source before them
 */
export function makeSources(plan: StreamPlan, place: SourcesPlace): readonly Source[] {
  const { name, source } = plan;
  const named = (origin: string, make: () => Source) => ofSource(name, origin, make);
  switch (source.kind) {
    case 'post':
      return [];
    case 'gtfsRt': {
      const { feeds, everyMs: intervalMs } = source;
      return eachNamed(feeds, (feed, origin) =>
        named(origin, () => createGtfsRtSource({ ...feed, ...place, origin, intervalMs })),
      );
    }
    case 'timetable': {
      const { kind: _, everyMs, ...options } = source;
      const interval = everyMs === undefined ? {} : { intervalMs: everyMs };
      return eachNamed([options], (_timetable, origin) =>
        named(origin, () => createTimetableSource({ ...options, ...interval, ...place, origin })),
      );
    }
    case 'documents': {
      const { documents, everyMs: intervalMs, lookups, pages } = source;
      const options = { intervalMs, mapping: mappingOf(plan), ...(lookups && { lookups }), ...(pages && { pages }) };
      return eachNamed(documents, (document, origin) =>
        named(origin, () => createHttpSource({ ...document, ...options, origin })),
      );
    }
    case 'gbfs': {
      const { kind: _, everyMs, mapping: __, ...options } = source;
      const interval = everyMs === undefined ? {} : { intervalMs: everyMs };
      return [named(source.url, () => createGbfsSource({ ...options, ...interval, mapping: mappingOf(plan) }))];
    }
    case 'sensorThings': {
      const { kind: _, everyMs: intervalMs, mapping: __, ...options } = source;
      return eachNamed([options], (service, origin) =>
        named(origin, () => createSensorThingsSource({ ...service, origin, intervalMs, mapping: mappingOf(plan) })),
      );
    }
    case 'mqtt': {
      const { kind: _, mapping: __, ...options } = source;
      const clientId = options.clientId ?? sessionName(place.streamUrl);
      return [named(source.url, () => createMqttSource({ ...options, clientId, mapping: mappingOf(plan) }))];
    }
  }
}

function eachNamed<One extends { readonly url: string; readonly origin?: string }>(
  all: readonly One[],
  make: (one: One, origin: string) => Source,
): readonly Source[] {
  const origins = feedOrigins(all);
  return all.map((one, index) => make(one, origins[index] as string));
}

function mappingOf({ name, files }: StreamPlan): CompiledMapping {
  // Whoever read the configuration has seen to it.
  if (!files?.mapping) throw new TypeError(`The stream ${name} has no mapping.`);
  return files.mapping;
}

/** The name of a session that stays the same from start to start: as brokers of MQTT 3.1.1 may want it, 23 characters. */
function sessionName(streamUrl: string): string {
  return `ldes${createHash('sha256').update(streamUrl).digest('hex').slice(0, 19)}`;
}

/** Makes a source; an error says which one it is, since its message names an option only. */
function ofSource(stream: string, origin: string, make: () => Source): Source {
  try {
    return make();
  } catch (error) {
    if (!isStreamError(error)) throw error;
    const { code, message, details } = error;
    throw new StreamError(code, `Stream ${stream}, feed ${origin}: ${message}`, { ...details, stream, origin }, error);
  }
}

/**
 * Names for the feeds of a stream: those that are given, else their URLs without query and user, which hold
 * keys; numbered where two would be one, since what one feed lacks would else be taken for gone from the other.
 *
 * @param feeds - with absolute URLs; given names differ from each other
 */
export function feedOrigins(feeds: readonly { readonly url: string; readonly origin?: string }[]): string[] {
  const taken = new Set(feeds.flatMap(({ origin }) => origin ?? []));
  return feeds.map(({ url, origin }) => {
    if (origin !== undefined) return origin;
    const { protocol, host, pathname } = new URL(url);
    const bare = `${protocol}//${host}${pathname}`;
    let name = bare;
    for (let number = 2; taken.has(name); number += 1) name = `${bare}#${number}`;
    taken.add(name);
    return name;
  });
}
