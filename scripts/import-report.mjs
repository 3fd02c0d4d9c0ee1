// Imports and requires every subpath of the built package in a process of its own. Prints what Node loads for it, and
// fails on more of our own code than its budget, and on a module of Node or a package that is not in its list. Nothing is
// timed, so it says the same on every machine; `npm run bench` has the times.
import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { fileURLToPath } from 'node:url';
import { IMPORTS } from './budgets.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = fileURLToPath(new URL('../dist/', import.meta.url));
const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

const HOOK = `
  import { writeSync } from 'node:fs';
  export function load(url, context, next) {
    writeSync(1, url + '\\n');
    return next(url, context);
  }`;

/** Programs that print a line for each module that is loaded on the way to a specifier. */
const WATCHED = {
  import: (specifier) => `
    import { register } from 'node:module';
    register(${JSON.stringify(`data:text/javascript,${encodeURIComponent(HOOK)}`)});
    await import('${specifier}');`,
  require: (specifier) => `
    const Module = require('node:module');
    const { pathToFileURL } = require('node:url');
    const load = Module._load;
    Module._load = (request, ...rest) => {
      if (Module.isBuiltin(request)) console.log(request);
      return load(request, ...rest);
    };
    require('${specifier}');
    for (const file of Object.keys(require.cache)) console.log(pathToFileURL(file).href);`,
};

// No hook sees what is had through process.getBuiltinModule, and what a module of Node brings along.
const UNWATCHED = {
  import: (specifiers) => specifiers.map((each) => `await import('${each}');`).join(''),
  require: (specifiers) => specifiers.map((each) => `require('${each}');`).join(''),
};
// What reading any file takes.
const ANY_FILE = { import: './scripts/budgets.mjs', require: './package.json' };
const PRINT = `console.log(process.moduleLoadList.join('\\n'));`;

const lines = (how, code) =>
  execFileSync(process.execPath, [how === 'import' ? '--input-type=module' : '--input-type=commonjs', '-e', code], {
    cwd: root,
    encoding: 'utf8',
  })
    .trim()
    .split('\n');

const unique = (names) => [...new Set(names)].sort();

/** The public modules of Node that a process has loaded which loads these. */
function builtinsAfter(how, ...specifiers) {
  const names = lines(how, UNWATCHED[how](specifiers) + PRINT).map((line) => line.replace(/^NativeModule /, ''));
  return unique(names.filter((name) => !name.startsWith('internal/') && isBuiltin(name)));
}

function loaded(how, specifier, allowed) {
  const urls = lines(how, WATCHED[how](specifier));
  const files = unique(urls.filter((url) => url.startsWith('file:')).map((url) => fileURLToPath(url)));
  const own = files.filter((file) => file.startsWith(dist));
  const others = files.filter((file) => !file.startsWith(dist));
  const named = urls.filter((url) => isBuiltin(url)).map((url) => `node:${url.replace(/^node:/, '')}`);
  const expected = builtinsAfter(how, ANY_FILE[how], ...allowed);
  return {
    files: own.length,
    bytes: own.reduce((sum, file) => sum + statSync(file).size, 0),
    builtins: unique(named),
    hidden: builtinsAfter(how, specifier).filter((name) => !expected.includes(name)),
    packages: unique(others.map((file) => /.*node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/.exec(file)?.[1] ?? file)),
  };
}

const rows = {};
const violations = [];
const same = (a, b) => a.join() === b.join();
const list = (names) => names.join(', ') || 'nothing';

for (const [subpath, targets] of Object.entries(manifest.exports)) {
  if (typeof targets === 'string') continue;
  const limits = IMPORTS[subpath];
  if (limits === undefined) {
    violations.push(`${subpath} has no row in IMPORTS of scripts/budgets.mjs`);
    continue;
  }
  for (const how of ['import', 'require']) {
    const title = `${how} ${subpath}`;
    const { files, bytes, builtins, hidden, packages } = loaded(how, manifest.name + subpath.slice(1), limits.builtins);
    rows[title] = { files: `${files} of ${limits.files}`, bytes: `${bytes} of ${limits.bytes}` };
    Object.assign(rows[title], { builtins: list(builtins), packages: list(packages) });
    if (files > limits.files) violations.push(`${title} loads ${files} files, and ${limits.files} are allowed`);
    if (bytes > limits.bytes) violations.push(`${title} loads ${bytes} bytes, and ${limits.bytes} are allowed`);
    if (!same(builtins, limits.builtins))
      violations.push(`${title} loads ${list(builtins)} of Node, not ${list(limits.builtins)}`);
    if (hidden.length > 0)
      violations.push(`${title} makes Node load ${list(hidden)} beside what ${list(limits.builtins)} needs`);
    if (!same(packages, limits.packages))
      violations.push(`${title} loads ${list(packages)}, not ${list(limits.packages)}`);
  }
}

console.table(rows);
for (const violation of violations) console.error(violation);
process.exitCode = violations.length > 0 ? 1 : 0;
