// What the node that writes publishes of its configuration, in the bucket ldes-shared: "config" -> JSON. Its revision is told
// with the status, so that nodes which joined read it when it changes.
import type { KV } from '@nats-io/kv';
import type { ClusterMember } from './cluster-member.ts';

/** What the nodes of a cluster publish, for those that have no configuration: JSON. */
export interface SharedConfig {
  /** Publishes it, as the node that writes. */
  publish(value: object): Promise<void>;
  read(): Promise<unknown>;
  /** Has a listener called with what the node that writes has published anew. */
  onChange(listener: (value: unknown) => void): () => void;
}

/** @param patiently - asks until it is answered */
export function sharedConfig(
  shared: KV,
  member: ClusterMember,
  patiently: <T>(ask: () => Promise<T>) => Promise<T>,
): SharedConfig {
  const read = async () => {
    const entry = await patiently(() => shared.get('config'));
    return entry?.json();
  };
  return {
    read,
    publish: async (value) => {
      const text = JSON.stringify(value);
      const known = await patiently(() => shared.get('config'));
      const isSame = known?.operation === 'PUT' && known.string() === text;
      member.config = isSame ? known.revision : await patiently(() => shared.put('config', text));
    },
    onChange: (listener) => {
      let seen = member.toldConfig;
      return member.onChange(() => {
        if (member.toldConfig === seen) return;
        seen = member.toldConfig;
        void read().then(listener, () => {});
      });
    },
  };
}
