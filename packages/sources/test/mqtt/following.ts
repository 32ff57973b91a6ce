import { setTimeout as delay } from 'node:timers/promises';
import type { Draft } from '@ldes-live/rdf-stream';
import { onTestFinished } from 'vitest';
import { type CompiledMapping, compileMapping, parseMapping } from '../../src/index.ts';
import type { MqttEnvironment } from '../../src/mqtt/connection.ts';
import { createMqttSource, type MqttSourceOptions } from '../../src/mqtt/source.ts';
import type { Source, SourceEvent } from '../../src/source.ts';
import { LatestMap } from '../latest-map.ts';
import { scriptedBroker } from './scripted-broker.ts';

const PUBLIC_URL = 'https://live.example.org/';
export const ENTITY = 'https://live.example.org/sensors/';

const properties = [
  { path: 'value', predicate: 'http://www.w3.org/ns/sosa/hasSimpleResult', required: true },
  { path: 'at', predicate: 'http://www.w3.org/ns/sosa/resultTime', convert: 'iso' },
];
const variables = { sensor: { path: '$topic[1]' } };
const versionTime = { path: 'at', convert: 'iso' };

/** The mapping of `{ value, at }` by topic `sensors/NAME`: the state of each sensor. */
function readingMapping(): CompiledMapping {
  return compiled({ subject: '{+base}sensors/{sensor}', variables, versionTime, properties });
}

/** The same as observations of their own: `{ n, value, at }`. */
export function observationMapping(): CompiledMapping {
  return compiled({
    kind: 'observation',
    subject: '{+base}observations/{sensor}/{n}',
    series: '{+base}sensors/{sensor}',
    variables,
    versionTime,
    properties,
  });
}

function compiled(mapping: object): CompiledMapping {
  return compileMapping(parseMapping(mapping), { publicUrl: PUBLIC_URL, streamUrl: `${PUBLIC_URL}sensors` });
}

/** A source that a consumer follows, step by step if a test wants so. */
export interface Following {
  readonly source: Source;
  readonly latest: LatestMap;
  readonly events: SourceEvent[];
  readonly stop: AbortController;
  /** Settles with the consumer. */
  readonly ended: Promise<void>;
  /** What storing a batch waits for, or throws. */
  storing: (batch: readonly Draft[]) => Promise<void> | void;
  /** Waits until something holds. */
  until(condition: () => boolean): Promise<void>;
}

/** Follows a source until the test ends; a consumer that cannot store begins anew. */
export function follow(
  options: Partial<MqttSourceOptions> & Pick<MqttSourceOptions, 'url'>,
  environment: Partial<MqttEnvironment> = {},
): Following {
  const events: SourceEvent[] = [];
  const latest = new LatestMap();
  const stop = new AbortController();
  const source = createMqttSource(
    {
      clientId: 'ldes-live-test',
      topics: [{ filter: 'sensors/+' }],
      mapping: readingMapping(),
      reconnect: { baseMs: 1, maxMs: 20 },
      ...options,
    },
    environment,
  );
  source.onPoll((event) => void events.push(event));
  const consume = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      try {
        for await (const batch of source.drafts(latest, stop.signal)) {
          await following.storing(batch);
          latest.append(batch);
        }
      } catch (thrown) {
        if ((thrown as Error).message !== 'cannot store') throw thrown;
      }
    }
  };
  const following: Following = {
    source,
    latest,
    events,
    stop,
    ended: Promise.resolve().then(consume),
    storing: () => undefined,
    until: async (condition) => {
      while (!condition()) await delay(2);
    },
  };
  onTestFinished(async () => {
    stop.abort();
    await following.ended;
  });
  return following;
}

/** Follows a broker that has accepted the connection and granted the topics. */
export async function followed(version: 4 | 5, options: Partial<MqttSourceOptions> = {}) {
  const broker = await scriptedBroker(version);
  const following = follow({ url: broker.url, version, ...options });
  const side = await broker.connection();
  await side.accept();
  return { broker, following, side };
}

/** Keeps storing from ending until the test says so; `asked` when it has begun. */
export function holdStoring(following: Following): { readonly asked: Promise<void>; release(): void } {
  const [stored, asked] = [gate(), gate()];
  following.storing = () => {
    asked.open();
    return stored.opened;
  };
  return { asked: asked.opened, release: stored.open };
}

/** A promise that a test resolves. */
function gate(): { readonly opened: Promise<void>; open(): void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}
