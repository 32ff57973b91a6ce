import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, vi } from 'vitest';
import { type ExampleProcess, startExample } from './example-process.ts';
import { answers, type CommandProcess, startCommand } from './serve-process.ts';

const EXAMPLES = fileURLToPath(new URL('../../../examples/', import.meta.url));

/** A port that nobody else has. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Starts the stand-in of an example, at a port that nobody else has. */
export async function startStandIn(name: string): Promise<{ readonly port: number }> {
  const port = await freePort();
  const standIn = startExample(`${name}/stand-in.js`, '--port', String(port));
  onTestFinished(() => standIn.stop());
  await told(standIn, new RegExp(`localhost:${port}`));
  return { port };
}

/** Serves an example as its README says, but for the ports. */
export async function serveExample(name: string, ports: Readonly<Record<number, number>> = {}): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'ldes-live-example-'));
  for (const file of readdirSync(`${EXAMPLES}${name}`)) copyFileSync(`${EXAMPLES}${name}/${file}`, join(folder, file));
  const port = await freePort();
  const config = readFileSync(join(folder, 'config.yml'), 'utf8').replaceAll(
    /localhost:(\d+)/g,
    (_, usual: string) => `localhost:${usual === '3000' ? port : ports[Number(usual)]}`,
  );
  writeFileSync(join(folder, 'config.yml'), config);
  const server = startCommand(['serve', join(folder, 'config.yml'), '--port', String(port)], folder);
  onTestFinished(async () => {
    server.child.kill();
    await server.ended;
    rmSync(folder, { recursive: true, force: true });
  });
  await answers(`http://localhost:${port}/health`, server);
  return `http://localhost:${port}/`;
}

/** Waits until a process has printed something. */
const told = (process: ExampleProcess | CommandProcess, pattern: RegExp): Promise<void> =>
  vi.waitFor(() => expect(process.output(), process.errorOutput()).toMatch(pattern), { timeout: 60_000 });
