import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { endWithThis } from './end-with-this.ts';

/** A process of its own that is measured, and what it tells. */
export interface Child<Message> {
  /** The next thing that it tells; an error when it ends before. */
  next(): Promise<Message>;
  /** Nothing where it has ended: that shows in what it should tell. */
  send(message: object): void;
  /** Leaves it alone: it learns that there is nobody to tell any more. */
  disconnect(): void;
  readonly pid: number;
  /** Resolves when it has ended. */
  readonly ended: Promise<unknown>;
}

/**
 * Starts a module as a process of its own, on one core alone where the system can pin it, unless it may have any.
 *
 * @param module - URL of the built module
 * @param core - number of the core; the first when there is none
 */
export function startChild<Message>(module: URL, args: readonly string[], core: number | 'any' = 0): Child<Message> {
  const [file, ...rest] = onCore(core === 'any' ? undefined : core, [process.execPath, fileURLToPath(module), ...args]);
  const child: ChildProcess = spawn(file as string, rest, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  endWithThis(child);
  const told: Message[] = [];
  let wake = () => {};
  let isOver = false;
  child.on('message', (message) => {
    told.push(message as Message);
    wake();
  });
  const ended = once(child, 'exit').then(() => {
    isOver = true;
    wake();
  });
  return {
    ended,
    pid: child.pid ?? 0,
    send: (message) => {
      if (child.connected) child.send(message, () => undefined);
    },
    disconnect: () => child.disconnect(),
    next: async () => {
      while (told.length === 0) {
        if (isOver) throw new Error(`${fileURLToPath(module)} ended before it told its result`);
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      return told.shift() as Message;
    },
  };
}

/** A command that keeps to one core where the system can do so. */
export function onCore(core: number | undefined, command: readonly string[]): readonly string[] {
  return core !== undefined && isPinnable() ? ['taskset', '-c', String(core), ...command] : command;
}

/** Whether processes can be kept to one core here. */
export function isPinnable(): boolean {
  return process.platform === 'linux' && spawnSync('taskset', ['-c', '0', 'true']).status === 0;
}
