import { extentOfPage, formatCursor, parseCursor, TAIL_MEMBERS, tree } from '@ldes-live/rdf-stream';
import { check, fc } from '@ldes-live/test-support/properties';
import { expect, test, vi } from 'vitest';
import { membersOf, published } from './published.ts';
import { EPOCH, fill, PUBLIC_URL, remove, type TestServer, testServer, upsert } from './test-server.ts';

const PAGES = `${PUBLIC_URL}vehicles/pages/${EPOCH}`;
const tail = (after: number | string) => `/vehicles/pages/${EPOCH}/after-${after}`;
const linked = (link: unknown) => new URL(/<([^>]+)>; rel="monitor"/.exec(String(link))?.[1] as string).pathname;
const counted = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);

async function sequencesIn(server: TestServer, path: string): Promise<number[]> {
  return (await membersOf(server, path)).map(({ sequence }) => sequence);
}

test('DOC-60 a tail holds what follows a sequence number, also within a commit, and nothing where nothing does', async () => {
  const server = await testServer();
  expect(await sequencesIn(server, tail(0))).toEqual([]);
  await fill(server, 20, 10);
  for (const after of [0, 7, 10, 19, 20]) {
    expect(await sequencesIn(server, tail(after)), String(after)).toEqual(counted(after + 1, 20));
  }
  const quads = await published(server, tail(20));
  expect(quads.map(({ subject, object }) => [subject.value, object.value])).toEqual([[`${PAGES}/after-20`, tree.Node]]);
  await server.log.append([remove(3)]);
  expect(await sequencesIn(server, tail(20))).toEqual([21]);
  for (const name of ['00', '07', '-1', '', '1.5', '1e1', '9'.repeat(16)]) {
    expect((await server.get(tail(name))).statusCode, name).toBe(404);
  }
  expect((await server.get(`${tail(7)}/`)).statusCode).toBe(404);
});

test('DOC-60 DOC-5 a tail says what an open page says of the same members, but for its own name', async () => {
  const server = await testServer();
  await fill(server, 20, 10);
  for (const accept of ['application/n-quads', 'text/turtle', 'application/ld+json']) {
    const [page, whole] = [
      await server.get(`/vehicles/pages/${EPOCH}/0`, { accept }),
      await server.get(tail(0), { accept }),
    ];
    expect(whole.body).toBe(page.body.replaceAll(`/pages/${EPOCH}/0`, `/pages/${EPOCH}/after-0`));
    expect(whole.headers['content-type']).toBe(page.headers['content-type']);
  }
});

test('DOC-60 no relation leads to a tail, and a tail leads nowhere', async () => {
  const server = await testServer();
  await fill(server, 300, 50);
  const paths = ['/vehicles', `/vehicles/pages/${EPOCH}/range-0`, `/vehicles/pages/${EPOCH}/0`, '/vehicles/latest'];
  for (const path of [...paths, '/vehicles/tiles', '/', tail(290)]) {
    const quads = await published(server, path);
    expect(quads.filter(({ object }) => object.value.includes('/after-'))).toEqual([]);
  }
  const said = (await published(server, tail(290))).map(({ predicate }) => predicate.value);
  expect(said).not.toContain(tree.relation);
});

test('DOC-60 a tail of 1,000 members is sent, and who lacks one more is led to the pages', async () => {
  expect(TAIL_MEMBERS).toBe(1000);
  const server = await testServer();
  await fill(server, 1000, 500);
  expect(await sequencesIn(server, tail(0))).toEqual(counted(1, 1000));
  await fill(server, 1, 1);
  const response = await server.get(tail(0));
  expect([response.statusCode, response.headers.location]).toEqual([307, `${PAGES}/0`]);
  expect(response.headers['cache-control']).toBe('no-store');
  expect(await sequencesIn(server, tail(1))).toEqual(counted(2, 1001));
  await fill(server, 500, 500);
  for (const [after, page] of [
    [249, 0],
    [250, 1],
    [500, 2],
  ] as const) {
    expect((await server.get(tail(after))).headers.location).toBe(`${PAGES}/${page}`);
  }
  const head = await server.app.inject({ method: 'HEAD', url: tail(250) });
  expect([head.statusCode, head.headers.location, head.body]).toEqual([307, `${PAGES}/1`, '']);
});

test('DOC-62 what the log does not hold is gone: another epoch, past the head, after what was erased', async () => {
  const server = await testServer();
  await fill(server, 800, 50);
  await server.log.unlink({ first: extentOfPage(0).first, last: extentOfPage(1).last });
  expect(await sequencesIn(server, tail(499))).toHaveLength(301);
  expect(await sequencesIn(server, tail(1))).toHaveLength(799);
  await server.log.erase({ first: extentOfPage(0).first, last: extentOfPage(1).last });
  // What was made before is not there any more either.
  for (const path of [tail(801), tail(0), tail(1), tail(499), '/vehicles/pages/otherlife/after-800']) {
    for (const method of ['GET', 'HEAD'] as const) {
      const response = await server.app.inject({ method, url: path, headers: { 'if-none-match': '*' } });
      expect([response.statusCode, response.headers['cache-control']], path).toEqual([410, 'no-store']);
    }
    expect((await server.get(path)).json()).toMatchObject({
      code: 'ERR_CURSOR_GONE',
      cursor: path.replace('/vehicles/pages/', '').replace('/after', ''),
      latest: `${PUBLIC_URL}vehicles/latest`,
    });
  }
  for (const after of [500, 800]) expect((await server.get(tail(after))).statusCode).toBe(200);
});

const FIELDS = ['etag', 'ldes-cursor', 'last-modified', 'cache-control', 'expires', 'next-update', 'x-accel-expires'];

test('DOC-63 a tail is of the moment that the latest state is of, and kept for as long', async () => {
  const server = await testServer();
  for (const leadMs of [undefined, 4500, -100]) {
    await fill(server, 2, 2);
    const nextMs = server.time.nowMs + (leadMs ?? 0);
    server.time.schedule = leadMs === undefined ? { kind: 'unknown' } : { kind: 'interval', intervalMs: 5000, nextMs };
    const latest = await server.get('/vehicles/latest', { accept: 'text/turtle', 'accept-encoding': 'gzip' });
    const { sequence } = server.log.head.cursor;
    for (const after of [0, sequence - 1, sequence]) {
      const { headers } = await server.get(tail(after), { accept: 'text/turtle', 'accept-encoding': 'gzip' });
      for (const field of FIELDS) expect(headers[field], `${after} ${field}`).toBe(latest.headers[field]);
    }
  }
});

test('DOC-63 a tail that commits overtake while it is made is made again', async () => {
  const server = await testServer();
  await fill(server, 3, 3);
  const read = server.log.read.bind(server.log);
  vi.spyOn(server.log, 'read').mockImplementationOnce(async (after, limit) => {
    const members = await read(after, limit);
    await server.log.append([upsert(1, 9)]);
    return members;
  });
  const response = await server.get(tail(2), { accept: 'application/n-triples' });
  expect(response.headers['ldes-cursor']).toBe(`${EPOCH}-4`);
  expect(response.body.match(/tree#member/g)).toHaveLength(2);
});

test('DOC-63 a tail that commits make too long while it is made is cut off, and says where', async () => {
  const server = await testServer();
  await fill(server, 2, 2);
  server.time.schedule = { kind: 'interval', intervalMs: 60_000, nextMs: server.time.nowMs + 60_000 };
  const read = server.log.read.bind(server.log);
  vi.spyOn(server.log, 'read').mockImplementationOnce(async (after, limit) => {
    const members = await read(after, limit);
    await fill(server, 1100, 1100);
    return members;
  });
  const response = await server.get(tail(1), { accept: 'application/n-triples' });
  expect(response.statusCode).toBe(200);
  expect(response.body.match(/tree#member/g)).toHaveLength(1000);
  expect(response.headers).toMatchObject({
    'ldes-cursor': `${EPOCH}-1001`,
    etag: `"${EPOCH}-1001.nt"`,
    'cache-control': 'public, max-age=1',
  });
  expect(response.headers).not.toHaveProperty('next-update');
  expect(linked(response.headers.link)).toBe(tail(1001));
  expect((await server.get(tail(1))).statusCode).toBe(307);
});

test('DOC-12 who follows the tails reads every member once, whatever is committed between', async () => {
  await check(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.integer({ min: 1, max: 700 }), fc.boolean()), { minLength: 1, maxLength: 8 }),
      async (commits) => {
        const server = await testServer();
        let path = linked((await server.get('/vehicles/latest')).headers.link);
        const read: number[] = [];
        const catchUp = async () => {
          for (;;) {
            const { statusCode, headers } = await server.get(path);
            if (statusCode === 307) {
              // The pages from there on, as a reader without tails would read them.
              const page = new URL(headers.location as string).pathname;
              const position = read.length;
              read.push(...(await sequencesIn(server, page)).filter((sequence) => sequence > position));
              path = tail(read.length);
              continue;
            }
            expect(statusCode).toBe(200);
            read.push(...(await sequencesIn(server, path)));
            path = linked(headers.link);
            return;
          }
        };
        let value = 0;
        for (const [members, looks] of commits) {
          await server.log.append(Array.from({ length: members }, (_, index) => upsert(index, ++value)));
          if (looks) await catchUp();
        }
        await catchUp();
        expect(read).toEqual(counted(1, server.log.head.cursor.sequence));
      },
    ),
    { numRuns: 10 },
  );
});

test('DOC-60 a tail goes on with what came since, whatever was added before it was asked for again', async () => {
  const server = await testServer();
  await fill(server, 240, 24);
  let before: number[] = [];
  for (const members of [0, 1, 9, 1, 300, 0, 200]) {
    await fill(server, members, Math.max(1, members));
    const { headers } = await server.get(tail(231));
    expect(headers['cache-control']).not.toContain('immutable');
    const sequences = await sequencesIn(server, tail(231));
    expect(sequences.slice(0, before.length)).toEqual(before);
    expect(sequences.at(-1)).toBe(server.log.head.cursor.sequence);
    expect(parseCursor(headers['ldes-cursor'] as string)).toEqual(server.log.head.cursor);
    before = sequences;
  }
  // The page that its first members stood on is sealed by now, and has no tail.
  const sealed = await server.get(`/vehicles/pages/${EPOCH}/0`);
  expect(sealed.headers.link).not.toContain('rel="monitor"');
  expect(formatCursor(server.log.head.cursor)).toBe(`${EPOCH}-751`);
});
