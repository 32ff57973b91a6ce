// The way to the NATS servers, and what the cluster keeps there:
//   stream  ldes             subjects ldes.log.*         the entries of all logs
//   KV      ldes-lease       "writer", "clock.NODE"      entries that expire after some seconds
//   KV      ldes-shared      "config"                    what is published, for nodes that have no configuration
//   objects ldes-snapshots   "vehicles", ...             see snapshot.ts
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  DiscardPolicy,
  JetStreamApiError,
  type JetStreamClient,
  type JetStreamManager,
  jetstream,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
} from '@nats-io/jetstream';
import { type KV, Kvm } from '@nats-io/kv';
import { type ObjectStore, Objm } from '@nats-io/obj';
import {
  type ConnectionOptions,
  connect,
  credsAuthenticator,
  type NatsConnection,
  usernamePasswordAuthenticator,
} from '@nats-io/transport-node';
import { errors } from '../errors.ts';
import { LEASE_MS } from './cluster-member.ts';

/** How NATS is reached, and what is its of the cluster. */
export interface NatsOptions {
  /** URLs such as `nats://10.0.0.5:4222`, or `tls://...`. */
  readonly servers: readonly string[];
  /** Path of a file: credentials as `nsc` writes them (JWT and seed), or one line `user:password`. */
  readonly credentials?: string;
  /** What the names of its stream, buckets and subjects begin with: 1 to 32 of A-Z, a-z, 0-9, `_` and `-`. @defaultValue `ldes` */
  readonly stream?: string;
  /** On how many servers each entry is kept: 1, 3 or 5. A majority of them has to run. */
  readonly replicas: number;
}

export interface NatsPlaces {
  readonly connection: NatsConnection;
  readonly client: JetStreamClient;
  readonly manager: JetStreamManager;
  readonly lease: KV;
  readonly shared: KV;
  readonly snapshots: ObjectStore;
}

/** How long a server may take to answer. */
const REQUEST_MS = 1500;
/** How long the servers of a cluster may take to find each other, after they were started; and others, for one that has JetStream. */
const START_MS = 15_000;
const OTHERS_MS = 2000;
const RETRY_MS = 300;
/** How long a message may be sent again and still be known, milliseconds. */
const DUPLICATES_MS = 120_000;

const nanoseconds = (ms: number) => ms * 1e6;

/**
 * Connects, and makes what is not there yet.
 *
 * @throws `ERR_NATS_UNREACHABLE`, `ERR_NATS_CREDENTIALS`, `ERR_NATS_JETSTREAM`, `ERR_NATS_STREAM`, `ERR_NATS_REPLICAS`
 */
export async function openNats(options: NatsOptions): Promise<NatsPlaces> {
  const { stream: name = 'ldes', replicas } = options;
  const connection = await connectNats(options);
  try {
    const timeout = { timeout: REQUEST_MS };
    const client = jetstream(connection, timeout);
    const manager = await patiently(options, connection, () => jetstreamManager(connection, timeout));
    await patiently(options, connection, () => ensureStream(manager, name, replicas));
    const kvm = new Kvm(client);
    const bucket = { replicas, history: 1, storage: StorageType.File, timeout: REQUEST_MS };
    const lease = await patiently(options, connection, () => kvm.create(`${name}-lease`, { ...bucket, ttl: LEASE_MS }));
    const shared = await patiently(options, connection, () => kvm.create(`${name}-shared`, bucket));
    const snapshots = await patiently(options, connection, () =>
      new Objm(client).create(`${name}-snapshots`, { replicas }),
    );
    return { connection, client, manager, lease, shared, snapshots };
  } catch (error) {
    await connection.close();
    throw error;
  }
}

async function connectNats({ servers, credentials }: NatsOptions): Promise<NatsConnection> {
  const named = servers.join(', ');
  const options: ConnectionOptions = {
    servers: [...servers],
    // Of what this process itself says it hears nothing.
    noEcho: true,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 250,
    ignoreAuthErrorAbort: true,
    // A server that is silent for longer is another one's turn.
    pingInterval: 2000,
    maxPingOut: 2,
    timeout: 5000,
    // Else what is written as tls:// would go in clear to a server that offers nothing else.
    ...(servers.some((url) => url.startsWith('tls:')) && { tls: {} }),
  };
  try {
    if (credentials !== undefined) options.authenticator = authenticator(await readFile(credentials, 'utf8'));
    return await connect(options);
  } catch (error) {
    const { name, message: reason, cause } = error as Error;
    const isRefusal = /Authorization|Authentication|Permission/i.test(`${name} ${reason} ${(cause as Error)?.name}`);
    const isFile = (error as NodeJS.ErrnoException).path !== undefined;
    if (isRefusal || isFile) throw errors.ERR_NATS_CREDENTIALS({ servers: named, reason }, error);
    throw errors.ERR_NATS_UNREACHABLE({ servers: named, reason }, error);
  }
}

function authenticator(text: string) {
  if (text.includes('BEGIN NATS USER JWT')) return credsAuthenticator(Buffer.from(text));
  const line = text.trim();
  const end = line.indexOf(':');
  if (end < 1)
    throw Object.assign(new Error('the file is neither a credentials file of nsc nor a line user:password'), {
      path: '',
    });
  return usernamePasswordAuthenticator(line.slice(0, end), line.slice(end + 1));
}

async function ensureStream(manager: JetStreamManager, name: string, replicas: number): Promise<void> {
  const subject = `${name}.log.*`;
  const wanted = {
    name,
    subjects: [subject],
    num_replicas: replicas,
    storage: StorageType.File,
    retention: RetentionPolicy.Limits,
    // A full one refuses what is new: nothing that was acknowledged may go.
    discard: DiscardPolicy.New,
    allow_direct: true,
    duplicate_window: nanoseconds(DUPLICATES_MS),
  };
  const info = await manager.streams.info(name).catch((error) => {
    if (error instanceof JetStreamApiError && error.code === STREAM_NOT_FOUND) return undefined;
    throw error;
  });
  // Two nodes may make it at the same time, and the same.
  const { config } = info ?? (await manager.streams.add(wanted));
  const problems = [
    ...(config.subjects.join() === subject ? [] : [`its subjects are ${config.subjects.join(', ')}, not ${subject}`]),
    ...(config.allow_direct ? [] : ['it does not allow direct gets']),
    ...(config.retention === RetentionPolicy.Limits && !config.max_age ? [] : ['it drops messages by itself']),
    ...(config.num_replicas >= replicas
      ? []
      : [`it keeps each message on ${config.num_replicas} servers, not ${replicas}`]),
    ...(config.discard === DiscardPolicy.New ? [] : ['it drops old messages when it is full']),
  ];
  if (problems.length > 0) throw errors.ERR_NATS_STREAM({ name, problem: problems.join(', and ') });
}

const STREAM_NOT_FOUND = 10059;
const TOO_FEW_SERVERS: ReadonlySet<unknown> = new Set([10005, 10074]);
const STREAM_ERRORS: ReadonlySet<unknown> = new Set([10052, 10058, 10065]);

/** While the servers have just been started they have no JetStream, and then no leader. */
async function patiently<T>(
  { servers, replicas, stream = 'ldes' }: NatsOptions,
  connection: NatsConnection,
  ask: () => Promise<T>,
): Promise<T> {
  const waitMs = connection.info?.jetstream ? START_MS : OTHERS_MS;
  for (const untilMs = performance.now() + waitMs; ; ) {
    try {
      return await ask();
    } catch (error) {
      const { message: reason, name, code } = error as Error & { code?: unknown };
      if (code === 'ERR_NATS_STREAM') throw error;
      if (name === 'PermissionViolationError') {
        throw errors.ERR_NATS_CREDENTIALS({ servers: servers.join(', '), reason }, error);
      }
      if (TOO_FEW_SERVERS.has(code)) throw errors.ERR_NATS_REPLICAS({ servers: servers.join(', '), replicas }, error);
      if (STREAM_ERRORS.has(code)) throw errors.ERR_NATS_STREAM({ name: stream, problem: reason }, error);
      if (performance.now() > untilMs) throw errors.ERR_NATS_JETSTREAM({ servers: servers.join(', '), reason }, error);
      await sleep(RETRY_MS);
    }
  }
}
