/** A topic that a filter of MQTT lets through. */
export function topicLike(filter: string): string {
  return filter.replaceAll(/[+#]/g, 'example');
}
