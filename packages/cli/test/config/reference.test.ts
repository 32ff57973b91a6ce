import { readdirSync, readFileSync } from 'node:fs';
import { loadPreset, mappingJsonSchema, presetNames } from '@ldes-live/sources';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { z } from 'zod';
import { parseConfig } from '../../src/config/parse-config.ts';
import { configJsonSchema, configSchema } from '../../src/config/schema.ts';
import { isAccepted } from './parsed-config.ts';

const root = new URL('../../../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');
const reference = read('specs/configuration.md');
const schema = configJsonSchema() as { readonly $defs: Readonly<Record<string, { readonly properties?: object }>> };

test('the JSON Schemas that ship, and the tables of the reference, are those of the schemas', async () => {
  // Otherwise run the script: it writes both.
  const { withTables } = await import(new URL('scripts/config-schema.mjs', root).href);
  expect(JSON.parse(read('packages/cli/schema/config.schema.json'))).toEqual(schema);
  expect(JSON.parse(read('packages/cli/schema/mapping.schema.json'))).toEqual(mappingJsonSchema());
  expect(withTables(reference, schema)).toBe(reference);
});

test('every mapping of keys has its table in the reference, but documents of other formats than JSON', () => {
  const documented = [...reference.matchAll(/^<!-- keys of (\w+) -->$/gm)].map(([, name]) => name);
  const others = ['ndjson', 'geojson', 'csv', 'xml'];
  const defined = Object.keys(schema.$defs).filter((name) => !others.includes(name));
  expect(documented.sort()).toEqual(['configuration', ...defined].sort());
});

/** What is said of a key, beside its schema. */
type Field = readonly [
  place: string,
  field: z.ZodType,
  said: { readonly fallback?: string; readonly example?: string },
];

/** The keys of a schema, and of those within it. */
function fieldsOf(schema: z.core.$ZodType, place: string, seen = new Set<z.core.$ZodType>()): readonly Field[] {
  if (seen.has(schema)) return [];
  seen.add(schema);
  const { alternatives = [] } = (z.globalRegistry.get(schema) ?? {}) as { alternatives?: readonly z.ZodType[] };
  const def = schema._zod.def as z.core.$ZodTypeDef &
    Partial<Record<'in' | 'innerType' | 'element' | 'valueType', z.ZodType>>;
  const within = [...alternatives, def.in, def.innerType, def.element, def.valueType].filter(
    (inner) => inner !== undefined,
  );
  const shape = schema instanceof z.ZodObject ? (schema.shape as Record<string, z.ZodType>) : {};
  return [
    ...within.flatMap((inner) => fieldsOf(inner, place, seen)),
    ...Object.entries(shape).flatMap(([key, field]) => [
      [`${place}.${key}`, field, (field.meta() ?? {}) as Field[2]] as const,
      ...fieldsOf(field, `${place}.${key}`, seen),
    ]),
  ];
}

const fields = fieldsOf(configSchema, '');

test.each(fields)('the example and the default of %s are taken', (_, field, { fallback = '', example = '' }) => {
  const [, value = example] = /^`([^`]*)`$/.exec(fallback) ?? [];
  for (const said of [example, value]) expect(field.safeParse(parseYaml(said)).error?.issues).toBeUndefined();
});

const snippets = [
  'README.md',
  'deploy/README.md',
  'docs',
  'specs',
  'packages/cli/README.md',
  'packages/server/README.md',
].flatMap((place) =>
  place.endsWith('.md') ? [place] : readdirSync(new URL(place, root)).map((file) => `${place}/${file}`),
);
const configurations = [
  ...readdirSync(new URL('examples', root), { recursive: true, encoding: 'utf8' })
    .filter((file) => /config\.ya?ml$/.test(file) && !file.includes('node_modules'))
    .map((file) => [`examples/${file}`, read(`examples/${file}`)] as const),
  ...snippets
    .filter((file) => file.endsWith('.md'))
    .flatMap((file) =>
      [...read(file).matchAll(/^```ya?ml\n([\s\S]*?)^```$/gm)].map(([, text = '']) => [file, text] as const),
    ),
  ...Object.entries(
    (parseYaml(read('docker-compose.yml')) as { configs: Record<string, { content: string }> }).configs,
  ).map(
    // As Compose would fill it in.
    ([name, { content }]) =>
      [
        `docker-compose.yml ${name}`,
        content.replaceAll(/\$\{\w+:-(.*?)\}/g, '$1').replaceAll(/\$\{\w+:\?.*?\}/g, 'http://a/'),
      ] as const,
  ),
].filter(([, text]) => /^publicUrl:/m.test(text));

test('there are configurations in examples, documentation and deployments', () => {
  expect(configurations.length).toBeGreaterThan(8);
});

test.each(configurations)('the configuration of %s is taken by the server and by the JSON Schema', (_, text) => {
  expect(() => parseConfig(text, 'config.yml', { AGENCY_KEY: 'secret' })).not.toThrow();
  expect([isAccepted(parseYaml(text)), isAccepted.errors]).toEqual([true, null]);
});

test('the JSON Schema of mappings accepts those that ship and those of the examples, and no unknown key', () => {
  const isMapping = new Ajv2020({ allowUnionTypes: true }).compile(mappingJsonSchema());
  const mappings = presetNames().map((name) => loadPreset(name).mapping as object);
  const examples = ['mqtt', 'parking'].map((name) => parseYaml(read(`examples/${name}/mapping.yml`)) as object);
  for (const mapping of [...mappings, ...examples]) {
    expect([isMapping(mapping), isMapping.errors]).toEqual([true, null]);
    expect(isMapping({ ...mapping, recods: 'a' })).toBe(false);
  }
});
