import { QueryEngine } from '@comunica/query-sparql-rdfjs';
import { RdfStore } from 'rdf-stores';
import { expect, test } from 'vitest';
import { comunicaFrom } from '../../src/engines/comunica.ts';
import { comunicaBuses } from '../../src/engines/comunica-buses.ts';
import { mendActors } from '../../src/engines/mend-actors.ts';
import { PREFIXES, quadsOf } from './sample-world.ts';

test('QUERY-27 all that is wrong in the pinned Comunica is found and mended, and what is not there is named', () => {
  expect(mendActors(new QueryEngine())).toBeUndefined();
  expect(mendActors({})).toBe('prune-empty-source-operations');
});

test('QUERY-27 a Comunica that cannot be mended is not asked', async () => {
  class OtherEngine extends QueryEngine {
    constructor() {
      super();
      const actors = comunicaBuses(this).operations?.actors as { name?: string | undefined }[];
      for (const actor of actors) actor.name = actor.name?.replace('path-nps', 'path-negated');
    }
  }
  expect(mendActors(new OtherEngine())).toBe('path-nps');
  const engine = comunicaFrom(async () => ({ QueryEngine: OtherEngine }));
  await expect(engine.open()).rejects.toMatchObject({
    code: 'ERR_QUERY_FAILED',
    details: { engine: 'comunica', problem: expect.stringContaining('path-nps') },
  });
});

test('QUERY-27 the pinned Comunica is wrong in all that is mended: where it no longer is, the mending may go', async () => {
  const engine = new QueryEngine();
  const store = RdfStore.createDefault();
  const data =
    'ex:b1 ex:q ex:a1 . ex:a1 ex:r ex:c1 . ex:b2 ex:q ex:a2 . ex:a2 ex:s 1, "1" . ex:a1 ex:z ex:a2 . ex:a2 ex:z ex:a1 . ex:g { ex:x ex:p ex:x }';
  for (const quad of quadsOf(data)) store.addQuad(quad);
  const count = async (query: string) =>
    (await (await engine.queryBindings(`${PREFIXES} ${query}`, { sources: [store] })).toArray()).length;
  expect(await count('SELECT * { ?a ex:q ?b MINUS { ?a ex:x|ex:y ?c } }')).toBeLessThan(2);
  expect(await count('SELECT * { ?b ex:q ?a . ?a !ex:s ?c }')).toBeLessThan(1);
  expect(await count('SELECT * { { ?a ex:q ?b } UNION { ?a ex:s ?c } FILTER(?c = ex:x) }')).toBeGreaterThan(0);
  expect(await count('SELECT * { GRAPH ex:g { ?a (ex:p/ex:p)|ex:p ?c FILTER(?c = ex:x) } }')).toBeLessThan(1);
  expect(await count('SELECT * { ?a ex:q ?b { SELECT (COUNT(*) AS ?n) { ?c ex:x ?d } } }')).toBeLessThan(2);
  expect(await count('SELECT * { { ?a ex:q ?b BIND(?a + 1 AS ?x) } { ?c ex:z ?x } }')).toBe(0);
  expect(await count('SELECT * { ?a ex:z+ ?a }')).toBe(0);
  expect(await count('SELECT REDUCED ?c { ?a ex:s ?c }')).toBeLessThan(2);
});
