import { isStreamName } from '@ldes-live/server';
import type { SourceKind } from '../command-line/init-command.ts';

/** What a stream may be called, after where its data is. */
export function streamName(url: string | undefined, source: SourceKind): string {
  const otherwise = source === 'post' ? 'members' : source === 'mqtt' ? 'sensors' : 'data';
  const last = url === undefined ? '' : (new URL(url).pathname.split('/').findLast((step) => step !== '') ?? '');
  const name = last
    .replace(/\.[A-Za-z0-9]+$/, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 40);
  return isStreamName(name) ? name : otherwise;
}

/** The discovery document of the system that a feed of GBFS is of; the URL itself where it cannot be told. */
export function discoveryUrl(url: string, feed: string | undefined): string {
  if (feed === undefined) return url;
  return new URL(url).pathname.endsWith(`/${feed}.json`) ? new URL('gbfs.json', url).href : url;
}

/**
 * Where the observations of a SensorThings URL are: what has some, such as a Datastream, else the service that the URL
 * is within, by the version in its path.
 */
export function sensorThingsUrl(url: string): string {
  const [, service, part = '', query = ''] = /^(.*?\/v1\.\d)(?:\/([^?]*))?(\?.*)?$/.exec(url) ?? [];
  if (service === undefined || /.\/Observations$/.test(part) || (part === 'Observations' && query !== '')) return url;
  const hasObservations = /^(MultiDatastreams|Datastreams|FeaturesOfInterest)\([^/]+\)$/.test(part);
  return hasObservations ? `${service}/${part}` : `${service}/`;
}
