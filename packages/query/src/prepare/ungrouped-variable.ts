import { formIndex, isWord, type Token, tokensOf } from './sparql-tokens.ts';

/**
 * The first variable that a SELECT query tells by itself, though it groups or counts, and does not group by it.
 *
 * The parser refuses it without its name: so it is looked for in the text, once that is known to be the mistake. In
 * subqueries the parser lets it pass.
 */
export function ungroupedVariable(text: string): Token | undefined {
  const tokens = tokensOf(text);
  const at = formIndex(tokens);
  const begin = tokens.findIndex(({ text: sign }, index) => index > at && sign === '{');
  if (!isWord(tokens[at], 'SELECT') || begin < 0) return undefined;
  const keys = groupedBy(tokens, endOfBlock(tokens, begin) + 1);
  return plainVariables(tokens.slice(at + 1, begin)).find(({ text: name }) => !keys.has(name.slice(1)));
}

/** Names of the variables after GROUP BY, those in expressions that have a name of their own left out. */
function groupedBy(tokens: readonly Token[], from: number): ReadonlySet<string> {
  if (!isWord(tokens[from], 'GROUP')) return new Set();
  const length = tokens.slice(from).findIndex((each) => each.text === '}' || isWord(each, ...AFTER_GROUP));
  const clause = tokens.slice(from, length < 0 ? undefined : from + length);
  const named = clause.filter((_, index) => isWord(clause[index - 1], 'AS'));
  return new Set([...plainVariables(clause), ...named].map(({ text: name }) => name.slice(1)));
}

const AFTER_GROUP = ['HAVING', 'ORDER', 'LIMIT', 'OFFSET', 'VALUES'];

/** Variables outside parentheses. */
function plainVariables(tokens: readonly Token[]): Token[] {
  let depth = 0;
  return tokens.filter(({ kind, text }) => {
    if (text === '(') depth += 1;
    if (text === ')') depth -= 1;
    return depth === 0 && kind === 'variable';
  });
}

function endOfBlock(tokens: readonly Token[], begin: number): number {
  let depth = 0;
  for (let at = begin; at < tokens.length; at += 1) {
    if (tokens[at]?.text === '{') depth += 1;
    if (tokens[at]?.text === '}') depth -= 1;
    if (depth === 0) return at;
  }
  return tokens.length;
}
