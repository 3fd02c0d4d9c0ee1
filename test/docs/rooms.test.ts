import { readdirSync, readFileSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** The rooms of ARCHITECTURE.md in their order, each with the rooms that it imports. */
function documented(): [room: string, imports: string[]][] {
  const text = readFileSync(`${root}ARCHITECTURE.md`, 'utf8');
  const rows = text.matchAll(/^\| `([\w-]+)(?:\.ts|\/)` \| [^|]* \| ([^|]*) \|$/gm);
  return Array.from(rows, ([, room = '', imports = '']) => [
    room,
    imports === 'nothing' ? [] : imports.split(', ').map((each) => each.trim()),
  ]);
}

function imported(): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const file of readdirSync(`${root}src`, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.ts') || file === 'index.ts') continue;
    const room = roomOf(file);
    const others = found.get(room) ?? new Set();
    found.set(room, others);
    for (const [, from = ''] of readFileSync(join(root, 'src', file), 'utf8').matchAll(/ from '([^']+)'/g)) {
      if (from === '#runtime') others.add('runtime');
      else if (from.startsWith('.')) others.add(roomOf(normalize(join(file, '..', from))));
    }
    others.delete(room);
  }
  return found;
}

const roomOf = (file: string) => (file.split('/')[0] as string).replace(/\.[jt]s$/, '');

it('the table of rooms in ARCHITECTURE.md says which rooms each imports', () => {
  const table = Object.fromEntries(documented());
  const actual = Object.fromEntries([...imported()].map(([room, others]) => [room, [...others].sort()]));
  expect(table).toEqual(actual);
});

it('each room imports only rooms above it in the table', () => {
  const above: string[] = [];
  for (const [room, imports] of documented()) {
    expect(above, room).toEqual(expect.arrayContaining(imports));
    above.push(room);
  }
});

it('no file imports itself over others', () => {
  const graph = new Map<string, string[]>();
  for (const folder of ['src', 'devtools/src']) {
    for (const file of readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })) {
      const path = join(folder, file);
      if (!/\.tsx?$/.test(path)) continue;
      const imports = readFileSync(join(root, path), 'utf8').matchAll(/(?:from|import\() ?'(\.[^']+)\.js'/g);
      graph.set(
        stem(path),
        Array.from(imports, ([, from = '']) => normalize(join(path, '..', from))),
      );
    }
  }
  const done = new Set<string>();
  function visit(file: string, way: readonly string[]): void {
    expect(way).not.toContain(file);
    if (done.has(file)) return;
    for (const next of graph.get(file) ?? []) visit(next, [...way, file]);
    done.add(file);
  }
  for (const file of graph.keys()) visit(file, []);
});

const stem = (path: string) => path.replace(/\.tsx?$/, '');
