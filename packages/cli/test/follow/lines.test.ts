import { stripVTControlCharacters } from 'node:util';
import type { LiveStatus, MemberChange } from '@ldes-live/client';
import { parseQuads, prefixes } from '@ldes-live/rdf-stream';
import { expect, test } from 'vitest';
import { EntityNews } from '../../src/follow/entity-news.ts';
import { presentationFor } from '../../src/follow/presentation.ts';
import { printMembers } from '../../src/follow/print-members.ts';
import { TextOutput } from '../../src/terminal/text-output.ts';
import { Recorder } from '../fake-process.ts';
import { change, gap, START } from './made-changes.ts';

const BASE = 'https://live.example/base/';
const TEXT = `
  @prefix live: <${BASE}ns/live#>. @prefix rt: <${prefixes.rt}>. @prefix dct: <http://purl.org/dc/terms/>.
  <v1> live:sequence 7 ; rt:speed 1.5 ; dct:isVersionOf <v> ; <https://other.example/ns#p> "x" .
`;

const said = async (text: string) => {
  const made = change('1');
  if (made.kind === 'gap') throw new Error('a change was to be made');
  return { ...made, member: { ...made.member, quads: await parseQuads(text, 'turtle', BASE) } };
};

test('JSON-LD shortens names by the prefixes that the documents of the publisher have', async () => {
  const line = printMembers([await said(TEXT), gap], 'jsonld');
  expect(line.split('\n')).toHaveLength(2);
  const { '@context': context, ...properties } = JSON.parse(line);
  expect(context).toMatchObject({ live: `${BASE}ns/live#`, rt: prefixes.rt });
  expect(Object.keys(properties)).toEqual([
    '@id',
    'live:sequence',
    'rt:speed',
    'dct:isVersionOf',
    'https://other.example/ns#p',
  ]);
});

test('what is printed is read back as it was, in either format', async () => {
  const made = await said(TEXT);
  for (const [format, name] of [
    ['jsonld', 'jsonld'],
    ['nq', 'nquads'],
  ] as const) {
    const read = await parseQuads(printMembers([made], format), name, BASE);
    expect(read).toHaveLength(made.member.quads.length);
    for (const quad of made.member.quads) expect(read.some((other) => other.equals(quad))).toBe(true);
  }
});

const judged = (news: EntityNews, name: string, kind: 'upsert' | 'delete' = 'upsert') =>
  news.judge(change(name, { kind }) as MemberChange);

test('an entity is new, then changed, then gone, then new again', () => {
  const news = new EntityNews();
  expect([judged(news, 'a'), judged(news, 'a'), judged(news, 'a', 'delete'), judged(news, 'a')]).toEqual([
    'new',
    'changed',
    'gone',
    'new',
  ]);
});

test('no more entities are remembered than the limit: those that changed longest ago are forgotten', () => {
  const news = new EntityNews(2);
  judged(news, 'a');
  judged(news, 'b');
  judged(news, 'a');
  expect(judged(news, 'c')).toBe('new');
  expect(judged(news, 'a')).toBe('changed');
  expect(judged(news, 'b')).toBe('new');
});

test('a line says what came together, with the values of some below it, then only what changed of them', async () => {
  const stop = (delay: number) =>
    `<v1> <${BASE}ns#speed> ${delay} ; <${BASE}ns#line> "3" ; <${prefixes.dct}identifier> "v" .`;
  const { stdout, presentation } = presented('summary', {});
  const moved = async (name: string, speed: number) => {
    const { member } = await said(stop(speed));
    const made = change(name) as MemberChange;
    return { ...made, member: { ...made.member, id: `${BASE}v1`, quads: member.quads } };
  };
  await presentation.tell([await moved('1', 5), change('2'), change('3', { kind: 'delete' }), change('4')], status);
  await presentation.tell([await moved('1', 6)], status);
  expect(stdout.text.split('\n').map((line) => line.slice(10))).toEqual([
    'push  3 new, 1 gone  lag 20 ms',
    '1: speed 5, line 3',
    '2',
    '3: gone',
    'and 1 more',
    'push  1 changed  lag 20 ms',
    '1: speed 6',
    '',
  ]);
});

const ESCAPE = '\u001b';
const UP = new RegExp(`\r${ESCAPE}\\[\\d+A`);

const status: LiveStatus = {
  state: 'pushing',
  mode: 'push',
  reason: 'because',
  isInTrouble: false,
  lagBoundMs: 196,
  isCaughtUp: true,
  updates: 2,
  maxLagMs: 20,
  malMisses: 0,
  gaps: 0,
  requests: 3,
  bytes: 100,
  conflated: 0,
};

function presented(format: 'summary' | 'jsonld' | 'nq', terminal: object, env: Record<string, string> = {}) {
  const stdout = Object.assign(new Recorder(), terminal);
  const stderr = new Recorder();
  const { signal: interrupted } = new AbortController();
  const edge = { env, stdout, stderr, interrupted, clock: () => START, random: () => 0 };
  const command = { kind: 'follow', url: 'http://a/s', mal: 1, format } as const;
  return { stdout, stderr, presentation: presentationFor(command, edge, new TextOutput(stdout)) };
}

const terminal = { isTTY: true, columns: 60, rows: 12 };

test('a terminal gets a view that takes its own place, within its width and height', async () => {
  const { stdout, stderr, presentation } = presented('summary', terminal);
  await presentation.look(status);
  await presentation.tell(
    Array.from({ length: 30 }, (_, index) => change(`${index}`.repeat(40))),
    status,
  );
  const before = stdout.text.length;
  await presentation.look(status);
  const second = stdout.text.slice(before);
  expect(second).toMatch(UP);
  const lines = second.split('\n').map((line) => stripVTControlCharacters(line).replace('\r', ''));
  expect(lines).toHaveLength(12);
  for (const line of lines) expect(line.length).toBeLessThan(60);
  expect(stderr.text).toBe('');
});

test.each([
  ['output is no terminal', {}, { TERM: 'xterm' }],
  ['the terminal is dumb', terminal, { TERM: 'dumb' }],
])('where the %s, lines are printed', async (_, stream, env) => {
  const { stdout, presentation } = presented('summary', stream, env);
  await presentation.look(status);
  await presentation.tell([change('1')], status);
  expect(stdout.text).not.toContain('\u001b');
  expect(stdout.text.split('\n')).toHaveLength(4);
});

test.each(['jsonld', 'nq'] as const)(
  '%s on a terminal is what programs get; gaps and status go elsewhere',
  async (format) => {
    const { stdout, stderr, presentation } = presented(format, terminal);
    await presentation.look(status);
    await presentation.tell([gap], status);
    expect(stdout.text).toBe('');
    expect(stderr.text).toMatch(/ {2}push: because\n.* {2}gap {3}e-1 cannot be continued/);
  },
);
