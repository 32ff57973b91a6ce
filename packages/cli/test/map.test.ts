import { truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { parseQuads } from '@ldes-live/rdf-stream';
import { temporaryFolder } from '@ldes-live/test-support/folders';
import { httpServer } from '@ldes-live/test-support/net';
import { expect, test } from 'vitest';
import { readSample } from '../src/map.ts';
import { jsonServer } from './json-server.ts';
import { runCommand } from './run-command.ts';

const MAPPING = `prefixes: { ex: "http://ex.example/" }
records: rooms[*]
subject: "{+stream}/entities/{id}"
type: ex:Room
properties:
  - { predicate: rdfs:label, path: name }
  - { predicate: ex:heat, path: heat, convert: decimal, required: true }
`;
const SAMPLE = JSON.stringify({
  rooms: [
    { id: 1, name: 'Hall', heat: 20.5, floor: 0 },
    { id: 2, name: 'Attic', heat: 25, floor: 3 },
  ],
});

/** What the command makes of the sample by the mapping, or of files in place of these. */
async function mapped(files: Readonly<Record<string, string>> = {}, ...args: string[]) {
  const folder = await temporaryFolder({ 'm.yml': MAPPING, 's.json': SAMPLE, ...files });
  return await runCommand('map', join(folder, 's.json'), '--mapping', join(folder, 'm.yml'), ...args);
}

test('it shows the RDF of a sample, and what it leaves out', async () => {
  const { code, output, errorOutput } = await mapped();
  expect(code).toBe(0);
  expect(output).toContain('@prefix ex: <http://ex.example/> .');
  const quads = await parseQuads(output, 'turtle', 'http://a/');
  expect(quads.map(({ subject, predicate, object }) => [subject.value, predicate.value, object.value])).toContainEqual([
    'http://localhost:3000/sample/entities/2',
    'http://ex.example/heat',
    '25',
  ]);
  expect(errorOutput).toBe('2 records: 2 mapped, 0 not.\nNeither mapped nor in leftOut:\n  floor\n');
});

test('a mapping that is called like its stream has the IRIs of that', async () => {
  const own = MAPPING.replace('http://ex.example/', '{+stream}/terms#');
  const folder = await temporaryFolder({ 'halls.mapping.yml': own, 's.json': SAMPLE });
  const mapping = ['--mapping', join(folder, 'halls.mapping.yml')];
  const { output } = await runCommand('map', join(folder, 's.json'), ...mapping);
  expect(output).toContain('<http://localhost:3000/halls/entities/1>');
  expect(output).toContain('@prefix ex: <http://localhost:3000/halls/terms#> .');
});

test.each(['turtle', 'jsonld'] as const)('it writes %s', async (format) => {
  const { output } = await mapped({}, '--format', format, '--count', '1');
  expect(await parseQuads(output, format, 'http://a/')).toHaveLength(3);
});

test('records that cannot be mapped are told with line, path and value, and the exit code says so', async () => {
  const records = { rooms: [{ id: 1, heat: 1 }, { id: 2, heat: 'warm' }, { id: 3 }] };
  const { code, errorOutput } = await mapped({ 's.json': JSON.stringify(records) });
  expect(code).toBe(3);
  expect(errorOutput).toMatch(/^3 records: 1 mapped, 2 not\.\n/);
  expect(errorOutput).toMatch(/Record 2 .*line 7 of the mapping.*"heat".*"warm"/);
  expect(errorOutput).toMatch(/Record 3 .*line 7 of the mapping.*"heat"/);
});

test('the mistakes of a mapping are told with file, line and path', async () => {
  const wrong = 'subject: "{+stream}/{id}"\nproperties:\n  - { predicate: "nowhere:a", path: "a[" }\nsubjekt: 1\n';
  const { code, errorOutput } = await mapped({ 'm.yml': wrong });
  expect(code).toBe(1);
  expect(errorOutput).toMatch(/^ERR_MAPPING_FILE: The mapping .*m\.yml has .* Correct them and try again:\n/);
  expect(errorOutput).toMatch(/m\.yml:4:10 subjekt: /);
  expect(errorOutput).toMatch(/m\.yml:3:\d+ properties\.0\.path: "a\[" is not a path/);
  const hidden = await mapped({ 'm.yml': wrong.replace('"{+stream}/{id}"', '5') });
  expect(hidden.errorOutput).toMatch(/\(more mistakes may appear when these are corrected\)\n/);
  expect(hidden.errorOutput).not.toContain('is not a path');
});

test.each([
  ['no.json', 'm.yml', /^ERR_SAMPLE_UNREADABLE: .*no\.json cannot be read \(ENOENT\)/],
  ['s.json', 'no.yml', /^ERR_MAPPING_FILE: .*\n.*no\.yml: it cannot be read \(ENOENT\)/],
  ['s.json', 'broken.yml', /^ERR_MAPPING_FILE: .*\n.*broken\.yml:1:/],
  ['broken.json', 'm.yml', /^ERR_DOCUMENT_MALFORMED/],
])('%s by %s ends with 1 and its error', async (sample, mapping, message) => {
  const files = { 'm.yml': MAPPING, 's.json': SAMPLE, 'broken.json': '{', 'broken.yml': 'a: [' };
  const folder = await temporaryFolder(files);
  const args = [join(folder, sample), '--mapping', join(folder, mapping)];
  const { code, output, errorOutput } = await runCommand('map', ...args);
  expect([code, output]).toEqual([1, '']);
  expect(errorOutput).toMatch(message);
});

test('a sample can be a URL, and the ending of its name says its format', async () => {
  const url = await jsonServer({ '/rooms.csv': 'id,heat\n1,20\n', '/rooms.json': SAMPLE });
  const csv = MAPPING.replace('records: rooms[*]\n', '');
  const folder = await temporaryFolder({ 'm.yml': csv, 'j.yml': MAPPING });
  expect((await runCommand('map', `${url}/rooms.json`, '--mapping', join(folder, 'j.yml'))).code).toBe(0);
  const { output } = await runCommand('map', `${url}/rooms.csv?key=1`, '--mapping', join(folder, 'm.yml'));
  expect(output).toContain('ex:heat "20"^^xsd:decimal');
  const { errorOutput } = await runCommand('map', `${url}/none?key=secret`, '--mapping', join(folder, 'm.yml'));
  expect(errorOutput).toMatch(/^ERR_SAMPLE_UNREADABLE: http:\/\/[^ ?]*\/none cannot be read \(status 404\)/);
});

test('a file has the limit of a URL: 64 MiB are read, and a byte more is refused', async () => {
  const file = join(await temporaryFolder({ sample: '' }), 'sample');
  await truncate(file, 67_108_864);
  expect((await readSample(file, new AbortController().signal)).byteLength).toBe(67_108_864);
  await truncate(file, 67_108_865);
  const large = { code: 'ERR_SAMPLE_UNREADABLE', message: expect.stringContaining('larger than 67108864 bytes') };
  await expect(readSample(file, new AbortController().signal)).rejects.toMatchObject(large);
});

test('a sample that does not arrive in time is given up', async () => {
  const { url } = await httpServer(() => {});
  const late = { code: 'ERR_SAMPLE_UNREADABLE', message: expect.stringContaining('no answer within 200 ms') };
  await expect(readSample(url, new AbortController().signal, 200)).rejects.toMatchObject(late);
});

test('lookups are read from samples of their own', async () => {
  const mapping = `${MAPPING}  - { predicate: ex:in, path: $houses.street }\nlookups: { houses: { key: house, by: id } }\n`;
  const houses = JSON.stringify([{ house: 2, street: 'High Street' }]);
  const folder = await temporaryFolder({ 'm.yml': mapping, 's.json': SAMPLE, 'h.json': houses });
  const args = ['map', join(folder, 's.json'), '--mapping', join(folder, 'm.yml')];
  expect((await runCommand(...args, '--lookup', `houses=${join(folder, 'h.json')}`)).output).toContain('"High Street"');
  expect((await runCommand(...args)).errorOutput).toMatch(/^ERR_USAGE: Give --lookup houses=FILE/);
  const other = ['--lookup', `houses=${join(folder, 'h.json')}`, '--lookup', `b=${join(folder, 'h.json')}`];
  expect((await runCommand(...args, ...other)).errorOutput).toMatch(/^ERR_USAGE: The mapping has no lookup "b"/);
});

test('PRE-1 a preset is listed, and printed as a file with comments that maps as it does', async () => {
  const { output: list } = await runCommand('map', '--presets');
  expect(list).toMatch(/^ghent-garages +Car parks of Ghent$/m);
  const { code, output: printed } = await runCommand('map', '--print', '--preset', 'ghent-garages');
  expect(code).toBe(0);
  expect(printed).toMatch(/^# Occupancy of the car parks of Ghent.*\n[\s\S]*^ {2}# Text of the type of URIs/m);
  const garages = [{ id: 'https://city.example/a', name: 'Kade', lastupdate: '2026-01-05T09:00:00Z' }];
  const folder = await temporaryFolder({ 'sample.mapping.yml': printed, 's.json': JSON.stringify(garages) });
  const byFile = await runCommand('map', join(folder, 's.json'), '--mapping', join(folder, 'sample.mapping.yml'));
  expect(byFile).toEqual(await runCommand('map', join(folder, 's.json'), '--preset', 'ghent-garages'));
  expect(byFile.output).toContain('<http://localhost:3000/sample/entities/garages/a>');
  const unknown = await runCommand('map', '--print', '--preset', 'gent');
  expect(unknown.errorOutput).toMatch(/^ERR_PRESET_UNKNOWN: Unknown preset "gent"\. Give one of .*ghent-garages/);
});
