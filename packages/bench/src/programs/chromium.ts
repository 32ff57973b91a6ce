import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { onCore, programPath } from '../processes.ts';

/** A page open in Chromium, which does what it is told by the DevTools protocol. */
export type ChromiumPage = Awaited<ReturnType<typeof openChromium>>;

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly message: string };
}

/**
 * Opens a page in a Chromium of its own, without a window.
 *
 * @param core - number of the only core it gets; any when absent
 */
export async function openChromium(url: string, core?: number) {
  const folder = await mkdtemp(join(tmpdir(), 'ldes-live-chromium-'));
  const [command, ...args] = onCore(core, [programPath('chromium'), ...argumentsOf(folder)]) as [string, ...string[]];
  // Its processes end with their group. It reads commands on 3 and answers on 4.
  const child = spawn(command, args, { detached: true, stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
  const hasEnded = () => child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
  const end = () => hasEnded() || process.kill(-(child.pid as number), 'SIGKILL');
  process.on('exit', end);
  const close = async () => {
    process.off('exit', end);
    if (!hasEnded()) {
      end();
      await once(child, 'close');
    }
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  };
  try {
    // Under that process the others are.
    return { ...(await openPage(child, url)), pid: child.pid ?? 0, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function argumentsOf(folder: string): readonly string[] {
  return [
    '--headless',
    // The page is the caller's own, and root cannot have a sandbox.
    '--no-sandbox',
    '--disable-gpu',
    '--disable-dev-shm-usage',
    '--no-first-run',
    '--disable-background-networking',
    // A page that nobody looks at is slowed down else.
    '--disable-background-timer-throttling',
    '--disable-renderer-backgrounding',
    '--remote-debugging-pipe',
    `--user-data-dir=${folder}`,
    'about:blank',
  ];
}

async function openPage(child: ChildProcess, url: string) {
  const problems: string[] = [];
  const send = devTools(child, ({ method, params }) => {
    const isError =
      method === 'Runtime.exceptionThrown' || (method === 'Runtime.consoleAPICalled' && params?.type === 'error');
    if (isError) problems.push(JSON.stringify(params));
  });
  const targets = (await send('Target.getTargets')).targetInfos as { type: string; targetId: string }[];
  const targetId = targets.find(({ type }) => type === 'page')?.targetId;
  const { sessionId } = await send('Target.attachToTarget', { targetId, flatten: true });
  const command = (method: string, params?: object) => send(method, params, sessionId as string);
  await command('Runtime.enable');
  await command('Page.enable');
  await command('Page.navigate', { url });
  return {
    /** What the page has written to its console as an error, or thrown, so far. */
    problems: problems as readonly string[],
    /** Any other command of the protocol, to the page. */
    command,
    /** The value of an expression in the page; of a promise, what it resolves to. */
    evaluate: async <Value>(expression: string): Promise<Value> => {
      const asked = { expression, awaitPromise: true, returnByValue: true };
      const { result, exceptionDetails } = await command('Runtime.evaluate', asked);
      if (exceptionDetails) throw new Error(`${expression}: ${JSON.stringify(exceptionDetails)}`);
      return (result as { value: Value }).value;
    },
  };
}

/** The protocol over two pipes: JSON objects, each ended by a zero byte. */
function devTools(child: ChildProcess, onEvent: (message: Message) => void) {
  const [, , , commands, answers] = child.stdio as unknown as [null, null, null, Writable, Readable];
  const waiting = new Map<number, (message: Message) => void>();
  let [lastId, rest] = [0, ''];
  answers.setEncoding('utf8').on('data', (chunk: string) => {
    const messages = (rest + chunk).split('\0');
    rest = messages.pop() as string;
    for (const text of messages) {
      const message = JSON.parse(text) as Message;
      if (message.id === undefined) onEvent(message);
      else waiting.get(message.id)?.(message);
    }
  });
  const gone = once(child, 'close').then((): Message => ({ error: { message: 'Chromium has ended' } }));
  gone.catch(() => undefined);
  commands.on('error', () => undefined);
  return async (method: string, params: object = {}, sessionId?: string): Promise<Record<string, unknown>> => {
    lastId += 1;
    const id = lastId;
    const answered = new Promise<Message>((resolve) => waiting.set(id, resolve));
    commands.write(`${JSON.stringify({ id, method, params, ...(sessionId && { sessionId }) })}\0`);
    const { result = {}, error } = await Promise.race([answered, gone]);
    waiting.delete(id);
    if (error) throw new Error(`${method}: ${error.message}`);
    return result;
  };
}
