import { type Member, relabelBlankNodes } from '@ldes-live/rdf-stream';
import { check, fc } from '@ldes-live/test-support/properties';
import { canonical, canonicalText } from '@ldes-live/test-support/rdf';
import jsonld from 'jsonld';
import { expect, test } from 'vitest';
import { commitPieces, memberQuads, parseQuads, piecesDocument } from '../src/index.ts';
import { oddPrefixes, quadsArbitrary } from './generated-quads.ts';
import { description } from './sample-stream.ts';

// Terms of the generated quads, so that members and the stream are spoken of too.
const ids = ['ex:a', 'http://x.example/', 'http://x.example//a', 'urn:x:1', 'mailto:a@b.example', 'x:'];

const stream = fc.constantFrom(description.iri, ...ids).map((iri) => ({ ...description, iri }));

function commits(doubles: boolean): fc.Arbitrary<Member[]> {
  const ofQuads = fc.tuple(fc.constantFrom(...ids), quadsArbitrary({ graphs: true, doubles }));
  return fc.uniqueArray(ofQuads, { minLength: 1, maxLength: 3, selector: ([id]) => id }).map((made) =>
    made.map(([id, quads], index) => ({
      id,
      entity: id,
      kind: 'upsert',
      sequence: index + 1,
      time: '2026-01-01T00:00:00.000Z',
      quads: relabelBlankNodes(quads, index + 1),
    })),
  );
}

/** Members, and those of them that are chosen. */
function choices(doubles: boolean) {
  return commits(doubles).chain((members) =>
    fc.record({
      members: fc.constant(members),
      chosen: fc.subarray([...members.keys()], { minLength: 1 }),
    }),
  );
}

test('PUSH-19 any members of any commit are read back, and nothing else', async () => {
  await check(
    fc.asyncProperty(choices(true), stream, async ({ members, chosen }, described) => {
      const pieces = commitPieces(members, described, oddPrefixes);
      const read = await parseQuads(piecesDocument(pieces, chosen), 'jsonld', 'http://base.example/dir/doc?q#f');
      const expected = memberQuads(
        described,
        chosen.map((index) => members[index] as Member),
      );
      expect(await canonical(read)).toBe(await canonical(expected));
    }),
    { numRuns: 300 },
  );
});

// Doubles are left out: `jsonld` prints their strings anew, against the standard.
test('PUSH-19 any JSON-LD processor reads the same quads', async () => {
  await check(
    fc.asyncProperty(choices(false), stream, async ({ members, chosen }, described) => {
      const document = JSON.parse(piecesDocument(commitPieces(members, described, oddPrefixes), chosen));
      // Safe mode refuses whatever a processor would drop.
      const options = { format: 'application/n-quads', base: 'http://base.example/', safe: true } as const;
      const read = (await jsonld.toRDF(document, options)) as never as string;
      const expected = memberQuads(
        described,
        chosen.map((index) => members[index] as Member),
      );
      expect(await canonicalText(read)).toBe(await canonical(expected));
    }),
    { numRuns: 300 },
  );
});
