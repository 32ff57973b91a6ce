import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { literal, namedNode, quad } from '@ldes-live/rdf-stream';
import { expect, test } from 'vitest';
import { liveQuery } from '../src/index.ts';

const README = readFileSync(new URL('../README.md', import.meta.url), 'utf8');

/** Runs a block of the README as it stands, what it imports given. */
async function run(block: string, given: Readonly<Record<string, unknown>>): Promise<void> {
  const body = block.replaceAll(/^import .*\n/gm, '');
  const Async = (async () => undefined).constructor as new (
    ...parts: string[]
  ) => (...values: unknown[]) => Promise<void>;
  await new Async(...Object.keys(given), body)(...Object.values(given));
}

test('the source that the README writes gives what the README says', async () => {
  const blocks = [...README.matchAll(/^```js\n([\s\S]*?)^```$/gm)].map(([, block]) => block as string);
  const block = blocks.find((each) => each.includes('of liveQuery(')) ?? '';
  const printed: string[] = [];
  const console = { log: (line: string) => printed.push(line) };
  await run(block, { liveQuery, literal, namedNode, quad, setTimeout, console });
  expect(printed).toEqual(['came: 30; went: ', 'came: 45; went: 30']);
  for (const line of printed) expect(README).toContain(`\`${line.trim()}\``);
});
