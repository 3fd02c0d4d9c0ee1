// Writes the programs of examples/ into the pages that show them: a block that begins with "```typescript examples/…" contains
// that file. So a page is whole on the site, in the repository and in the package.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = new URL('../', import.meta.url);
const BLOCK = /^```typescript (examples\/\S+)\n[\s\S]*?^```$/gm;

const withPrograms = (text) =>
  text.replace(BLOCK, (_, path) => {
    const program = readFileSync(new URL(path, root), 'utf8').trimEnd();
    return `\`\`\`typescript ${path}\n${program}\n\`\`\``;
  });

/** The pages whose programs differ from the examples. */
export function stalePages() {
  const pages = readdirSync(new URL('docs/', root), { recursive: true, encoding: 'utf8' }).filter(
    (path) => path.endsWith('.md') && !/(^|[\\/])(node_modules|\.vitepress)[\\/]/.test(path),
  );
  return pages.flatMap((path) => {
    const url = new URL(`docs/${path.replaceAll('\\', '/')}`, root);
    const text = readFileSync(url, 'utf8');
    const fresh = withPrograms(text);
    return fresh === text ? [] : [{ url, fresh }];
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const { url, fresh } of stalePages()) writeFileSync(url, fresh);
}
