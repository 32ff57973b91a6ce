import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { programPath } from '@ldes-live/bench/fronts';
import { BROKER_PROGRAM, type Broker, createPublisher, type Publisher, startBroker } from '@ldes-live/bench/mqtt';
import { createMemoryStore, type StreamLog } from '@ldes-live/log';
import { type Draft, describeStream } from '@ldes-live/rdf-stream';
import {
  compileMapping,
  createMqttSource,
  type MqttSourceOptions,
  parseMapping,
  type Source,
} from '@ldes-live/sources';
import { beforeEach, onTestFinished } from 'vitest';

const PUBLIC_URL = 'https://live.example.org/';
const STREAM = describeStream({ publicUrl: PUBLIC_URL, name: 'sensors' });

/** Skips, and so reports, cases of programs that are not installed. Where all have to be, a missing one fails them. */
export function skipMissingPrograms(...programs: readonly string[]): void {
  const missing = [BROKER_PROGRAM, ...programs].filter((name) => programPath(name) === name);
  const isSkipped = missing.length > 0 && process.env.CI !== 'true';
  beforeEach(({ skip }) => skip(isSkipped, `not installed: ${missing.join(', ')}`));
}

/** Observations `{ n, value }` of topics `sensors/NAME`. */
const observations = mappingOf({
  kind: 'observation',
  subject: '{+base}observations/{sensor}/{n}',
  series: '{+base}sensors/{sensor}',
});

/** States `{ value }` of topics `sensors/NAME`. */
export const states = mappingOf({ subject: '{+base}sensors/{sensor}' });

function mappingOf(kind: object) {
  const variables = { sensor: { path: '$topic[1]' } };
  const properties = [{ path: 'value', predicate: 'http://www.w3.org/ns/sosa/hasSimpleResult' }];
  const { publicUrl, url: streamUrl } = STREAM;
  return compileMapping(parseMapping({ ...kind, variables, properties, leftOut: ['n'] }), { publicUrl, streamUrl });
}

/** A broker that ends with the test. */
export async function testBroker(lines?: (folder: string) => readonly string[]): Promise<Broker> {
  const broker = await startBroker(lines);
  onTestFinished(() => broker.close());
  return broker;
}

/** A publisher that ends with the test. */
export function testPublisher(broker: Broker): Publisher {
  const publisher = createPublisher(broker.port, 'publisher');
  onTestFinished(() => publisher.close());
  return publisher;
}

/** A log that sources publish to, one after the other. */
export interface SensorLog {
  readonly log: StreamLog;
  /** All that was stored, in order. */
  readonly drafts: readonly Draft[];
  /** Names of what was stored, as `SENSOR/N` of observations and `SENSOR` of states. */
  names(): readonly string[];
  /** Starts to publish; a batch that cannot be stored is asked for again. */
  publish(options: Partial<MqttSourceOptions> & Pick<MqttSourceOptions, 'url'>): Publication;
  /** Waits until something holds. */
  until(condition: () => boolean): Promise<void>;
  /** What happens before a batch is stored; what it throws is why it is not. */
  before: () => void | Promise<void>;
}

interface Publication {
  readonly source: Source;
  stop(): Promise<void>;
}

export async function sensorLog(): Promise<SensorLog> {
  const log = await createMemoryStore({ clock: Date.now, random: Math.random }).open(STREAM);
  const drafts: Draft[] = [];
  const world: SensorLog = {
    log,
    drafts,
    names: () => drafts.map((draft) => nameOf(draft)),
    before: () => undefined,
    until: async (condition) => {
      while (!condition()) await delay(5);
    },
    publish: (options) => {
      const stopping = new AbortController();
      const source = createMqttSource({
        clientId: 'ldes-live-test',
        topics: [{ filter: 'sensors/+' }],
        mapping: observations,
        reconnect: { baseMs: 5, maxMs: 50 },
        ...options,
      });
      const run = async () => {
        while (!stopping.signal.aborted) {
          try {
            for await (const batch of source.drafts(log.latest, stopping.signal)) {
              await world.before();
              await log.append(batch);
              drafts.push(...batch);
            }
          } catch (thrown) {
            if ((thrown as Error).message !== 'cannot store') throw thrown;
          }
        }
      };
      const running = run();
      const stop = () => {
        stopping.abort();
        return running;
      };
      onTestFinished(stop);
      return { source, stop };
    },
  };
  return world;
}

function nameOf(draft: Draft): string {
  const iri = draft.kind === 'upsert' && draft.id !== undefined ? draft.id : draft.entity;
  return iri.replace(/^.*?\/(observations|sensors)\//, '');
}
