import { HOSTS } from '../init/parts.js';
import { type Project, readProject } from '../init/project.js';

/** How the project gets its first receiver, which `init` writes. Contains no secret. */
export interface FirstRun {
  /** The project's framework, by the name that `init` prints. */
  readonly framework: string;
  /** The line that mounts the receiver, with its place in the app; undefined if its file is a route already. */
  readonly line?: string | undefined;
  /** The command that starts the app with the secret. */
  readonly secretCommand: string;
  /** Whether the command waits for the secret to be pasted. Otherwise it reads a file. */
  readonly asks: boolean;
}

/**
 * Reads the project in a directory; undefined without a valid package.json.
 *
 * @param secretFile The file with the secret, as the user named it; `-` is stdin, which cannot be read again.
 */
export function readFirstRun(directory: string, secretFile?: string): FirstRun | undefined {
  let project: Project | undefined;
  try {
    project = readProject(directory);
  } catch {
    return undefined;
  }
  if (!project) return undefined;
  const { host, start } = project;
  const part = HOSTS[host];
  const file = secretFile === '-' ? undefined : secretFile;
  // The command has the name of the file, so neither the page nor the shell's history has the secret. `read -s` does not
  // echo what is pasted.
  const secretCommand =
    file === undefined
      ? `read -rs WEBHOOK_SECRET && WEBHOOK_SECRET=$WEBHOOK_SECRET ${start}`
      : `WEBHOOK_SECRET=$(cat ${quoted(file)}) ${start}`;
  return { framework: host, line: 'line' in part ? part.line : undefined, secretCommand, asks: file === undefined };
}

/** A path as a word of a shell. */
export const quoted = (file: string) => (/^[\w./-]+$/.test(file) ? file : `'${file.replaceAll("'", `'\\''`)}'`);
