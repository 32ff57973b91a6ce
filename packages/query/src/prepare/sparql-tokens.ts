/** A token of SPARQL or RSP-QL. Comments and white space are none. */
export interface Token {
  readonly kind: 'iri' | 'string' | 'variable' | 'language' | 'blank' | 'name' | 'word' | 'number' | 'other';
  readonly text: string;
  /** Where it begins, in UTF-16 units from 0. */
  readonly offset: number;
}

const LETTER = '\\p{L}_';
const VARIABLE = '\\p{L}\\p{N}\\p{M}_\\u00B7';
const PART = `${VARIABLE}\\-`;
const ESCAPED = '%[0-9A-Fa-f]{2}|\\\\.';

// What stands first wins, as in SPARQL's grammar: `<` begins an IRI wherever one can be read.
const forms: readonly (readonly [Token['kind'] | 'gap', string])[] = [
  ['gap', '\\s+|#[^\\n\\r]*'],
  ['iri', '<(?:[^<>"{}|^`\\\\\\u0000-\\u0020]|\\\\u[0-9A-Fa-f]{4}|\\\\U[0-9A-Fa-f]{8})*>'],
  ['string', '"""(?:"{0,2}(?:[^"\\\\]|\\\\[^]))*"""|\'\'\'(?:\'{0,2}(?:[^\'\\\\]|\\\\[^]))*\'\'\''],
  ['string', '"(?:[^"\\\\\\n\\r]|\\\\[^])*"|\'(?:[^\'\\\\\\n\\r]|\\\\[^])*\''],
  ['variable', `[?$][${VARIABLE}]+`],
  ['language', '@[A-Za-z]+(?:-[A-Za-z0-9]+)*'],
  ['blank', `_:[${PART}.]*`],
  ['name', `(?:[${LETTER}][${PART}.]*)?:(?:[${PART}:]|${ESCAPED}|\\.+(?=[${PART}:%\\\\]))*`],
  ['word', `[${LETTER}][\\p{L}\\p{N}_]*`],
  ['number', '[0-9]+'],
  ['other', '[^]'],
];
const pattern = new RegExp(forms.map(([, form]) => `(${form})`).join('|'), 'uy');

/**
 * The tokens of a query, as far as it takes to tell words from IRIs, strings, names and comments.
 *
 * Text of any kind is taken apart without an error: whether it is a query is the parser's to say.
 */
export function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  pattern.lastIndex = 0;
  for (let offset = 0; offset < text.length; offset = pattern.lastIndex) {
    const match = pattern.exec(text);
    // A half of a surrogate pair at the end is all that no form takes.
    if (!match) break;
    const kind = forms[match.findIndex((group, index) => index > 0 && group !== undefined) - 1]?.[0];
    if (kind && kind !== 'gap') tokens.push({ kind, text: match[0], offset });
  }
  return tokens;
}

/** Whether a token is this keyword, in whatever case. */
export function isWord(token: Token | undefined, ...words: readonly string[]): token is Token {
  return token?.kind === 'word' && words.includes(token.text.toUpperCase());
}

/** The word that says what a query asks for, after its prologue: SELECT, CONSTRUCT, DESCRIBE or ASK. */
export function formIndex(tokens: readonly Token[]): number {
  return tokens.findIndex((token) => isWord(token, 'SELECT', 'CONSTRUCT', 'DESCRIBE', 'ASK'));
}
