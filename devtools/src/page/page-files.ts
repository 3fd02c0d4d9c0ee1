import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
};

/** The files of the page in a directory. Requests are matched against their names: no request becomes a file path. */
export function pageFiles(directory: URL) {
  const urls = new Map<string, URL>();
  for (const found of readdirSync(directory, { recursive: true }) as string[]) {
    const name = found.replaceAll('\\', '/');
    if (TYPES[extname(name)] !== undefined) urls.set(`/${name}`, new URL(name, directory));
  }
  /** The file of a URL path; undefined if there is none. */
  return async (path: string): Promise<{ type: string; content: Buffer } | undefined> => {
    const name = path === '/' ? '/index.html' : path;
    const url = urls.get(name);
    return url && { type: TYPES[extname(name)] as string, content: await readFile(url) };
  };
}
