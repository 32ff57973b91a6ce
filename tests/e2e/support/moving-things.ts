/*
 * Streams with the page, for tests of it in a browser: things that move about a city, and others that have no place.
 *
 *   publishThings({ things: 5000, moving: 1000, intervalMs: 2000 }) -> http://localhost:PORT/things, and /notes without places
 */
import { createMemoryStore } from '@ldes-live/log';
import { type Draft, describeStream, literal, namedNode, prefixes, quad, xsd } from '@ldes-live/rdf-stream';
import { createLiveServer } from '@ldes-live/server';
import { reservedPort } from '@ldes-live/test-support/net';
import { webPages } from '@ldes-live/web';

export interface PublishedThings {
  readonly publicUrl: string;
  readonly url: string;
  /** Ends a thing; `/broken` is a stream whose source fails. */
  remove(number: number): Promise<void>;
  close(): Promise<void>;
}

/** A grid about Ghent, each thing on its own way. */
export async function publishThings(options: {
  readonly things: number;
  readonly moving: number;
  readonly intervalMs: number;
  readonly foreign?: boolean;
}): Promise<PublishedThings> {
  const { things, moving, intervalMs, foreign = false } = options;
  let nextMs = Date.now();
  const port = await reservedPort();
  const publicUrl = `http://localhost:${port}/`;
  const store = createMemoryStore({ clock: Date.now, random: Math.random });
  const describe = (name: string) => describeStream({ publicUrl, name, title: `Some ${name}` });
  const [description, notes, broken] = [describe('things'), describe('notes'), describe('broken')];
  const [log, noteLog, brokenLog] = [await store.open(description), await store.open(notes), await store.open(broken)];
  const stream = (of: typeof description, from: typeof log) => ({
    description: of,
    log: from,
    schedule: () => ({ kind: 'interval' as const, intervalMs, nextMs }),
  });
  const server = await createLiveServer({
    publicUrl,
    streams: [
      stream(description, log),
      stream(notes, noteLog),
      { description: broken, log: brokenLog, sources: [{ origin: 'broken', drafts: nothingButFaults }] },
    ],
    pages: webPages({ publicUrl, foreign }),
  });
  await server.listen({ host: 'localhost', port });
  let round = 0;
  const publish = async () => {
    nextMs = Date.now() + intervalMs;
    const first = (round * moving) % things;
    if (things === 0) return;
    const numbers = round === 0 ? range(things) : range(moving).map((number) => (first + number) % things);
    await log.append(numbers.map((number) => thing(description.url, number, round)));
    await noteLog.append(range(round === 0 ? 10 : 1).map((number) => note(notes.url, (number + round) % 10, round)));
    round += 1;
  };
  await publish();
  const timer = setInterval(() => void publish(), intervalMs);
  return {
    publicUrl,
    url: description.url,
    remove: async (number) => {
      await log.append([{ kind: 'delete', entity: `${description.url}/entities/${number}`, origin: 'test' }]);
    },
    close: async () => {
      clearInterval(timer);
      await server.close();
      await log.close();
      await noteLog.close();
      await brokenLog.close();
      await store.close();
    },
  };
}

// biome-ignore lint/correctness/useYield: it never comes to that.
async function* nothingButFaults(): AsyncGenerator<Draft[]> {
  throw new Error('the sensors are gone');
}

const range = (length: number) => Array.from({ length }, (_, number) => number);

function thing(url: string, number: number, round: number): Draft {
  const entity = `${url}/entities/${number}`;
  const say = (prefix: keyof typeof prefixes, name: string, value: string, datatype?: string) =>
    quad(namedNode(entity), namedNode(prefixes[prefix] + name), literal(value, datatype));
  const angle = number + round / 10;
  return {
    kind: 'upsert',
    entity,
    origin: 'test',
    fingerprint: `${number} ${round}`,
    quads: [
      quad(namedNode(entity), namedNode(`${prefixes.rdf}type`), namedNode(`${prefixes.schema}Vehicle`)),
      say('rdfs', 'label', `Thing ${number}`),
      say('wgs', 'lat', (51.05 + Math.floor(number / 100) / 500 + Math.sin(angle) / 2000).toFixed(6), xsd.decimal),
      say('wgs', 'long', (3.72 + (number % 100) / 300 + Math.cos(angle) / 2000).toFixed(6), xsd.decimal),
      say('rt', 'speed', (5 + 5 * Math.sin(angle)).toFixed(2), xsd.decimal),
      say('rt', 'bearing', String(Math.round(((angle * 180) / Math.PI) % 360)), xsd.decimal),
      quad(namedNode(entity), namedNode(`${prefixes.gtfs}route`), namedNode(`${url}/routes/${number % 7}`)),
    ],
  };
}

function note(url: string, number: number, round: number): Draft {
  const entity = `${url}/entities/${number}`;
  const text = quad(namedNode(entity), namedNode(`${prefixes.rdfs}label`), literal(`Note ${number}`));
  const count = quad(
    namedNode(entity),
    namedNode('http://example.org/ns#roundCount'),
    literal(String(round), xsd.integer),
  );
  return { kind: 'upsert', entity, origin: 'test', fingerprint: `${number} ${round}`, quads: [text, count] };
}
