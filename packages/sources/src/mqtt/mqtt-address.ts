import { errors } from '../errors.ts';
import { parsedUrl } from '../options.ts';

/** Where a broker is. */
export interface MqttAddress {
  /** Name or number, without brackets. */
  readonly host: string;
  readonly port: number;
  readonly isSecure: boolean;
  /** As it may be shown: without user. */
  readonly shown: string;
  readonly username?: string;
  readonly password?: string;
}

/**
 * Reads the URL of a broker.
 *
 * @throws {@link StreamError} `ERR_SOURCE_OPTION` - not absolute, neither mqtt nor mqtts, or with path or query
 */
export function readMqttAddress(option: string, value: string): MqttAddress {
  const url = parsedUrl(value);
  const isKnown = url?.protocol === 'mqtt:' || url?.protocol === 'mqtts:';
  if (!url || !isKnown || url.hostname === '' || !/^\/?$/.test(url.pathname) || url.search !== '' || url.hash !== '') {
    // What cannot be read as a URL may hold a password all the same.
    const shown = value.replace(/[?#].*$/s, '').replace(/^(.*\/\/)?.*@/s, '$1');
    const expected = 'mqtt://HOST or mqtts://HOST with an optional port, and nothing behind it';
    throw errors.ERR_SOURCE_OPTION({ option, value: `"${shown}"`, expected });
  }
  const isSecure = url.protocol === 'mqtts:';
  const username = unescaped(url.username);
  const password = unescaped(url.password);
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? (isSecure ? 8883 : 1883) : Number(url.port),
    isSecure,
    shown: `${url.protocol}//${url.host}`,
    ...(username === '' ? {} : { username }),
    ...(password === '' ? {} : { password }),
  };
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A password may have a "%" that escapes nothing: then it is meant as it stands.
    return text;
  }
}
