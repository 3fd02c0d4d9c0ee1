// Generates the Prisma clients. Nothing is downloaded: generating runs no engine, but looks for one.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const env = { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, PRISMA_HIDE_UPDATE_MESSAGE: '1' };
for (const name of ['postgres', 'mysql']) {
  const args = [
    path('node_modules/prisma/build/index.js'),
    'generate',
    '--no-hints',
    '--schema',
    path(`schemas/${name}.prisma`),
  ];
  const { status } = spawnSync(process.execPath, args, { cwd: path('.'), env, stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) process.exit(1);
}
