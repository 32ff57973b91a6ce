import type { Draft } from '@ldes-live/rdf-stream';
import { createHttpSource, type HttpSourceOptions } from '../../src/documents/http-source.ts';
import { type CompiledMapping, compileMapping } from '../../src/mapping/compile.ts';
import type { Mapping } from '../../src/mapping/schema.ts';
import type { SourceEvent } from '../../src/source.ts';
import { FakeTime } from '../fake-time.ts';
import { type Answer, type FeedServer, ok, openFeedServer, status } from '../feed-server.ts';
import { LatestMap } from '../latest-map.ts';
import { type Polling, startPolling } from '../polling.ts';

export const streamUrl = 'https://live.example.org/garages';
export const HEADERS = { 'x-api-key': 's3cret' };
/** Where the document is. */
export const PATH = '/feed.pb';

/** A mapping of garages: each with an id, free places, and the time that it was counted. */
export const garageMapping: Mapping = {
  records: 'garages[*]',
  subject: '{+stream}/{id}',
  versionTime: { path: 'at' },
  documentTime: { path: 'made' },
  documentTtl: { path: 'ttl' },
  properties: [{ path: 'free', predicate: 'mv:currentValue', convert: 'integer', required: true }],
};

/** A mapping of readings: each said once, of a sensor. */
export const readingMapping: Mapping = {
  kind: 'observation',
  records: 'readings[*]',
  subject: '{+stream}/readings/{id}',
  series: '{+stream}/sensors/{sensor}',
  versionTime: { path: 'at' },
  properties: [{ path: 'value', predicate: 'sosa:hasSimpleResult', convert: 'decimal', required: true }],
};

export function compiled(mapping: Mapping): CompiledMapping {
  return compileMapping(mapping, { publicUrl: 'https://live.example.org/', streamUrl });
}

/** So many garages, with so many free places each. */
export function garages(count: number, free: number, more: Record<string, unknown> = {}): string {
  const all = Array.from({ length: count }, (_, index) => ({ id: `g${index}`, free }));
  return JSON.stringify({ ...more, garages: all });
}

/** A page of garages, by their ids, and what leads to the next one. */
export function garagePage(ids: readonly string[], next?: string | null): string {
  return JSON.stringify({ next, garages: ids.map((id) => ({ id, free: 1 })) });
}

export const INTERVAL_MS = 20_000;

/** A server that answers by path and query, as `answers` has it; anything else is not found. */
export async function openAnswers() {
  const answers = new Map<string, Answer>();
  const server = await openFeedServer((response, request) =>
    (answers.get(request.url ?? '') ?? status(404))(response, request),
  );
  let seen = 0;
  /** The paths asked for since this was read last. */
  const asked = () => {
    const paths = server.requests.slice(seen).map(({ path }) => path);
    seen = server.requests.length;
    return paths;
  };
  return { server, answers, asked };
}

export type DocumentPolling = Awaited<ReturnType<typeof pollDocuments>>;

/** What the entities of the last batch are called. */
export function labelsOf({ latest }: Pick<Polling, 'latest'>): string[] {
  const quads = (latest.batches.at(-1) ?? []).flatMap((draft) => (draft.kind === 'upsert' ? draft.quads : []));
  return quads.filter(({ predicate }) => predicate.value.endsWith('#label')).map(({ object }) => object.value);
}

/** Polls `PATH` of a server for garages, unless told otherwise; options may depend on the server. */
export async function pollDocuments(
  options: Partial<HttpSourceOptions> | ((server: FeedServer) => Partial<HttpSourceOptions>) = {},
) {
  const { server, answers, asked } = await openAnswers();
  const given = typeof options === 'function' ? options(server) : options;
  const { intervalMs = INTERVAL_MS, ...more } = given;
  const rhythm = 'intervalMs' in given && given.intervalMs === undefined ? {} : { intervalMs };
  const polling = startPolling((edge) =>
    createHttpSource({ url: server.url, mapping: compiled(garageMapping), ...rhythm, ...more }, edge),
  );
  /** Answers with a document from now on, and polls. */
  const serve = (...document: Parameters<typeof ok>) => {
    answers.set(PATH, ok(...document));
    return polling.poll();
  };
  return { ...polling, server, answers, asked, serve };
}

/** A source of a document that a test iterates time and again, each time with another consumer. */
export function iterated(options: HttpSourceOptions) {
  const time = new FakeTime();
  const latest = new LatestMap();
  const events: SourceEvent[] = [];
  const source = createHttpSource({ intervalMs: INTERVAL_MS, ...options }, { ...time, fetch, random: () => 0 });
  source.onPoll((event) => void events.push(event));
  /** Iterates until the first poll is over, or the consumer throws. */
  const iterate = async (append: (batch: readonly Draft[]) => void) => {
    const stop = new AbortController();
    const ended = (async () => {
      for await (const batch of source.drafts(latest, stop.signal)) {
        append(batch);
        void time.waiting(INTERVAL_MS).then(() => stop.abort());
      }
    })();
    time.pass();
    await ended;
  };
  return { latest, events, iterate };
}
