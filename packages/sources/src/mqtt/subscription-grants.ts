import type { StreamError } from '@ldes-live/rdf-stream';
import { errors } from '../errors.ts';
import { reasonWords } from './reason-words.ts';
import type { SessionSettings } from './session-settings.ts';

/** What a broker did not grant as it was asked. */
export interface JudgedGrants {
  readonly problems: readonly StreamError[];
  readonly isNothingGranted: boolean;
}

/**
 * Compares what a broker granted with what was asked of it. Pure.
 *
 * @param codes - one for each topic: the granted QoS, or from 128 a refusal
 * @param said - the broker's own words
 * @see specs/mqtt.md MQTT-8
 */
export function judgeGrants(
  codes: readonly number[],
  { broker: url, version, topics }: SessionSettings,
  said?: string,
): JudgedGrants {
  const problems = topics.flatMap(({ filter, qos }, index) => {
    const granted = codes[index] as number;
    if (granted >= 128) {
      const reason = reasonWords(version, granted, said);
      return [errors.ERR_MQTT_SUBSCRIPTION_REFUSED({ url, filter, reason })];
    }
    return granted < qos ? [errors.ERR_MQTT_QOS_LOWERED({ url, filter })] : [];
  });
  return { problems, isNothingGranted: codes.every((code) => code >= 128) };
}
