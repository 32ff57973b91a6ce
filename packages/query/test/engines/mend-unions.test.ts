import { literal, namedNode, quad } from '@ldes-live/rdf-stream';
import { expect, test } from 'vitest';
import { comunica } from '../../src/engines/comunica.ts';
import { mendUnions } from '../../src/engines/mend-unions.ts';

test('QUERY-29 a query whose branches become ready while others are read ends with all of its solutions', async () => {
  const store = await comunica().open();
  const ex = (name: string) => namedNode(`urn:ex:${name}`);
  for (let index = 0; index < 6; index += 1) {
    store.add(quad(ex(`v${index}`), ex('label'), literal(`v${index}`)));
    store.add(quad(ex(`v${index}`), ex('at'), ex(`place${index}`)));
    if (index % 2 === 0) store.add(quad(ex(`place${index}`), ex('zone'), ex('z')));
    if (index % 2 === 1) store.add(quad(ex(`v${index}`), ex('of'), ex('e')));
    store.add(quad(ex(`v${index}`), ex('line'), ex(`l${index % 3}`)));
  }
  const joined = '{ ?v ex:label ?t . ?v ex:at ?b . ?b ex:zone ?z . ?v ex:of ?e }';
  const text = `PREFIX ex: <urn:ex:> SELECT * { ${joined} UNION { ?v ex:line ?l } }`;
  for (let turn = 0; turn < 20; turn += 1) {
    const rows = await store.select({ text }, { limitRows: 1000, signal: AbortSignal.timeout(5000) });
    expect(rows).toHaveLength(6);
    store.delete(quad(ex(`v${turn % 6}`), ex('label'), literal(`v${turn % 6}`)));
  }
});

test('QUERY-29 what is no union is left alone', () => {
  expect(mendUnions({})).toBe(false);
});
