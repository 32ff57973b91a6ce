import { expect, test } from 'vitest';
import { parseMapping } from '../../src/mapping/parse-mapping.ts';
import { mistakesOf } from './mapped.ts';

const least = { subject: '{+base}x/{id}', properties: [] };

test.each<[name: string, value: unknown, path: (string | number)[]]>([
  ['no mapping', 'text', []],
  ['a missing subject', { properties: [] }, ['subject']],
  ['missing properties', { subject: '{+base}{id}' }, ['properties']],
  ['an unknown key', { ...least, propertes: [] }, ['propertes']],
  [
    'an unknown key within',
    { ...least, properties: [{ predicate: 'dct:title', path: 'a', pathh: 'b' }] },
    ['properties', 0, 'pathh'],
  ],
  ['no source of a value', { ...least, properties: [{ predicate: 'dct:title' }] }, ['properties', 0]],
  [
    'two sources of a value',
    { ...least, properties: [{ predicate: 'dct:title', path: 'a', value: 1 }] },
    ['properties', 0],
  ],
  [
    'two forms of a value',
    { ...least, properties: [{ predicate: 'dct:title', path: 'a', iri: true, language: 'nl' }] },
    ['properties', 0],
  ],
  [
    'a value that the template lacks',
    { ...least, properties: [{ predicate: 'dct:title', iri: '{+base}{value}' }] },
    ['properties', 0],
  ],
  [
    'a language that is none',
    { ...least, properties: [{ predicate: 'dct:title', path: 'a', language: 'n l' }] },
    ['properties', 0, 'language'],
  ],
  [
    'a wrong path within a node',
    {
      ...least,
      properties: [{ predicate: 'dct:title', node: { properties: [{ predicate: 'dct:title', path: '' }] } }],
    },
    ['properties', 0, 'node', 'properties', 0, 'path'],
  ],
  [
    'an unknown converter',
    { ...least, properties: [{ predicate: 'dct:title', path: 'a', convert: ['trim', 'nix'] }] },
    ['properties', 0, 'convert', 1],
  ],
  [
    'a wrong argument',
    { ...least, properties: [{ predicate: 'dct:title', path: 'a', convert: { multiply: 'x' } }] },
    ['properties', 0, 'convert'],
  ],
  [
    'two converters in one',
    { ...least, properties: [{ predicate: 'dct:title', path: 'a', convert: { trim: true, upper: true } }] },
    ['properties', 0, 'convert'],
  ],
  [
    'several paths to a converter of one',
    { ...least, properties: [{ predicate: 'dct:title', paths: ['a', 'b'], convert: 'trim' }] },
    ['properties', 0, 'paths'],
  ],
  [
    'a wildcard among several paths',
    { ...least, properties: [{ predicate: 'dct:title', paths: ['a[*]', 'b'], convert: 'point' }] },
    ['properties', 0, 'paths', 0],
  ],
  [
    'a constant that is no value of its datatype',
    { ...least, properties: [{ predicate: 'dct:title', value: 'x', datatype: 'xsd:integer' }] },
    ['properties', 0, 'value'],
  ],
  ['a variable that templates have', { ...least, variables: { base: { value: 'x' } } }, ['variables', 'base']],
  ['a lookup by the name of a start', { ...least, lookups: { root: { key: 'a', by: 'b' } } }, ['lookups', 'root']],
  ['an observation of nothing', { ...least, kind: 'observation' }, ['series']],
  ['a state with a series', { ...least, series: '{+base}{id}' }, ['series']],
  ['another kind', { ...least, kind: 'event' }, ['kind']],
  ['another format', { ...least, reads: { format: 'yaml' } }, ['reads', 'format']],
  ['an unknown time zone', { ...least, timeZone: 'Europe/Gent' }, ['timeZone']],
  ['a prefix for no IRI', { ...least, prefixes: { ex: 'terms#' } }, ['prefixes', 'ex']],
  ['records of a lookup', { ...least, records: '$sites[*]' }, ['records']],
  ['a wrong path that is left out', { ...least, leftOut: ['a', 'b..c'] }, ['leftOut', 1]],
  ['a context by URL', { context: 'https://e.example/context.jsonld' }, ['context']],
  ['properties beside a context', { context: {}, properties: [] }, ['properties']],
])('MAP-1 %s is told with its place', (_, value, path) => {
  expect(mistakesOf(value)).toContainEqual(expect.objectContaining({ path }));
});

test('MAP-1 all mistakes are told at once, with their lines', () => {
  const mistakes = mistakesOf(
    {
      ...least,
      subject: 'x',
      properties: [
        { predicate: 'nix:a', path: 'b..c' },
        { predicate: 'dct:title', path: 'a', convert: 'nix' },
      ],
    },
    (path) => path.length,
  );
  expect(mistakes.map(({ path, line }) => [path.join('.'), line])).toEqual([
    ['properties.0.predicate', 3],
    ['properties.0.path', 3],
    ['properties.1.convert', 3],
    ['subject', 1],
  ]);
});

test('MAP-1 a mapping without mistakes has none', () => {
  expect(mistakesOf(least)).toEqual([]);
});

const prefixes = { ex: 'https://e.example/ns#' };
const told = (property: object) =>
  mistakesOf({ ...least, prefixes, properties: [{ predicate: 'dct:type', path: 'a', ...property }] }).map(
    ({ path, message }) => `${path.slice(2).join('.')}: ${message}`,
  );

test.each<[name: string, property: object, mistake: string]>([
  [
    'a template with a prefix',
    { iri: 'ex:things/{value}' },
    'iri: a template has no prefixes: write it out, as "https://e.example/ns#things/{value}"',
  ],
  ['a table of compact IRIs', { iri: true, convert: { enum: { open: 'ex:Open' } } }, 'convert: "ex:Open" is compact'],
  [
    'a longer table',
    { iri: true, convert: ['trim', { enum: { values: { a: 'urn:a', b: 'ex:B' } } }] },
    'convert: "ex:B" is compact',
  ],
  [
    'what a table lacks',
    { iri: true, convert: { enum: { a: 'urn:a', otherwise: 'ex:C' } } },
    'convert: "ex:C" is compact',
  ],
  [
    'a default',
    { iri: true, convert: { default: 'ex:D' } },
    'convert: "ex:D" is compact, and would be published so: write it out, as https://e.example/ns#D',
  ],
  [
    'an unknown prefix in a table',
    { iri: true, convert: { enum: { a: 'nix:A', iri: true } } },
    'convert: enum: "nix:A" has the prefix "nix", which is not known',
  ],
])('MAP-45 %s that would be published as it stands is a mistake with the remedy', (_, property, mistake) => {
  const [first, ...others] = told(property);
  expect(first?.startsWith(mistake), first).toBe(true);
  expect(others).toEqual([]);
});

test('MAP-45 what is expanded, written out or no IRI is no mistake', () => {
  expect(
    told({ iri: true, convert: { enum: { a: 'ex:A', b: 'urn:b', otherwise: 'https://e.example/c', iri: true } } }),
  ).toEqual([]);
  expect(told({ iri: true, convert: { enum: { a: 'urn:x:a', otherwise: 'absent' } } })).toEqual([]);
  expect(told({ convert: { enum: { a: 'ex:A' } } })).toEqual([]);
  expect(told({ iri: 'urn:things:{value}' })).toEqual([]);
  expect(told({ iri: true, value: 'ex:A', path: undefined })).toEqual([]);
});

const allTold = (value: unknown) => mistakesOf(value).map(({ path, message }) => `${path.join('.')}: ${message}`);

test.each<[value: unknown, told: string[]]>([
  [{ properties: [] }, ['subject: it is missing: a text was expected']],
  [{ subject: 5, properties: [] }, ['subject: a text was expected']],
  [
    { subject: '{+base}{id}', propertys: [] },
    ['properties: it is missing: a list was expected', 'propertys: there is no such key: did you mean "properties"?'],
  ],
  [
    { ...least, properties: [{ predicate: 'dct:title', value: 1, langauge: 'nl' }] },
    ['properties.0.langauge: there is no such key: did you mean "language"?'],
  ],
  [
    { ...least, properties: [{ predicate: 'dct:title', node: { propertis: [], properties: [] } }] },
    ['properties.0.node.propertis: there is no such key: did you mean "properties"?'],
  ],
  [{ ...least, reads: { delimeter: ';' } }, ['reads.delimeter: there is no such key: did you mean "delimiter"?']],
  [
    { ...least, lookups: { a: { key: 'a', by: 'b', record: 'c' } } },
    ['lookups.a.record: there is no such key: did you mean "records"?'],
  ],
  [
    { ...least, versionTime: { path: 'a', convrt: 'iso' } },
    ['versionTime.convrt: there is no such key: did you mean "convert"?'],
  ],
  [{ ...least, nonsense: 1 }, ['nonsense: there is no such key']],
  [{ context: {}, subjct: 'x' }, ['subjct: there is no such key: did you mean "subject"?']],
  [
    { context: {}, properties: [] },
    ['properties: it cannot stand beside "context": say what is published by one or the other'],
  ],
  [
    { '@context': { a: 'urn:a' }, items: [] },
    ['@context: a mapping that is a JSON-LD context has it as "context", without the "@"'],
  ],
])('MAP-1 of %j the mistakes are told with what may be meant', (value, told) => {
  expect(allTold(value)).toEqual(told);
});

test('MAP-1 beside keys that there are not, everything else that is wrong is told', () => {
  const wrong = { ...least, nonsense: 1, properties: [{ predicate: 'nowhere:a', path: 'a[' }] };
  const told = allTold(wrong);
  expect(told[0]).toBe('nonsense: there is no such key');
  expect(told.map((text) => text.split(':')[0])).toEqual(['nonsense', 'properties.0.predicate', 'properties.0.path']);
});

test('MAP-1 where what is wrong with the form hides the rest, it is told that others may show', () => {
  const messageOf = (value: unknown) => {
    try {
      return String(parseMapping(value));
    } catch (error) {
      return (error as Error).message;
    }
  };
  const wrong = { subject: 5, properties: [{ predicate: 'nowhere:a', path: 'a[' }] };
  expect(allTold(wrong)).toEqual(['subject: a text was expected']);
  expect(messageOf(wrong)).toContain('Others may show once the form is right. ');
  expect(messageOf({ ...wrong, subject: '{+stream}/{id}' })).not.toContain('Others may show');
});

test('MAP-1 a converter that there is not is told with one that may be meant', () => {
  const [mistake] = allTold({ ...least, properties: [{ predicate: 'dct:title', path: 'a', convert: 'decimals' }] });
  expect(mistake).toMatch(/: "decimals" is no converter: did you mean "decimal"\? There are add, /);
});
