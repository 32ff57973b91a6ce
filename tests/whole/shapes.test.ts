import { parseQuads } from '@ldes-live/codec';
import { expect, test } from 'vitest';
import { FAULTS, FAULTY_URL, SOUND } from './support/planted-faults.ts';
import { shapeQuads, shapeValidator } from './support/shape-validator.ts';

const PREFIXES = Object.entries({
  ex: 'http://example.org/',
  geo: 'http://www.opengis.net/ont/geosparql#',
  hydra: 'http://www.w3.org/ns/hydra/core#',
  ldes: 'https://w3id.org/ldes#',
  tree: 'https://w3id.org/tree#',
  xsd: 'http://www.w3.org/2001/XMLSchema#',
})
  .map(([prefix, iri]) => `PREFIX ${prefix}: <${iri}>\n`)
  .join('');

const parse = (turtle: string) => parseQuads(PREFIXES + turtle, 'turtle', FAULTY_URL);
const validator = await shapeValidator();
const messages = [...(await shapeQuads('tree.ttl')), ...(await shapeQuads('ldes.ttl'))]
  .filter(({ predicate }) => predicate.value === 'http://www.w3.org/ns/shacl#message')
  .map(({ object }) => object.value);

test.each(SOUND.map(([turtle, ...shapes]) => [turtle, shapes] as const))(
  'nothing is found in a document that is as it should be: %s',
  async (turtle, shapes) => {
    expect(await validator.findings(await parse(turtle), [[FAULTY_URL, shapes]])).toEqual([]);
  },
);

test.each(FAULTS.map(([message, turtle, ...shapes]) => [message, turtle, shapes] as const))(
  '"%s ..." is found in %s',
  async (message, turtle, shapes) => {
    const findings = await validator.findings(await parse(turtle), [[FAULTY_URL, shapes]]);
    expect(findings.map((finding) => finding.message)).toContainEqual(expect.stringMatching(`^${escaped(message)}`));
  },
);

test('everything that a shape forbids has a fault planted for it, and says which requirement it is of', () => {
  const unplanted = messages.filter((message) => !FAULTS.some(([planted]) => message.startsWith(planted)));
  expect(unplanted).toEqual([]);
  expect(messages.length).toBeGreaterThan(50);
  for (const message of messages)
    expect(message).toMatch(/^(?:TREE|LDES|LDES Server Primer|Server Primer|Vocabulary)[,:]/);
});

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
