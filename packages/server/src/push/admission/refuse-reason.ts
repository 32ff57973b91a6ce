import { isStreamError } from '@ldes-live/rdf-stream';
import type { RefuseReason } from '../push-tally.ts';

const REASONS: Readonly<Record<string, RefuseReason>> = {
  ERR_CONNECTIONS_FULL: 'connections',
  ERR_CONNECTIONS_ADDRESS: 'address',
  ERR_ACCEPTS_WAITING: 'rate',
  ERR_STOPPING: 'stopping',
};

/** Why a connection was refused; `undefined` for errors of other kinds. */
export function refuseReason(error: unknown): RefuseReason | undefined {
  return isStreamError(error) ? REASONS[error.code] : undefined;
}
