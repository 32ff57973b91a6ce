import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import type { MqttAddress } from './mqtt-address.ts';
import type { MqttTls } from './mqtt-source-options.ts';

/**
 * Opens the way to a broker: bytes in both directions.
 *
 * @param signal - ends the attempt: the promise rejects
 */
export type OpenSocket = (address: MqttAddress, tls: MqttTls, signal: AbortSignal) => Promise<Duplex>;

/** Opens it by TCP, or, where the address is secure, by TLS with a certificate that is checked. */
export const openSocket: OpenSocket = async ({ host, port, isSecure }, tls, signal) => {
  const socket = isSecure ? connectTls({ host, port, ...secrets(tls), ...serverName(host) }) : connectTcp(port, host);
  try {
    await once(socket, isSecure ? 'secureConnect' : 'connect', { signal });
    // Acknowledgements are few bytes, and a broker waits for them.
    socket.setNoDelay(true);
    return socket;
  } catch (thrown) {
    // Whatever else is wrong with it concerns nobody any more.
    socket.on('error', () => undefined).destroy();
    throw thrown;
  }
};

function secrets({ authorities, certificate, privateKey }: MqttTls) {
  return {
    ...(authorities === undefined ? {} : { ca: authorities }),
    ...(certificate === undefined ? {} : { cert: certificate }),
    ...(privateKey === undefined ? {} : { key: privateKey }),
  };
}

// Numbers are no names that a server could be asked for.
function serverName(host: string) {
  return /^[\d.]+$|:/.test(host) ? {} : { servername: host };
}
