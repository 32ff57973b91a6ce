import { blankNode, literal, namedNode, quad } from '@ldes-live/rdf-stream';
import { check, fc } from '@ldes-live/test-support/properties';
import { canonical } from '@ldes-live/test-support/rdf';
import type { Quad } from '@rdfjs/types';
import { expect, test } from 'vitest';
import { stateFingerprint } from '../../src/ingest/drafts.ts';
import { tooDeepLine } from '../../src/ingest/json-ld-members.ts';
import { SeenIris } from '../../src/ingest/rdf-members.ts';

const member = namedNode('http://e/a');
const property = fc.constantFrom('p', 'q').map((name) => namedNode(`http://e/${name}`));

/** Statements of a member whose blank nodes are nested or refer to one another, each reached from it. */
const states = fc
  .array(fc.tuple(fc.nat(4), property, fc.oneof(fc.nat(5), fc.constantFrom('x', 'y'))), { maxLength: 8 })
  .map((said) => {
    const node = (index: number) => (index === 0 ? member : blankNode(`n${index}`));
    const links = [1, 2, 3, 4, 5].map((index) =>
      quad(node(Math.floor(index / 2)), namedNode('http://e/at'), node(index)),
    );
    const others = said.map(([from, predicate, to]) =>
      quad(node(from), predicate, typeof to === 'number' ? node(to) : literal(to)),
    );
    return [...links, ...others];
  });

function relabelled(quads: readonly Quad[]): Quad[] {
  const rename = <Kind extends Quad['subject'] | Quad['object']>(term: Kind) =>
    term.termType === 'BlankNode' ? blankNode(`other${9 - Number(term.value.slice(1))}`) : term;
  return quads.map(({ subject, predicate, object }) =>
    quad(rename(subject), namedNode(predicate.value), rename(object)),
  );
}

test('ING-21 has the same fingerprint for the same statements only', async () => {
  await check(
    fc.asyncProperty(states, states, async (one, other) => {
      expect(stateFingerprint(relabelled(one))).toBe(stateFingerprint(one));
      if (stateFingerprint(one) === stateFingerprint(other)) expect(await canonical(one)).toBe(await canonical(other));
    }),
    { numRuns: 200 },
  );
});

test('ING-21 takes no more time than there are statements, however deep they are nested', () => {
  const depth = 3000;
  const chain = Array.from({ length: depth }, (_, index) =>
    quad(index === 0 ? member : blankNode(`n${index}`), namedNode('http://e/p'), blankNode(`n${index + 1}`)),
  );
  const quads = [...chain, quad(blankNode(`n${depth}`), namedNode('http://e/p'), literal('end'))];
  expect(stateFingerprint([...quads].reverse())).toBe(stateFingerprint(quads));
});

test('ING-12 knows each of very many IRIs again, and takes none for another', () => {
  const seen = new SeenIris(() => 0.5);
  const iri = (number: number) => `http://city.example/id/observation/${number}`;
  for (let number = 0; number < 50_000; number += 1) expect(seen.add(iri(number)) || number).toBe(true);
  for (let number = 0; number < 50_000; number += 997) expect(seen.add(iri(number))).toBe(false);
});

test.each([
  ['[[1]]', 2, undefined],
  ['[[1]]', 1, 1],
  ['[\n[\n[]]]', 2, 3],
  ['["[[[", {"a\\"[[": "\\\\"}]', 2, undefined],
  ['["\\\\", [[]]]', 2, 1],
  ['[][][][]', 1, undefined],
  ['"[[[[', 1, undefined],
])('ING-41 finds where %j is deeper than %i', (text, limitDepth, line) => {
  expect(tooDeepLine(text, limitDepth)).toBe(line);
});
