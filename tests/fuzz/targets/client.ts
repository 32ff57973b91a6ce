/* What a client reads of servers: pages of any LDES, and a push stream of Server-Sent Events.
 *
 * A page is an input as HTTP would have it: header fields, an empty line, the content. It is what every URL answers, so that
 * its relations lead in circles. The push stream belongs to documents of our own server. */
import { type Change, createLiveClient, isStreamError } from '@ldes-live/client';
import {
  eventText,
  formatCursor,
  literal,
  type Member,
  MemberWriter,
  namedNode,
  prefixes,
  quad,
  writeQuads,
} from '@ldes-live/rdf-stream';
import { Parser } from 'n3';
import { PUBLIC_URL, Published, STREAM_URL } from '../published.ts';
import { accepted, type Outcome, refused, type Session, type Target, texts, Violation, words } from '../target.ts';

/** Waits this long or longer are limits, which do not pass. */
const LIMIT_MS = 1_000_000_000;
const LIMITS = { requestMs: LIMIT_MS, openMs: LIMIT_MS, silenceMs: LIMIT_MS, watchMs: LIMIT_MS };
const LIMIT_CHANGES = 500;
/** How often it may wait or ask before a run ends. */
const LIMIT_WAITS = 2;
const LIMIT_REQUESTS = 8;

type Answer = (url: string) => Response | Promise<Response>;

/** Follows a stream whose requests are answered so, until it waits too often. */
async function follow(url: string, answer: Answer, order: 'ascending' | 'none'): Promise<Outcome> {
  const ending = new AbortController();
  let nowMs = Date.parse('2026-01-01T00:00:12Z');
  let waits = 0;
  let requests = 0;
  const client = createLiveClient({
    mal: 1,
    clock: () => nowMs,
    random: () => 0.5,
    limits: LIMITS,
    environment: { isOnline: () => true, onOnline: () => () => undefined, pushSlot: async () => () => undefined },
    sleep: (ms, signal) => {
      if (ms < LIMIT_MS) {
        nowMs += ms;
        waits += 1;
        if (waits <= LIMIT_WAITS) return Promise.resolve();
        ending.abort();
      }
      return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason), { once: true }));
    },
    fetch: (async (input: string) => {
      requests += 1;
      if (requests > LIMIT_REQUESTS) ending.abort();
      ending.signal.throwIfAborted();
      const response = await answer(input);
      Object.defineProperty(response, 'url', { value: input });
      return response;
    }) as typeof fetch,
  });
  const follower = client.follow(url, { from: 'start', order, signal: ending.signal });
  let changes = 0;
  try {
    for await (const change of follower) {
      checkChange(change);
      changes += 1;
      if (changes === LIMIT_CHANGES) break;
    }
    return accepted(`${Math.min(changes, 3)}`);
  } catch (error) {
    const { lastError } = follower.status as { lastError?: { code?: string } };
    if (error === ending.signal.reason)
      return changes > 0 ? accepted(lastError?.code) : refused(lastError?.code ?? 'nothing');
    if (isStreamError(error)) return refused(error.code);
    throw error;
  } finally {
    ending.abort();
  }
}

/** What a client gives on can be written, and read by others. */
function checkChange({ member }: Change): void {
  if (!member) return;
  for (const format of ['nquads', 'turtle'] as const) {
    const text = writeQuads(member.quads, format, {});
    try {
      new Parser({ format: format === 'turtle' ? 'text/turtle' : 'application/n-quads' }).parse(text);
    } catch (cause) {
      throw new Violation(`A member cannot be read as ${format}: ${(cause as Error).message}`, { cause });
    }
  }
}

const ROOT = 'http://origin.example/s';

async function openPages(): Promise<Session> {
  const run = async (input: Uint8Array): Promise<Outcome> => {
    const end = Buffer.from(input).indexOf('\n\n');
    if (end < 0) return refused('no header');
    const fields = Buffer.from(input.subarray(0, end)).toString('latin1').split('\n');
    const headers = new Headers();
    for (const field of fields) {
      const [, name = '', value = ''] = /^([a-z-]+): ?([\x20-\x7e\x80-\xff]*)$/.exec(field) ?? [];
      if (name !== '') headers.append(name, value);
    }
    return await follow(
      ROOT,
      () => new Response(input.subarray(end + 2), { headers }),
      input.length % 2 === 0 ? 'none' : 'ascending',
    );
  };
  return { run, check: async () => undefined, close: async () => undefined };
}

const TREE = 'https://w3id.org/tree#';
const LDES = 'https://w3id.org/ldes#';
const TURTLE_PAGE = `content-type: text/turtle
cache-control: public, max-age=60
date: Thu, 01 Jan 2026 00:00:10 GMT

@prefix tree: <${TREE}> . @prefix ldes: <${LDES}> . @prefix ex: <http://example.org/> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
<s> a ldes:EventStream ; ldes:timestampPath ex:at ; ldes:versionOfPath ex:of ; tree:view <> ; tree:member <a1>, <a2> .
<> a tree:Node ; tree:relation [ a tree:GreaterThanOrEqualToRelation ; tree:node <p2> ; tree:path ex:at ; tree:value "2026-01-01T00:00:00Z"^^xsd:dateTime ] .
<a1> ex:of <a> ; ex:at "2026-01-01T00:00:00Z"^^xsd:dateTime ; ex:p [ ex:q 1 ] .
<a2> ex:of <a> ; ex:at "2026-01-01T01:00:00Z"^^xsd:dateTime .
`;
const JSON_LD_PAGE = `content-type: application/ld+json
link: <p2>; rel="next"

${JSON.stringify({
  '@context': { '@vocab': TREE, ldes: LDES, ex: 'http://example.org/' },
  '@id': ROOT,
  '@type': 'ldes:EventStream',
  view: { '@id': ROOT, relation: [{ '@type': 'Relation', node: { '@id': `${ROOT}?2` } }] },
  member: [{ '@id': `${ROOT}/1`, 'ex:of': { '@id': 'http://example.org/a' }, 'ex:at': '2026-01-01T00:00:00Z' }],
})}`;
const QUADS_PAGE = `content-type: application/n-quads

<${ROOT}> <${TREE}view> <${ROOT}> .
<${ROOT}> <${TREE}member> <${ROOT}/1> .
<${ROOT}/1> <http://example.org/p> "1" .
<${ROOT}/1> <http://example.org/p> "1" <${ROOT}/1> .
`;

async function openPush(): Promise<Session> {
  const published = await Published.open();
  const answer = async (url: string, input: Uint8Array): Promise<Response> => {
    const path = url.slice(PUBLIC_URL.length - 1);
    if (path.startsWith('/fuzz/events')) {
      const cut = input.length >> 1;
      const body = new ReadableStream({
        start(stream) {
          for (const part of [input.subarray(0, cut), input.subarray(cut)]) if (part.length > 0) stream.enqueue(part);
          stream.close();
        },
      });
      return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
    }
    const answered = await published.app.inject({ url: path, headers: { accept: 'application/ld+json' } });
    const { statusCode, headers, body } = answered;
    if (typeof headers.location === 'string') return await answer(new URL(headers.location, url).href, input);
    return new Response(body, { status: statusCode, headers: headers as Record<string, string> });
  };
  const run = async (input: Uint8Array) =>
    await follow(
      STREAM_URL,
      async (url) => (url.startsWith(PUBLIC_URL) ? await answer(url, input) : new Response('', { status: 404 })),
      'none',
    );
  return { run, check: () => published.check(), close: () => published.close() };
}

async function pushSeeds(): Promise<Uint8Array[]> {
  const published = await Published.open();
  const { description } = published;
  const { epoch } = published.log.head.cursor;
  const cursor = (sequence: number) => formatCursor({ epoch, sequence });
  const entity = (name: string) => `${STREAM_URL}/entities/${name}`;
  const event = (...sequences: readonly number[]) => {
    const members = sequences.map((sequence): Member => {
      const id = `${entity('a')}#${sequence}`;
      const quads = [quad(namedNode(id), namedNode('http://example.org/p'), literal(`x${sequence}`))];
      return { id, entity: entity('a'), kind: 'upsert', sequence, time: '2026-01-01T00:00:11.000Z', quads };
    });
    return eventText(new MemberWriter(description, prefixes).joined(members), cursor(sequences.at(-1) as number));
  };
  await published.close();
  return texts(
    `retry: 1000\n\n: heartbeat\n\n${event(2)}${event(3, 4)}`,
    `${event(2)}id: ${cursor(3)}\n\n: beat\n\nevent: status\ndata: failing\n\n${event(5)}`,
    `event: conflated\nid: ${cursor(1)}\ndata: ${cursor(4)}\n\n${event(4)}`,
    `event: gap\nid: ${cursor(9)}\ndata: {}\n\n`,
  );
}

/** Pages and push streams, as a client reads them. */
export const clientTargets: readonly Target[] = [
  {
    name: 'ldes-pages',
    grammar: 'text',
    words: words(`
    tree:member tree:relation tree:view tree:node tree:path tree:value tree:GreaterThanRelation
    tree:LessThanRelation tree:EqualToRelation tree:viewDescription ldes:timestampPath ldes:versionOfPath
    ldes:retentionPolicy ldes:EventSource ldes:DurationAgoPolicy <s> <> <p2> [ ] ( ) "x" 1 a . ; , link:␣ rel="next"
    cache-control:␣immutable next-update:␣ ldes-cursor:␣a-1 retry-after:␣5 etag:␣"x" @context @id @graph text/turtle
    application/trig application/n-triples http://169.254.169.254/ file:///etc/passwd javascript: ^^xsd:dateTime
    "2026" rdf:first sh:inversePath sh:alternativePath
  `),
    seeds: () => texts(TURTLE_PAGE, JSON_LD_PAGE, QUADS_PAGE),
    open: openPages,
  },
  {
    name: 'sse',
    grammar: 'text',
    words: [
      '\n',
      '\n\n',
      '\r',
      '\r\n',
      '\ufeff',
      ...words(`
    event:␣ data:␣ id:␣ retry:␣ :␣ update conflated gap status failing ok @graph @id "sequence":2 -1 -2 -999 kind
    delete { } [ ]
  `),
    ],
    seeds: pushSeeds,
    open: openPush,
  },
];
