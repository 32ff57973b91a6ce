import type { StreamDescription } from '@ldes-live/rdf-stream';
import { errors } from './errors.ts';
import type { LogStore } from './log-store.ts';
import type { StreamLog } from './stream-log.ts';

/** How a store opens and closes what is its own. */
export interface OpenLogsParts {
  /** Opens one log, which calls `onClosed` when it has closed. */
  readonly openLog: (description: StreamDescription, onClosed: () => void) => Promise<StreamLog>;
  /** Frees the store, all its logs being closed. */
  readonly closeStorage: () => Promise<void>;
}

/** A store that keeps book of its open logs: each is open once, and none outlives the store. */
export class OpenLogs implements LogStore {
  readonly #parts: OpenLogsParts;
  readonly #logs = new Map<string, Promise<StreamLog>>();
  #closed: Promise<void> | undefined;

  constructor(parts: OpenLogsParts) {
    this.#parts = parts;
  }

  async open(description: StreamDescription): Promise<StreamLog> {
    const { name } = description;
    if (this.#closed) throw errors.ERR_STORE_CLOSED({ stream: name });
    if (this.#logs.has(name)) throw errors.ERR_LOG_OPEN({ stream: name });
    const forget = () => void this.#logs.delete(name);
    const log = this.#parts.openLog(description, forget);
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
    await this.#parts.closeStorage();
  }
}
