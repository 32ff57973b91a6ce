import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { skipMissingPrograms } from './broker-world.ts';

skipMissingPrograms();

const SCRIPT = fileURLToPath(new URL('../../../scripts/bench.mjs', import.meta.url));

test('MQTT-22 nothing that sensors send is lost on its way to a push client while broker and server restart', {
  timeout: 240_000,
}, async () => {
  const out = await mkdtemp(join(tmpdir(), 'bench-'));
  const args = [SCRIPT, 'sources', '--only', 'mqtt', '--quick', '--out', out];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const { results, plan } = JSON.parse(await readFile(join(out, 'sources.json'), 'utf8')).data;
  await rm(out, { recursive: true });
  const { run, missing } = results.mqtt;
  const published = plan.mqtt.sensors * plan.mqtt.seconds;
  expect(missing).toEqual([]);
  expect(run).toMatchObject({ published, received: published, lost: 0, doubled: 0, gaps: 0, members: published });
  expect(run.all.messages).toBe(published);
  expect(0 < run.all.p50Ms && run.all.p50Ms <= run.all.p99Ms && run.all.p99Ms <= run.all.longestMs).toBe(true);
  expect(stdout).toContain(`${published} received by push: 0 lost`);
});
