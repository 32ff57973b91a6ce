import { setTimeout as delay } from 'node:timers/promises';
import type { Draft } from '@ldes-live/rdf-stream';
import { onTestFinished } from 'vitest';
import type { MqttEnvironment } from '../../src/mqtt/connection.ts';
import { createMqttSource, type MqttSourceOptions } from '../../src/mqtt/source.ts';
import type { Source, SourceEvent } from '../../src/source.ts';
import { LatestMap } from '../latest-map.ts';
import { readingMapping } from './reading-mapping.ts';
import { scriptedBroker } from './scripted-broker.ts';

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
