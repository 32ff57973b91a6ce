/** What the field of an error is called. */
const ERROR = /^(error|errors|fault|exception|err)$/i;
/** What else stands beside it. */
const BESIDE =
  /^(error_?\w*|status(_?code)?|code|message|msg|detail|details|description|title|type|path|timestamp|success|ok|trace|instance)$/i;

/**
 * Whether a document is an answer that tells of an error, and no data.
 *
 * @returns the first of what it says, cut to 80 characters
 */
export function errorAnswer(document: unknown): string | undefined {
  if (typeof document !== 'object' || document === null || Array.isArray(document)) return undefined;
  const fields = Object.entries(document);
  const error = fields.find(([name, value]) => ERROR.test(name) && value !== null && value !== false);
  if (!error || !fields.every(([name]) => ERROR.test(name) || BESIDE.test(name))) return undefined;
  return `${error[0]}: ${JSON.stringify(error[1])}`.slice(0, 80);
}
