import { check, fc } from '@ldes-live/test-support/properties';
import type { Quad } from '@rdfjs/types';
import { expect, test } from 'vitest';
import {
  blankNode,
  describeStream,
  languageLiteral,
  literal,
  type Member,
  memberQuads,
  namedNode,
  quad,
  writeMembers,
  writeQuads,
} from '../src/index.ts';

const DESCRIPTION = describeStream({ publicUrl: 'http://localhost:3000/', name: 'vehicles' });
const NAME = namedNode('http://example.org/name');

function member(number: number, quads: readonly Quad[], hasText: boolean): Member {
  return {
    id: `http://example.org/${number}`,
    entity: 'http://example.org/entity',
    kind: 'upsert',
    sequence: number,
    time: '2026-01-01T00:00:00.000Z',
    quads,
    ...(hasText ? { nquads: writeQuads(quads, 'nquads', {}) } : {}),
  };
}

const term = fc.oneof(
  fc.string().map((text) => literal(text)),
  fc.constantFrom('" <a> .', '\\', ' <http://example.org/g> .', 'a\nb', '"').map((text) => literal(text)),
  fc.string().map((text) => languageLiteral(text, 'en')),
  fc.constant(namedNode('http://example.org/a')),
  fc.constant(blankNode('b0')),
);
const written = fc.array(
  term.map((object) => quad(namedNode('http://example.org/s'), NAME, object)),
  { minLength: 1, maxLength: 4 },
);

test('DOC-7 members whose text exists are written as those without it are', () => {
  check(
    fc.property(fc.array(written, { maxLength: 4 }), (members) => {
      for (const format of ['nquads', 'ntriples'] as const) {
        const [bare, textual] = [false, true].map((hasText) =>
          members.map((quads, index) => member(index, quads, hasText)),
        ) as [Member[], Member[]];
        const expected = writeQuads(memberQuads(DESCRIPTION, bare), format, {});
        expect(writeMembers(DESCRIPTION, bare, format)).toBe(expected);
        expect(writeMembers(DESCRIPTION, textual, format)).toBe(expected);
      }
    }),
  );
});

test('DOC-7 a member whose text exists is not read', () => {
  const said = member(1, [quad(namedNode('http://example.org/s'), NAME, literal('x'))], true);
  const unreadable = {
    ...said,
    get quads(): never {
      throw new Error('It was read');
    },
  };
  expect(writeMembers(DESCRIPTION, [unreadable], 'ntriples')).toContain('"x"');
});

test.each([namedNode('http://example.org/g'), blankNode('g')])(
  'DOC-7 a member with a named graph is refused in N-Triples, text or not, and written in N-Quads',
  (graph) => {
    for (const object of [literal('x " <a> .'), languageLiteral('x', 'en'), namedNode('http://example.org/o')]) {
      for (const hasText of [false, true]) {
        const members = [member(1, [quad(namedNode('http://example.org/s'), NAME, object, graph)], hasText)];
        expect(() => writeMembers(DESCRIPTION, members, 'ntriples')).toThrow(
          expect.objectContaining({ code: 'ERR_GRAPH_UNSUPPORTED' }),
        );
        expect(writeMembers(DESCRIPTION, members, 'nquads')).toBe(
          writeQuads(memberQuads(DESCRIPTION, members), 'nquads', {}),
        );
      }
    }
  },
);
