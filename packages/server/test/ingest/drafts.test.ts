import { blankNode, literal, namedNode, quad } from '@ldes-live/rdf-stream';
import { check, fc } from '@ldes-live/test-support/properties';
import { canonical } from '@ldes-live/test-support/rdf';
import type { Quad } from '@rdfjs/types';
import { expect, test } from 'vitest';
import { postedDraft } from '../../src/ingest/drafts.ts';
import { RdfMemberReader } from '../../src/ingest/rdf-members.ts';
import { ingestLimits } from '../../src/options.ts';
import { WorkTurns } from '../../src/work-turns.ts';

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

async function fingerprintOf(quads: readonly Quad[], turns = new WorkTurns(() => 0)) {
  const options = { sequencePath: 'http://e/sequence', isOwnIri: () => false, validate: undefined, turns };
  const draft = await postedDraft({ iri: member.value, quads, characters: 0 }, options);
  return draft.kind === 'upsert' ? draft.fingerprint : undefined;
}

test('ING-21 has the same fingerprint for the same statements only', async () => {
  await check(
    fc.asyncProperty(states, states, async (one, other) => {
      const fingerprint = await fingerprintOf(one);
      expect(await fingerprintOf(relabelled(one))).toBe(fingerprint);
      if (fingerprint === (await fingerprintOf(other))) expect(await canonical(one)).toBe(await canonical(other));
    }),
    { numRuns: 200 },
  );
});

test('ING-21 stored states have the fingerprints that they had before', async () => {
  const said = (...objects: Quad['object'][]) => objects.map((object) => quad(member, namedNode('http://e/p'), object));
  const nested = [...said(blankNode('x')), quad(blankNode('x'), namedNode('http://e/q'), literal('1'))];
  const tangled = [...nested, ...said(blankNode('y')), quad(blankNode('y'), namedNode('http://e/q'), blankNode('x'))];
  expect(await fingerprintOf(said(literal('b'), literal('a'), literal('b')))).toBe('FdXuFO0Skfh9YbmGvPWZxd');
  expect(await fingerprintOf(nested)).toBe('eQOpdJPZLpvil3E54qDeUH');
  expect(await fingerprintOf(tangled)).toBe('7VrTE8fGo4D9tpPWt7iQgF');
});

test('ING-21 takes no more time than there are statements, however deep they are nested', async () => {
  const depth = 3000;
  const chain = Array.from({ length: depth }, (_, index) =>
    quad(index === 0 ? member : blankNode(`n${index}`), namedNode('http://e/p'), blankNode(`n${index + 1}`)),
  );
  const quads = [...chain, quad(blankNode(`n${depth}`), namedNode('http://e/p'), literal('end'))];
  expect(await fingerprintOf([...quads].reverse())).toBe(await fingerprintOf(quads));
});

test('others have their turn between blank nodes that refer to one another', async () => {
  let nowMs = 0;
  let turns = 0;
  const count = () => {
    turns += 1;
    handle = setImmediate(count);
  };
  let handle = setImmediate(count);
  const nodes = Array.from({ length: 100 }, (_, index) => blankNode(`n${index}`));
  const ring = nodes.map((node, index) =>
    quad(node, namedNode('http://e/p'), nodes[(index + 1) % 100] as Quad['object']),
  );
  await fingerprintOf(
    [quad(member, namedNode('http://e/p'), blankNode('n0')), ...ring],
    new WorkTurns(() => (nowMs += 5)),
  );
  clearImmediate(handle);
  expect(turns).toBeGreaterThan(100);
});

test('ING-12 knows each of very many IRIs again, and takes none for another', () => {
  const reader = new RdfMemberReader('nquads', ingestLimits(), () => 0.5);
  const line = (number: number) => `<http://city.example/id/observation/${number}> <http://e/p> "1" .\n`;
  let members = 0;
  for (let number = 0; number < 50_000; number += 1) for (const _ of reader.take(line(number))) members += 1;
  expect(members).toBe(49_999);
  expect(() => [...reader.take(line(997))]).toThrow('observation/997');
});
