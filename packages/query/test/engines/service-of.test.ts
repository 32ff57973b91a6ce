import { expect, test } from 'vitest';
import { serviceOf } from '../../src/engines/service-of.ts';

test('QUERY-26 SERVICE is found wherever a query has it', () => {
  const found = {
    'SELECT * { SERVICE <http://a.example/> {} }': '<http://a.example/>',
    'SELECT * { service silent<http://a.example/> {} }': '<http://a.example/>',
    'SELECT*{SERVICE ?s{}}': '?s',
    'SELECT * { ?s ?p "x"SERVICE ex:a {} }': 'ex:a',
    'SELECT * { ?s ?p 1.SERVICE ex:a {} }': 'ex:a',
    'SELECT * { # <\nSERVICE <http://a.example/#x> {} }': '<http://a.example/#x>',
    'SELECT * { \\u0053ERVICE ex:a {} }': 'ex:a',
    'SELECT * { ?s ?p ?o.SERVICE ex:a {} }': 'ex:a',
    'SELECT * { ?s ?p "x".SERVICE ex:a {} }': 'ex:a',
    'SELECT * { ?s ?p "x"@en.SERVICE ex:a {} }': 'ex:a',
    'SELECT * { ?s ?p <urn:x>.SERVICE ex:a {} }': 'ex:a',
    'SELECT * { ?s ?p true.SERVICE SILENT ex:a {} }': 'ex:a',
    'SELECT * { SERVICE': 'another endpoint',
  };
  for (const [query, service] of Object.entries(found)) expect(serviceOf(query), query).toBe(service);
});

test('QUERY-26 the word within names, texts, IRIs and comments asks nobody', () => {
  const open = [
    'SELECT ?service $SERVICE { ?service ex:service service:a ; ex:a.SERVICE "SERVICE <x>" }',
    'SELECT * { ?s ?p """ " SERVICE <x> \\""" SERVICE <y> """ , \'\'\' SERVICE \'\'\' , \'a\\\' SERVICE <x>\' }',
    'SELECT * { <http://a.example/SERVICE> ?p "x"@en-SERVICE } # SERVICE <x>',
    'PREFIX service: <urn:a> SELECT * { service:SERVICE ?serviceArea _:SERVICE }',
    'SELECT * { ?s ?p ?o FILTER(?o<5 && ?o>3) ?s ex:selfservice ?o ; ex:service-point ?x }',
  ];
  for (const query of open) expect(serviceOf(query), query).toBeUndefined();
});
