import { formIndex, isWord, type Token, tokensOf } from './sparql-tokens.ts';

/** The text of a SELECT query that tells one more variable. */
export function withVariable(text: string, name: string): string {
  const tokens = tokensOf(text);
  const at = formIndex(tokens);
  const last = isWord(tokens[at + 1], 'DISTINCT', 'REDUCED') ? tokens[at + 1] : tokens[at];
  const end = endOf(last);
  return `${text.slice(0, end)} ?${name} ${text.slice(end)}`;
}

/** The text of a query with DISTINCT for each REDUCED, which leaves to the engine how often it tells a solution. */
export function withoutReduced(text: string): string {
  const tokens = tokensOf(text);
  const reduced = tokens.filter((token, at) => isWord(token, 'REDUCED') && isWord(tokens[at - 1], 'SELECT'));
  return reduced.reduceRight(
    (rest, token) => `${rest.slice(0, token.offset)}DISTINCT${rest.slice(endOf(token))}`,
    text,
  );
}

/** The text of a SELECT query of the pattern of a CONSTRUCT query. */
export function asSelect(text: string, variables: readonly string[]): string {
  const tokens = tokensOf(text);
  const at = formIndex(tokens);
  const told = variables.length > 0 ? variables.map((name) => `?${name}`).join(' ') : `(1 AS ?${unused(tokens)})`;
  // The short form, CONSTRUCT WHERE { ... }, has no template to pass over.
  const rest = tokens[at + 1]?.text === '{' ? endOf(closing(tokens, at + 1)) : endOf(tokens[at]);
  return `${text.slice(0, tokens[at]?.offset)}SELECT ${told} ${text.slice(rest)}`;
}

/** The names of the variables in a text. */
export function variablesIn(text: string): Set<string> {
  return new Set(
    tokensOf(text)
      .filter(({ kind }) => kind === 'variable')
      .map((token) => token.text.slice(1)),
  );
}

function endOf(token: Token | undefined): number {
  return token ? token.offset + token.text.length : 0;
}

/** The brace that closes one. */
function closing(tokens: readonly Token[], open: number): Token | undefined {
  let depth = 0;
  return tokens.find(({ text }, index) => {
    if (index < open) return false;
    if (text === '{') depth += 1;
    if (text === '}') depth -= 1;
    return depth === 0;
  });
}

function unused(tokens: readonly Token[]): string {
  let name = 'one';
  while (tokens.some(({ text }) => text === `?${name}` || text === `$${name}`)) name += '_';
  return name;
}
