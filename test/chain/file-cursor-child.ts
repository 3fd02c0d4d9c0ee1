// Counts up in a cursor until it is killed, and prints a letter for each number that it wrote.
// tsx file-cursor-child.ts <path>
import { fileCursor } from '../../src/chain/file-cursor.js';

const cursor = fileCursor(String(process.argv[2]));
for (;;) {
  const text = await cursor.read();
  if (await cursor.write(String(Number(text ?? 0) + 1), text)) process.stdout.write('.');
}
