import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isStreamError } from '@ldes-live/rdf-stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { EngineStore, QueryEngine } from '../../src/engines/engine.ts';
import { prepareQuery } from '../../src/prepare/prepared-query.ts';
import { fill, PREFIXES, SAMPLE } from './sample-world.ts';

const ask = (text: string) => ({ text: `${PREFIXES} ${text}` });

/** What holds at limits, when an evaluation is called off, and when it fails. */
export function limitCases(engine: QueryEngine): void {
  const open = async (): Promise<EngineStore> => {
    const store = await engine.open();
    fill(store, SAMPLE);
    return store;
  };

  test('QUERY-24 an answer has as many solutions as the limit allows, and not one more', async () => {
    const store = await open();
    const select = ask('SELECT * { ?v ex:line ?l }');
    expect(await store.select(select, { limitRows: 4 })).toHaveLength(4);
    await expect(store.select(select, { limitRows: 3 })).rejects.toMatchObject({
      code: 'ERR_ANSWER_TOO_LARGE',
      details: { limitRows: 3 },
    });
    const construct = ask('CONSTRUCT { ?l ex:has ?t } WHERE { ?v ex:line ?l ; a ?t }');
    expect(await store.construct(construct, { limitRows: 3 })).toHaveLength(3);
    await expect(store.construct(construct, { limitRows: 2 })).rejects.toMatchObject({ code: 'ERR_ANSWER_TOO_LARGE' });
    expect(await store.select(select, { limitRows: 4 })).toHaveLength(4);
  });

  test('QUERY-25 a signal that is aborted already is thrown with its reason', async () => {
    const store = await open();
    const reason = new Error('enough');
    const limits = { limitRows: 10, signal: AbortSignal.abort(reason) };
    await expect(store.select(ask('SELECT * { ?s ?p ?o }'), limits)).rejects.toBe(reason);
    await expect(store.construct(ask('DESCRIBE ex:bus1'), limits)).rejects.toBe(reason);
    await expect(store.ask(ask('ASK {}'), limits)).rejects.toBe(reason);
  });

  test('a query that is none, and one that the engine cannot answer, fail by name', async () => {
    const store = await open();
    for (const query of ['SELEC * {}', 'SELECT (<urn:unknown>(1) AS ?x) {}', 'SELECT * { ?s nowhere:p ?o }']) {
      const failure = await store.select({ text: query }, { limitRows: 10 }).catch((error: unknown) => error);
      expect(isStreamError(failure, 'ERR_QUERY_FAILED')).toBe(true);
      expect(failure).toMatchObject({ details: { engine: engine.name } });
      expect((failure as Error).message).not.toContain('\n');
    }
    const limits = { limitRows: 10 };
    await expect(store.select(ask('ASK {}'), limits)).rejects.toMatchObject({ code: 'ERR_QUERY_FAILED' });
    await expect(store.construct(ask('SELECT * {}'), limits)).rejects.toMatchObject({ code: 'ERR_QUERY_FAILED' });
    await expect(store.ask(ask('SELECT * {}'), limits)).rejects.toMatchObject({ code: 'ERR_QUERY_FAILED' });
  });

  serviceCases(open);
}

function serviceCases(open: () => Promise<EngineStore>): void {
  let server: Server;
  let requests = 0;
  beforeAll(async () => {
    server = createServer((_request, response) => {
      requests += 1;
      response.end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  test('QUERY-26 no query makes a request', async () => {
    const store = await open();
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/sparql`;
    const limits = { limitRows: 10 };
    const refused = [
      `SELECT * { SERVICE <${url}> { ?s ?p ?o } }`,
      `SELECT * { SERVICE SILENT <${url}> { ?s ?p ?o } }`,
      `PREFIX s: <${url}> SELECT * { service s: { ?s ?p ?o } }`,
      `SELECT * { VALUES ?g { <${url}> } SERVICE ?g { ?s ?p ?o } }`,
      `SELECT * { { SELECT * { ?s ?p ?o FILTER EXISTS { SERVICE<${url}> { ?s ?q ?r } } } } }`,
    ];
    for (const text of refused) {
      await expect(prepareQuery(text, { limitQueryChars: 1000 })).rejects.toMatchObject({
        code: 'ERR_SERVICE_REFUSED',
      });
      // Nor by an engine that is asked past that.
      await store.select({ text }, limits).catch(() => []);
    }
    for (const text of [`SELECT * FROM <${url}> { ?s ?p ?o }`, `SELECT * { GRAPH <${url}> { ?s ?p ?o } }`]) {
      expect(await store.select({ text }, limits)).toEqual([]);
    }
    expect(requests).toBe(0);
  });
}
