/* Writes what follows from the schemas of configurations and mappings, once they are built: packages/cli/schema/*.schema.json,
 * and the tables of keys in specs/configuration.md. A test fails where any of these differs from what stands.
 *
 *   node scripts/build.mjs && node scripts/config-schema.mjs && npx biome format --write packages/cli/schema
 *
 *   <!-- keys of push -->  ->  | `heartbeat` | after how long of silence something is sent: a duration ... | `15s` | `10s` |
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

/** A value as YAML has it on one line. */
function flow(value) {
  if (Array.isArray(value)) return `[${value.map(flow).join(', ')}]`;
  // A long row of hexadecimal digits may be read as a number.
  if (typeof value === 'string' && !/^(?![0-9a-f]{9})[\w./][^"'{}[\],#]*$/.test(value)) return JSON.stringify(value);
  if (typeof value !== 'object') return `${value}`;
  const entries = Object.entries(value).map(([key, inner]) => `${flow(key)}: ${flow(inner)}`);
  return `{ ${entries.join(', ')} }`;
}

/** The keys of a mapping, one a row. */
function table({ properties, required = [] }) {
  const rows = Object.entries(properties).map(([key, { description, examples }]) => {
    const [about, fallback = 'required'] = description.replace(/\.$/, '').split('. Default: ');
    if ((fallback === 'required') !== required.includes(key)) throw new Error(`${key} has no default: ${description}`);
    return [`\`${key}\``, about, fallback, `\`${flow(examples[0])}\``];
  });
  const all = [['key', 'value', 'default', 'example'], ...rows];
  const widths = all[0].map((_, column) => Math.max(...all.map((row) => row[column].length)));
  const line = (row, fill) => `| ${row.map((cell, column) => cell.padEnd(widths[column], fill)).join(' | ')} |`;
  return all
    .map((row) => line(row))
    .toSpliced(1, 0, line(['', '', '', ''], '-'))
    .join('\n');
}

/** The reference with the tables of a schema. */
export function withTables(reference, schema) {
  return reference.replaceAll(
    /(<!-- keys of (\w+) -->\n\n)[\s\S]*?(\n\n<!-- end of keys -->)/g,
    (_, begin, name, end) => [begin, table(name === 'configuration' ? schema : schema.$defs[name]), end].join(''),
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { configJsonSchema } = await import('../packages/cli/dist/config/schema.js');
  const { mappingJsonSchema } = await import('../packages/sources/dist/index.js');
  const reference = new URL('../specs/configuration.md', import.meta.url);
  const folder = new URL('../packages/cli/schema/', import.meta.url);
  const schemas = { config: configJsonSchema(), mapping: mappingJsonSchema() };
  mkdirSync(folder, { recursive: true });
  for (const [name, schema] of Object.entries(schemas)) {
    writeFileSync(new URL(`${name}.schema.json`, folder), `${JSON.stringify(schema, undefined, 2)}\n`);
  }
  writeFileSync(reference, withTables(readFileSync(reference, 'utf8'), schemas.config));
}
