import { createHash } from 'node:crypto';
import { isStreamError, StreamError } from '@ldes-live/rdf-stream';
import {
  type CompiledMapping,
  createGbfsSource,
  createGtfsRtSource,
  createHttpSource,
  createMqttSource,
  type Source,
  type SourceEvent,
} from '@ldes-live/sources';
import { feedOrigins } from './feed-origins.ts';
import { observationsUrl } from './observations-url.ts';
import type { StreamPlan } from './serve-plan.ts';

/** Where what sources bring is published, and who is told how they fare. */
export interface SourcesPlace {
  readonly publicUrl: string;
  readonly streamUrl: string;
  readonly report: (event: SourceEvent) => void;
}

/** Where a SensorThings service says that there is more. */
const OBSERVATION_PAGES = { next: '["@iot.nextLink"]' } as const;
/** How many pages of the newest observations are read in one poll: all that were made since the last are among them. */
const OBSERVATION_PAGE_COUNT = 10;

/**
 * Makes the sources of a stream; nothing is asked for yet. A stream that takes posts has none.
 *
 * @throws {@link StreamError} those of the sources' options, with stream and source before them
 */
export function makeSources(plan: StreamPlan, place: SourcesPlace): readonly Source[] {
  const { name, source } = plan;
  const { report, ...urls } = place;
  const edge = { report };
  const named = (origin: string, make: () => Source) => ofSource(name, origin, make);
  switch (source.kind) {
    case 'post':
      return [];
    case 'gtfsRt': {
      const { feeds, everyMs: intervalMs } = source;
      return eachNamed(feeds, (feed, origin) =>
        named(origin, () => createGtfsRtSource({ ...feed, ...urls, origin, intervalMs }, edge)),
      );
    }
    case 'documents': {
      const { documents, everyMs: intervalMs, lookups, pages } = source;
      const options = { intervalMs, mapping: mappingOf(plan), ...(lookups && { lookups }), ...(pages && { pages }) };
      return eachNamed(documents, (document, origin) =>
        named(origin, () => createHttpSource({ ...document, ...options, origin }, edge)),
      );
    }
    case 'gbfs': {
      const { kind: _, everyMs, mapping: __, ...options } = source;
      const interval = everyMs === undefined ? {} : { intervalMs: everyMs };
      return [named(source.url, () => createGbfsSource({ ...options, ...interval, mapping: mappingOf(plan) }, edge))];
    }
    case 'sensorThings': {
      const { kind: _, everyMs: intervalMs, mapping: __, url, limits, pages = OBSERVATION_PAGES, ...options } = source;
      const asked = {
        ...options,
        url: observationsUrl(url),
        limits: { limitPages: OBSERVATION_PAGE_COUNT, ...limits },
        pages,
      };
      return eachNamed([{ ...asked, url }], (_service, origin) =>
        named(origin, () => createHttpSource({ ...asked, origin, intervalMs, mapping: mappingOf(plan) }, edge)),
      );
    }
    case 'mqtt': {
      const { kind: _, mapping: __, ...options } = source;
      const clientId = options.clientId ?? sessionName(place.streamUrl);
      return [named(source.url, () => createMqttSource({ ...options, clientId, mapping: mappingOf(plan) }, edge))];
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
