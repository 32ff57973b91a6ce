import { expect, test } from 'vitest';
import { queryText } from '../../src/query/query-text.ts';

test.each([
  ['SELECT * { ?s ?p ?o }', 'SELECT * { ?s ?p ?o }'],
  ['PREFIX a: <http://a/SELECT>\nBASE <http://b/>\n# ask\nprefix : <c>\nASK { ?s\n  ?p :o }', 'ASK { ?s ?p :o }'],
  ['PREFIX : <urn:x:> REGISTER RSTREAM <out> AS PREFIX b: <urn:b:> CONSTRUCT { } WHERE { }', 'CONSTRUCT { } WHERE { }'],
  ['nonsense', 'nonsense'],
  ['PREFIX a: <urn:a>', 'PREFIX a: <urn:a>'],
])('QUERY-95 a query is shown from what it asks for on: %s', (sparql, text) => {
  expect(queryText(sparql)).toBe(text);
});
