import type { Duplex } from 'node:stream';
import { isStreamError, type StreamError } from '@ldes-live/rdf-stream';
import { errors } from '../errors.ts';
import { createMqttConnection, type MqttConnection } from './mqtt-connection.ts';
import type { MqttEdge } from './mqtt-edge.ts';
import type { MqttPlan } from './mqtt-plan.ts';

/**
 * Connects to a broker and subscribes.
 *
 * @param isSubscribed - the broker granted everything before
 * @param onProblem - told of what goes wrong without ending the connection
 * @param signal - ends the attempt: the error is then of no meaning
 * @returns the connection, live; or why there is none
 * @see specs/mqtt.md MQTT-9
 */
export async function openConnection(
  plan: MqttPlan,
  isSubscribed: boolean,
  onProblem: (problem: StreamError) => void,
  edge: MqttEdge,
  signal: AbortSignal,
): Promise<MqttConnection | StreamError> {
  const socket = await open(plan, edge, signal);
  if (isStreamError(socket)) return socket;
  const { limitWaitingBytes } = plan;
  const connection = createMqttConnection(
    socket,
    { settings: { ...plan.session, isSubscribed }, limitWaitingBytes, onProblem },
    edge,
  );
  await connection.live(signal);
  const error = connection.error();
  if (!error && !signal.aborted) return connection;
  await connection.leave();
  return error ?? (connection.error() as StreamError);
}

async function open(
  { address, tls, session }: MqttPlan,
  edge: MqttEdge,
  signal: AbortSignal,
): Promise<Duplex | StreamError> {
  const { broker: url, limitConnectMs: limitMs } = session;
  const late = new AbortController();
  const opened = new AbortController();
  const timer = edge.sleep(limitMs, AbortSignal.any([signal, opened.signal])).then(
    () => late.abort(),
    () => undefined,
  );
  try {
    return await edge.openSocket(address, tls, AbortSignal.any([signal, late.signal]));
  } catch (thrown) {
    if (late.signal.aborted) return errors.ERR_MQTT_TIMEOUT({ url, limitMs, phase: 'opening' }, thrown);
    return errors.ERR_MQTT_UNREACHABLE({ url, reason: reasonOf(thrown) }, thrown);
  } finally {
    opened.abort();
    await timer;
  }
}

function reasonOf(thrown: unknown): string {
  const { code, message } = thrown as NodeJS.ErrnoException;
  return code ?? message ?? typeof thrown;
}
