import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { ask } from './conformance-case.ts';
import { judge } from './judge.ts';

const TURTLE = ask('DOC-7 NEG-0', '{root}\naccept: text/turtle', 200, { content: 'triples' });

// A server that says the one in Turtle and the other in N-Quads.
async function serverOf(turtle: string, nquads: string): Promise<{ root: string; asked: () => number }> {
  let asked = 0;
  const server = createServer(({ headers }, response) => {
    asked += 1;
    const { accept = '' } = headers;
    response.writeHead(200, { 'content-type': accept });
    response.end(accept === 'text/turtle' ? turtle : nquads);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { root: `http://127.0.0.1:${(server.address() as AddressInfo).port}/s`, asked: () => asked };
}

test('formats say the same whatever their blank nodes are called', async () => {
  const nquads = '<http://a/> <http://b/> _:x .\n_:x <http://b/> _:y .\n';
  const { root } = await serverOf('<http://a/> <http://b/> [ <http://b/> [] ] .', nquads);
  expect(await judge(TURTLE, { root })).toEqual([]);
});

test.each([
  ['another object', '<http://a/> <http://b/> <http://d/> .', '<http://a/> <http://b/> <http://c/> .'],
  ['another datatype', '<http://a/> <http://b/> 1 .', '<http://a/> <http://b/> "1" .'],
  ['another blank node', '[ <http://b/> [] ] .', '_:x <http://b/> _:x .'],
  ['one statement less', '', '<http://a/> <http://b/> <http://c/> .'],
  ['nothing as both', '', ''],
])('%s is not the same', async (_, turtle, nquads) => {
  const { root } = await serverOf(turtle, nquads);
  await expect(judge(TURTLE, { root })).rejects.toThrow(/expected/);
});

test('what the server lacks is named, and not asked for', async () => {
  const { root, asked } = await serverOf('', '');
  expect(await judge({ ...TURTLE, url: '{sealed}?{end}{sealed}' }, { root })).toEqual(['sealed', 'end']);
  expect(asked()).toBe(0);
  expect(await judge({ ...TURTLE, headers: { 'if-none-match': '{etag}' } }, { root })).toEqual(['etag']);
});
