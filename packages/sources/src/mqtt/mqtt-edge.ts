import { type SourceEnvironment, systemEnvironment } from '../source.ts';
import { type OpenSocket, openSocket } from './open-socket.ts';

/** The world as a source of messages sees it. */
export interface MqttEdge extends Omit<SourceEnvironment, 'fetch'> {
  /** Opens the way to the broker. */
  readonly openSocket: OpenSocket;
}

/** The world as it is. */
export const systemMqttEdge: MqttEdge = { ...systemEnvironment, openSocket };
