/* The README and the guides, run as their readers run them: each command and each snippet, against one demonstration. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { demonstration, ROOT } from './support/commands.ts';
import { blocksOf, runDocument } from './support/documentation.ts';
import { isThere } from './support/programs.ts';

const documents = [
  'README.md',
  ...readdirSync(`${ROOT}docs`).flatMap((name) => (name.endsWith('.md') ? `docs/${name}` : [])),
  ...['client', 'query', 'server', 'cli', 'log', 'sources', 'rdf-stream', 'latency', 'web'].map(
    (name) => `packages/${name}/README.md`,
  ),
];

const PROGRAMS = ['mosquitto', 'nginx', 'varnishd', 'nats-server', 'chromium', 'curl', 'openssl'];

test.concurrent.for(documents)('%s runs as it stands', { timeout: 180_000 }, async (path, context) => {
  const texts = blocksOf(readFileSync(ROOT + path, 'utf8')).map(({ language, text }) => `${language} ${text}`);
  const missing = PROGRAMS.filter((name) => texts.some((text) => text.includes(name)) && !isThere(name));
  context.skip(missing.length > 0, `not installed: ${missing.join(', ')}`);
  await runDocument(path, await demonstration());
});

/** Commands that take a machine or minutes of their own, and where they run instead. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'npm start': 'tests/e2e/start.test.ts',
  'npm test': 'the gate itself',
  'npm run build': 'the gate itself',
};

test('each command that is not run here is run elsewhere', () => {
  const commands = documents.flatMap((path) =>
    blocksOf(readFileSync(ROOT + path, 'utf8'))
      .filter(({ mark }) => mark === 'elsewhere')
      .flatMap(({ text }) => text.trim().split('\n'))
      .map((line) => line.replace(/ *#.*/, '')),
  );
  expect(commands.filter((line) => ELSEWHERE[line] === undefined)).toEqual([]);
});
