import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { reservedPort } from '@ldes-live/test-support/net';
import type { TestContext } from 'vitest';
import { answers, ROOT, startCommand, startExample } from './commands.ts';

/** A test that may run beside others: it ends what it has started. */
type Context = Pick<TestContext, 'onTestFinished'>;

/** Starts the stand-in of an example, at a port that nobody else has. */
export async function startStandIn({ onTestFinished }: Context, name: string): Promise<{ readonly port: number }> {
  const port = await reservedPort();
  const standIn = startExample(`${name}/stand-in.js`, '--port', String(port));
  onTestFinished(() => standIn.stop());
  await standIn.prints(new RegExp(`localhost:${port}`));
  return { port };
}

/** Serves an example as its README says, but for the ports: one that nobody else has, and those of the data. */
export async function serveExample(
  { onTestFinished }: Context,
  name: string,
  ports: Readonly<Record<number, number>> = {},
): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'ldes-live-example-'));
  for (const file of readdirSync(`${ROOT}examples/${name}`)) {
    copyFileSync(`${ROOT}examples/${name}/${file}`, join(folder, file));
  }
  const port = await reservedPort();
  const config = readFileSync(join(folder, 'config.yml'), 'utf8').replaceAll(
    /localhost:(\d+)/g,
    (_, usual: string) => `localhost:${ports[Number(usual)] ?? port}`,
  );
  writeFileSync(join(folder, 'config.yml'), config);
  const server = startCommand(['serve', join(folder, 'config.yml'), '--port', String(port)], folder);
  onTestFinished(async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  await answers(`http://localhost:${port}/health`, server);
  return `http://localhost:${port}/`;
}
