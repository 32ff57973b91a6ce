import { parseQuads } from '@ldes-live/codec';
import { expect, test } from 'vitest';
import { printMembers } from '../../src/follow/print-members.ts';
import { change, gap } from './view/made-changes.ts';

const BASE = 'https://live.example/base/';
const TEXT = `
  @prefix live: <${BASE}ns/live#>. @prefix rt: <${BASE}ns/rt#>. @prefix dct: <http://purl.org/dc/terms/>.
  <v1> live:sequence 7 ; rt:speed 1.5 ; dct:isVersionOf <v> ; <https://other.example/ns#p> "x" .
`;

const said = async (text: string) => {
  const made = change('1');
  if (made.kind === 'gap') throw new Error('a change was to be made');
  return { ...made, member: { ...made.member, quads: await parseQuads(text, 'turtle', BASE) } };
};

test('JSON-LD shortens names by the prefixes that the documents of the publisher have', async () => {
  const line = printMembers([await said(TEXT), gap], 'jsonld');
  expect(line.split('\n')).toHaveLength(2);
  const { '@context': context, ...properties } = JSON.parse(line);
  expect(context).toMatchObject({ live: `${BASE}ns/live#`, rt: `${BASE}ns/rt#` });
  expect(Object.keys(properties)).toEqual([
    '@id',
    'live:sequence',
    'rt:speed',
    'dct:isVersionOf',
    'https://other.example/ns#p',
  ]);
});

test('what is printed is read back as it was, in either format', async () => {
  const made = await said(TEXT);
  for (const [format, name] of [
    ['jsonld', 'jsonld'],
    ['nq', 'nquads'],
  ] as const) {
    const read = await parseQuads(printMembers([made], format), name, BASE);
    expect(read).toHaveLength(made.member.quads.length);
    for (const quad of made.member.quads) expect(read.some((other) => other.equals(quad))).toBe(true);
  }
});
