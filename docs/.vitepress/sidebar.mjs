import { readFileSync } from 'node:fs';
import { SECTIONS } from './sections.mjs';

const docs = new URL('../', import.meta.url);

/** Each section is closed until one of its pages is shown, apart from the first. */
export const sidebar = SECTIONS.map(([text, folder, pages], index) => {
  const items = pages.map((page) => {
    const file = new URL(`${folder}/${page}.md`, docs);
    const link = file.href.slice(docs.href.length - 1, -'.md'.length).replace(/index$/, '');
    return { text: titleOf(file), link };
  });
  // Without a link, the whole heading would be a button with a button in it.
  return { text, collapsed: index > 0, link: items[0].link, items };
});

function titleOf(file) {
  const text = readFileSync(file, 'utf8');
  const [, title = ''] = /^title: *["']?(.*?)["']?$/m.exec(text) ?? /^# (.*)$/m.exec(text) ?? [];
  if (title === '') throw new Error(`${file.pathname} has no title.`);
  return title;
}
