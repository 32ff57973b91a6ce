const LIMIT_TOPIC_BYTES = 65_535;

/**
 * Whether a text is a topic filter of MQTT, shared subscriptions included.
 *
 * @see https://docs.oasis-open.org/mqtt/mqtt/v5.0/os/mqtt-v5.0-os.html#_Toc3901241
 */
export function isTopicFilter(text: string): boolean {
  if (text.includes('\0') || Buffer.byteLength(text) > LIMIT_TOPIC_BYTES || /\p{Surrogate}/u.test(text)) return false;
  if (text.startsWith('$share/') && !/^\$share\/[^/+#]+\/./s.test(text)) return false;
  const levels = topicOfShare(text).split('/');
  if (levels.join('/') === '') return false;
  return levels.every((level, index) => {
    if (level === '#') return index === levels.length - 1;
    return level === '+' || !/[+#]/.test(level);
  });
}

/** Whether a topic is one that a filter asks for. */
export function matchesFilter(filter: string, topic: string): boolean {
  const asked = topicOfShare(filter).split('/');
  const levels = topic.split('/');
  // Topics of the broker's own have to be asked for by name.
  if (topic.startsWith('$') && asked[0] !== levels[0]) return false;
  const hasRest = asked.at(-1) === '#';
  const named = hasRest ? asked.slice(0, -1) : asked;
  if (hasRest ? levels.length < named.length : levels.length !== named.length) return false;
  return named.every((level, index) => level === '+' || level === levels[index]);
}

/** The filter that a shared subscription shares; any other as it is. */
function topicOfShare(filter: string): string {
  return filter.replace(/^\$share\/[^/]*\//, '');
}
