import { type SourceEdge, systemEdge } from '../source-edge.ts';
import { type OpenSocket, openSocket } from './open-socket.ts';

/** The world as a source of messages sees it. */
export interface MqttEdge extends Omit<SourceEdge, 'fetch'> {
  /** Opens the way to the broker. */
  readonly openSocket: OpenSocket;
}

/** The world as it is; nobody is told of anything. */
export const systemMqttEdge: MqttEdge = { ...systemEdge, openSocket };
