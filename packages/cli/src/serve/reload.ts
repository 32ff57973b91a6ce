/*
 * Reads the configuration again while the server runs, at SIGHUP.
 *
 *   file -> plan -> streams: as before | another form of one that is open | new | gone
 *        -> server.setStreams(): what stays keeps its readers
 *
 * A faulty file changes nothing. One reading at a time; signals that come meanwhile are one more.
 */
import { isDeepStrictEqual } from 'node:util';
import type { LogStore } from '@ldes-live/log';
import { isStreamError } from '@ldes-live/rdf-stream';
import type { LiveServer } from '@ldes-live/server';
import type { ServePlan } from './plan.ts';
import { closeLogs, type OpenStream, openStreams } from './streams.ts';

/** What {@link Reloader} needs. */
interface ReloadOptions {
  /** Path of the configuration; the demonstration when absent. */
  readonly file: string | undefined;
  readonly readPlan: (file: string) => Promise<ServePlan>;
  readonly plan: ServePlan;
  readonly streams: readonly OpenStream[];
  readonly store: LogStore;
  readonly server: Pick<LiveServer, 'logger' | 'setStreams'>;
}

/** What is of the whole server, and stays as it was until it is started again. */
const FIXED = ['publicUrl', 'store', 'push', 'web'] as const;

/** Keeps the streams of a server as its configuration has them. */
export class Reloader {
  readonly #options: ReloadOptions;
  #plan: ServePlan;
  /** As it was read last: what cannot change is told of once for each difference. */
  #read: ServePlan;
  /** What is open now. */
  streams: readonly OpenStream[];
  #running: Promise<void> | undefined;
  #isAskedAgain = false;

  constructor(options: ReloadOptions) {
    this.#options = options;
    this.#plan = options.plan;
    this.#read = options.plan;
    this.streams = options.streams;
  }

  /** Reads the configuration again; never rejects. */
  reload(): Promise<void> {
    const { file, server } = this.#options;
    if (file === undefined) {
      server.logger.info({}, 'reload ignored');
      return Promise.resolve();
    }
    this.#isAskedAgain = this.#running !== undefined;
    this.#running ??= this.#run(file).finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #run(file: string): Promise<void> {
    const { logger } = this.#options.server;
    do {
      this.#isAskedAgain = false;
      try {
        await this.#reread(file);
      } catch (error) {
        // The message of a mistake has file, line and key, and what stands there: URLs too, whose secrets are not for logs.
        if (isStreamError(error)) {
          logger.error({ file, code: error.code, message: withoutSecrets(error.message) }, 'reload failed');
        } else logger.error({ file, message: String(error), err: error }, 'reload failed');
      }
    } while (this.#isAskedAgain);
  }

  async #reread(file: string): Promise<void> {
    const { readPlan, store, server } = this.#options;
    const plan = await readPlan(file);
    const differing = FIXED.filter((key) => !isDeepStrictEqual(plan[key], this.#plan[key]));
    const keys = differing.filter((key) => !isDeepStrictEqual(plan[key], this.#read[key]));
    this.#read = plan;
    if (keys.length > 0) server.logger.warn({ file, keys }, 'restart needed');
    // The IRIs of everything follow from it.
    if (differing.includes('publicUrl')) return;
    const former = this.streams;
    const streams = await openStreams(plan, store, former);
    try {
      await server.setStreams(streams.map(({ live }) => live));
    } catch (error) {
      await closeLogs(streams, former);
      throw error;
    }
    this.streams = streams;
    this.#plan = { ...this.#plan, streams: plan.streams };
    await closeLogs(former, streams);
    server.logger.info({ file, ...differences(former, streams) }, 'configuration reloaded');
  }
}

/** Names of streams, by what became of them. */
function differences(former: readonly OpenStream[], streams: readonly OpenStream[]) {
  const names = (some: readonly OpenStream[]) => some.map(({ live }) => live.description.name);
  const [before, now] = [names(former), names(streams)];
  return {
    added: now.filter((name) => !before.includes(name)),
    removed: before.filter((name) => !now.includes(name)),
    changed: names(streams.filter((stream) => !former.includes(stream))).filter((name) => before.includes(name)),
  };
}

/** A text without user information and queries of the URLs in it. */
function withoutSecrets(text: string): string {
  return text.replaceAll(/:\/\/[^\s/@"']*@/g, '://').replaceAll(/(:\/\/[^\s?"']*)\?[^\s"']*/g, '$1');
}
