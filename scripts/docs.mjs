// `npm run docs` shows the documentation and follows changes, `npm run docs build` builds the site: docs/.vitepress/dist.
//
//   node scripts/docs.mjs [dev|build] [--built]
//
// `--built`: both packages have been built.
import { installNeeds } from './install-needs.mjs';
import { root, run } from './install-pins.mjs';

const [mode = 'dev', built] = process.argv.slice(2);
await installNeeds(['docs']);
if (built === undefined) await run('npm', ['run', '--silent', 'build:js']);
await run(process.execPath, [`${root}docs/.vitepress/generate.mjs`]);
await run(process.execPath, [`${root}docs/node_modules/vitepress/bin/vitepress.js`, mode, `${root}docs`]);
