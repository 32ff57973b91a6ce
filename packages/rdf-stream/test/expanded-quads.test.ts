import { expect, test } from 'vitest';
import { parseQuads, xsd } from '../src/index.ts';

// What the suite of the W3C does not ask.
test.each([
  [
    'a double given as text keeps its form',
    '{"@value":"51.050","@type":"http://www.w3.org/2001/XMLSchema#double"}',
    '51.050',
    xsd.double,
  ],
  ['what no double holds is infinite', '1e400', 'INF', xsd.double],
  ['what no double holds is infinite', '-1e400', '-INF', xsd.double],
  ['an integer past those of JavaScript is a double', '1e21', '1.0E21', xsd.double],
  ['a fraction is a double, however it prints', '1e-7', '1.0E-7', xsd.double],
  [
    'a number of another datatype keeps its text',
    '{"@value":5,"@type":"http://www.w3.org/2001/XMLSchema#decimal"}',
    '5',
    xsd.decimal,
  ],
  ['a boolean may have another datatype', '{"@value":false,"@type":"urn:d"}', 'false', 'urn:d'],
])('%s: %s', async (_what, value, text, datatype) => {
  const [read] = await parseQuads(`{"urn:p":${value}}`, 'jsonld', 'urn:x:');
  expect(read?.object).toMatchObject({ value: text, datatype: { value: datatype } });
});

test('a number in a JSON literal that no double holds is refused', async () => {
  const text = '{"urn:p":{"@type":"@json","@value":[1e400]}}';
  await expect(parseQuads(text, 'jsonld', 'urn:x:')).rejects.toMatchObject({ code: 'ERR_RDF_MALFORMED' });
});

test('keys of a JSON literal stand in the order of RFC 8785, those that are integers too', async () => {
  const text = '{"urn:p":{"@type":"@json","@value":{"a":1,"10":2,"1":3,"":[]}}}';
  const [read] = await parseQuads(text, 'jsonld', 'urn:x:');
  expect(read?.object.value).toBe('{"":[],"1":3,"10":2,"a":1}');
});
