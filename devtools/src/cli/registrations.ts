import type { LocalService } from '../service/local-service.js';
import { CommandError, inputError, usageError } from './command-error.js';
import type { Output } from './output.js';
import { openSecretFile } from './secret-out.js';
import { fullUrl } from './urls.js';

/** A webhook to register at the start. */
export interface Wanted {
  readonly label: string;
  readonly url: string;
}

/** Reads `--register label=url`. */
export function readWanted(texts: readonly string[], secretOut: string | undefined): Wanted[] {
  const wanted = texts.map((text) => {
    const at = text.indexOf('=');
    const url = fullUrl(text.slice(at + 1));
    if (at < 1 || !URL.canParse(url)) {
      throw usageError('--register must be LABEL=URL, such as shop=localhost:3000/webhooks.');
    }
    return { label: text.slice(0, at), url };
  });
  if (secretOut !== undefined && wanted.length !== 1) {
    throw usageError('--secret-out needs exactly one --register.');
  }
  return wanted;
}

/**
 * Registers a webhook with the local service, unless a state file has it already. Its secret is written to
 * the file, which only its owner can read, or printed once.
 */
export async function registerWanted(
  { label, url }: Wanted,
  { service, secretOut, output }: { service: LocalService; secretOut: string | undefined; output: Output },
): Promise<void> {
  // Opened before anything is registered.
  const file = secretOut === undefined ? undefined : await openSecretFile(secretOut, false);
  try {
    const known = service.webhooks().find((webhook) => webhook.label === label && webhook.url === url);
    const { id } = known ?? service.register({ label, url });
    const webhook = { id, label, url };
    const secret = service.secretOf(id) as string;
    await file?.write(secret);
    const [shown, text] = file
      ? [{ secretFile: secretOut }, `, secret in ${secretOut}`]
      : known
        ? [{}, ', registered earlier: its secret was printed then']
        : [{ secret }, `\n  secret (shown once): ${secret}`];
    output.result({ webhook: { ...webhook, ...shown } }, `Webhook ${label} → ${url}${text}`);
  } catch (error) {
    throw error instanceof CommandError ? error : inputError(`--register ${label}: ${(error as Error).message}`);
  } finally {
    await file?.close();
  }
}
