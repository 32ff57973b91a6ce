/** What a broker of MQTT 3.1.1 means by the code with which it answers a connection. */
const RETURN_CODES: Readonly<Record<number, string>> = {
  1: 'it does not know this version of MQTT',
  2: 'it does not accept the client identifier',
  3: 'it is not available',
  4: 'the user name or password is wrong',
  5: 'this client is not allowed to connect',
  128: 'it gave no reason',
};

/** What a broker of MQTT 5 means by its reason codes. */
const REASON_CODES: Readonly<Record<number, string>> = {
  0: 'it ended the connection in order',
  4: 'it ended the connection',
  128: 'it gave no reason',
  129: 'a packet was malformed',
  130: 'a packet was against the protocol',
  131: 'it does not accept this, for a reason of its own',
  132: 'it does not know this version of MQTT',
  133: 'it does not accept the client identifier',
  134: 'the user name or password is wrong',
  135: 'this client is not allowed to do so',
  136: 'it is not available',
  137: 'it is busy',
  138: 'this client is banned',
  139: 'it is shutting down',
  140: 'it asks for another way to authenticate',
  141: 'it heard nothing for too long',
  142: 'another client took over the session: the client identifier is in use twice',
  143: 'the topic filter is not valid',
  144: 'the topic name is not valid',
  145: 'the packet identifier is in use',
  147: 'more messages were sent than allowed at once',
  148: 'the topic alias is not valid',
  149: 'a packet was too large',
  150: 'messages came too fast',
  151: 'a quota is used up',
  152: 'an administrator ended it',
  153: 'the payload is not of the format that was stated',
  154: 'it does not keep messages',
  155: 'it does not support this QoS',
  156: 'another broker has to be used',
  157: 'the broker has moved',
  158: 'it does not support shared subscriptions',
  159: 'connections came too fast',
  160: 'the time allowed for a connection is over',
  161: 'it does not support subscription identifiers',
  162: 'it does not support wildcards in subscriptions',
};

/**
 * A code of a broker in words.
 *
 * @param version - 4 is MQTT 3.1.1
 * @param said - the text that the broker sent along
 */
export function reasonWords(version: 4 | 5, code: number, said?: string): string {
  const words = (version === 4 ? RETURN_CODES : REASON_CODES)[code] ?? 'of an unknown code';
  // The broker's own text is not to fill the log of whoever reads it.
  const quoted = said === undefined || said === '' ? '' : `: "${said.slice(0, 200)}"`;
  return `${words} (code ${code})${quoted}`;
}
