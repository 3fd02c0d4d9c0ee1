import { useEffect, useState } from 'preact/hooks';
import type { BodyDiff } from '../../../explain/diff-bodies.js';
import { type Api, messageOf } from '../api.js';
import type { Detail } from '../types.js';
import { base64Of } from './bytes.js';
import { Diff } from './diff.js';

/** Larger files are not compared. The server has the same limit. */
const MOST_BYTES = 2 * 1024 * 1024;

type Result = { readonly diff: BodyDiff } | { readonly problem: string };

function Outcome({ result }: { result: Result | undefined }) {
  if (result === undefined) return null;
  if ('diff' in result) return <Diff diff={result.diff} />;
  return (
    <p class="error" role="alert">
      {result.problem}
    </p>
  );
}

/** Compares the signed body with these bytes, or with the sent body. */
async function compare(api: Api, id: string, received?: Uint8Array): Promise<Result> {
  if (received && received.length > MOST_BYTES) return { problem: 'More than 2 MiB cannot be compared.' };
  try {
    return { diff: await api.post('compare', { id, bodyBase64: received && base64Of(received) }) };
  } catch (error) {
    return { problem: messageOf(error) };
  }
}

/** The change that a fault made after signing. */
export function SignedAndSent({ api, detail: { id } }: { api: Api; detail: Detail }) {
  const [result, setResult] = useState<Result>();
  useEffect(() => {
    let isCurrent = true;
    void compare(api, id).then((next) => isCurrent && setResult(next));
    return () => {
      isCurrent = false;
    };
  }, [api, id]);
  return (
    <>
      <p>A fault changed the body after it was signed.</p>
      <Outcome result={result} />
    </>
  );
}

/** Compares the signed body with the one that an application received, pasted or from a file. */
export function CompareReceived({ api, id }: { api: Api; id: string }) {
  const [text, setText] = useState('');
  const [result, setResult] = useState<Result>();

  const show = async (received: Uint8Array) => setResult(await compare(api, id, received));
  async function take(file: File | undefined) {
    if (file) await show(new Uint8Array(await file.slice(0, MOST_BYTES + 1).arrayBuffer()));
  }
  return (
    <details class="compare">
      <summary>Compare with what your app received</summary>
      <div class="form">
        <label for="received">The body that your app verified, as text</label>
        <textarea
          id="received"
          class="mono"
          rows={5}
          spellcheck={false}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
        <div class="buttons">
          <button type="button" disabled={text === ''} onClick={() => void show(new TextEncoder().encode(text))}>
            Compare text
          </button>
          <label class="file">
            <span class="hint">or a file, which keeps every byte:</span>
            <input
              type="file"
              onChange={({ currentTarget }) => {
                void take(currentTarget.files?.[0]);
                currentTarget.value = '';
              }}
            />
          </label>
        </div>
        <Outcome result={result} />
      </div>
    </details>
  );
}
