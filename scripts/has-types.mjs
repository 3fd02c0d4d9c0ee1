// `npm pack` in either folder: refuses a package without types, which `npm run build:js` leaves out.
import { existsSync, readFileSync } from 'node:fs';

const { name, types, exports } = JSON.parse(readFileSync('package.json', 'utf8'));
const missing = [...new Set(JSON.stringify([types, exports]).match(/(?<=")\.\/[^"]+\.d\.c?ts(?=")/g))].filter(
  (path) => !existsSync(path),
);
if (missing.length > 0) {
  console.error(`${name} has no types in dist, such as ${missing[0]}. Run npm run build, and pack again.`);
  process.exitCode = 1;
}
