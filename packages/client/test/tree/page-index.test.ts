import { literal, namedNode, quad } from '@ldes-live/rdf-stream';
import { expect, test } from 'vitest';
import { MOST_LOOKS, PageIndex } from '../../src/tree/page-index.ts';
import { BASE } from './model-publisher.ts';
import { ROOT, run, ScriptedPages } from './scripted-pages.ts';

const node = namedNode('http://example.org/n');
const URL = 'http://example.org/page';

test.each([0, 1, 7])(
  'READ-36 the %i quads of a page are looked at as often as they may be, not more often',
  (quads) => {
    const said = Array.from({ length: quads }, (_, at) => quad(node, node, literal(`${at}`)));
    const index = new PageIndex(said, URL);
    const looks = MOST_LOOKS.perQuad * quads + MOST_LOOKS.besides;
    const each = 1 + quads;
    for (let at = 0; at < Math.floor(looks / each); at += 1) index.star(node.value);
    for (let at = 0; at < looks % each; at += 1) index.graph(node.value);
    for (const look of [() => index.star(node.value), () => index.graph('x'), () => index.incoming('x')]) {
      expect(look).toThrow(expect.objectContaining({ code: 'ERR_TREE_PAGE_TANGLED', details: { url: URL, quads } }));
    }
  },
);

/** A page whose members all have one blank node. */
function sharing(members: number, quads: number): ScriptedPages {
  const lines = Array.from({ length: members }, (_, at) => `<s> tree:member <m${at}> . <m${at}> ex:part _:shared .`);
  const shared = Array.from({ length: quads }, (_, at) => `_:shared ex:value ${at} .`);
  return new ScriptedPages({ '/root': ROOT + lines.join('\n') + shared.join('\n') });
}

test('READ-36 members may share much', async () => {
  const { members } = await run(await sharing(250, 1000).open());
  expect(members.map(({ quads }) => quads.length)).toEqual(Array.from({ length: 250 }, () => 1001));
});

test('READ-36 members that would make a page much more than it is are refused', async () => {
  await expect(run(await sharing(1300, 1300).open())).rejects.toMatchObject({
    code: 'ERR_TREE_PAGE_TANGLED',
    details: { url: `${BASE}/root` },
  });
});
