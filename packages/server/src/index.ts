export { isBaseUrl, isStreamName, RESERVED_NAMES } from './check-names.ts';
export { createLiveServer, type LiveServer, type LiveServerOptions } from './create-live-server.ts';
export type { HealthReport, StreamHealth } from './health-report.ts';
export type { LiveStream } from './live-stream.ts';
export { type LiveStreamsOptions, liveStreams } from './live-streams.ts';
export type { Vocabulary } from './live-vocabulary.ts';
export type { ContentShape } from './shape/content-shape.ts';
export { shapeUrl } from './shape/member-shape.ts';
