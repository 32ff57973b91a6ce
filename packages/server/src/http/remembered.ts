/** How many answers to remember: browsers and libraries send a few dozen different fields among them. */
const LIMIT_REMEMBERED = 200;

/** Longer fields are rare, and must not be what fills the memory. */
const LIMIT_FIELD_LENGTH = 512;

/** A function of a header field that remembers its answers, within bounds; what it throws is not remembered. */
export function remembered<Answer>(
  decide: (field: string | undefined) => Answer,
): (field: string | undefined) => Answer {
  const answers = new Map<string, Answer>();
  return (field = '') => {
    const known = answers.get(field);
    if (known !== undefined) return known;
    const answer = decide(field === '' ? undefined : field);
    if (field.length > LIMIT_FIELD_LENGTH) return answer;
    if (answers.size >= LIMIT_REMEMBERED) answers.clear();
    answers.set(field, answer);
    return answer;
  };
}
