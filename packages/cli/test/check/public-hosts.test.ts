import { createServer } from 'node:http';
import type { AddressInfo, LookupFunction } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { checkStream } from '../../src/check/check.ts';
import { hostsOf, publicLookup } from '../../src/check/http/public-hosts.ts';
import { createSendRequest } from '../../src/check/http/send-request.ts';

const PUBLIC = [{ address: '93.184.215.14', family: 4 }];
const MIXED = [...PUBLIC, { address: 'fd00::7', family: 6 }];

const answering = (found: { address: string; family: number }[] | Error): LookupFunction => {
  return (_hostname, options, callback) => {
    if (found instanceof Error) callback(found, '');
    else if (options.all) callback(null, found);
    else callback(null, found[0]?.address ?? '', found[0]?.family);
  };
};

const looked = (lookup: LookupFunction, all: boolean) =>
  new Promise((resolve) => lookup('a.example', { all }, (error, ...found) => resolve(error?.message ?? found)));

async function setUp() {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.headers.host ?? '');
    response.writeHead(302, { location: 'http://169.254.169.254/latest' }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { asked, port, edge: { clock: Date.now, interrupted: new AbortController().signal } };
}

test.each([
  ['http://93.184.215.14/s', PUBLIC, 'public'],
  ['http://[2606:4700::1]/s', PUBLIC, 'public'],
  ['http://127.0.0.1:3000/s', PUBLIC, 'any'],
  ['http://[::1]:3000/s', PUBLIC, 'any'],
  ['https://a.example/s', PUBLIC, 'public'],
  ['https://a.example/s', MIXED, 'any'],
  ['https://a.example/s', new Error('ENOTFOUND'), 'public'],
])('MAL-108 a check of %s, which is at %j, asks %s hosts', async (url, found, hosts) => {
  expect(await hostsOf(url, answering(found))).toBe(hosts);
});

test('MAL-108 a connection is made to an address that was checked', async () => {
  expect(await looked(publicLookup(answering(PUBLIC)), true)).toEqual([PUBLIC]);
  expect(await looked(publicLookup(answering(PUBLIC)), false)).toEqual(['93.184.215.14', 4]);
  expect(await looked(publicLookup(answering(MIXED)), false)).toMatch(/^fd00::7 is not a public address/);
  expect(await looked(publicLookup(answering(new Error('ENOTFOUND'))), true)).toBe('ENOTFOUND');
});

test('MAL-108 a name and an address of a private network are not asked, unless any may be', async () => {
  const { asked, port, edge } = await setUp();
  const sendBy = async (hosts: 'any' | 'public', host: string) => {
    const lookup = answering([{ address: '127.0.0.1', family: 4 }]);
    const { send, close } = createSendRequest(Date.now, hosts, lookup);
    onTestFinished(close);
    const limits = { limitBytes: 100, limitMs: 5_000 };
    return await send({
      method: 'GET',
      url: `http://${host}:${port}/`,
      headers: {},
      ...limits,
      signal: edge.interrupted,
    });
  };
  for (const host of ['a.example', '127.0.0.1']) {
    const failure = '127.0.0.1 is not a public address, and was not asked (--hosts any asks all)';
    expect(await sendBy('public', host)).toMatchObject({ status: 0, failure });
  }
  expect(asked).toEqual([]);
  expect(await sendBy('any', 'a.example')).toMatchObject({ status: 302 });
  expect(asked).toEqual([`a.example:${port}`]);
});

test('MAL-108 what a check does not ask is a finding, with the remedy', async () => {
  const { asked, port, edge } = await setUp();
  const { findings } = await checkStream(`http://127.0.0.1:${port}/s`, { pauseMs: 0 }, { ...edge, hosts: 'public' });
  const saw = 'no response: 127.0.0.1 is not a public address, and was not asked (--hosts any asks all)';
  expect(findings.map(({ rule, observations }) => [rule.id, observations[0]?.saw])).toEqual([['CHK-1', saw]]);
  expect(asked).toEqual([]);
});
