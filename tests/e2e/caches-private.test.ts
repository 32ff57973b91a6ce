/* A private stream behind real caches: nobody gets what was answered to somebody else, neither from the caches as they are
 * deployed, nor from one that nobody has told of tokens. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, writeFile } from 'node:fs/promises';
import { programPath } from '@ldes-live/bench/programs';
import { createMemoryStore } from '@ldes-live/log';
import { describeStream } from '@ldes-live/rdf-stream';
import { createLiveServer, hashToken, type LiveServer } from '@ldes-live/server';
import { eventually } from '@ldes-live/test-support/eventually';
import { keptFolder } from '@ldes-live/test-support/folders';
import { reservedPort } from '@ldes-live/test-support/net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { valueDraft } from '../support/published-log.ts';
import { ask, CACHES, type Way } from './caches/world.ts';
import { isThere, need } from './support/programs.ts';

const ANN = { authorization: 'Bearer ann' };
const BOB = { authorization: 'Bearer bob' };

/** nginx as its documentation shows a cache: without a word of credentials. */
const PLAIN: Way = {
  name: 'nginx',
  program: 'nginx',
  open: async (publisher) => {
    const [folder, port] = [await keptFolder(), await reservedPort()];
    // Where root starts it, its processes are those of another user.
    await chmod(folder, 0o755);
    const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (kind) => `${kind}_temp_path ${folder}/${kind};`,
    );
    await writeFile(
      `${folder}/nginx.conf`,
      `pid ${folder}/nginx.pid; error_log stderr error; events {}
http { access_log off; ${paths.join(' ')}
  proxy_cache_path ${folder}/cache keys_zone=plain:1m;
  server { listen 127.0.0.1:${port};
    location / { proxy_pass ${publisher.origin}; proxy_cache plain; proxy_cache_lock on; add_header X-Cache $upstream_cache_status always; } } }`,
    );
    const nginx = spawn(
      programPath('nginx') as string,
      ['-p', folder, '-c', `${folder}/nginx.conf`, '-g', 'daemon off;'],
      { stdio: 'inherit' },
    );
    const url = `http://127.0.0.1:${port}/`;
    await eventually(() => fetch(url), { forMs: 10_000 });
    const close = async () => {
      nginx.kill('SIGTERM');
      await once(nginx, 'exit');
    };
    return { url, close } as never;
  },
};

describe.each([
  ...CACHES.map((way) => ({ ...way, as: `${way.name} as deployed` })),
  { ...PLAIN, as: 'nginx without a word of tokens' },
])('$as', ({ program, open }) => {
  need(program);
  let server: LiveServer;
  let front: { readonly url: string; close(): Promise<unknown> } | undefined;
  const arrivals = { count: 0 };
  let epoch = '';
  beforeAll(async () => {
    if (!isThere(program)) return;
    const port = await reservedPort();
    const publicUrl = `http://127.0.0.1:${port}/`;
    const store = createMemoryStore({ clock: Date.now, random: Math.random });
    const made = async (name: string) => {
      const description = describeStream({ publicUrl, name });
      const log = await store.open(description);
      for (let commit = 0; commit < 300; commit += 1) await log.append([valueDraft(description.url, 1, commit)]);
      if (name === 'secret') epoch = log.head.cursor.epoch;
      // The next update is far away: what may be kept is kept for the whole test.
      const schedule = () => ({ kind: 'interval', intervalMs: 60_000, nextMs: Date.now() + 60_000 }) as const;
      return { description, log, schedule };
    };
    const tokenHashes = ['ann', 'bob'].map(hashToken);
    const authorize = ({ headers: { authorization } }: { headers: { authorization?: string | undefined } }) => {
      arrivals.count += 1;
      return authorization === ANN.authorization;
    };
    const streams = [
      { ...(await made('secret')), readers: { tokenHashes } },
      { ...(await made('club')), readers: { authorize } },
      await made('open'),
    ];
    server = await createLiveServer({ publicUrl, streams, logger: false });
    await server.listen({ host: '127.0.0.1', port });
    front = await open?.(new URL(publicUrl));
  });
  afterAll(async () => {
    await front?.close();
    await server?.close();
  });
  const at = (path: string, headers: Record<string, string> = {}) => ask(`${front?.url}${path}`, { headers });

  test('DOC-91 the second reader, without a token, does not get what the first one got', async () => {
    for (const path of ['', '/latest', '/pages', '/shape', '/tiles']) {
      const first = await at(`secret${path}`, ANN);
      const { etag = '', 'cache-control': caching, vary } = first.headers;
      expect([path, first.status, caching]).toEqual([
        path,
        expect.any(Number),
        expect.stringMatching(/^(private|no-store)/),
      ]);
      expect(vary ?? '').toMatch(first.status === 200 ? /Authorization/ : /^/);
      for (const headers of [{}, { authorization: 'Bearer other' }, { 'if-none-match': etag }]) {
        const second = await at(`secret${path}`, headers as Record<string, string>);
        expect([path, second.status, second.body.includes('entities')]).toEqual([path, 401, false]);
      }
      expect((await at(`secret${path}`, BOB)).status).toBe(first.status);
    }
    // Sealed pages are kept for a year of what is public.
    const page = `secret/pages/${epoch}/0`;
    const sealed = await at(page, ANN);
    expect(sealed.headers['cache-control']).toBe('private, max-age=31536000, immutable');
    expect([sealed.status, (await at(page)).status]).toEqual([200, 401]);
  });

  test('DOC-91 a refusal is not kept either, each request is judged, and what is public is kept as before', async () => {
    expect((await at('club/latest')).status).toBe(401);
    expect((await at('club/latest', ANN)).status).toBe(200);
    const before = arrivals.count;
    const answers = await Promise.all([ANN, {}, ANN, BOB, {}].map((headers) => at('club/latest', headers)));
    expect(answers.map(({ status }) => status)).toEqual([200, 401, 200, 401, 401]);
    expect(arrivals.count).toBe(before + 5);
    // With a token that it does not need, a public document is the same for all.
    expect((await at('open/latest', ANN)).headers['cache-control']).toMatch(/^public, /);
    const again = await at('open/latest');
    expect([again.status, again.headers['cache-control']]).toEqual([200, expect.stringMatching(/^public, /)]);
  });
});
