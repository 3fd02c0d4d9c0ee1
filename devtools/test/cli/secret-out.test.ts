import { expect, it } from 'vitest';
import { openSecretFile } from '../../src/cli/secret-out.js';
import { scratch } from './tool.js';

it('a secret that could not be written is an error with advice, which does not quote it', async () => {
  const file = await openSecretFile(await (await scratch())('secret.txt'), true);
  // Closed, it takes no more, as on a disk that is full.
  await file.close();
  const error = await file.write('whsec-of-the-webhook', 'Remove webhook 12.').catch((failure: Error) => failure);
  expect(String(error)).toMatch(/Cannot write the file of --secret-out: .* Remove webhook 12\./);
  expect(String(error)).not.toContain('whsec-of-the-webhook');
});
