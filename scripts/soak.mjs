// `npm run soak [-- FILE...]`: each property with new seeds for LDES_LIVE_SOAK_SECONDS (15).
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { runVitest } from './child.mjs';
import { ensureInstalled } from './ensure-built.mjs';

// Files that assert properties, themselves or in what they import of their folder. Those of real programs draw none.
const PROPERTIES = /import \{[^}]*\bcheck\b[^}]*\} from '@ldes-live\/test-support\/properties'/;
const assertsProperties = (file, seen = new Set()) => {
  if (seen.has(file)) return false;
  seen.add(file);
  const text = readFileSync(file, 'utf8');
  const imports = [...text.matchAll(/from '(\.{1,2}\/[^']+\.ts)'/g)].map(([, path]) => join(dirname(file), path));
  return (
    PROPERTIES.test(text) ||
    imports.filter((path) => !path.includes('/src/')).some((path) => assertsProperties(path, seen))
  );
};
const tests = [...readdirSync('packages').map((name) => `packages/${name}/test`), 'tests']
  .filter(existsSync)
  .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)))
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => file.endsWith('.test.ts') && !file.includes('/node_modules/') && !file.startsWith('tests/e2e/'))
  .filter((file) => assertsProperties(file));

const { LDES_LIVE_SOAK_SECONDS = '15', LDES_LIVE_SEED } = process.env;
if (!(Number(LDES_LIVE_SOAK_SECONDS) > 0)) {
  console.error(`LDES_LIVE_SOAK_SECONDS is "${LDES_LIVE_SOAK_SECONDS}": give seconds, a number above 0.`);
  process.exit(1);
}
await ensureInstalled();
const named = process.argv.slice(2);
const settings = { LDES_LIVE_SOAK_SECONDS, ...(LDES_LIVE_SEED !== undefined && { LDES_LIVE_SEED }) };
process.exitCode = (await runVitest(['--testTimeout=0', ...(named.length > 0 ? named : tests)], settings)).code;
