/*
 * Processes that take part in a measurement: each on a core of its own, none outlives this program.
 *
 *   startChild(module, plan, core) -> the module: planOf(), answerOrders(started, answer)     // messages: { id, order }, { id, answer }
 *   startLineProgram(command, core) -> lines of a program in C: "usage" -> "usage 4711"
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { basename, delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** The server has the first core, the load the second. */
export const SERVER_CORE = 0;
export const LOAD_CORE = 1;

/** The core of a load: any where it is set to `undefined`, that of loads where it is absent. */
export function loadCore(options: { readonly core?: number | undefined }): number | undefined {
  return 'core' in options ? options.core : LOAD_CORE;
}

/** A process may have 20,000 sockets, some of which are its own. */
export const MAX_CONNECTIONS = 18_000;

/** Over how many processes so many connections are spread, at either end. */
export function processesFor(connections: number): number {
  return Math.ceil(connections / MAX_CONNECTIONS);
}

/** A command that keeps to one core where the system can do so; `undefined` for any core. */
export function onCore(core: number | undefined, command: readonly string[]): readonly string[] {
  return core !== undefined && isPinnable() ? ['taskset', '-c', String(core), ...command] : command;
}

let pinnable: boolean | undefined;

/** Whether processes can be kept to one core here. */
export function isPinnable(): boolean {
  pinnable ??= process.platform === 'linux' && spawnSync('taskset', ['-c', '0', 'true']).status === 0;
  return pinnable;
}

const running = new Set<ChildProcess>();
let isWatching = false;

/** Has a process end when this one does, however that comes about short of being killed. */
export function endWithThis(child: ChildProcess): void {
  running.add(child);
  child.once('exit', () => running.delete(child));
  if (isWatching) return;
  isWatching = true;
  // By SIGTERM: a master that is killed outright would leave its workers.
  process.on('exit', () => {
    for (const one of running) one.kill('SIGTERM');
  });
}

type Reply = Readonly<{ id: number; answer?: unknown; error?: string }>;

/** A module of this package as a process of its own, which answers orders. Several may be under way. */
export interface Child<Started> {
  readonly pid: number;
  /** What it sent when it was ready. */
  readonly started: Started;
  /** @throws Error - it could not follow the order, or ended before */
  ask<Answer>(order: object): Promise<Answer>;
  /** Ends it at once; resolves when it has ended. */
  close(): Promise<void>;
}

/**
 * Starts a module as a process of its own; resolves when it is ready.
 *
 * @param module - URL of the built module, which calls {@link answerOrders}
 * @param core - the only one that it gets; `undefined` for any
 */
export async function startChild<Started>(
  module: URL,
  plan: object,
  core: number | undefined,
): Promise<Child<Started>> {
  const path = fileURLToPath(module);
  const [file, ...args] = onCore(core, [process.execPath, path, JSON.stringify(plan)]);
  const child = spawn(file as string, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  endWithThis(child);
  const waiting = new Map<number, { resolve(answer: unknown): void; reject(error: Error): void }>();
  child.on('message', ({ id, answer, error }: Reply) => {
    const asked = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) asked?.resolve(answer);
    else asked?.reject(new Error(error));
  });
  let isOver = false;
  const ended = once(child, 'exit').then(() => {
    isOver = true;
    for (const { reject } of waiting.values()) reject(new Error(`${basename(path)} ended before it had answered`));
  });
  let lastId = -1;
  const expect = <Answer>() =>
    new Promise<Answer>((resolve, reject) => {
      lastId += 1;
      waiting.set(lastId, { resolve: resolve as (answer: unknown) => void, reject });
    });
  const started = await expect<Started>();
  return {
    pid: child.pid ?? 0,
    started,
    ask: (order) => {
      if (isOver) return Promise.reject(new Error(`${basename(path)} has ended`));
      const answer = expect<never>();
      child.send({ id: lastId, order }, () => undefined);
      return answer;
    },
    close: async () => {
      if (child.connected) child.disconnect();
      await ended;
    },
  };
}

/** Starts a module that answers one order, and ends it. */
export async function askOnce<Answer>(module: URL, plan: object, core: number | undefined): Promise<Answer> {
  const child = await startChild<object>(module, plan, core);
  try {
    return await child.ask<Answer>({});
  } finally {
    await child.close();
  }
}

/** All that are being started; where one fails, the others are closed. */
export async function allOrNone<Started extends { close(): Promise<unknown> }>(
  starting: readonly Promise<Started>[],
): Promise<Started[]> {
  const settled = await Promise.allSettled(starting);
  const started = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const failed = settled.find((one) => one.status === 'rejected');
  if (failed === undefined) return started;
  await Promise.all(started.map((one) => one.close()));
  throw failed.reason;
}

/** In a module that is a process of its own: the plan it was started with. */
export function planOf<Plan>(): Plan {
  return JSON.parse(process.argv[2] as string) as Plan;
}

/** In a module that is a process of its own: says that it is ready, and answers orders from then on. */
export function answerOrders<Order>(started: object, answer: (order: Order) => unknown): void {
  const reply = (message: Reply) => void process.send?.(message, () => undefined);
  process.on('message', async ({ id, order }: { readonly id: number; readonly order: Order }) => {
    try {
      reply({ id, answer: await answer(order) });
    } catch (error) {
      reply({ id, error: error instanceof Error ? error.message : String(error) });
    }
  });
  // Nobody is left to answer, and connections may be open yet.
  process.on('disconnect', () => process.exit());
  reply({ id: 0, answer: started });
}

/** A program that takes orders and answers by lines. */
export interface LineProgram {
  readonly pid: number;
  /** The next line, which begins with a word; without that. */
  next(word: string): Promise<string>;
  send(line: string): void;
  /** Ends its input, and waits for its end. */
  close(): Promise<void>;
}

/** Starts a program on a core, `undefined` for any. */
export function startLineProgram(command: readonly string[], core: number | undefined): LineProgram {
  const [file, ...args] = onCore(core, command);
  const child = spawn(file as string, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  endWithThis(child);
  const ended = once(child, 'exit');
  // That it ends early shows in what it should answer.
  child.stdin.on('error', () => undefined);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    pid: child.pid ?? 0,
    next: async (word) => {
      const { value, done } = await lines.next();
      if (done || !value.startsWith(word)) {
        throw new Error(`${basename(command[0] as string)} wrote ${value ?? 'nothing more'}, not ${word}`);
      }
      return value.slice(word.length).trim();
    },
    send: (line) => void child.stdin.write(`${line}\n`),
    close: async () => {
      child.stdin.end();
      await ended;
    },
  };
}

/** A port on loopback that nobody listens on at the moment, for programs and IRIs that need it before there is a server. */
export async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listen(server);
  server.close();
  return port;
}

/** Has a server listen on loopback; resolves to its port. */
export async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

let addresses = 1;

/**
 * An address of the loopback network for the connections of one process: ports of one that were used a moment ago are not
 * free at once, and each has some 28,000 to one server.
 */
export function nextAddress(): string {
  addresses = (addresses % 250) + 1;
  return `127.0.0.${addresses}`;
}

// Daemons are not on the path of every user.
const FOLDERS = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];

/** Path of a program; its bare name when it is not installed. */
export function programPath(name: string): string {
  return FOLDERS.map((folder) => join(folder, name)).find((path) => existsSync(path)) ?? name;
}

/** Whether a program is on this machine. */
export function isInstalled(name: string): boolean {
  return programPath(name) !== name;
}

/**
 * Compiles a program in C of this package into a folder, once; `undefined` where there is no compiler.
 *
 * @param name - of the source below `src`, without its ending
 * @returns the path of the program
 */
export function compileC(name: string, folder: string): string | undefined {
  const program = join(folder, basename(name));
  if (existsSync(program)) return program;
  const source = fileURLToPath(new URL(`../src/${name}.c`, import.meta.url));
  const compiled = spawnSync('cc', ['-O2', '-o', program, source], { encoding: 'utf8' });
  if (compiled.error) return undefined;
  if (compiled.status !== 0) throw new Error(`cc: ${compiled.stderr}`);
  return program;
}
