export { readContentShape, shapeUrl } from './documents/descriptions.ts';
export { hashToken } from './ingest/admission.ts';
export { checkTls } from './listener.ts';
export { type Logger, type LoggerOption, RepeatedLines } from './logging.ts';
export {
  type ContentShape,
  type IngestLimits,
  type IngestOptions,
  isBaseUrl,
  isStreamName,
  type LatestFields,
  type LiveServerOptions,
  type LiveStream,
  type LiveStreamsOptions,
  type Pages,
  type PushOptions,
  RESERVED_NAMES,
  type Readers,
  type ReadRequest,
  type SourcePoll,
  type StreamSource,
  type TlsCredentials,
  type Vocabulary,
} from './options.ts';
export { liveStreams } from './plugin.ts';
export { createLiveServer, type LiveServer } from './server.ts';
export { joinedStream, type SharedStream, sharedStream } from './shared-streams.ts';
export type { HealthReport, NodeHealth, StreamHealth } from './status.ts';
export {
  type ClusterOptions,
  processChannel,
  runWorker,
  serveByWorkers,
  type WorkerProcess,
} from './workers/cluster.ts';
export { createWorkerServer, type WorkerServer, type WorkerServerOptions } from './workers/worker.ts';
