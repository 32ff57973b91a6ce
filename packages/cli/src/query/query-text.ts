import { plainText } from '../terminal/plain-text.ts';

const FORM = /\b(?:SELECT|ASK|CONSTRUCT|DESCRIBE)\b/i;

/** What goes before a query: declarations, comments, and RSP-QL's registration. IRIs may hold any word. */
const BEFORE = /^(?:\s+|#[^\n]*|PREFIX\s+[^\s<]*\s*<[^>]*>|BASE\s+<[^>]*>|REGISTER\s+\w+\s+(?:<[^>]*>|\S+)\s+AS\b)/i;

/** The text of a query for people: in one line, from what it asks for on. */
export function queryText(sparql: string): string {
  let rest = sparql;
  for (let before = BEFORE.exec(rest); before; before = BEFORE.exec(rest)) rest = rest.slice(before[0].length);
  return plainText((FORM.test(rest) ? rest : sparql).replace(/\s+/g, ' ').trim());
}
