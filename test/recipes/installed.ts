import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const frameworks = new URL('../../examples/frameworks/', import.meta.url);

/** What stands in the title of a suite that needs the frameworks. */
export const hasFrameworks = existsSync(new URL('node_modules/nitro', frameworks));
export const needsFrameworks = hasFrameworks
  ? ''
  : ' (skipped: the frameworks are not installed: npm install --prefix examples/frameworks)';

/** Imports a file of the recipes. They have packages and compiler options of their own, so their types stay there. */
export async function importRecipe<Module>(path: string): Promise<Module> {
  return await import(/* @vite-ignore */ fileURLToPath(new URL(path, frameworks)));
}
