// Writes the pages that are made from the code: docs/reference/api from JSDoc, docs/reference/cli.md from the command's
// own help. Needs `npm run build:js`.
import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Application, Comment } from 'typedoc';
import { entriesOf, PACKAGES } from '../../scripts/exports.mjs';

const path = (relative, base = import.meta.url) => fileURLToPath(new URL(relative, base));

/** The table of docs/reference/imports.md: what each module contains. */
const imports = [
  ...readFileSync(path('../reference/imports.md'), 'utf8').matchAll(/^\| `(event-webhook\S*)`.*? \| (.*) \|$/gm),
].map(([, specifier, contents]) => [specifier, contents.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')]);

async function writeApi() {
  const sources = Object.entries(PACKAGES).flatMap(([name, url]) =>
    entriesOf(url).map(({ specifier, source }) => {
      const prefix = name === 'receiver' ? '' : `${name}/`;
      return { specifier, file: path(source, url), module: prefix + source.replace(/(\/index)?\.ts$/, '') };
    }),
  );
  const out = path('../reference/api');
  rmSync(out, { recursive: true, force: true });
  const app = await Application.bootstrapWithPlugins({
    entryPoints: sources.map(({ file }) => file),
    tsconfig: path('../../tsconfig.json'),
    plugin: ['typedoc-plugin-markdown'],
    out,
    name: 'API',
    readme: 'none',
    sortEntryPoints: false,
    indexFormat: 'table',
    router: 'module',
    entryFileName: 'index',
    hideBreadcrumbs: true,
    disableSources: true,
    excludeExternals: true,
    excludeInternal: true,
    excludePrivate: true,
    sanitizeComments: true,
    useHTMLAnchors: true,
    anchorPrefix: 'api-',
    // npm run check does that, with the compiler of the project.
    skipErrorChecking: true,
    logLevel: 'Error',
  });
  const project = await app.convert();
  if (project === undefined) throw new Error('TypeDoc could not read the sources.');
  for (const module of project.children ?? []) {
    module.name = sources.find((source) => source.module === module.name)?.specifier ?? module.name;
    const [, contents] = imports.find(([specifier]) => specifier === module.name) ?? [];
    if (contents === undefined) throw new Error(`docs/reference/imports.md has no row for ${module.name}.`);
    module.comment = new Comment([{ kind: 'text', text: contents }]);
  }
  await app.generateOutputs(project);
  if (app.logger.hasErrors()) throw new Error('TypeDoc could not write the API reference.');
}

const help = (...command) =>
  execFileSync(process.execPath, [path('../../devtools/dist/cli/main.js'), ...command, '--help'], {
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '1', COLUMNS: '80' },
  }).trimEnd();

/** The commands that a help lists. */
const commandsIn = (text) => {
  const [, list = ''] = /^Commands:\n((?: .*\n)+)/m.exec(`${text}\n`) ?? [];
  return [...list.matchAll(/^ {2}(\S+)/gm)].map(([, name]) => name).filter((name) => name !== 'help');
};

function section(...command) {
  const text = help(...command);
  const title = ['event-webhooks', ...command].join(' ');
  const own = `${'#'.repeat(Math.min(command.length + 1, 3))} ${title}\n\n\`\`\`text\n${text}\n\`\`\`\n`;
  return [own, ...commandsIn(text).map((name) => section(...command, name))].join('\n');
}

function writeCommands() {
  const intro = `---
title: Command line
description: Every command and option of event-webhooks, as its own help prints them.
---

`;
  const note =
    '\nInstall it with `npm install --save-dev event-webhooks`. [Commands](../develop/commands.md) has the common tasks.\n';
  const text = section().replace('\n', `\n${note}`).replace('# event-webhooks', '# Command line: event-webhooks');
  writeFileSync(path('../reference/cli.md'), intro + text);
}

await writeApi();
writeCommands();
