import { hasShared, sharedBytes, sharedText } from '../shared.js';
import type { SharedData } from './suite/shared.js';

export const VECTORS = 'vectors/wycheproof-digit-timestamp.json';
const JSON_SUITE = 'vectors/json-test-suite';

interface Vector {
  readonly keyBase64: string;
  readonly keyIsUtf8: boolean;
  readonly bodyBase64: string;
  readonly timestamp: string;
  readonly signature: string;
}

/** What lies in ../shared for the suite, or undefined where it is not there. */
export function sharedData(): SharedData | undefined {
  if (!hasShared(VECTORS) || !hasShared(JSON_SUITE)) return undefined;
  const { vectors } = JSON.parse(sharedText(VECTORS)) as { vectors: Vector[] };
  const { cases } = JSON.parse(sharedText(`${JSON_SUITE}/manifest.json`)) as { cases: SharedData['json'] };
  const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  return {
    vectors: vectors
      .filter(({ keyIsUtf8 }) => keyIsUtf8)
      .map(({ keyBase64, bodyBase64, timestamp, signature }) => ({
        secret: utf8.decode(Buffer.from(keyBase64, 'base64')),
        body: bodyBase64,
        timestamp,
        signature,
      })),
    json: cases.map((each) => ({
      ...each,
      body: Buffer.from(sharedBytes(`${JSON_SUITE}/files/${each.file}`)).toString('base64'),
    })),
  };
}
