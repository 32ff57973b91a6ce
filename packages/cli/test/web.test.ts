import { expect, test } from 'vitest';
import { startText } from '../src/serve/serve.ts';
import { mistakesOf } from './config/parsed-config.ts';
import { configFile, served } from './run-command.ts';

const HEAD = 'publicUrl: https://live.example.org/\nstore: memory\n';
const STREAMS = `streams: { water: { source: { post: true, tokens: ["${'0'.repeat(64)}"] } } }\n`;

/** What a browser gets of a server of this configuration, by path. */
async function browsed(web: string, ...options: string[]) {
  const { base, process } = await served(await configFile(HEAD + web + STREAMS), ...options);
  const accept = 'text/html,*/*;q=0.8';
  const answers = await Promise.all(
    ['', 'water', 'status', 'view'].map((path) => fetch(`${base}${path}`, { headers: { accept } })),
  );
  const policy = answers[0]?.headers.get('content-security-policy');
  const text = await answers[0]?.text();
  const types = answers.map(({ headers }) => headers.get('content-type')?.split(';', 1)[0]);
  return { policy, text, types, said: process.stdout.text };
}

test('WEB-1 WEB-2 a server of a configuration has pages, and says where', async () => {
  const { types, policy, text, said } = await browsed('');
  expect(types).toEqual(Array(4).fill('text/html'));
  expect(policy).toContain("connect-src 'self' https://live.example.org;");
  expect(text).toContain('<meta name="ldes-live" content="{}">');
  expect(said).toContain('Open https://live.example.org/ in a browser to see it.\n');
});

test('WEB-6 the pages have the style that is configured, and follow other servers only where that is', async () => {
  const { policy, text } = await browsed('web: { style: "https://tiles.example.org/s.json", foreign: true }\n');
  expect(policy).toContain("connect-src 'self' https://live.example.org https: https://tiles.example.org http:;");
  expect(text).toContain('&#34;style&#34;:&#34;https://tiles.example.org/s.json&#34;,&#34;foreign&#34;:true');
});

test.each([
  ['web: false\n', []],
  ['web: { foreign: true }\n', ['--no-web']],
])('WEB-8 with %j and the options %j there are no pages', async (web, options) => {
  const { types, said } = await browsed(web, ...options);
  expect(types).toEqual([...Array(2).fill('application/ld+json'), ...Array(2).fill('application/problem+json')]);
  expect(said).not.toContain('browser');
});

test('WEB-8 the demonstration has pages too, or none', () => {
  const plan = { publicUrl: 'http://a.example/', store: 'memory', streams: [] } as const;
  expect(startText(plan, '127.0.0.1:3000', true)).toContain('Open http://a.example/ in a browser');
  expect(startText(plan, '127.0.0.1:3000', false)).not.toContain('browser');
});

test('no stream of a configuration is called as what is of the pages', () => {
  expect(mistakesOf(`${HEAD}${STREAMS.replace('water', 'view')}`)).toEqual([
    expect.stringContaining('is not one of health, id, metrics, ns, status, view, web'),
  ]);
});
