// `npm run check`: everything that a change must pass.
import { readdirSync } from 'node:fs';
import process from 'node:process';
import { build, run } from './ensure-built.mjs';

const node = (title, script, ...args) => run(title, process.execPath, [`node_modules/${script}`, ...args]);

node('Format and lint', '@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.');
build();
node('Types of the tests', 'typescript/bin/tsc', '--project', 'tsconfig.test.json');
node('Types of the examples', 'typescript/bin/tsc', '--project', 'examples');
node('Unused code and dependencies', 'knip/bin/knip.js');
for (const name of readdirSync('packages').filter((each) => each !== 'test-support')) {
  node(`Package ${name}`, 'publint/src/cli.js', '--strict', `packages/${name}`);
}
node('Tests with coverage', 'vitest/vitest.mjs', 'run', '--coverage');
