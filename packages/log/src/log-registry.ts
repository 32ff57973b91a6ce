import type { StreamDescription } from '@ldes-live/rdf-stream';
import { errors } from './errors.ts';
import type { Log, LogStore } from './log.ts';

/** A store that knows its open logs: each is open once, and none outlives the store. */
export class LogRegistry implements LogStore {
  readonly #openLog: (description: StreamDescription, onClosed: () => void) => Promise<Log>;
  readonly #closeStorage: () => Promise<void>;
  readonly #logs = new Map<string, Promise<Log>>();
  #closed: Promise<void> | undefined;

  /** @param closeStorage - frees the store, all its logs being closed */
  constructor(
    openLog: (description: StreamDescription, onClosed: () => void) => Promise<Log>,
    closeStorage: () => Promise<void>,
  ) {
    this.#openLog = openLog;
    this.#closeStorage = closeStorage;
  }

  async open(description: StreamDescription): Promise<Log> {
    const { name } = description;
    if (this.#closed) throw errors.ERR_STORE_CLOSED({ stream: name });
    if (this.#logs.has(name)) throw errors.ERR_LOG_OPEN({ stream: name });
    const forget = () => void this.#logs.delete(name);
    const log = this.#openLog(description, forget);
    this.#logs.set(name, log);
    log.catch(forget);
    return log;
  }

  close(): Promise<void> {
    this.#closed ??= this.#closeAll();
    return this.#closed;
  }

  async #closeAll(): Promise<void> {
    for (const opened of await Promise.allSettled(this.#logs.values())) {
      if (opened.status === 'fulfilled') await opened.value.close();
    }
    await this.#closeStorage();
  }
}
