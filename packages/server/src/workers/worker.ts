/* The server of a worker: a process that serves as the one that has the logs does, which it follows over a channel.
 *   channel -> RemoteLogs -> the logs, the place of this process among others, and what the owner tells of the streams
 *           -> owner.ts   -> what to serve, and when to report and to stop
 *   GET /NAME/events, GET /NAME/latest, ...  -> the handler, as in the process that has the logs
 *   all else                                 -> the process that has the logs: `ServerNode.passToOwner` */
import { type Log, type ProcessChannel, RemoteLogs } from '@ldes-live/log';
import { isStreamError } from '@ldes-live/rdf-stream';
import { errors } from '../errors.ts';
import type { LiveServerOptions, LiveStream, TlsCredentials } from '../options.ts';
import type { ReportToWorkers, ToOwner, ToWorker } from '../owner.ts';
import { createLiveServer, type LiveServer } from '../server.ts';
import { joinedStream, type SharedStream } from '../shared-streams.ts';

/** What {@link createWorkerServer} needs. */
export interface WorkerServerOptions
  extends Pick<LiveServerOptions, 'limitHeaderBytes' | 'logger' | 'clock' | 'random'> {
  /** To the process that has the logs, see `LiveServer.attachWorker`. */
  readonly channel: ProcessChannel;
  /** Where that process answers what the worker does not, such as `http://127.0.0.1:40123`. */
  readonly ownerUrl: string;
  /** Tells this process from the others of the server in its metrics. @defaultValue `worker` */
  readonly name?: string;
}

/** A server that has connections, and follows the logs of another process. */
export interface WorkerServer {
  /** Begins to listen; resolves to the port. */
  listen(address: { readonly host: string; readonly port: number }): Promise<number>;
  /** Resolves when the owner has had it end its streams, and it has stopped listening. */
  readonly drained: Promise<void>;
  /** Ends the push streams spread over the grace period, lets requests finish, and stops listening. */
  close(): Promise<void>;
}

/**
 * Makes the server of a worker: it pushes and answers what the process that has the logs publishes, and has that process
 * answer every other request.
 *
 * @throws {@link StreamError} `ERR_LIMIT` - a limit is not an integer of 1 or more
 * @throws {@link StreamError} `ERR_OWNER_LOST`, `ERR_LOG_LOST` - the owner went before it said what to serve
 */
export function createWorkerServer(options: WorkerServerOptions): Promise<WorkerServer> {
  const { channel, ownerUrl, name = 'worker', ...others } = options;
  // All that listens to the channel does so before anything else comes.
  const logs = new RemoteLogs(channel, { node: name, owner: { node: 'main', url: ownerUrl } });
  return new Promise((resolve, reject) => {
    let making: Promise<LiveServer> | undefined;
    let tls: TlsCredentials | undefined;
    let following: Promise<unknown> = Promise.resolve();
    let drain: (closed: Promise<void>) => void = () => {};
    const drained = new Promise<void>((drains) => {
      drain = drains;
    });
    drained.catch(() => {});
    const tell = (message: ToOwner) => void channel.send(message);
    const configure = async ({ options: own, streams }: ToWorker & { kind: 'worker-config' }) => {
      making ??= createLiveServer({ ...others, ...own, cluster: logs.cluster, ...(tls && { tls }) });
      const server = await making;
      // One after the other, while neither reports nor the next ones wait for readers who are sent away.
      const followed = following.then(() => followedStreams(logs, streams));
      const set = followed.then((live) => live && { changed: serve(server, live) });
      following = set.catch(() => {});
      await (await set)?.changed;
      resolve({ listen: (address) => server.listen(address), close: () => server.close(), drained });
    };
    const take = async (told: ToWorker) => {
      if (told.kind === 'worker-tls') {
        tls = told.tls;
        (await making)?.setTls(told.tls);
      } else if (told.kind === 'worker-config') await configure(told);
      // What it serves was told first.
      else if (told.kind === 'worker-report') tell({ kind: told.kind, report: (await making!).report() });
      else if (told.kind === 'worker-drain') {
        const closed = (await making!).close();
        drain(closed);
        // What goes wrong in it does not keep the others waiting.
        await closed.catch(() => {});
        tell({ kind: told.kind });
      }
    };
    channel.onMessage((message) => {
      take(message as ToWorker).catch((error) => {
        reject(error);
        channel.cut();
      });
    });
    channel.onClose(() => reject(errors.ERR_OWNER_LOST({ retryAfterSeconds: 1 })));
  });
}

/** These as they are followed here; nothing where one of them is gone again, and what there is now comes. */
async function followedStreams(
  logs: RemoteLogs,
  streams: readonly SharedStream[],
): Promise<readonly LiveStream[] | undefined> {
  const followed = async (stream: SharedStream): Promise<LiveStream> => {
    const { name } = stream.description;
    // Nothing is appended to it here: the owner takes the posts, and has the sources.
    const live = await joinedStream(stream, (await logs.open(name)) as Log);
    const told = () => (logs.cluster.told as ReportToWorkers | undefined)?.schedules[name];
    return { ...live, schedule: () => told() ?? { kind: 'unknown' } };
  };
  try {
    return await Promise.all(streams.map(followed));
  } catch (error) {
    if (!isStreamError(error, 'ERR_LOG_CLOSED')) throw error;
    return undefined;
  }
}

/** Serves these from now on. What stays as it is keeps its readers. */
async function serve(server: LiveServer, streams: readonly LiveStream[]): Promise<void> {
  try {
    await server.setStreams(streams);
  } catch (error) {
    // As before, or this side stops.
    if (!isStreamError(error, 'ERR_LOG_CLOSED') && !isStreamError(error, 'ERR_SERVER_CLOSED')) throw error;
  }
}
