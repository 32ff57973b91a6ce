import { as, rdf } from '@ldes-live/rdf-stream';
import { expect, test } from 'vitest';
import { ex, postingServer, stateLines, versionLines } from './posting-server.ts';

test('ING-20 stores a version once, however often it is posted', async () => {
  const server = await postingServer();
  const body = versionLines('a/1', 'a', 1) + versionLines('a/2', 'a', 2) + versionLines('b/1', 'b', 1);
  expect((await server.post(body)).json()).toMatchObject({ stored: 3, held: 0 });
  const again = await server.post(body + versionLines('b/2', 'b', 2));
  expect([again.statusCode, again.json()]).toMatchObject([201, { stored: 1, unchanged: 0, held: 3 }]);
  const nothing = await server.post(body);
  expect([nothing.statusCode, nothing.json()]).toEqual([200, { stored: 0, unchanged: 0, held: 3 }]);
  expect(await server.members()).toHaveLength(4);
});

test('ING-20 ends an entity once by the same version, and what came after it stays', async () => {
  const server = await postingServer();
  const end = `${versionLines('a/2', 'a', 2)}<${ex('a/2')}> <${rdf.type}> <${as.Delete}> .\n`;
  const body = versionLines('a/1', 'a', 1) + end + versionLines('a/3', 'a', 3);
  expect((await server.post(body)).json()).toMatchObject({ stored: 3 });
  for (let time = 0; time < 2; time += 1) {
    const again = await server.post(body);
    expect([again.statusCode, again.json()]).toEqual([200, { stored: 0, unchanged: 0, held: 3 }]);
  }
  expect(server.log.latest.get(ex('a'))).toMatchObject({ fingerprint: ex('a/3') });
  const members = await server.members();
  expect(members.map(({ id, kind }) => [id, kind])).toEqual([
    [ex('a/1'), 'upsert'],
    [ex('a/2'), 'delete'],
    [ex('a/3'), 'upsert'],
  ]);
  expect(members[1]?.quads).toHaveLength(4);
});

test('ING-20 holds an end that comes before its entity, which it does not end when it is posted again', async () => {
  const server = await postingServer();
  const end = `${versionLines('a/2', 'a', 2)}<${ex('a/2')}> <${rdf.type}> <${as.Delete}> .\n`;
  const body = end + versionLines('a/3', 'a', 3);
  expect((await server.post(body)).json()).toMatchObject({ stored: 2, unchanged: 0, held: 0 });
  expect((await server.post(body)).json()).toMatchObject({ stored: 0, unchanged: 0, held: 2 });
  expect((await server.post(end)).json()).toMatchObject({ stored: 0, unchanged: 0, held: 1 });
  expect(server.log.latest.get(ex('a'))).toMatchObject({ fingerprint: ex('a/3') });
  const again = `${versionLines('z/1', 'z', 1)}<${ex('z/1')}> <${rdf.type}> <${as.Delete}> .\n`;
  expect((await server.post(again)).json()).toMatchObject({ stored: 1 });
  expect((await server.post(again)).json()).toMatchObject({ held: 1 });
});

test('ING-21 stores no state that says the same, in another order and with other labels', async () => {
  const server = await postingServer();
  const at = (label: string, value: number) =>
    `_:${label} <${ex('p')}> "${value}" .\n<${ex('a')}> <${ex('at')}> _:${label} .\n`;
  await server.post(at('x', 1) + at('y', 2));
  expect((await server.post(at('v', 2) + at('u', 1))).json()).toMatchObject({ stored: 0, unchanged: 1 });
  expect((await server.post(at('x', 1) + at('y', 3))).json()).toMatchObject({ stored: 1, unchanged: 0 });
  const end = `<${ex('z')}> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <https://www.w3.org/ns/activitystreams#Delete> .\n`;
  expect((await server.post(end)).json()).toMatchObject({ stored: 0, unchanged: 1 });
});

test('ING-22 stores once what is posted twice at the same time', async () => {
  const server = await postingServer();
  const body = stateLines('s', 1) + versionLines('a/1', 'a', 1);
  const answers = await Promise.all(Array.from({ length: 6 }, () => server.post(body)));
  expect(answers.map((answer) => answer.json().stored).sort()).toEqual([0, 0, 0, 0, 0, 2]);
  expect(await server.members()).toHaveLength(2);
});

test('ING-23 gives the same answer to the same key and body, and stores nothing', async () => {
  const server = await postingServer();
  const first = await server.post(stateLines('a', 1), { 'idempotency-key': '"k-1"' });
  await server.post(stateLines('a', 2));
  const again = await server.post(stateLines('a', 1), { 'idempotency-key': 'k-1' });
  expect([again.statusCode, again.json(), again.headers.location]).toEqual([201, first.json(), first.headers.location]);
  expect(await server.members()).toHaveLength(2);
});

test('ING-24 refuses a key with another body, one in use and what is none', async () => {
  const server = await postingServer();
  const key = { 'idempotency-key': 'k' };
  const both = await Promise.all([server.post(stateLines('a', 1), key), server.post(stateLines('a', 1), key)]);
  expect(both.map(({ statusCode }) => statusCode).sort()).toEqual([201, 409]);
  const busy = both.find(({ statusCode }) => statusCode === 409);
  expect([busy?.json().code, busy?.headers['retry-after']]).toEqual(['ERR_POST_KEY_BUSY', '1']);
  const other = await server.post(stateLines('a', 2), key);
  expect([other.statusCode, other.json().code]).toEqual([422, 'ERR_POST_KEY_REUSED']);
  for (const none of ['', 'a b', 'é', 'x'.repeat(256)]) {
    const refused = await server.post(stateLines('a', 2), { 'idempotency-key': none });
    expect([refused.statusCode, refused.json().code]).toEqual([400, 'ERR_POST_KEY']);
  }
  expect((await server.post(stateLines('a', 2), { 'idempotency-key': 'x'.repeat(255) })).statusCode).toBe(201);
});

test('ING-24 forgets keys past their number and age, and those of posts that failed', async () => {
  const server = await postingServer({ ingest: { limits: { limitKeys: 2, limitKeyAgeMs: 1000 } } });
  const post = async (key: string, value: number | string) =>
    (await server.post(stateLines('a', value), { 'idempotency-key': key })).statusCode;
  expect(await post('failed', '\\')).toBe(400);
  expect(await post('failed', 1)).toBe(201);
  expect(await post('two', 2)).toBe(201);
  expect(await post('failed', 3)).toBe(422);
  expect(await post('three', 3)).toBe(201);
  // The third has taken the place of the first.
  expect(await post('failed', 4)).toBe(201);
  expect(await post('three', 5)).toBe(422);
  server.time.nowMs += 1000;
  expect(await post('three', 5)).toBe(201);
});
