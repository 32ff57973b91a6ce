import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { startExample } from './support/example-process.ts';
import { type CommandProcess, startCommand } from './support/serve-process.ts';
import { serveExample, startStandIn } from './support/served-example.ts';

const PATIENT = { timeout: 120_000 };
const here = fileURLToPath(new URL('.', import.meta.url));

let demo: CommandProcess;
let base = '';
beforeAll(async () => {
  demo = startCommand(['serve', '--demo', '--port', '0'], here);
  await vi.waitFor(
    () => {
      base = /publishes (http:\/\/localhost:\d+\/)\n/.exec(demo.output())?.[1] ?? '';
      expect(base).not.toBe('');
    },
    { timeout: 60_000 },
  );
}, 60_000);
afterAll(async () => {
  demo?.child.kill();
  await demo?.ended;
});

/** What an example prints until it ends by itself. */
async function printed(name: string, ...args: readonly string[]): Promise<string> {
  const example = startExample(`queries/${name}.js`, ...args);
  onTestFinished(() => example.stop());
  expect(await example.ended, example.errorOutput()).toBe(0);
  return example.output();
}

test('the example late-vehicles tells how many trips of each line are late, as of when', PATIENT, async () => {
  const output = await printed('late-vehicles', '--url', `${base}trips`, '--results', '1');
  const lines = output.trim().split('\n');
  expect(lines).toHaveLength(1);
  for (const line of lines)
    expect(line).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z {2}(all on time|line \S+: \d+(, line \S+: \d+)*)$/);
});

test('the example lines-of-vehicles joins vehicles with the lines of a timetable', PATIENT, async () => {
  const output = await printed('lines-of-vehicles', '--url', `${base}vehicles`, '--results', '2');
  const lines = output.trim().split('\n');
  expect(lines.length).toBeGreaterThan(10);
  for (const line of lines) expect(line).toMatch(/^(Tram|Bus) (\d)\d+ of line \2 \(#[0-9a-f]{6}\): \d+ km\/h$/);
});

test('the example garages-nearby tells which garages have room, those within the distance only', PATIENT, async () => {
  const { port } = await startStandIn('parking');
  const served = await serveExample('parking', { 8083: port });
  const args = ['--url', `${served}garages`, '--results', '1'];
  const all = (await printed('garages-nearby', ...args, '--km', '50')).trim().split('\n');
  const near = (await printed('garages-nearby', ...args, '--km', '0.5')).trim().split('\n').filter(Boolean);
  expect(all.length).toBeGreaterThan(near.length);
  for (const line of [...all, ...near]) expect(line).toMatch(/: \d+ free, \d+\.\d km away$/);
  for (const line of near) expect(Number(/([\d.]+) km away/.exec(line)?.[1])).toBeLessThanOrEqual(0.5);
});

test('the example sensor-average tells the average of a window, and raises the alarm', PATIENT, async () => {
  const { port } = await startStandIn('sensorthings');
  const served = await serveExample('sensorthings', { 8084: port });
  const args = ['--url', `${served}levels`, '--minutes', '0.1', '--results', '3', '--alarm', '9'];
  const lines = (await printed('sensor-average', ...args)).trim().split('\n');
  expect(lines.length).toBeGreaterThanOrEqual(3);
  for (const line of lines) {
    const [, level = '', alarm = ''] = /: (\d+\.\d\d) over \d+ readings( {2}ALARM)?$/.exec(line) ?? [];
    expect(level).not.toBe('');
    expect(alarm !== '').toBe(Number(level) > 9);
  }
});
