import { EventEmitter, once } from 'node:events';
import { request } from 'node:http';
import { expect, test } from 'vitest';
import { evaluateHere } from '../../src/evaluate/evaluator.ts';
import type { SparqlLimits } from '../../src/http/limits.ts';
import type { SourceEvent } from '../../src/source.ts';
import { answeringThread, jsonOf, queryServer, readEvents } from './query-server.ts';

const ALL = 'SELECT * { ?s ?p ?o }';
const STATE: SourceEvent = { kind: 'state', cursor: 'a-1', members: [] };
const SECRET = 'cannot read /srv/secret/data.mdb';

/** A server over a source that goes as the test has it, and how many threads were begun and ended. */
async function serverOver(read: (reading: number) => AsyncIterable<SourceEvent>, limits: Partial<SparqlLimits> = {}) {
  let cursor = 'a-1';
  const counts = { readings: 0, begun: 0, ended: 0 };
  const commits = () => {
    counts.readings += 1;
    return Object.assign(read(counts.readings), { url: 'http://localhost/vehicles', completeToMs: () => 0 });
  };
  const startThread = () => {
    counts.begun += 1;
    const onEnd = () => {
      counts.ended += 1;
    };
    return answeringThread(true, () => undefined, onEnd);
  };
  const evaluators = () => evaluateHere;
  const server = await queryServer({ limits, commits, cursor: () => cursor, startThread, evaluators });
  const outcome = async (sparql = ALL) => {
    const answer = await server.ask(sparql);
    return [answer.status, answer.status === 200 ? undefined : (await jsonOf(answer)).code];
  };
  const advance = () => {
    cursor = 'a-2';
  };
  return { ...server, counts, outcome, advance };
}

// biome-ignore lint/correctness/useYield: it fails before there is anything.
async function* failing(): AsyncGenerator<SourceEvent, void, undefined> {
  throw new Error(SECRET);
}

test('QUERY-83 a state that does not come is answered by 504 within the limit, and whoever asks next is not kept by it', async () => {
  const coming = new EventEmitter();
  async function* late() {
    await once(coming, 'state');
    yield STATE;
  }
  const { counts, outcome } = await serverOver(late, { limitLoadingMs: 400 });
  const isLate = [504, 'ERR_STATE_LATE'];
  expect(await Promise.all([outcome('ASK {}'), outcome('ASK {} #2')])).toEqual([isLate, isLate]);
  coming.emit('state');
  expect(await outcome()).toEqual([200, undefined]);
  // The thread has gone on: to begin with another would have taken as long again.
  expect(counts).toEqual({ readings: 1, begun: 1, ended: 0 });
});

test.each(['ends', 'fails'])(
  'a source that %s short of the present state is a fault, and is read again for the next query',
  async (end) => {
    const { counts, outcome, advance } = await serverOver(async function* (reading) {
      yield STATE;
      if (reading > 2) yield { ...STATE, cursor: 'a-2' };
      else if (end === 'fails' && reading === 2) throw new Error(SECRET);
    });
    for (const sparql of [ALL, 'ASK {}']) expect(await outcome(sparql)).toEqual([200, undefined]);
    expect(counts).toEqual({ readings: 1, begun: 1, ended: 0 });
    advance();
    expect(await outcome()).toEqual([500, 'ERR_QUERY_FAULT']);
    expect(counts).toEqual({ readings: 2, begun: 2, ended: 2 });
    expect(await outcome()).toEqual([200, undefined]);
  },
);

test('what fails behind a query is told without its inside, once and live, and again', async () => {
  const thrown = () => {
    throw new Error(SECRET);
  };
  for (const read of [failing, thrown]) {
    const { ask, url, counts } = await serverOver(read);
    for (let time = 0; time < 2; time += 1) {
      const answer = await ask(ALL);
      expect([answer.status, answer.headers.get('content-type')]).toEqual([500, 'application/problem+json']);
      const text = await answer.text();
      expect(JSON.parse(text)).toMatchObject({ status: 500, code: 'ERR_QUERY_FAULT' });
      expect(text).not.toContain('secret');
    }
    expect(counts.ended).toBe(counts.begun);
    const live = await readEvents(url, ALL);
    if (live.status === 200) {
      await live.ended;
      expect(live.events()).toMatchObject([{ type: 'error', data: { status: 500, code: 'ERR_QUERY_FAULT' } }]);
      expect(live.text()).not.toContain('secret');
    }
    const again = await ask(ALL, { accept: 'text/event-stream' });
    const text = await again.text();
    expect([again.status, JSON.parse(text).code]).toEqual([500, 'ERR_QUERY_FAULT']);
    expect(text).not.toContain('secret');
  }
});

test('QUERY-70 who waits to be asked for the query is asked once', async () => {
  const { app, url } = await serverOver(async function* () {
    yield STATE;
  });
  const headers = { expect: '100-continue', 'content-type': 'application/sparql-query' };
  const posting = request(url, { method: 'POST', headers });
  let continued = 0;
  posting.on('continue', () => {
    continued += 1;
    posting.end(ALL);
  });
  posting.flushHeaders();
  const [response] = await once(posting, 'response');
  response.resume();
  expect([continued, response.statusCode, app.server.listenerCount('checkContinue')]).toEqual([1, 200, 0]);
});
