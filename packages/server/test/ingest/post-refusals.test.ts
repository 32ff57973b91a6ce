import { gzipSync } from 'node:zlib';
import { createMemoryStore } from '@ldes-live/log';
import { dct, describeStream } from '@ldes-live/rdf-stream';
import Fastify from 'fastify';
import { expect, test } from 'vitest';
import { hashToken } from '../../src/ingest/admission.ts';
import { liveStreams } from '../../src/plugin.ts';
import { PUBLIC_URL } from '../test-server.ts';
import { ex, OTHER_TOKEN, postingServer, stateLines, TOKEN, versionLines } from './posting-server.ts';

const JSON_LD = { 'content-type': 'application/ld+json' };

test('ING-1 answers a post without a token by 401, whatever else is wrong with it', async () => {
  const server = await postingServer();
  for (const authorization of [undefined, 'Basic dXNlcjpwYXNz', 'Bearer', 'Bearer a b']) {
    const refused = await server.refused(401, 'ERR_TOKEN_MISSING', '\xff'.repeat(10), {
      authorization,
      'content-type': 'image/png',
    });
    expect(refused.headers['www-authenticate']).toBe('Bearer realm="water"');
    expect(refused.headers['cache-control']).toBe('no-store');
  }
});

test('ING-2 takes the tokens of the stream only, and tells those of another stream', async () => {
  const server = await postingServer();
  const unknown = await server.refused(401, 'ERR_TOKEN_UNKNOWN', stateLines('a', 1), {
    authorization: 'Bearer nonsense',
  });
  expect(unknown.headers['www-authenticate']).toBe('Bearer realm="water", error="invalid_token"');
  // A hash is no token.
  const hash = await server.post(stateLines('a', 1), { authorization: `Bearer ${hashToken(TOKEN)}` });
  expect(hash.json().code).toBe('ERR_TOKEN_UNKNOWN');
  await server.refused(403, 'ERR_TOKEN_STREAM', stateLines('a', 1), { authorization: `Bearer ${OTHER_TOKEN}` });
  expect((await server.post(stateLines('a', 1), { authorization: `bearer ${TOKEN}` })).statusCode).toBe(201);
  expect(await server.members()).toHaveLength(1);
});

test('ING-2 serves no stream without tokens, or with what is no hash', async () => {
  const description = describeStream({ publicUrl: PUBLIC_URL, name: 'water' });
  const log = await createMemoryStore({ clock: Date.now, random: () => 0.5 }).open(description);
  for (const tokenHashes of [[], [TOKEN], [hashToken(TOKEN), `${hashToken(TOKEN)}0`]]) {
    const streams = [{ description, log, ingest: { tokenHashes } }];
    const served = Fastify().register(liveStreams, { publicUrl: PUBLIC_URL, streams }).ready();
    await expect(served).rejects.toMatchObject({ code: 'ERR_TOKEN_HASH' });
  }
});

test('ING-3 posts are for the streams that take them, and for nothing below them', async () => {
  const server = await postingServer();
  for (const path of ['/read-only', '/water/latest', '/water/events']) {
    const refused = await server.refused(405, 'ERR_METHOD', stateLines('a', 1), {}, path);
    expect(refused.headers.allow).toBe('GET, HEAD, OPTIONS');
  }
  const put = await server.app.inject({ method: 'PUT', url: '/water', payload: 'x' });
  expect([put.statusCode, put.headers.allow]).toEqual([405, 'GET, HEAD, OPTIONS, POST']);
});

test('ING-5 takes gzip, and refuses other encodings and what is none', async () => {
  const server = await postingServer();
  const packed = gzipSync(stateLines('a', 1) + stateLines('b', 1));
  expect((await server.post(packed, { 'content-encoding': 'gzip' })).json()).toMatchObject({ stored: 2 });
  for (const encoding of ['br', 'deflate', 'gzip, gzip']) {
    const refused = await server.refused(415, 'ERR_POST_ENCODING', packed, { 'content-encoding': encoding });
    expect(refused.headers['accept-encoding']).toBe('gzip');
  }
  const none = await server.post(stateLines('a', 1), { 'content-encoding': 'gzip' });
  expect([none.statusCode, none.json()]).toMatchObject([400, { code: 'ERR_POST_MALFORMED', format: 'gzip' }]);
  await server.refused(400, 'ERR_POST_BROKEN_OFF', packed.subarray(0, -20), { 'content-encoding': 'gzip' });
});

test('ING-4 refuses what is not UTF-8', async () => {
  const server = await postingServer();
  const half = Buffer.from(stateLines('a', 'é'), 'latin1');
  const end = Buffer.concat([Buffer.from(stateLines('a', 1)), Buffer.from([0xe2, 0x82])]);
  for (const body of [half, end]) {
    await server.refused(400, 'ERR_POST_CHARSET', body);
  }
  const escaped = await server.refused(
    400,
    'ERR_POST_CHARSET',
    `{"@id":"${ex('a')}","${ex('value')}":"\\ud83d"}`,
    JSON_LD,
  );
  expect(escaped.json().detail).toContain('an escape of half a character');
  expect((await server.post(`{"@id":"${ex('a')}","${ex('value')}":"\\ud83d\\ude8b"}`, JSON_LD)).statusCode).toBe(201);
  expect((await server.post(`{"@id":"${ex('a')}","${ex('value')}":"\\\\ud83d"}`, JSON_LD)).statusCode).toBe(201);
});

test.each([
  ['an IRI of JSON', JSON_LD, `{"@id":"${ex('a')}\\uD83D","${ex('p')}":1}`],
  ['an object of JSON', JSON_LD, `{"@id":"${ex('a')}","${ex('p')}":{"@id":"${ex('b')}\\ude8b"}}`],
  ['a key of JSON', JSON_LD, `{"@id":"${ex('a')}","${ex('p')}\\ud83d":1}`],
  ['a JSON literal', JSON_LD, `{"@id":"${ex('a')}","${ex('p')}":{"@type":"@json","@value":["\\ud83d"]}}`],
  ['an IRI of N-Quads', {}, `<${ex('a')}\\uD83D> <${ex('p')}> "1" .\n`],
  ['a text of N-Quads', {}, `<${ex('a')}> <${ex('p')}> "\\uD83D" .\n`],
  ['a text of Turtle', { 'content-type': 'text/turtle' }, `<${ex('a')}> <${ex('p')}> "\\U0000D83D" .\n`],
])('ING-4 refuses half a character in %s', async (_where, headers, body) => {
  const server = await postingServer();
  const refused = await server.post(body, headers);
  expect(refused.statusCode).toBe(400);
  expect(['ERR_POST_CHARSET', 'ERR_POST_MALFORMED', 'ERR_POST_TERM']).toContain(refused.json().code);
  expect(await server.members()).toEqual([]);
});

test.each([
  ['application/n-quads', '<a> <http://e/p> "1" .\n'],
  ['application/n-triples', '<http://e/a> <p> "1" .\n'],
  ['text/turtle', '<> <http://e/p> 1 .'],
  ['text/turtle', '@prefix : <#> . :a <http://e/p> 1 .'],
  ['text/turtle', '<http://e/a> <http://e/p> "1"^^<int> .'],
  ['application/trig', '<http://e/a> { <http://e/a> <http://e/p> <//e> }'],
  ['text/turtle', '@base <b/> . <http://e/a> <http://e/p> 1 .'],
  ['application/trig', 'BASE <//e/> <http://e/a> <http://e/p> 1 .'],
  ['application/ld+json', '{"@id":"a","http://e/p":1}'],
  ['application/ld+json', '{"@context":{"@base":"b/"},"@id":"http://e/a","http://e/p":1}'],
  ['application/ld+json', '{"@context":{"@base":""},"@graph":[{"@id":"http://e/a","http://e/p":1}]}'],
  ['application/ld+json', '{"@id":"http://e/a","http://e/p":{"@id":"../b"}}'],
  ['application/ld+json', '{"@id":"http://e/a","@type":"T"}'],
])('ING-7 refuses relative IRIs in %s: %s', async (type, body) => {
  const server = await postingServer();
  await server.refused(400, 'ERR_POST_RELATIVE_IRI', body, { 'content-type': type });
});

test('ING-7 takes IRIs that are relative to a base that the body states', async () => {
  const server = await postingServer();
  const turtle = `@base <${ex('')}> . @base <b/> . <a> <value> 1 .`;
  expect((await server.post(turtle, { 'content-type': 'text/turtle' })).statusCode).toBe(201);
  const context = [{ '@base': ex('') }, { '@base': 'b/' }];
  expect(
    (await server.post(JSON.stringify({ '@context': context, '@id': 'c', [ex('p')]: 1 }), JSON_LD)).statusCode,
  ).toBe(201);
  expect((await server.members()).map(({ entity }) => entity)).toEqual([ex('b/a'), ex('b/c')]);
});

test('ING-8 lets scripts of every origin post', async () => {
  const server = await postingServer();
  const preflight = await server.app.inject({ method: 'OPTIONS', url: '/water' });
  expect(preflight.statusCode).toBe(204);
  expect(preflight.headers).toMatchObject({
    allow: 'GET, HEAD, OPTIONS, POST',
    'access-control-allow-methods': 'GET, HEAD, OPTIONS, POST',
    'access-control-allow-origin': '*',
  });
  const fields = String(preflight.headers['access-control-allow-headers']).split(', ');
  expect(fields).toEqual(
    expect.arrayContaining(['Authorization', 'Content-Encoding', 'Content-Type', 'Idempotency-Key']),
  );
  expect(preflight.headers['accept-post']).toContain('text/turtle');
  for (const answer of [await server.post(stateLines('a', 1)), await server.post('x')]) {
    expect(answer.headers['access-control-allow-origin']).toBe('*');
    expect(answer.headers['access-control-expose-headers']).toMatch(/LDES-Cursor.*Location/);
  }
  const other = await server.app.inject({ method: 'OPTIONS', url: '/read-only' });
  expect(other.headers.allow).toBe('GET, HEAD, OPTIONS');
});

test('ING-9 fetches no contexts, and uses those that it was given', async () => {
  const url = 'http://127.0.0.1:1/context.jsonld';
  const given = 'https://contexts.example/v1';
  const server = await postingServer({ ingest: { contexts: { [given]: { '@context': { '@vocab': ex('') } } } } });
  const contexts = [
    url,
    [url],
    { '@import': url },
    { '@context': url },
    'http://169.254.169.254/latest/meta-data',
    'file:///etc/passwd',
  ];
  for (const context of contexts.filter((one) => typeof one !== 'object' || Array.isArray(one) || '@import' in one)) {
    const refused = await server.post(JSON.stringify({ '@context': context, '@id': ex('a'), value: 1 }), JSON_LD);
    expect([refused.statusCode, refused.json()]).toMatchObject([400, { code: 'ERR_POST_CONTEXT', known: [given] }]);
  }
  const taken = await server.post(JSON.stringify({ '@context': given, '@id': ex('a'), value: 1 }), JSON_LD);
  expect(taken.statusCode).toBe(201);
  expect((await server.members())[0]?.quads.map(({ predicate }) => predicate.value)).toContain(ex('value'));
});

const OWN = `#dataset ?page=1 health metrics ns ns/live ns/live#sequence water water#stream water?x water/latest
  water/latest#m water/pages/e1/0 water/events water/tiles/1/0/0 water/shape water/entities water/entities/ air/latest read-only`;

test.each(['', ...OWN.split(/\s+/)])('ING-53 refuses <P%s> as a member and as an entity', async (path) => {
  const server = await postingServer();
  const iri = `${PUBLIC_URL}${path}`;
  const version = `<${ex('a/1')}> <${dct.isVersionOf}> <${iri}> .\n<${ex('a/1')}> <${ex('p')}> "1" .\n`;
  for (const body of [`<${iri}> <${ex('p')}> "1" .\n`, version]) {
    const refused = await server.post(body);
    expect([refused.statusCode, refused.json()]).toMatchObject([422, { code: 'ERR_POST_OWN_IRI', iri, stored: 0 }]);
  }
});

test('ING-53 takes entities of the server, and what is beside its documents', async () => {
  const server = await postingServer();
  const paths = 'water/entities/7 water/entities/7/a#b air/entities/7 id/7 waters/latest gauges/7 nsx /water'.split(
    ' ',
  );
  for (const path of paths) {
    const taken = await server.post(`<${PUBLIC_URL}${path}> <${ex('p')}> "1" .\n`);
    expect([path, taken.statusCode]).toEqual([path, 201]);
  }
  const own = `${PUBLIC_URL}water/entities/7#1`;
  const version = `<${own}> <${dct.isVersionOf}> <${PUBLIC_URL}water/entities/7> .\n<${own}> <${ex('p')}> "2" .\n`;
  expect((await server.post(version)).statusCode).toBe(201);
});

test('ING-53 refuses versions with IRIs as the server makes them', async () => {
  const server = await postingServer();
  await server.post(stateLines('a', 1));
  const [member] = await server.members();
  const made = member?.id.slice(ex('').length) as string;
  const others = ['b#c/', 'b#/', 'b#c/d/'].map((start) => `${start}2026-01-01T00:00:00.000Z`);
  for (const id of [made, ...others]) {
    const refused = await server.post(versionLines(id, 'x', 1));
    expect([refused.statusCode, refused.json()]).toMatchObject([422, { code: 'ERR_POST_OWN_IRI', iri: ex(id) }]);
  }
  for (const id of ['b/2026-01-01T00:00:00.000Z', 'b#2026-01-01T00:00:00Z', 'b#c-2026-01-01T00:00:00.000Z']) {
    expect([id, (await server.post(versionLines(id, 'x', 1))).statusCode]).toEqual([id, 201]);
  }
});

test('ING-25 answers with what was stored, and where it is', async () => {
  const server = await postingServer();
  await server.post(stateLines('z', 1));
  const answer = await server.post(stateLines('a', 1) + stateLines('b', 2));
  const { epoch } = server.log.head.cursor;
  expect([answer.statusCode, answer.json()]).toEqual([201, { stored: 2, unchanged: 0, held: 0, cursor: `${epoch}-3` }]);
  expect(answer.headers).toMatchObject({
    'ldes-cursor': `${epoch}-3`,
    location: `${PUBLIC_URL}water/pages?after=${epoch}-1`,
    'cache-control': 'no-store',
  });
  const read = await server.app.inject({ url: String(answer.headers.location).slice(PUBLIC_URL.length - 1) });
  expect(read.statusCode).toBe(307);
  const same = await server.post(stateLines('b', 2));
  expect([same.statusCode, same.headers.location, same.json()]).toEqual([
    200,
    undefined,
    { stored: 0, unchanged: 1, held: 0 },
  ]);
});

test('ING-25 answers with where all of several commits is', async () => {
  const server = await postingServer({ ingest: { limits: { limitBatchMembers: 1 } } });
  const { headers } = await server.post(stateLines('a', 1) + stateLines('b', 2));
  expect(headers.location).toBe(`${PUBLIC_URL}water/pages?after=${server.log.head.cursor.epoch}-0`);
});

test('ING-27 names what is wrong with a body, and goes on', async () => {
  const server = await postingServer();
  const wrong = [
    ['application/n-quads', `${stateLines('a', 1)}<${ex('b')}> <${ex('p')}> nonsense .\n`, 3],
    ['text/turtle', `<${ex('a')}> <${ex('p')}> 1 .\n\n<${ex('b')}> .`, 3],
    ['application/ld+json', `{\n"@id" 1}`, 2],
    ['application/x-ndjson', `{"@id":"${ex('a')}","${ex('p')}":1}\n{`, 2],
    ['application/ld+json', '', 1],
    ['application/ld+json', ' "a"', 1],
    ['application/ld+json', `[{"@id":"${ex('a')}","${ex('p')}":1},\n{"@id":"${ex('b')}","${ex('p')}":tru}]`, 2],
    ['application/ld+json', `[{"@id":"${ex('a')}","${ex('p')}":1},\n]`, 2],
    ['application/ld+json', `[{"@id":"${ex('a')}","${ex('p')}":1}\n{}]`, 2],
    ['application/ld+json', `[{"@id":"${ex('a')}","${ex('p')}":1}`, 1],
    ['application/ld+json', `[{"@id":"${ex('a')}","${ex('p')}":1}]\n]`, 2],
    ['application/ld+json', `{"@graph":[{"@id":"${ex('a')}","${ex('p')}":1}]\n,}`, 2],
    ['application/ld+json', `{"@graph":[{"@id":"${ex('a')}","${ex('p')}":1}]\n]`, 2],
    ['application/ld+json', `{"@graph":[{"@id":"${ex('a')}","${ex('p')}":"1`, 1],
  ] as const;
  for (const [type, body, line] of wrong) {
    const refused = await server.post(body, { 'content-type': type });
    expect([refused.statusCode, refused.json()]).toMatchObject([400, { code: 'ERR_POST_MALFORMED', line, stored: 0 }]);
    expect(refused.headers['content-type']).toBe('application/problem+json');
  }
  const unsaid = ['langString', 'dirLangString'].map((name) => ({
    '@type': `http://www.w3.org/1999/02/22-rdf-syntax-ns#${name}`,
  }));
  for (const kind of [...unsaid, { '@language': '' }, { '@language': 'nl be' }]) {
    const body = [
      { '@id': ex('a'), [ex('p')]: 1 },
      { '@id': ex('b'), [ex('p')]: { '@value': 'x', ...kind } },
    ];
    const refused = await server.post(JSON.stringify(body), { 'content-type': 'application/ld+json' });
    expect([refused.statusCode, refused.json()]).toMatchObject([400, { code: 'ERR_POST_TERM', stored: 0 }]);
  }
  const spaced = await server.post(`<${ex('a')}> <${ex('p')}> <http://e/a\\u0020b> .\n`);
  expect(spaced.statusCode).toBe(400);
  expect(await server.members()).toEqual([]);
  expect((await server.post(stateLines('a', 1))).statusCode).toBe(201);
});

test('ING-27 says that nothing is stored to who may not post', async () => {
  const server = await postingServer();
  for (const authorization of [undefined, 'Bearer nonsense', `Bearer ${OTHER_TOKEN}`]) {
    const refused = await server.post(stateLines('a', 1), { authorization });
    expect(refused.json()).toMatchObject({ stored: 0, unchanged: 0, held: 0 });
    expect(refused.json().detail).toMatch(/No member of the body was stored\.$/);
  }
});

test('ING-27 says in an error how many members are stored, and keeps just these', async () => {
  const server = await postingServer({ ingest: { limits: { limitBatchMembers: 2 } } });
  const good = Array.from({ length: 5 }, (_, index) => versionLines(`a${index}/1`, `a${index}`, index)).join('');
  const refused = await server.post(`${good}nonsense\n`);
  const { stored, cursor } = refused.json();
  expect(refused.statusCode).toBe(400);
  const members = await server.members();
  expect(members).toHaveLength(stored);
  expect(stored % 2).toBe(0);
  if (stored > 0) expect(cursor).toBe(`${server.log.head.cursor.epoch}-${stored}`);
  expect((await server.post(good)).json()).toMatchObject({ stored: 5 - stored, held: stored });
});

test('ING-28 stores members in the order of the body, versions of one entity in commits of their own', async () => {
  const server = await postingServer({ ingest: { limits: { limitBatchMembers: 3 } } });
  const commits: string[][] = [];
  server.log.subscribe(({ members }) => commits.push(members.map(({ id }) => id)));
  const order = ['a/1', 'b/1', 'b/2', 'c/1', 'd/1', 'e/1'];
  await server.post(order.map((id) => versionLines(id, id[0] as string, 1)).join(''));
  expect(commits).toEqual([[ex('a/1'), ex('b/1')], [ex('b/2'), ex('c/1'), ex('d/1')], [ex('e/1')]]);
});
