// Counts the blocks of the project's sources that run, so that inputs which reach new ones are kept. `--import` this after
// the hooks that read TypeScript. One byte per block in a table on the thread; a count that overflows begins anew.
//
//   if (a) b();   ->   if (a) { blocks[17]++; b(); }
//   a ? b : c     ->   a ? (blocks[18]++, b) : (blocks[19]++, c)
import { register } from 'node:module';
import { parseSync, Visitor } from 'oxc-parser';

const HOOKS = '?hooks';
if (!import.meta.url.endsWith(HOOKS)) register(import.meta.url + HOOKS);

const SOURCE = /\/packages\/[a-z-]+\/src\/.*\.ts$/;
const BLOCKS = 65_536;
let counted = 0;

export async function load(url, context, next) {
  const loaded = await next(url, context);
  return SOURCE.test(url) ? { ...loaded, source: withCounts(String(loaded.source)) } : loaded;
}

function withCounts(text) {
  const inserted = [];
  const count = () => `fuzzBlocks[${counted++ % BLOCKS}]++`;
  const at = (position, code) => inserted.push({ position, code });
  const wrap = (node) => {
    at(node.start, `(${count()},`);
    at(node.end, ')');
  };
  const enclose = (node) => {
    if (!node || node.type === 'BlockStatement' || node.type === 'IfStatement') return;
    at(node.start, `{${count()};`);
    at(node.end, '}');
  };
  const enterBody = ({ body }) => enclose(body);
  new Visitor({
    BlockStatement: (node) => at(node.start + 1, `${count()};`),
    ArrowFunctionExpression: ({ body }) => body.type !== 'BlockStatement' && wrap(body),
    ConditionalExpression: ({ consequent, alternate }) => [consequent, alternate].forEach(wrap),
    LogicalExpression: ({ right }) => wrap(right),
    IfStatement: ({ consequent, alternate }) => [consequent, alternate].forEach(enclose),
    ForStatement: enterBody,
    ForInStatement: enterBody,
    ForOfStatement: enterBody,
    WhileStatement: enterBody,
    SwitchCase: ({ consequent: [first] }) => first && at(first.start, `${count()};`),
  }).visit(parseSync('module.mjs', text).program);
  let from = 0;
  const parts = [];
  for (const { position, code } of inserted.sort((one, other) => one.position - other.position)) {
    parts.push(text.slice(from, position), code);
    from = position;
  }
  return `globalThis.fuzzBlocks ??= new Uint8Array(${BLOCKS});${parts.join('')}${text.slice(from)}`;
}
