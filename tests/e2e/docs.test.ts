/* The README and the guides, run as their readers run them: each command and each snippet, against one demonstration. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
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

const PROGRAMS = ['mosquitto', 'nginx', 'varnishd', 'nats-server', 'chromium', 'curl', 'openssl', 'python3'];

test.concurrent.for(documents)('%s runs as it stands', { timeout: 180_000 }, async (path, context) => {
  const texts = blocksOf(readFileSync(ROOT + path, 'utf8')).map(({ language, text }) => `${language} ${text}`);
  const missing = PROGRAMS.filter((name) => texts.some((text) => text.includes(name)) && !isThere(name));
  context.skip(missing.length > 0, `not installed: ${missing.join(', ')}`);
  await runDocument(path, await demonstration());
});

test.each(documents)('each file of %s is one that another block uses', (path) => {
  const blocks = blocksOf(readFileSync(ROOT + path, 'utf8'));
  // Pages are opened, and systemd is not there to read its unit.
  const files = blocks.filter(({ language, mark }) => !['sh', 'html', 'ini'].includes(language) && mark !== '');
  const uses = (name: string) => blocks.some(({ mark, text }) => mark !== name && text.includes(basename(name)));
  expect(files.map(({ mark }) => mark).filter((name) => !uses(name))).toEqual([]);
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
