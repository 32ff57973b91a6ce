import { setTimeout as delay } from 'node:timers/promises';
import { type Child, startChild } from '../child.ts';
import type { ClientLoadPlan, ClientLoadReport, ClientOrder, ClientReadiness } from './client-messages.ts';

const READY_TRIES_MS = 100;

/** Clients in a process of their own, as whoever measures sees them. */
export class ClientLoad {
  readonly #child: Child<unknown>;
  readonly #clients: number;

  private constructor(child: Child<unknown>, clients: number) {
    this.#child = child;
    this.#clients = clients;
  }

  /** Starts the process on a core. */
  static async start(plan: ClientLoadPlan, core: number): Promise<ClientLoad> {
    const child = startChild<unknown>(new URL('./clients-process.js', import.meta.url), [], core);
    child.send(plan);
    await child.next();
    return new ClientLoad(child, plan.clients.length);
  }

  /**
   * Waits until all clients have read something.
   *
   * @throws Error - a client ended, or they do not come to it within `timeoutMs`
   */
  async ready(timeoutMs: number): Promise<void> {
    for (let waitedMs = 0; ; waitedMs += READY_TRIES_MS) {
      const { ready, problems } = await this.#ask<ClientReadiness>('ready');
      if (problems[0] !== undefined) throw new Error(`A client ended: ${problems[0]}`);
      if (ready === this.#clients) return;
      if (waitedMs > timeoutMs) throw new Error(`Only ${ready} of ${this.#clients} clients have read something`);
      await delay(READY_TRIES_MS);
    }
  }

  /** Counts from now on. */
  async begin(): Promise<void> {
    await this.#ask('begin');
  }

  report(): Promise<ClientLoadReport> {
    return this.#ask<ClientLoadReport>('report');
  }

  async stop(): Promise<void> {
    await this.#ask('stop').catch(() => undefined);
    await this.#child.ended;
  }

  #ask<Told>(order: ClientOrder): Promise<Told> {
    this.#child.send({ order });
    return this.#child.next() as Promise<Told>;
  }
}
