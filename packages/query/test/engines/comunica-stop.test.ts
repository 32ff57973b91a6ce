import { performance } from 'node:perf_hooks';
import { literal, namedNode, quad, xsd } from '@ldes-live/rdf-stream';
import { expect, test } from 'vitest';
import { comunica } from '../../src/engines/comunica.ts';
import type { EngineStore } from '../../src/query-engine.ts';

const QUADS = 5000;
const PRODUCT = '{ ?a ?b ?c . ?d ?e ?f . ?g ?h ?i }';

const engine = comunica();

async function crowded(): Promise<EngineStore> {
  const store = await engine.open();
  for (let at = 0; at < QUADS; at += 1) {
    store.add(quad(namedNode(`urn:s${at}`), namedNode(`urn:p${at % 5}`), literal(String(at), xsd.integer)));
  }
  return store;
}

/** Waits until this thread has little to do. */
async function idle(): Promise<void> {
  for (;;) {
    const before = performance.eventLoopUtilization();
    await new Promise((resolve) => setTimeout(resolve, 300));
    if (performance.eventLoopUtilization(before).utilization < 0.4) return;
  }
}

const runaways = {
  'a SELECT of rows without end': ['select', `SELECT * ${PRODUCT}`],
  'a COUNT that goes over rows without end': ['select', `SELECT (COUNT(*) AS ?n) ${PRODUCT}`],
  'a FILTER that lets nothing pass': ['select', `SELECT * ${PRODUCT.replace('}', ' FILTER(?a = ?g && ?d = ?c) }')}`],
  'an ASK that finds nothing': ['ask', `ASK ${PRODUCT.replace('}', ' FILTER(?a = ?g && ?d = ?c) }')}`],
  'an ORDER BY of rows without end': ['select', `SELECT * ${PRODUCT} ORDER BY ?a`],
  'a CONSTRUCT that makes the same quad without end': ['construct', `CONSTRUCT { ?b ?b ?b } WHERE ${PRODUCT}`],
  'groups of rows without end': ['select', `SELECT ?b (SUM(?c) AS ?n) ${PRODUCT} GROUP BY ?b`],
} as const;

for (const [about, [form, text]] of Object.entries(runaways)) {
  test(`QUERY-25 a timer stops ${about}, and nothing goes on behind`, async () => {
    const store = await crowded();
    const stop = new AbortController();
    const reason = new Error('it took too long');
    setTimeout(() => stop.abort(reason), 200);
    const evaluation = store[form]({ text }, { limitRows: 1e9, signal: stop.signal });
    await expect(evaluation).rejects.toBe(reason);
    await idle();
    expect(await store.ask({ text: 'ASK { ?s <urn:p0> 0 }' }, { limitRows: 1 })).toBe(true);
  });
}

test('QUERY-24 an answer that is too large is given up at its limit, and nothing goes on behind', async () => {
  const store = await crowded();
  const evaluation = store.select({ text: `SELECT * ${PRODUCT}` }, { limitRows: 1000 });
  await expect(evaluation).rejects.toMatchObject({ code: 'ERR_ANSWER_TOO_LARGE' });
  await idle();
});
