import { expect, test } from 'vitest';
import { parseMapping } from '../../src/mapping/compile.ts';
import { mistakesOf } from './mapped.ts';

const least = { subject: '{+base}x/{id}', properties: [] };
const prefixes = { ex: 'https://e.example/ns#' };
/** A mapping of one property, the same with a path, and the same of IRIs. */
const one = (property: object) => ({ ...least, prefixes, properties: [{ predicate: 'dct:title', ...property }] });
const at = (more: object) => one({ path: 'a', ...more });
const iri = (convert: unknown) => at({ iri: true, convert });

const told = (value: unknown) => mistakesOf(value).map(({ path, message }) => `${path.join('.')}: ${message}`);

test.each<[value: unknown, path: string]>([
  ['text', ''],
  [one({}), 'properties.0'],
  [at({ value: 1 }), 'properties.0'],
  [at({ iri: true, language: 'nl' }), 'properties.0'],
  [one({ iri: '{+base}{value}' }), 'properties.0'],
  [at({ language: 'n l' }), 'properties.0.language'],
  [one({ node: { properties: [{ predicate: 'dct:title', path: '' }] } }), 'properties.0.node.properties.0.path'],
  [at({ convert: ['trim', 'nix'] }), 'properties.0.convert.1'],
  [at({ convert: { multiply: 'x' } }), 'properties.0.convert'],
  [at({ convert: { trim: true, upper: true } }), 'properties.0.convert'],
  [one({ paths: ['a', 'b'], convert: 'trim' }), 'properties.0.paths'],
  [one({ paths: ['a[*]', 'b'], convert: 'point' }), 'properties.0.paths.0'],
  [one({ value: 'x', datatype: 'xsd:integer' }), 'properties.0.value'],
  [one({ value: 'Mill', language: '$key' }), 'properties.0.value'],
  [one({ value: 'Mill', languagePath: 'a' }), 'properties.0.value'],
  [at({ datatype: 'rdf:langString' }), 'properties.0.datatype'],
  [at({ datatype: 'rdf:dirLangString' }), 'properties.0.datatype'],
  [{ ...least, variables: { base: { value: 'x' } } }, 'variables.base'],
  [{ ...least, lookups: { root: { key: 'a', by: 'b' } } }, 'lookups.root'],
  [{ ...least, kind: 'observation' }, 'series'],
  [{ ...least, series: '{+base}{id}' }, 'series'],
  [{ ...least, kind: 'event' }, 'kind'],
  [{ ...least, reads: { format: 'yaml' } }, 'reads.format'],
  [{ ...least, timeZone: 'Europe/Gent' }, 'timeZone'],
  ...['terms#', '{+other}/terms#', 'x{+base}', '{+base} #'].map((ex): [object, string] => [
    { ...least, prefixes: { ex } },
    'prefixes.ex',
  ]),
  ...['nix:a', 'title'].map((predicate): [object, string] => [at({ predicate }), 'properties.0.predicate']),
  [{ ...least, records: '$sites[*]' }, 'records'],
  [{ ...least, leftOut: ['a', 'b..c'] }, 'leftOut.1'],
  [{ context: 'https://e.example/context.jsonld' }, 'context'],
])('MAP-1 in %j the mistake at "%s" is told', (value, path) => {
  expect(mistakesOf(value).map(({ path }) => path.join('.'))).toContain(path);
});

test('MAP-1 all mistakes are told at once, with their lines', () => {
  const properties = [
    { predicate: 'nix:a', path: 'b..c' },
    { predicate: 'dct:title', path: 'a', convert: 'nix' },
  ];
  const mistakes = mistakesOf({ ...least, subject: 'x', properties }, (path) => path.length);
  expect(mistakes.map(({ path, line }) => `${path.join('.')} ${line}`)).toEqual(
    ['properties.0.predicate 3', 'properties.0.path 3', 'properties.1.convert 3', 'subject 1'], // In this order.
  );
});

test('MAP-1 where what is wrong with the form hides the rest, it is told that others may show', () => {
  expect(() => parseMapping({ ...one({ path: 'a[' }), subject: 5 })).toThrow(
    'More mistakes may appear when these are corrected.',
  );
  expect(() => parseMapping(one({ path: 'a[' }))).toThrow(/^(?!.*Others may show)/);
});

test.each<[value: object, mistake: string]>([
  [at({ iri: 'ex:things/{value}' }), 'iri: a template has no prefixes: write it out, as "https://e.example/ns#things/'],
  [iri({ enum: { open: 'ex:Open' } }), 'convert: "ex:Open" is compact'],
  [iri(['trim', { enum: { values: { a: 'urn:a', b: 'ex:B' } } }]), 'convert: "ex:B" is compact'],
  [iri({ enum: { a: 'urn:a', otherwise: 'ex:C' } }), 'convert: "ex:C" is compact'],
  [iri({ default: 'ex:D' }), 'convert: "ex:D" is compact, and would be published so: write it out, as https://e.exa'],
  [iri({ enum: { a: 'nix:A', iri: true } }), 'convert: enum: "nix:A" has the prefix "nix", which is not known'],
])('MAP-7 what %j would publish as it stands is a mistake with the remedy', (value, mistake) => {
  expect(told(value)).toEqual([expect.stringContaining(`properties.0.${mistake}`)]);
});

test.each([
  least,
  iri({ enum: { a: 'ex:A', b: 'urn:b', otherwise: 'https://e.example/c', iri: true } }),
  iri({ enum: { a: 'urn:x:a', otherwise: 'absent' } }),
  at({ convert: { enum: { a: 'ex:A' } } }),
  at({ iri: 'urn:things:{value}' }),
  one({ iri: true, value: 'ex:A' }),
])('MAP-7 what is expanded, written out or no IRI is no mistake: %j', (value) => {
  expect(told(value)).toEqual([]);
});

const unknown = (path: string, meant: string) => `${path}: unknown key: did you mean "${meant}"?`;

test.each<[value: unknown, told: string[]]>([
  [{ properties: [] }, ['subject: it is missing: a text was expected']],
  [{ subject: 5, properties: [{ predicate: 'nowhere:a', path: 'a[' }] }, ['subject: a text was expected']],
  [
    { subject: '{+base}{id}', propertys: [] },
    ['properties: it is missing: a list was expected', unknown('propertys', 'properties')],
  ],
  [one({ value: 1, langauge: 'nl' }), [unknown('properties.0.langauge', 'language')]],
  [one({ node: { propertis: [], properties: [] } }), [unknown('properties.0.node.propertis', 'properties')]],
  [{ ...least, reads: { delimeter: ';' } }, [unknown('reads.delimeter', 'delimiter')]],
  [{ ...least, lookups: { a: { key: 'a', by: 'b', record: 'c' } } }, [unknown('lookups.a.record', 'records')]],
  [{ ...least, versionTime: { path: 'a', convrt: 'iso' } }, [unknown('versionTime.convrt', 'convert')]],
  [{ ...least, nonsense: 1 }, ['nonsense: unknown key']],
  [{ context: {}, subjct: 'x' }, [unknown('subjct', 'subject')]],
  [{ context: {}, properties: [] }, [expect.stringContaining('properties: it cannot be combined with "context"')]],
  [{ '@context': { a: 'urn:a' }, items: [] }, [expect.stringContaining('@context: a mapping that is a JSON-LD con')]],
  [
    at({ convert: 'decimals' }),
    [expect.stringMatching(/: "decimals" is not a converter: did you mean "decimal"\? The/)],
  ],
  [
    { ...least, nonsense: 1, properties: [{ predicate: 'nowhere:a', path: 'a[' }] },
    ['nonsense', 'properties.0.predicate', 'properties.0.path'].map((at) => expect.stringContaining(`${at}: `)),
  ],
])('MAP-1 of %j the mistakes are told with what may be meant', (value, mistakes) => {
  expect(told(value)).toEqual(mistakes);
});
