import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { isRecord } from '../guards.js';
import { nodeSnippet, type Snippet, snippets } from './snippets.js';

/** The first receiver of a project, ready to be copied. Contains no secret. */
export interface FirstRun {
  readonly framework: string;
  /** Where the snippet goes. */
  readonly file: string;
  readonly snippet: string;
  /** The command that installs what the snippet imports; undefined if all of it is installed. */
  readonly install?: string | undefined;
  /** The command that starts the receiver with its secret. */
  readonly secretCommand: string;
  /** Whether the command waits for the secret to be pasted. Otherwise it reads a file. */
  readonly asks: boolean;
  /** Where the receiver listens then. */
  readonly url: string;
}

const MOST_BYTES = 1024 * 1024;

/** Reads which framework the project in a directory uses, from its package.json. */
export async function readFirstRun({
  directory,
  secretFile,
}: {
  directory: string;
  /** The file with the secret, as the user named it; `-` is stdin, which cannot be read again. */
  secretFile?: string | undefined;
}): Promise<FirstRun> {
  const manifest = await readManifest(directory);
  const dependencies = { ...record(manifest.dependencies), ...record(manifest.devDependencies) };
  const has = (name: string) => Object.hasOwn(dependencies, name);
  const [, snippet] = Object.entries(snippets).find(([dependency]) => has(dependency)) ?? [undefined, nodeSnippet];
  const { framework, file, code, url, packages = [] } = snippet;
  const missing = ['event-webhook-receiver', ...packages].filter((name) => !has(name));
  const knownFile = secretFile === '-' ? undefined : secretFile;
  return {
    ...{ framework, file, url, snippet: code },
    install: missing.length > 0 ? `npm install ${missing.join(' ')}` : undefined,
    secretCommand: startCommand(snippet, scriptOf(record(manifest.scripts)), knownFile),
    asks: knownFile === undefined,
  };
}

async function readManifest(directory: string): Promise<Record<string, unknown>> {
  let file: FileHandle | undefined;
  try {
    // Without O_NONBLOCK, opening a FIFO waits for its writer.
    file = await open(join(directory, 'package.json'), constants.O_RDONLY | constants.O_NONBLOCK);
    const stat = await file.stat();
    // Devices have the size 0, and no end.
    if (!stat.isFile() || stat.size > MOST_BYTES) return {};
    return record(JSON.parse(await file.readFile('utf8')));
  } catch {
    // No project, or an invalid package.json.
    return {};
  } finally {
    await file?.close();
  }
}

const record = (value: unknown) => (isRecord(value) ? value : {});

function scriptOf(scripts: Record<string, unknown>): string {
  return Object.hasOwn(scripts, 'dev') ? 'npm run dev' : 'npm start';
}

/** Only the name of the file with the secret is in the command, so neither the page nor the shell's history has the secret. */
function startCommand({ start, variablesFile }: Snippet, script: string, secretFile: string | undefined): string {
  // `read -s` does not echo the pasted secret.
  const ask = secretFile === undefined ? 'read -rs WEBHOOK_SECRET && ' : '';
  const secret = secretFile === undefined ? '$WEBHOOK_SECRET' : `$(cat ${quoted(secretFile)})`;
  const command = start ?? script;
  return variablesFile === undefined
    ? `${ask}WEBHOOK_SECRET=${secret} ${command}`
    : `${ask}echo "WEBHOOK_SECRET=${secret}" > ${variablesFile} && ${command}`;
}

/** A path as a word of a shell. */
export const quoted = (file: string) => (/^[\w./-]+$/.test(file) ? file : `'${file.replaceAll("'", `'\\''`)}'`);
