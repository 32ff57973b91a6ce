import { fileURLToPath } from 'node:url';
import { type ChromiumPage, openChromium } from '@ldes-live/bench/chromium';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { publishedLog, valueDraft } from '../support/published-log.ts';
import { buildBundle, type ExampleProcess, startExample } from './support/example-process.ts';
import { isThere } from './support/programs.ts';
import { type CommandProcess, startCommand } from './support/serve-process.ts';

const PATIENT = { timeout: 120_000 };
const HISTORY = 600;
const LIVE = 3000;

test(
  'the hand-over from ldes-client loses and doubles nothing of a log that goes on all the time',
  PATIENT,
  async () => {
    const published = await publishedLog({ clock: Date.now });
    const { log, publicUrl, url } = published;
    let isOver = false;
    const publish = async () => {
      for (let value = 0; !isOver; value += 1) {
        await log.append(Array.from({ length: 1 + (value % 7) }, (_, index) => valueDraft(publicUrl, index, value)));
        if (log.head.cursor.sequence > HISTORY) await new Promise((resolve) => setTimeout(resolve, 5));
      }
    };
    const publishing = publish();
    await vi.waitFor(() => expect(log.head.cursor.sequence).toBeGreaterThan(HISTORY));
    const example = startExample('hand-over/hand-over.js', url, '--mal', '1', '--members', String(LIVE));
    const code = await example.ended;
    isOver = true;
    await publishing;
    expect(code, example.output() + example.errorOutput()).toBe(0);
    const [, members, last] =
      /history: +(\d+) members by ldes-client, the last is number (\d+)/.exec(example.output()) ?? [];
    expect(Number(members)).toBe(Number(last));
    expect(Number(last)).toBeGreaterThan(HISTORY);
    // It was published on while the history was read, so that there was something to lose.
    expect(log.head.cursor.sequence).toBeGreaterThanOrEqual(Number(last) + LIVE);
    // What came while the history was read is pulled; the rest comes as it happens.
    const [, pulled, pushed] = /from \w+-\d+: (\d+) pulled, (\d+) pushed\n/.exec(example.output()) ?? [];
    expect(Number(pulled)).toBeGreaterThan(0);
    expect(Number(pushed)).toBeGreaterThan(0);
    expect(Number(pulled) + Number(pushed)).toBe(LIVE);
    expect(example.output()).toContain(
      `every sequence number from 1 to ${Number(last) + LIVE} once, in order: nothing lost, nothing doubled`,
    );
    await published.close();
  },
);

test('the hand-over says what to do where no server runs', async () => {
  const example = startExample('hand-over/hand-over.js', 'http://localhost:1/vehicles');
  expect(await example.ended).toBe(1);
  expect(example.errorOutput()).toMatch(/^http:\/\/localhost:1\/vehicles could not be read .*npm start\n$/);
});

test.each([
  ['lost', [2, 1, 3], [5, 6], 'after 3 came 5, not 4'],
  ['doubled at the seam', [1, 2, 3], [3, 4], 'after 3 came 3, not 4'],
  ['doubled in the history', [1, 2, 2], [3], 'after 2 came 2, not 3'],
  ['out of order', [1], [3, 2], 'after 1 came 3, not 2'],
  ['nothing', [], [], 'after nothing came nothing, not 1'],
])('the proof of the hand-over notices what is %s', async (_, history, live, text) => {
  // Plain JavaScript, which the types of the tests do not cover.
  const { proof } = await import(/* @vite-ignore */ new URL('../../examples/hand-over/proof.js', import.meta.url).href);
  expect(proof(history, live)).toEqual({ isWhole: false, text: `together: ${text}` });
});

describe.skipIf(!isThere('chromium'))('the page, where Chromium is installed', () => {
  let demo: CommandProcess;
  let pages: ExampleProcess;
  let page: ChromiumPage;

  beforeAll(async () => {
    buildBundle();
    demo = startCommand(['serve', '--demo', '--port', '0'], fileURLToPath(new URL('.', import.meta.url)));
    pages = startExample('browser/serve.js', '--port', '0');
    const base = await told(demo, /publishes (http:\/\/localhost:\d+\/)\n/);
    const site = await told(pages, /(http:\/\/localhost:\d+\/)/);
    page = await openChromium(`${site}?mal=1&stream=${base}vehicles`);
  }, 120_000);
  afterAll(async () => {
    await page?.close();
    await pages?.stop();
    demo?.child.kill();
    await demo?.ended;
  });

  const text = (id: string) => page.evaluate<string>(`document.getElementById('${id}').textContent`);
  const rows = () => page.evaluate<number>(`document.querySelectorAll('#rows tr').length`);
  const dots = () => page.evaluate<number>(`document.querySelectorAll('#map .dot').length`);
  const lags = () =>
    page.evaluate<number>(
      `[...document.querySelectorAll('#rows td:last-child')].filter((cell) => cell.textContent).length`,
    );

  const follows = async (mode: string, mal: string) => {
    await vi.waitFor(
      async () => {
        expect(await text('mode')).toBe(mode);
        expect(await text('reason')).toContain(mal);
        expect(await rows()).toBeGreaterThan(10);
        expect(await dots()).toBe(await rows());
        expect(await text('bound')).toMatch(/^[\d.]+ m?s$/);
        // An update came while it was looked at, and the page knows how late it was.
        expect(await lags()).toBeGreaterThan(0);
      },
      { timeout: 60_000, interval: 200 },
    );
    expect(await page.evaluate(`document.getElementById('problem').hidden`)).toBe(true);
    expect(page.problems).toEqual([]);
  };

  test('follows the demonstration by push with a MAL of 1 s', PATIENT, async () => {
    await follows('push', '1 s');
    expect(await text('mal-value')).toBe('1 s');
    expect(await text('misses')).toBe('0');
  });

  test('follows it by pull when the slider is moved to 30 s', PATIENT, async () => {
    await page.evaluate(`{
      const slider = document.getElementById('mal');
      slider.value = '6';
      slider.dispatchEvent(new Event('input'));
      slider.dispatchEvent(new Event('change'));
    }`);
    expect(await text('mal-value')).toBe('30 s');
    await follows('pull', '30 s');
    expect(await text('misses')).toBe('0');
  });
});

async function told(process: CommandProcess | ExampleProcess, pattern: RegExp): Promise<string> {
  await vi.waitFor(() => expect(process.output(), process.errorOutput()).toMatch(pattern), { timeout: 60_000 });
  return (pattern.exec(process.output()) as RegExpExecArray)[1] as string;
}
