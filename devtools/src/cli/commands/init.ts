import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { type Files, projectFiles, templateFiles } from '../../init/files.js';
import { HOSTS, TEMPLATES } from '../../init/parts.js';
import { type Project, readProject } from '../../init/project.js';
import { inputError, usageError } from '../command-error.js';
import type { Context, ExitCode } from '../context.js';
import { choice } from '../program/options.js';
import * as shared from '../program/shared-options.js';

const define = (own: shared.Own) =>
  own
    .description(
      `${own.summary()}.

In an empty folder, --template writes a project that runs. In a folder with a package.json, it writes a receiver with a store, a route and a test for the framework and the client that it finds there, and prints the line to add. It never changes a file that exists.`,
    )
    .argument('[folder]', 'Where to write (default: this folder)')
    .addOption(
      choice(
        '--template <name>',
        Object.keys(TEMPLATES),
        `A whole project, for an empty folder: ${Object.keys(TEMPLATES).join(', ')}`,
      ),
    )
    .option('--dry-run', 'Print the files, and write nothing');

type InitContext = Context<shared.OptionsOf<typeof define>>;

/** The files to write, and the next commands. */
interface Plan {
  readonly files: Files;
  readonly next: readonly string[];
  readonly notes: readonly string[];
}

async function run(
  { options: { template, dryRun }, output }: InitContext,
  given: string | undefined,
): Promise<ExitCode> {
  const folder = resolve(given ?? '.');
  const { files, next, notes } = template ? forTemplate(folder, template) : forProject(folder);
  const taken = [...files.keys()].filter((path) => existsSync(join(folder, path)));
  if (template && taken.length > 0) throw inputError(`${taken.join(', ')} exists. Name a new folder.`);
  for (const [path, text] of files) {
    const isTaken = taken.includes(path);
    const word = isTaken ? 'kept   ' : 'written';
    output.result(
      { path, written: !isTaken && !dryRun, text: dryRun ? text : undefined },
      dryRun ? `${path}\n\n${text}` : `${word} ${path}`,
    );
    if (isTaken || dryRun) continue;
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text, { flag: 'wx' });
  }
  for (const note of notes) output.note(note);
  const inFolder = relative('.', folder);
  const commands = inFolder === '' ? next : [`cd ${inFolder}`, ...next];
  if (!output.json) output.print(`\nThen:\n${commands.map((line) => `  ${line}`).join('\n')}`);
  return 0;
}

function forTemplate(folder: string, name: string): Plan {
  const found = existsSync(folder) ? readdirSync(folder).filter((each) => each !== '.git') : [];
  if (found.includes('package.json'))
    throw inputError('This folder has a package.json. Leave --template out, or name a new folder.');
  const { store, next } = TEMPLATES[name] as (typeof TEMPLATES)[string];
  const copy = `cp .env.example ${store ? '.env' : '.dev.vars'}`;
  return { files: templateFiles(name), next: [copy, 'npm install', ...next], notes: [] };
}

function forProject(folder: string): Plan {
  let project: Project | undefined;
  try {
    project = readProject(folder);
  } catch (error) {
    throw inputError(`package.json cannot be read: ${(error as Error).message}`);
  }
  if (!project) {
    throw usageError(
      `There is no package.json here. For a new project: init <folder> --template ${Object.keys(TEMPLATES).join(' | ')}`,
    );
  }
  const { host, store, other, hasTypeScript } = project;
  const notes = [
    `Found ${host === 'node' ? 'no framework' : host} and ${store === 'memory' ? 'no client of a database' : store}.`,
  ];
  if (store === 'memory') {
    notes.push(
      other
        ? `For ${other}, replace the store by the one of its page: event-webhook-receiver/docs/stores/index.md.`
        : 'memoryStore() loses its keys when the process restarts. Before production: event-webhook-receiver/docs/stores/index.md.',
    );
  }
  if (!hasTypeScript)
    notes.push('The files are TypeScript. Run them with tsx, or with Node 22.18 and newer, or remove their types.');
  const part = HOSTS[host];
  const line = 'line' in part ? [`add to your app: ${part.line}`] : [];
  return {
    files: projectFiles(project),
    next: ['npm install event-webhook-receiver', 'npm install --save-dev event-webhooks', ...line],
    notes,
  };
}

export const command = shared.command(define, run, {
  examples: [
    ['init webhooks --template express-postgres', 'A project in a new folder'],
    ['init --dry-run', 'What it would add to this project'],
  ],
  exitCodes: { 2: 'wrong usage, or a file of that name exists' },
});
