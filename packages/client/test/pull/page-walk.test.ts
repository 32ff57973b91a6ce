import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { followOrigin, reading, sequences, setUpOrigin, take } from '../support/setup-origin.ts';

const PAGES = /^\/s\/pages/;

function empty(response: ServerResponse, url: string): void {
  response.writeHead(200, { 'content-type': 'application/n-quads', 'cache-control': 'public, max-age=60' });
  response.end(`<${url}> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <https://w3id.org/tree#Node> .\n`);
}

async function setUpTwoPages() {
  const setup = await setUpOrigin();
  setup.origin.offersPush = false;
  for (const name of 'abcdef') setup.origin.commit(name);
  return setup;
}

test('DOC-30 a page without a cursor that the page before led to is asked for from the position', async () => {
  const setup = await setUpTwoPages();
  const { origin } = setup;
  let isFirst = true;
  origin.fault = (request, response) => {
    if (request.url !== '/s/pages/1' || !isFirst) return false;
    isFirst = false;
    empty(response, `${origin.url}/pages/1`);
    return true;
  };
  const iterator = reading(followOrigin(setup, {}, { from: 'start' }));
  expect(sequences(await take(iterator, 6))).toEqual([1, 2, 3, 4, 5, 6]);
  expect(origin.requestsTo(PAGES).map(({ path }) => path.replace(/after=.*-/, 'after='))).toEqual([
    '/s/pages?after=0',
    '/s/pages/0',
    '/s/pages/1',
    '/s/pages?after=4',
    '/s/pages/1',
  ]);
});

test('DOC-30 where the way from the position is gone too, the reader is told of a gap and of the state', async () => {
  const setup = await setUpTwoPages();
  const { origin } = setup;
  origin.fault = (request, response) => {
    if (request.url === '/s/pages/1') {
      empty(response, `${origin.url}/pages/1`);
      return true;
    }
    if (!/after=.*-4$/.test(request.url ?? '')) return false;
    response.writeHead(410).end();
    return true;
  };
  const iterator = reading(followOrigin(setup, {}, { from: 'start' }));
  expect(sequences(await take(iterator, 4))).toEqual([1, 2, 3, 4]);
  const [gap, ...state] = await take(iterator, 7);
  expect(gap).toMatchObject({ kind: 'gap', from: 'e1-4' });
  expect(state.map(({ member }) => member?.entity)).toEqual([...'abcdef'].map((name) => origin.entity(name)));
});

test('a page without a cursor to which the position itself leads is asked for again', async () => {
  const setup = await setUpTwoPages();
  const { origin } = setup;
  let left = 2;
  origin.fault = (request, response) => {
    if (request.url !== '/s/pages/0' || left === 0) return false;
    left -= 1;
    empty(response, `${origin.url}/pages/0`);
    return true;
  };
  const follower = followOrigin(setup, {}, { from: 'start' });
  expect(sequences(await take(reading(follower), 6))).toEqual([1, 2, 3, 4, 5, 6]);
  expect(follower.status.gaps).toBe(0);
});
