/*
 * Reads the configuration again while the server runs, at SIGHUP, or as the others of a cluster publish it.
 *
 *   file -> plan -> streams: as before | another form of one that is open | new | gone
 *        -> server.setStreams(): what stays keeps its readers
 *
 * A faulty file changes nothing. One reading at a time; signals that come meanwhile are one more.
 */
import { isDeepStrictEqual } from 'node:util';
import { isStreamError } from '@ldes-live/rdf-stream';
import type { LiveServer } from '@ldes-live/server';
import type { ServePlan } from './plan.ts';
import { closeLogs, type ServedStream } from './streams.ts';

/** What is of the whole server, and stays as it was until it is started again. */
const FIXED = ['publicUrl', 'store', 'nats', 'node', 'push', 'web'] as const;

type FixedPlan = Pick<ServePlan, (typeof FIXED)[number]> & { readonly streams: unknown };

/** What {@link Reloader} needs. */
interface ReloadOptions<Plan extends FixedPlan, Stream extends ServedStream> {
  /** Path of the configuration; the demonstration when absent. */
  readonly file: string | undefined;
  readonly readPlan: (file: string) => Promise<Plan>;
  readonly plan: Plan;
  /** Opens the streams of a plan: what was open and is planned as before stays as it is. */
  readonly open: (plan: Plan, former: readonly Stream[]) => Promise<readonly Stream[]>;
  readonly streams: readonly Stream[];
  readonly server: Pick<LiveServer, 'logger' | 'setStreams'>;
  /** Called when other streams are published. */
  readonly onReloaded?: () => void;
}

/** Keeps the streams of a server as its configuration has them. */
export class Reloader<Plan extends FixedPlan, Stream extends ServedStream> {
  readonly #options: ReloadOptions<Plan, Stream>;
  #plan: Plan;
  /** As it was read last: what cannot change is told of once for each difference. */
  #read: Plan;
  /** What is open now. */
  streams: readonly Stream[];
  #running: Promise<void> | undefined;
  #isAskedAgain = false;

  constructor(options: ReloadOptions<Plan, Stream>) {
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
    const { readPlan, open, server, onReloaded } = this.#options;
    const plan = await readPlan(file);
    const differing = FIXED.filter((key) => !isDeepStrictEqual(plan[key], this.#plan[key]));
    const keys = differing.filter((key) => !isDeepStrictEqual(plan[key], this.#read[key]));
    this.#read = plan;
    if (keys.length > 0) server.logger.warn({ file, keys }, 'restart needed');
    // The IRIs of everything follow from it.
    if (differing.includes('publicUrl')) return;
    const former = this.streams;
    const streams = await open(plan, former);
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
    onReloaded?.();
  }
}

/** Names of streams, by what became of them. */
function differences(former: readonly ServedStream[], streams: readonly ServedStream[]) {
  const names = (some: readonly ServedStream[]) => some.map(({ live }) => live.description.name);
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
