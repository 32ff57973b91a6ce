import { channelPair } from '@ldes-live/test-support/channels';
import { readEvents } from '@ldes-live/test-support/events';
import { eventually } from '@ldes-live/test-support/eventually';
import Fastify from 'fastify';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { privateFields } from '../src/http/caching.ts';
import {
  createLiveServer,
  createWorkerServer,
  hashToken,
  type LiveServerOptions,
  type LiveStreamsOptions,
  liveStreams,
  type Readers,
} from '../src/index.ts';
import { emptyStream, PUBLIC_URL, quietSource, shownPages, upsert } from './test-server.ts';

const TOKEN = 'reader-token';
const SENT = { authorization: `Bearer ${TOKEN}` };
const BY_TOKEN: Readers = { tokenHashes: [hashToken('another'), hashToken(TOKEN)] };
const BY_FUNCTION: Readers = { authorize: async ({ headers }) => headers['x-member'] === 'yes' };
const AS_MEMBER = { 'x-member': 'yes' };

/** A route as queries have it, over the latest state of a stream. */
const extend: NonNullable<LiveStreamsOptions['extend']> = async (fastify, latestFields) => {
  for (const name of ['secret', 'club', 'open']) {
    fastify.all(`/${name}/sparql`, (_request, reply) =>
      reply.headers({ ...latestFields(name, 'k-0'), vary: 'Accept' }).send(Buffer.from('rows')),
    );
  }
};

async function options(): Promise<LiveServerOptions> {
  const named = async (name: string, readers?: Readers) => {
    const stream = await emptyStream(undefined, { name });
    await stream.log.append(Array.from({ length: 300 }, (_, number) => upsert(number, number)));
    const sources = [quietSource(`feed-of-${name}`, () => ({ origin: `feed-of-${name}`, state: 'ok' }) as never)];
    return { ...stream, sources, ...(readers && { readers }) };
  };
  const streams = [await named('secret', BY_TOKEN), await named('club', BY_FUNCTION), await named('open')];
  return { publicUrl: PUBLIC_URL, streams, random: () => 0.5, pages: shownPages, extend, logger: false };
}

/** A server of its own, a worker of it, and the plugin in an app. */
const bases: Record<string, string> = {};
const closing: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  const owner = await createLiveServer(await options());
  const [left, right] = channelPair();
  const address = { host: '127.0.0.1', port: 0 };
  bases.server = `http://127.0.0.1:${await owner.listen(address)}`;
  owner.attachWorker(left, 1);
  const worker = await createWorkerServer({ channel: right, ownerUrl: bases.server, logger: false });
  bases.worker = `http://127.0.0.1:${await worker.listen(address)}`;
  const app = Fastify({ forceCloseConnections: true });
  await app.register(liveStreams, await options());
  bases.plugin = await app.listen(address);
  closing.push(
    () => worker.close(),
    () => owner.close(),
    () => app.close(),
  );
});

afterAll(async () => {
  for (const close of closing) await close();
});

const ENTRIES = ['server', 'worker', 'plugin'] as const;

const PATHS = [
  '',
  '/latest',
  '/pages',
  '/pages?after=x',
  '/pages/mjuohzwqi0000000/1',
  '/tiles',
  '/entities/1',
  '/shape',
  '/events',
  '/sparql',
  '/sparql?query=x',
  '/none',
  '/',
  '/%6Catest',
];

async function asked(base: string, path: string, init: RequestInit = {}) {
  const gone = new AbortController();
  onTestFinished(() => gone.abort());
  const response = await fetch(`${base}${path}`, { redirect: 'manual', signal: gone.signal, ...init });
  const { status, headers } = response;
  const text = headers.get('content-type') === 'text/event-stream' ? '' : await response.text();
  return { status, headers, text };
}

test.each(ENTRIES)(
  'DOC-90 a private stream is refused by 401 at each of its URLs without a token: %s',
  async (entry) => {
    const base = bases[entry] as string;
    const tagged = (await asked(base, '/secret/latest', { headers: SENT })).headers.get('etag') as string;
    const known = { 'if-none-match': tagged, 'if-modified-since': new Date().toUTCString() };
    expect((await asked(base, '/secret/latest', { headers: { ...SENT, ...known } })).status).toBe(304);
    for (const path of PATHS) {
      const ways = [
        ['GET', {}],
        ['HEAD', {}],
        ['GET', { ...known, authorization: 'Bearer other' }],
      ] as const;
      const further = [
        ['GET', { 'if-none-match': '*' }],
        ['GET', { authorization: `Basic ${TOKEN}` }],
        ['GET', { accept: 'text/html' }],
        ['GET', { accept: 'text/event-stream' }],
        // Posts to a document are 405 to everybody.
        [path === '/sparql' ? 'POST' : 'GET', {}],
      ] as const;
      for (const [method, headers] of ['', '/latest', '/sparql'].includes(path) ? [...ways, ...further] : ways) {
        const at = `${method} /secret${path} ${JSON.stringify(headers)}`;
        const refused = await asked(base, `/secret${path}`, { method, headers });
        const { headers: fields } = refused;
        const challenge =
          'authorization' in headers ? 'Bearer realm="secret", error="invalid_token"' : 'Bearer realm="secret"';
        const shown = [
          at,
          refused.status,
          fields.get('www-authenticate'),
          fields.get('cache-control'),
          fields.get('etag'),
        ];
        expect(shown).toEqual([at, 401, challenge, 'no-store', null]);
        expect(fields.get('vary')?.match(/Authorization/g)).toHaveLength(1);
        if (method !== 'HEAD')
          expect(JSON.parse(refused.text)).toMatchObject({ code: 'ERR_READ_REFUSED', stream: 'secret' });
      }
      expect((await asked(base, `/club${path}`)).status).toBe(401);
      const admitted = [
        await asked(base, `/secret${path}`, { headers: SENT }),
        await asked(base, `/club${path}`, { headers: AS_MEMBER }),
      ];
      for (const { status } of admitted) expect([path, status]).not.toEqual([path, 401]);
      // Everybody reads what has no readers of its own, whatever token comes with it.
      expect((await asked(base, `/open${path}`, { headers: { authorization: 'Bearer other' } })).status).not.toBe(401);
    }
  },
);

test.each(ENTRIES)('DOC-91 no answer of a private stream may be kept by a shared cache: %s', async (entry) => {
  const base = bases[entry] as string;
  let kept = 0;
  for (const path of PATHS) {
    const answers = [
      await asked(base, `/secret${path}`, { headers: SENT }),
      await asked(base, `/club${path}`, { headers: AS_MEMBER }),
      await asked(base, `/secret${path}`, { headers: SENT, method: 'HEAD' }),
    ];
    const tag = answers[0]?.headers.get('etag');
    if (tag) answers.push(await asked(base, `/secret${path}`, { headers: { ...SENT, 'if-none-match': tag } }));
    for (const { headers, status } of answers) {
      const caching = headers.get('cache-control') as string;
      expect([path, caching]).toEqual([path, expect.stringMatching(/^(private, max-age=\d+.*|no-store.*)$/)]);
      expect(caching).not.toMatch(/public|s-maxage/);
      expect([headers.get('x-accel-expires'), headers.get('cdn-cache-control')]).toEqual([null, null]);
      if (!caching.startsWith('private')) continue;
      kept += 1;
      expect([path, status, headers.get('vary')]).toEqual([path, status, expect.stringContaining('Authorization')]);
    }
  }
  expect(kept).toBeGreaterThan(10);
  const open = await asked(base, '/open/latest');
  expect([open.headers.get('cache-control'), open.headers.get('vary')]).toEqual([
    expect.stringMatching(/^public, /),
    'Accept, Accept-Encoding',
  ]);
});

test('DOC-91 neither what says nothing of caches, nor what an app around says, lets a shared cache keep it', async () => {
  const unsaid = { etag: '"a"', 'cache-control': 'no-store', vary: 'Authorization' };
  expect(privateFields({ etag: '"a"', 'x-accel-expires': '@1' })).toEqual(unsaid);
  const app = Fastify({ forceCloseConnections: true });
  onTestFinished(() => app.close());
  const said = {
    'cache-control': 'Public, max-age=60, s-maxage=600',
    'cdn-cache-control': 'max-age=60',
    vary: 'Cookie',
  };
  const cookies = ['a=1', 'b=2'];
  app.addHook('onRequest', async (_request, reply) => void reply.headers({ ...said, 'set-cookie': cookies }));
  await app.register(liveStreams, await options());
  const answers = ['/secret/latest', '/secret/shape', '/secret/sparql', '/open/latest'].map(async (url) => {
    const { headers } = await app.inject({ url, headers: SENT });
    expect(headers['set-cookie']).toEqual(cookies);
    return [headers['cache-control'], headers['cdn-cache-control'], String(headers.vary).includes('Authorization')];
  });
  const kept = ['private, max-age=60', undefined, true];
  expect(await Promise.all(answers)).toEqual([
    ...[kept, kept, ['private, max-age=1, stale-if-error=300', undefined, true]],
    [said['cache-control'], said['cdn-cache-control'], false],
  ]);
});

test.each(ENTRIES)(
  'DOC-92 catalogue, health, metrics and errors show a private stream to nobody else: %s',
  async (entry) => {
    const base = bases[entry] as string;
    const named = async (path: string, headers: Record<string, string> = {}) => {
      const { text } = await asked(base, path, { headers });
      return ['secret', 'club', 'open'].filter((name) => text.includes(name));
    };
    const turtle = { accept: 'text/turtle' };
    expect(await named('/', turtle)).toEqual(['open']);
    expect(await named('/', { ...turtle, ...SENT })).toEqual(['open']);
    expect(await named('/ns/none')).toEqual(['open']);
    for (const path of ['/health', '/metrics']) {
      expect([path, await named(path)]).toEqual([path, ['open']]);
      expect([path, await named(path, SENT)]).toEqual([path, ['secret', 'open']]);
      expect([path, await named(path, AS_MEMBER)]).toEqual([path, ['club', 'open']]);
    }
  },
);

test.each(ENTRIES)('DOC-42 scripts of every origin may send a token: %s', async (entry) => {
  for (const path of ['/secret', '/secret/latest', '/secret/events', '/open']) {
    const { status, headers } = await asked(bases[entry] as string, path, { method: 'OPTIONS' });
    expect([status, headers.get('access-control-allow-headers')]).toEqual([
      204,
      expect.stringContaining('Authorization'),
    ]);
  }
});

test.each(ENTRIES)('DOC-90 events are pushed to who may read them: %s', async (entry) => {
  for (const [name, headers] of [
    ['secret', SENT],
    ['club', AS_MEMBER],
  ] as const) {
    const reader = await readEvents(`${bases[entry]}/${name}/events?from=latest`, headers);
    onTestFinished(() => reader.close());
    await eventually(() => expect(reader.state.text).toContain('event: update'));
  }
});

test('DOC-84 a change of its readers ends the push streams of a stream, and holds from then on', async () => {
  const stream = await emptyStream();
  const given = (token: string) => [{ ...stream, readers: { tokenHashes: [hashToken(token)] } }];
  const push = { shutdownGraceMs: 100 };
  const server = await createLiveServer({ publicUrl: PUBLIC_URL, streams: given('old'), push, logger: false });
  onTestFinished(() => server.close());
  const base = `http://127.0.0.1:${await server.listen({ host: '127.0.0.1', port: 0 })}`;
  const reader = await readEvents(`${base}/vehicles/events`, { authorization: 'Bearer old' });
  onTestFinished(() => reader.close());
  await server.setStreams(given('old'));
  expect(reader.state.ended).toBe(false);
  await server.setStreams(given('new'));
  await eventually(() => expect(reader.state.ended).toBe(true));
  const status = async (token: string) =>
    (await asked(base, '/vehicles/latest', { headers: { authorization: `Bearer ${token}` } })).status;
  expect([await status('old'), await status('new')]).toEqual([401, 200]);
});

test('DOC-90 tokens that are no hashes are refused, and what a function throws or gives but true lets nobody in', async () => {
  const stream = await emptyStream();
  const make = (readers: unknown) =>
    createLiveServer({ publicUrl: PUBLIC_URL, streams: [{ ...stream, readers: readers as Readers }], logger: false });
  for (const tokenHashes of [[], [TOKEN], undefined]) {
    await expect(make({ tokenHashes })).rejects.toMatchObject({ code: 'ERR_TOKEN_HASH' });
  }
  const failing = () => {
    throw new Error('no database');
  };
  for (const [authorize, expected] of [
    [failing, 500],
    [async () => failing(), 500],
    [() => 'yes', 401],
    [async () => 1, 401],
    [() => true, 200],
  ] as const) {
    const server = await make({ authorize });
    const base = `http://127.0.0.1:${await server.listen({ host: '127.0.0.1', port: 0 })}`;
    expect((await asked(base, '/vehicles/latest')).status).toBe(expected);
    await server.close();
  }
});
