import type { Change, LiveStatus } from '@ldes-live/client';
import { check, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import { FollowView } from '../../src/follow/view.ts';
import { clockTime, TextOutput } from '../../src/terminal.ts';
import { FakeTerminal, fakeEnvironment } from '../fake-terminal.ts';
import { change, gap, START } from './made-changes.ts';

const at = clockTime(START);
const status: LiveStatus = {
  state: 'pushing',
  mode: 'push',
  reason: 'MAL 1 s is below the break-even of 10 s',
  isInTrouble: false,
  lagBoundMs: 196,
  isCaughtUp: true,
  source: { state: 'ok' },
  dataAgeMs: 900,
  updates: 2,
  maxLagMs: 1500,
  malMisses: 2,
  gaps: 0,
  requests: 1204,
  bytes: 1_727_050,
  conflated: 7,
};

/** A terminal on which a view has shown changes, a note, and then each status. */
async function shown(changes: readonly Change[], statuses: readonly object[] = [{}], size = {}, note = '') {
  const terminal = new FakeTerminal(size);
  const view = new FollowView(
    { url: 'http://a/s', mal: 1 },
    fakeEnvironment(terminal, START),
    new TextOutput(terminal),
  );
  view.note(note);
  await view.print(changes);
  for (const over of statuses) await view.refresh({ ...status, ...over });
  return terminal;
}
const published = (name: string, afterMs: number, lagMs = 20) => change(name, { publishedMs: START + afterMs, lagMs });

test('it shows stream, MAL, mode, reason, bound, lags, counters and the last changes, the newest first', async () => {
  const together = [published('101', 0), published('104', 0, 500), published('105', 0)];
  const later = [published('102', 1, 1500), published('101', 2, 999), change('103', { kind: 'delete' })];
  const { screen } = await shown([published('100', -1), ...together, ...later]);
  expect(screen).toEqual([
    'http://a/s                                                              MAL 1 s',
    'push  MAL 1 s is below the break-even of 10 s',
    'data  900 ms old, the source works',
    'next  expected within 196 ms, caught up',
    'lag   ▅×█▁  last 20 ms, worst 1.5 s  (height: the MAL, ×: over it)',
    '',
    'updates 2   changes 7   requests 1,204   received 1.7 MB   misses 2   gaps 0',
    'skipped 7',
    '',
    `${at}  103                           gone       20 ms`,
    `${at}  101                           changed   999 ms  2 versions`,
    `${at}  102                           new        1.5 s`,
    `${at}  105                           new        20 ms`,
    `${at}  104                           new       500 ms`,
    `${at}  100                           new`,
  ]);
});

test('after a gap all is new; what is wrong has its cause and local times; notes are shown', async () => {
  const url = 'http://localhost:3921/weather/events?from=k3x9a-42';
  const since = new Date(START).toISOString();
  const reason = `failing since ${since}: ${url} could not be read (ECONNREFUSED):\u001b[2J check\nit.`;
  const changes = [change('1'), change('1'), gap, change('1')];
  const note = `the stream at http://${'a'.repeat(40)} leads to http://b`;
  const over = { isInTrouble: true, reason, gaps: 1, lagBoundMs: 1001, conflated: 0, malMisses: 0 };
  const { screen, text } = await shown(changes, [over], {}, note);
  expect(screen).toEqual([
    'http://a/s                                                              MAL 1 s',
    `push  failing since ${at}:`,
    `      ${url} could not be read`,
    '      (ECONNREFUSED): [2J check it.',
    'data  900 ms old, the source worked at last contact',
    'next  expected within 1001 ms, caught up',
    'lag   ▁  last 20 ms, worst 1.5 s  (height: the MAL, ×: over it)',
    `gap   ${at}  e-1 could not be continued: the latest state was read`,
    `note  the stream at http://${'a'.repeat(40)} leads to`,
    '      http://b',
    '',
    'updates 2   changes 3   requests 1,204   received 1.7 MB   misses 0   gaps 1',
    'skipped 0',
    '',
    `${at}  1                             new        20 ms`,
  ]);
  const red = text.split('\u001b[31m').slice(1);
  expect(red.map((piece) => piece.split('\u001b')[0])).toEqual(['expected within 1001 ms', 'gap   ', 'note  ', '1']);
});

const since = '2026-11-20T08:57:00.000Z';
const local = clockTime(Date.parse(since));
const failing = { source: { state: 'failing', since }, dataAgeMs: 190_000 };

test.each([
  [`3 min old: the source has been failing since ${local}`, [failing]],
  [
    `3 min old: this server cannot reach the other nodes since ${local}`,
    [{ ...failing, source: { ...failing.source, completeTo: since } }],
  ],
  [`900 ms old, the source works again since ${at}`, [failing, {}]],
  ['none yet', [{ source: undefined, dataAgeMs: undefined }]],
  // Nobody knows while the server does not answer.
  ['900 ms old, the source worked at last contact', [failing, {}, { isInTrouble: true }]],
  [`3 min old: at last contact, the source was failing since ${local}`, [{ ...failing, isInTrouble: true }]],
])('it shows how the sources are: %s', async (text, statuses) => {
  expect((await shown([], statuses)).screen[2]).toBe(`data  ${text}`);
});

test('before the first delivery nothing is expected', async () => {
  const { screen } = await shown([], [{ lagBoundMs: 0 }]);
  expect(screen[3]).toBe('next  not known yet, caught up');
});

test('there are never more lines than room, what matters goes first, and what is kept is bounded', async () => {
  const changes = Array.from({ length: 3000 }, (_, index) => published(String(index), index));
  const lastOf = async (rows: number) => (await shown(changes, [{}], { rows })).screen.at(-1);
  expect((await shown(changes, [{}], { rows: 2000 })).screen).toHaveLength(9 + 500);
  expect(await lastOf(2)).toMatch(/^http/);
  expect(await lastOf(8)).toContain('skipped 7');
  expect(await lastOf(9)).toContain(' 2999 ');
  const sizes = fc.record({ columns: fc.integer({ min: 1, max: 200 }), rows: fc.integer({ min: 2, max: 60 }) });
  await check(
    fc.asyncProperty(fc.nat({ max: 40 }), sizes, async (count, size) => {
      const { screen } = await shown(changes.slice(0, count), [{}], size);
      expect(screen.length).toBeLessThan(size.rows);
      for (const line of screen) expect(line.length).toBeLessThan(Math.max(size.columns, 2));
    }),
  );
});
